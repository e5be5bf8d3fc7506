package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.LanePlan.Piece;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.checkpoint.StoredFile.Locator;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
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
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Reads checkpoint files and checks what has a digest. Thread-safe: one file is read at a time. */
final class CheckpointReader {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final EnumSet<OpenMode> MODES = EnumSet.of(OpenMode.READ, OpenMode.DIRECT);

    /**
     * Rounds in the slabs when they are read from a device. With two, half of the memory was asked of it while the other half was hashed,
     * and it did nothing for a quarter of the time. What is kept, or mapped, comes in whole slabs' bytes, two rounds.
     */
    private static final int ROUNDS = 4;

    private static final ChunkSink NOWHERE = (chunk, position, piece) -> {};

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final KeptBytes kept;
    private final KnownDigests known = new KnownDigests();
    private final EarlyRecovery early = new EarlyRecovery();
    private final BlockSumTable blocks = new BlockSumTable();

    /** @param slabs at least {@link SlabPool#SLABS} */
    CheckpointReader(StorageEngine storage, SlabPool slabs, KeptBytes kept) {
        this.storage = storage;
        this.slabs = slabs;
        this.kept = kept;
    }

    /** Where what is kept is kept. To be used while nothing is read. */
    KeptBytes kept() {
        return kept;
    }

    /** Digests that need not be computed again, until {@link #forget}. To be used while nothing is read. */
    KnownDigests known() {
        return known;
    }

    /** The variables that were named. To be used while nothing is read. */
    EarlyRecovery early() {
        return early;
    }

