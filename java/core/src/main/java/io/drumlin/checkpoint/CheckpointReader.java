package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.EarlyRecovery.Sink;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.MappedFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads checkpoint files and checks what has a digest. Thread-safe: one file is read at a time. */
final class CheckpointReader {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final EnumSet<OpenMode> MODES = EnumSet.of(OpenMode.READ, OpenMode.DIRECT);

    /** Slabs of a pool to read with: a round of pieces, one for each lane, is hashed while the next are read. */
    static final int SLABS = 2 * Md5Lanes.LANES;

    /**
     * Rounds in the slabs when they are read from a device. With two, half of the memory was asked of it while the other half was hashed,
     * and it did nothing for a quarter of the time. What is kept, or mapped, comes in whole slabs' bytes, two rounds.
     */
    private static final int ROUNDS = 4;

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final KeptBytes kept;
    private final EarlyRecovery early = new EarlyRecovery();

    /** @param slabs at least {@link #SLABS} */
    CheckpointReader(StorageEngine storage, SlabPool slabs, KeptBytes kept) {
        this.storage = storage;
        this.slabs = slabs;
        this.kept = kept;
    }

    /** Where what is kept is kept. To be used while nothing is read. */
    KeptBytes kept() {
        return kept;
    }

    /**
     * Reads all that has a digest and compares it with the metadata; of a file whose bytes are kept these are compared.
     *
     * @param keep what becomes of the bytes, until {@link #forget}
     * @throws IOException the file cannot be read or is not what was written
     */
    synchronized void verify(Path path, StoredFile meta, Keep keep) throws IOException {
        Optional<Sink> variables = keep == Keep.IN_VARIABLES ? early.sink(meta) : Optional.empty();
        if (variables.isEmpty()) {
            verify(path, meta.toVerify(), keep);
            return;
        }
        early.forget();
        // First: what is written from now on makes it another file.
        FileIdentity identity = FileIdentity.of(path);
        stream(path, meta.toVerify(), Optional.empty(), variables.get());
        early.hold(identity);
    }

    /**
     * The same for a range of a file.
     *
     * @param md5 lower-case hexadecimal
     * @throws IOException the file cannot be read or the range is not what was written
     */
    synchronized void verify(Path path, long offset, long length, String md5, Keep keep) throws IOException {
        verify(path, List.of(new Chunk(-1, 0, offset, length, Optional.of(md5))), keep);
    }

    private void verify(Path path, List<Chunk> chunks, Keep keep) throws IOException {
        Sink sink = (chunk, position, piece) -> {};
        Optional<KeptFile> here = kept.of(path, chunks);
        if (here.isPresent()) {
            try {
                stream(path, chunks, from(here.get()), sink);
            } catch (IOException | RuntimeException | Error e) {
                kept.forget(here.get());
                throw e;
            }
            return;
        }
        Optional<KeptFile> space = keep == Keep.NOTHING ? Optional.empty() : kept.begin(path, chunks);
        if (space.isEmpty() || !isKept(path, chunks, space.get(), sink)) {
            stream(path, chunks, Optional.empty(), sink);
        }
    }

    /** Verifies chunks and keeps them; tells whether there was the memory for it. */
    private boolean isKept(Path path, List<Chunk> chunks, KeptFile space, Sink sink) throws IOException {
        try {
            stream(path, chunks, Optional.of(space), sink);
            return true;
        } catch (OutOfMemoryError | MappingException e) {
            kept.giveUp(space);
            LOG.log(Logger.Level.DEBUG, "{0} is read without being kept: {1}", path, e.getMessage());
            return false;
        } catch (IOException | RuntimeException | Error e) {
            kept.forget(space);
            throw e;
        }
    }

    /**
     * Takes memory for a lost file that is going to be made, if there is enough besides what reading takes.
     *
     * @param bytes of the file
     */
    synchronized void prepare(long bytes) {
        try {
            slabs.fill();
        } catch (OutOfMemoryError e) {
            LOG.log(Logger.Level.DEBUG, "no memory is taken ahead: {0}", e.getMessage());
            return;
        }
        kept.prepare(bytes);
    }

    /**
     * Names the variables for {@link Keep#IN_VARIABLES}, in the place of those that were named before. They change when a file is verified,
     * even if it is damaged.
     */
    synchronized void recoverInto(Map<Integer, ProtectedData> variables) {
        early.into(variables);
    }

    /** Gives back the memory of what was kept. */
    synchronized void forget() {
        kept.forget();
        early.forget();
    }

    /** The same but for one file. */
    synchronized void forgetAllBut(Path path) throws IOException {
        kept.forgetAllBut(path);
    }

