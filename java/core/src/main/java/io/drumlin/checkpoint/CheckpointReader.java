package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads checkpoint files and checks what has a digest. Thread-safe: one file is read at a time. */
final class CheckpointReader {

    private static final EnumSet<OpenMode> MODES = EnumSet.of(OpenMode.READ, OpenMode.DIRECT);

    /** Slabs of a pool to read with: while the pieces in one set are hashed, the next are read into the other. */
    static final int SLABS = 2 * Md5Lanes.LANES;

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final KeptBytes kept;

    /** @param slabs at least {@link #SLABS} */
    CheckpointReader(StorageEngine storage, SlabPool slabs, KeptBytes kept) {
        this.storage = storage;
        this.slabs = slabs;
        this.kept = kept;
    }

    /** What becomes of the bytes of a chunk. */
    @FunctionalInterface
    private interface Sink {
        void take(Chunk chunk, long position, ByteBuffer piece);
    }

    /**
     * Reads all that has a digest and compares it with the metadata. Where there is memory for it the bytes are kept until
     * {@link #forget}, for {@link #recover}.
     *
     * @throws IOException the file cannot be read or is not what was written
     */
    synchronized void verify(Path path, StoredFile meta) throws IOException {
        List<Chunk> chunks = meta.whole().map(List::of).orElse(meta.chunks());
        boolean keep = kept.begin(chunks.stream().mapToLong(Chunk::length).sum());
        try {
            if (keep) {
                // First: what is written from now on makes it another file.
                kept.bytesOf(path);
            }
            stream(path, chunks, keep, (chunk, position, piece) -> {});
        } catch (IOException | RuntimeException | Error e) {
            kept.forget();
            throw e;
        }
    }

    /** Gives back the memory of what was kept. */
    synchronized void forget() {
        kept.forget();
    }

    /**
     * Reads a range of a file and compares its digest.
     *
     * @param md5 lower-case hexadecimal
     * @throws IOException the file cannot be read or the range is not what was written
     */
    synchronized void verify(Path path, long offset, long length, String md5) throws IOException {
        stream(
                path,
                List.of(new Chunk(-1, 0, offset, length, Optional.of(md5))),
                false,
                (chunk, position, piece) -> {});
    }

    /**
     * Copies the chunks of the given variables back into memory. Chunks without digests of their own are not checked: that is
     * for {@link #verify(Path, StoredFile)}.
     *
     * @throws IOException the file cannot be read or a chunk is not what was written; memory may have changed by then
     */
    synchronized void recover(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        List<Chunk> wanted = meta.chunks(path, data);
        Sink sink = (chunk, position, piece) -> {
            ProtectedData target = data.get(chunk.id());
            if (target != null) {
                target.copyIn(chunk.from() + position, piece);
            }
        };
        if (kept.hold(path, wanted)) {
            wanted.forEach(chunk -> kept.copy(chunk, (position, piece) -> sink.take(chunk, position, piece)));
        } else {
            stream(path, wanted, false, sink);
        }
    }

    private void stream(Path path, List<Chunk> chunks, boolean keep, Sink sink) throws IOException {
        Plan plan = new Plan(chunks);
        try (BlockFile file = storage.open(path, MODES);
                Md5Lanes md5 = DigestEngine.md5()) {
            List<Piece> pieces = start(file, plan.nextRound(), keep);
            while (!pieces.isEmpty()) {
                // The device works on these while the others are hashed.
                List<Piece> following = start(file, plan.nextRound(), keep);
                @Nullable ByteBuffer[] hashed = new ByteBuffer[Md5Lanes.LANES];
                for (Piece piece : pieces) {
                    if (piece.position == 0) {
                        md5.reset(piece.lane);
                    }
                    ByteBuffer bytes = piece.await(file);
                    if (keep) {
                        kept.put(piece.chunk.offset() + piece.position, bytes);
                    }
                    sink.take(piece.chunk, piece.position, bytes.duplicate());
                    hashed[piece.lane] = bytes;
                }
                md5.update(Arrays.asList(hashed));
                for (Piece piece : pieces) {
                    if (piece.isLast()) {
                        compare(path, piece.chunk, HexFormat.of().formatHex(md5.digest(piece.lane)));
                    }
                }
                pieces = following;
            }
        } finally {
            slabs.drain();
        }
    }

    private List<Piece> start(BlockFile file, List<Piece> round, boolean keep) throws IOException {
        for (Piece piece : round) {
            piece.start(
                    file, keep ? kept.space(piece.window(file)) : slabs.take().buffer());
        }
        return round;
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

    /** A part of a chunk that is read in one go. */
    private static final class Piece {
        private final int lane;
        private final Chunk chunk;
        private final long position;
        private final int length;
        private ByteBuffer memory = ByteBuffer.allocate(0);
        private @Nullable PendingRead read;

        Piece(int lane, Chunk chunk, long position) {
            this.lane = lane;
            this.chunk = chunk;
            this.position = position;
            int lead = (int) (start() % AlignedBuffer.ALIGNMENT);
            length = (int) Math.min(SlabPool.SLAB_BYTES - lead, chunk.length() - position);
        }

        private long start() {
            return chunk.offset() + position;
        }

        boolean isLast() {
            return position + length == chunk.length();
        }

        /** Bytes before the piece in the blocks of which it is a part. */
        private int lead(BlockFile file) {
            return (int) (start() % file.alignment());
        }

        /** Bytes of the blocks of which it is a part. */
        int window(BlockFile file) {
            return (int) BlockEdges.roundUp(lead(file) + length, file.alignment());
        }

        void start(BlockFile file, ByteBuffer space) throws IOException {
            memory = space.limit(window(file));
            read = file.startRead(memory, start() - lead(file));
        }

        /** Waits for the bytes. */
        ByteBuffer await(BlockFile file) throws IOException {
            int lead = lead(file);
            int count = Objects.requireNonNull(read).await();
            if (count < lead + length) {
                throw DrumlinException.during("read")
                        .path(file.path())
                        .range(start(), length)
                        .problem("the file ends at " + (start() - lead + count))
                        .advice("the file was cut while it was read")
                        .exception();
            }
            return memory.slice(lead, length);
        }
    }

    /** In what order the chunks are read: a piece of each of as many as there are lanes at a time. */
    private static final class Plan {
        private final Iterator<Chunk> waiting;
        private final @Nullable Piece[] lanes = new Piece[Md5Lanes.LANES];

        Plan(List<Chunk> chunks) {
            waiting = chunks.iterator();
        }

        /** At most a piece for each lane; none at the end. */
        List<Piece> nextRound() {
            List<Piece> round = new ArrayList<>();
            for (int lane = 0; lane < lanes.length; lane++) {
                Piece before = lanes[lane];
                Piece next = null;
                if (before != null && !before.isLast()) {
                    next = new Piece(lane, before.chunk, before.position + before.length);
                } else if (waiting.hasNext()) {
                    next = new Piece(lane, waiting.next(), 0);
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