    /**
     * Reads all that has a digest and compares it with the metadata; of a file whose bytes are kept these are compared, and what is known
     * already is not read.
     *
     * @param keep what becomes of the bytes, until {@link #forget}
     * @throws IOException the file cannot be read or is not what was written
     */
    synchronized void verify(Path path, StoredFile meta, Keep keep) throws IOException {
        Optional<ChunkSink> variables = keep == Keep.IN_VARIABLES ? early.sink(meta) : Optional.empty();
        if (variables.isEmpty()) {
            // What has digests of its own is compared once more when it is read for the variables.
            boolean twice = keep == Keep.IN_VARIABLES && meta.whole().isEmpty() && kept.isDear();
            verify(
                    path,
                    meta.toVerify(),
                    twice ? Keep.NOTHING : keep,
                    meta.whole().isPresent());
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
        verify(path, List.of(new Chunk(-1, 0, offset, length, Optional.of(md5))), keep, false);
    }

    /** @param whole whether the chunks are all of a file whose parts have no digests of their own */
    private void verify(Path path, List<Chunk> chunks, Keep keep, boolean whole) throws IOException {
        Optional<List<String>> digests = known.of(path, chunks);
        if (digests.isPresent()) {
            compare(path, chunks, digests.get());
            return;
        }
        Optional<KeptFile> here = kept.of(path, chunks);
        if (here.isPresent()) {
            try {
                if (here.get().mapping().isPresent()) {
                    summed(path, chunks, sums -> stream(path, chunks, from(here.get()), sums));
                } else {
                    stream(path, chunks, from(here.get()), NOWHERE);
                }
            } catch (IOException | RuntimeException | Error e) {
                kept.forget(here.get());
                throw e;
            }
            return;
        }
        Optional<KeptFile> space = keep == Keep.NOTHING ? Optional.empty() : kept.begin(path, chunks);
        if (space.isEmpty() || !isKept(path, chunks, space.get())) {
            if (whole && keep != Keep.NOTHING) {
                summed(path, chunks, sums -> stream(path, chunks, Optional.empty(), sums));
            } else {
                stream(path, chunks, Optional.empty(), NOWHERE);
            }
        }
    }

    /**
     * Reads all that has a digest and compares it with the metadata.
     *
     * @return checksums of the blocks of what has a digest, for each of its parts in their order
     * @throws IOException the file cannot be read or is not what was written
     */
    synchronized List<BlockSums> verifyBlocks(Path path, StoredFile meta) throws IOException {
        List<Chunk> chunks = meta.toVerify();
        return summed(path, chunks, sums -> stream(path, chunks, Optional.empty(), sums));
    }

    /** What is done with the checksums of blocks. */
    @FunctionalInterface
    private interface Summed {
        void with(ChunkSink sums) throws IOException;
    }

    /** Takes the checksums of the blocks of all chunks, which are known afterwards. */
    private List<BlockSums> summed(Path path, List<Chunk> chunks, Summed pass) throws IOException {
        // First: what is written from now on makes it another file.
        FileIdentity identity = FileIdentity.of(path);
        List<BlockSums> ranges = new ArrayList<>();
        Map<Chunk, BlockSums.Pass> passes = new HashMap<>();
        for (Chunk chunk : chunks) {
            BlockSums sums = new BlockSums(chunk, slabs.slabBytes());
            ranges.add(sums);
            passes.put(chunk, sums.record());
        }
        pass.with((chunk, position, piece) ->
                Objects.requireNonNull(passes.get(chunk)).update(piece));
        blocks.put(identity, ranges);
        return ranges;
    }

    /** Verifies chunks and keeps them; tells whether there was the memory for it. */
    private boolean isKept(Path path, List<Chunk> chunks, KeptFile space) throws IOException {
        try {
            if (space.mapping().isPresent()) {
                // The system may read it anew.
                summed(path, chunks, sums -> stream(path, chunks, Optional.of(space), sums));
            } else {
                stream(path, chunks, Optional.of(space), NOWHERE);
            }
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
        blocks.forget();
        known.forget();
        early.forget();
    }

    /**
     * What is known of a file that was verified is from now on known of a copy too, as it is now.
     *
     * @param start where in the file the copy begins
     */
    synchronized void isCopied(Path file, Path copy, long start) throws IOException {
        Optional<List<BlockSums>> ranges = blocks.of(file);
        if (ranges.isPresent()) {
            blocks.put(
                    FileIdentity.of(copy),
                    ranges.get().stream().map(range -> range.movedBy(-start)).toList());
        }
    }

    /** The same but for one file. */
    synchronized void forgetAllBut(Path path) throws IOException {
        kept.forgetAllBut(path);
    }

    /**
     * Copies the given variables back into memory. All that has a digest, of its own or with the rest of the file, is compared on the way:
     * with that, or with checksums of blocks that were compared with it when they were taken. What differs is read once more.
     *
     * @throws IOException the file cannot be read or is not what was written; memory may have changed by then
     */
    synchronized void recover(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        Map<Integer, ProtectedData> missing = early.takeAllBut(path, data);
        if (missing.isEmpty()) {
            return;
        }
        try {
            read(path, meta, missing);
        } catch (DamagedException e) {
            LOG.log(Logger.Level.WARNING, "read once more: {0}", e.getMessage());
            read(path, meta, missing);
        }
    }

    private void read(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        if (meta.verifier().isPresent()) {
            readAll(path, meta, meta.verifier().get(), data);
            return;
        }
        boolean digested = meta.whole().flatMap(Chunk::md5).isPresent();
        if (digested
                && !isInMemory(path, meta.toVerify())
                && blocks.of(path, meta.toVerify()).isEmpty()) {
            known.forget();
            verify(path, meta.toVerify(), Keep.IN_MEMORY, true);
        }
        List<Chunk> wanted = meta.locator().isPresent() ? located(path, meta, data) : meta.chunks(data);
        ChunkSink sink = (chunk, position, piece) ->
                Objects.requireNonNull(data.get(chunk.id())).copyIn(chunk.from() + position, piece);
        Optional<KeptFile> here = kept.of(path, wanted);
        Optional<List<BlockSums>> sums = blocks.of(path, wanted);
        if (isInMemory(path, wanted)) {
            KeptFile memory = here.orElseThrow();
            wanted.forEach(chunk -> memory.copy(chunk, (position, piece) -> sink.take(chunk, position, piece)));
        } else if (sums.isPresent()) {
            BlockComparison comparison = new BlockComparison(sums.get(), wanted, sink);
            List<Chunk> toRead = comparison.toRead();
            if (here.isPresent() && here.get().hold(toRead)) {
                stream(path, toRead, from(here.get()), comparison);
            } else {
                stream(path, toRead, Optional.empty(), comparison);
            }
            comparison.requireSame(path);
        } else if (digested) {
            throw DamagedException.changing(path);
        } else {
            stream(path, wanted, Optional.empty(), sink);
        }
    }

    /** Reads the whole file and compares all digests, and takes the variables out on the way. */
    private void readAll(Path path, StoredFile meta, Locator verifier, Map<Integer, ProtectedData> data)
            throws IOException {
        try (ReadAhead source = new ReadAhead(storage, path)) {
            List<Chunk> wanted = meta.chunks().isEmpty() ? verifier.chunks(source, path, data) : meta.chunks(data);
            List<Chunk> found = verifier.chunks(new ScatteringSource(source, wanted, data), path, data);
            if (!Set.copyOf(found).equals(Set.copyOf(wanted))) {
                throw DamagedException.changing(path);
            }
        }
    }

    /** Where the variables are in a file that was verified, as far as it can be. */
    private List<Chunk> located(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        Locator locator = meta.locator().orElseThrow();
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            ByteSource source = new BlockFileSource(file);
            Optional<List<BlockSums>> sums = blocks.of(path, meta.toVerify());
            if (isInMemory(path, meta.toVerify())) {
                source = new KeptSource(source, kept.of(path));
            } else if (sums.isPresent()) {
                source = new ComparedSource(file, sums.get());
            }
            return locator.chunks(source, path, data);
        }
    }

    /** Whether what was verified of a file is in memory and not in a mapping, which the system may read anew. */
    private boolean isInMemory(Path path, List<Chunk> chunks) throws IOException {
        return kept.of(path, chunks).filter(here -> here.mapping().isEmpty()).isPresent();
    }

    private void stream(Path path, List<Chunk> chunks, Optional<KeptFile> space, ChunkSink sink) throws IOException {
        Optional<MappedFile> mapping = space.flatMap(KeptFile::mapping);
        if (mapping.isPresent()) {
            stream(path, chunks, from(path, mapping.get(), space.get()), sink);
            return;
        }
        int part = SlabPool.SLABS / Md5Lanes.LANES * slabs.slabBytes() / ROUNDS;
        int pieceBytes = space.isPresent() ? slabs.slabBytes() : Math.max(AlignedBuffer.ALIGNMENT, part);
        try (BlockFile file = storage.open(path, MODES)) {
            stream(path, chunks, from(file, space, pieceBytes), pieceBytes, sink);
        }
    }

    private void stream(Path path, List<Chunk> chunks, Input input, ChunkSink sink) throws IOException {
        stream(path, chunks, input, slabs.slabBytes(), sink);
    }

    /** @param pieceBytes of the slabs for each piece */
    private void stream(Path path, List<Chunk> chunks, Input input, int pieceBytes, ChunkSink sink) throws IOException {
        LanePlan plan = new LanePlan(chunks, pieceBytes);
        int rounds = SlabPool.SLABS / Md5Lanes.LANES * slabs.slabBytes() / pieceBytes;
        Deque<List<Arrival>> coming = new ArrayDeque<>();
        try (LaneHashes md5 = new LaneHashes()) {
            while (true) {
                startMore(coming, rounds, plan, input);
                List<Arrival> arriving = coming.poll();
                if (arriving == null) {
                    break;
                }
                List<Piece> pieces = new ArrayList<>(arriving.size());
                List<ByteBuffer> hashed = new ArrayList<>(arriving.size());
                for (Arrival arrival : arriving) {
                    Piece piece = arrival.piece;
                    ByteBuffer bytes = arrival.bytes.await();
                    sink.take(piece.chunk(), piece.position(), bytes.duplicate());
                    pieces.add(piece);
                    hashed.add(bytes);
                }
                md5.update(pieces, hashed, (chunk, digest) -> compare(path, chunk, digest));
            }
        } finally {
            slabs.drain();
        }
    }

    /** What the device works on while a round is hashed. */
    private static void startMore(Deque<List<Arrival>> coming, int rounds, LanePlan plan, Input input)
            throws IOException {
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
            int lead = piece.lead(file.alignment());
            int window = piece.window(file.alignment());
            ByteBuffer memory =
                    space.isPresent() ? space.get().space(window) : parts.take().limit(window);
            PendingRead read = file.startRead(memory, piece.start() - lead);
            return () -> {
                int count = read.await();
                if (count < lead + piece.length()) {
                    throw cut(file.path(), piece, file.size());
                }
                ByteBuffer bytes = memory.slice(lead, piece.length());
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
            PendingRead read = mapping.startRead(piece.start(), piece.length());
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
                if (count < piece.length()) {
                    throw cut(path, piece, piece.start() + count);
                }
                ByteBuffer bytes = mapping.view(piece.start(), piece.length());
                kept.put(piece.start(), bytes);
                return bytes;
            };
        };
    }

    private static DrumlinException cut(Path path, Piece piece, long end) {
        return DrumlinException.during("read")
                .path(path)
                .range(piece.start(), piece.length())
                .problem("the file ends at " + end)
                .advice("the file was cut while it was read")
                .exception();
    }

    private Input from(KeptFile here) {
        return piece -> {
            ByteBuffer bytes =
                    here.view(piece.start(), piece.length(), slabs.take().buffer());
            return () -> bytes;
        };
    }

    private void compare(Path path, List<Chunk> chunks, List<String> known) throws IOException {
        try {
            for (int i = 0; i < chunks.size(); i++) {
                compare(path, chunks.get(i), known.get(i));
            }
        } catch (IOException e) {
            early.forget();
            kept.of(path).ifPresent(kept::forget);
            throw e;
        }
    }

    private static void compare(Path path, Chunk chunk, String md5) throws IOException {
        if (chunk.md5().isPresent() && !chunk.md5().get().equals(md5)) {
            throw DamagedException.of(
                    chunk.id() < 0 ? "checking a digest" : "checking variable " + chunk.id(),
                    path,
                    chunk.offset(),
                    chunk.length(),
                    md5,
                    chunk.md5().get());
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
}