    /**
     * Copies the chunks of the given variables back into memory. Chunks without digests of their own are not checked: that is
     * for {@link #verify(Path, StoredFile, Keep)}.
     *
     * @throws IOException the file cannot be read or a chunk is not what was written; memory may have changed by then
     */
    synchronized void recover(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        Map<Integer, ProtectedData> missing = early.takeAllBut(path, data);
        if (missing.isEmpty()) {
            return;
        }
        List<Chunk> wanted = meta.chunks(path, missing);
        Sink sink = (chunk, position, piece) -> {
            ProtectedData target = missing.get(chunk.id());
            if (target != null) {
                target.copyIn(chunk.from() + position, piece);
            }
        };
        Optional<KeptFile> here = kept.of(path, wanted);
        if (here.isPresent()) {
            wanted.forEach(chunk -> here.get().copy(chunk, (position, piece) -> sink.take(chunk, position, piece)));
        } else {
            stream(path, wanted, Optional.empty(), sink);
        }
    }

    private void stream(Path path, List<Chunk> chunks, Optional<KeptFile> space, Sink sink) throws IOException {
        Optional<MappedFile> mapping = space.flatMap(KeptFile::mapping);
        if (mapping.isPresent()) {
            stream(path, chunks, from(path, mapping.get(), space.get()), sink);
            return;
        }
        int part = SLABS / Md5Lanes.LANES * slabs.slabBytes() / ROUNDS;
        int pieceBytes = space.isPresent() ? slabs.slabBytes() : Math.max(AlignedBuffer.ALIGNMENT, part);
        try (BlockFile file = storage.open(path, MODES)) {
            stream(path, chunks, from(file, space, pieceBytes), pieceBytes, sink);
        }
    }

    private void stream(Path path, List<Chunk> chunks, Input input, Sink sink) throws IOException {
        stream(path, chunks, input, slabs.slabBytes(), sink);
    }

    /** @param pieceBytes of the slabs for each piece */
    private void stream(Path path, List<Chunk> chunks, Input input, int pieceBytes, Sink sink) throws IOException {
        Plan plan = new Plan(chunks, pieceBytes);
        int rounds = SLABS / Md5Lanes.LANES * slabs.slabBytes() / pieceBytes;
        Deque<List<Arrival>> coming = new ArrayDeque<>();
        try (Md5Lanes md5 = DigestEngine.md5()) {
            while (true) {
                startMore(coming, rounds, plan, input);
                List<Arrival> pieces = coming.poll();
                if (pieces == null) {
                    break;
                }
                @Nullable ByteBuffer[] hashed = new ByteBuffer[Md5Lanes.LANES];
                for (Arrival arrival : pieces) {
                    Piece piece = arrival.piece;
                    if (piece.position == 0) {
                        md5.reset(piece.lane);
                    }
                    ByteBuffer bytes = arrival.bytes.await();
                    sink.take(piece.chunk, piece.position, bytes.duplicate());
                    // Where there is nothing to compare with, a lane stays idle.
                    hashed[piece.lane] = piece.chunk.md5().isPresent() ? bytes : null;
                }
                md5.update(Arrays.asList(hashed));
                for (Arrival arrival : pieces) {
                    Piece piece = arrival.piece;
                    if (piece.isLast()) {
                        compare(path, piece.chunk, HexFormat.of().formatHex(md5.digest(piece.lane)));
                    }
                }
            }
        } finally {
            slabs.drain();
        }
    }

    /** What the device works on while a round is hashed. */
    private static void startMore(Deque<List<Arrival>> coming, int rounds, Plan plan, Input input) throws IOException {
        while (coming.size() < rounds) {
            List<Piece> next = plan.nextRound();
            if (next.isEmpty()) {
                return;
            }
            coming.add(start(input, next));
        }
    }

    /** From where pieces come. */
    @FunctionalInterface
    private interface Input {
        /** Begins to bring a piece. */
        Bytes start(Piece piece) throws IOException;
    }

    /** Bytes on their way. */
    @FunctionalInterface
    private interface Bytes {
        ByteBuffer await() throws IOException;
    }

    /** A piece on its way. */
    private record Arrival(Piece piece, Bytes bytes) {}

    private static List<Arrival> start(Input input, List<Piece> round) throws IOException {
        List<Arrival> started = new ArrayList<>(round.size());
        for (Piece piece : round) {
            started.add(new Arrival(piece, input.start(piece)));
        }
        return started;
    }

    /**
     * @param space where to keep them
     * @param pieceBytes of the slabs for each piece
     */
    private Input from(BlockFile file, Optional<KeptFile> space, int pieceBytes) {
        SlabParts parts = new SlabParts(slabs, pieceBytes);
        return piece -> {
            // Bytes before the piece in the blocks of which it is a part, and those of all of the blocks.
            int lead = (int) (piece.start() % file.alignment());
            int window = (int) BlockEdges.roundUp(lead + piece.length, file.alignment());
            ByteBuffer memory =
                    space.isPresent() ? space.get().space(window) : parts.take().limit(window);
            PendingRead read = file.startRead(memory, piece.start() - lead);
            return () -> {
                int count = read.await();
                if (count < lead + piece.length) {
                    throw cut(file.path(), piece, piece.start() - lead + count);
                }
                ByteBuffer bytes = memory.slice(lead, piece.length);
                space.ifPresent(kept -> kept.put(piece.start(), bytes));
                return bytes;
            };
        };
    }

    /**
     * The system could not bring a part of a mapped file into memory. That the file is damaged only a read can say: it may have been the
     * memory, or the room for a hole.
     */
    private static final class MappingException extends IOException {
        private static final long serialVersionUID = 1;

        MappingException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private static PendingRead startRead(MappedFile mapping, Piece piece) throws MappingException {
        try {
            PendingRead read = mapping.startRead(piece.start(), piece.length);
            return () -> {
                try {
                    return read.await();
                } catch (IOException e) {
                    throw new MappingException(e);
                }
            };
        } catch (IOException e) {
            throw new MappingException(e);
        }
    }

    private static Input from(Path path, MappedFile mapping, KeptFile kept) {
        return piece -> {
            PendingRead read = startRead(mapping, piece);
            return () -> {
                int count = read.await();
                if (count < piece.length) {
                    throw cut(path, piece, piece.start() + count);
                }
                ByteBuffer bytes = mapping.view(piece.start(), piece.length);
                kept.put(piece.start(), bytes);
                return bytes;
            };
        };
    }

    private static DrumlinException cut(Path path, Piece piece, long end) {
        return DrumlinException.during("read")
                .path(path)
                .range(piece.start(), piece.length)
                .problem("the file ends at " + end)
                .advice("the file was cut while it was read")
                .exception();
    }

    private Input from(KeptFile here) {
        return piece -> {
            ByteBuffer bytes =
                    here.view(piece.start(), piece.length, slabs.take().buffer());
            return () -> bytes;
        };
    }

    private static void compare(Path path, Chunk chunk, String md5) throws IOException {
        if (chunk.md5().isPresent() && !chunk.md5().get().equals(md5)) {
            throw DrumlinException.during(chunk.id() < 0 ? "checking a digest" : "checking variable " + chunk.id())
                    .path(path)
                    .range(chunk.offset(), chunk.length())
                    .problem("its MD5 is " + md5 + " and the metadata say "
                            + chunk.md5().get())
                    .advice("the file is damaged; another level or an older checkpoint is needed")
                    .exception();
        }
    }

    /** Slabs in equal parts. */
    private static final class SlabParts {
        private final SlabPool slabs;
        private final int bytes;
        private ByteBuffer rest = ByteBuffer.allocate(0);

        SlabParts(SlabPool slabs, int bytes) {
            this.slabs = slabs;
            this.bytes = bytes;
        }

        /** The part that was taken the longest ago. */
        ByteBuffer take() throws IOException {
            if (!rest.hasRemaining()) {
                rest = slabs.take().buffer().slice();
            }
            ByteBuffer part = rest.slice(rest.position(), bytes);
            rest.position(rest.position() + bytes);
            return part;
        }
    }

    /** A part of a chunk that is read in one go. */
    private static final class Piece {
        private final int lane;
        private final Chunk chunk;
        private final long position;
        private final int length;

        Piece(int lane, Chunk chunk, long position, int most) {
            this.lane = lane;
            this.chunk = chunk;
            this.position = position;
            int lead = (int) (start() % AlignedBuffer.ALIGNMENT);
            length = (int) Math.min(most - lead, chunk.length() - position);
        }

        private long start() {
            return chunk.offset() + position;
        }

        boolean isLast() {
            return position + length == chunk.length();
        }
    }

    /** In what order the chunks are read: a piece of each of as many as there are lanes at a time. */
    private static final class Plan {
        private final int pieceBytes;
        private final Iterator<Chunk> waiting;
        private final @Nullable Piece[] lanes = new Piece[Md5Lanes.LANES];

        Plan(List<Chunk> chunks, int pieceBytes) {
            this.pieceBytes = pieceBytes;
            waiting = chunks.iterator();
        }

        /** At most a piece for each lane; none at the end. */
        List<Piece> nextRound() {
            List<Piece> round = new ArrayList<>();
            for (int lane = 0; lane < lanes.length; lane++) {
                Piece before = lanes[lane];
                Piece next = null;
                if (before != null && !before.isLast()) {
                    next = new Piece(lane, before.chunk, before.position + before.length, pieceBytes);
                } else if (waiting.hasNext()) {
                    next = new Piece(lane, waiting.next(), 0, pieceBytes);
                }
                lanes[lane] = next;
                if (next != null) {
                    round.add(next);
                }
            }
            return round;
        }
    }
}
