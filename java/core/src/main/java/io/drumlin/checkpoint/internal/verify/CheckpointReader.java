package io.drumlin.checkpoint.internal.verify;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.ScatteringSource;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.file.StoredFile.Locator;
import io.drumlin.checkpoint.internal.io.ReadAhead;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Reads checkpoint files and checks what has a digest. Thread-safe: one file is read at a time. */
public final class CheckpointReader {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final EnumSet<OpenMode> MODES = EnumSet.of(OpenMode.READ, OpenMode.DIRECT);

    /**
     * Rounds in the slabs. With two, half of the memory was asked of the device while the other half was hashed, and the device did
     * nothing for a quarter of the time.
     */
    private static final int ROUNDS = 4;

    /** Bytes that the chunks of a file have on average which is copied while it is verified: of each, two blocks are kept in memory. */
    private static final int LEAST_COPIED = 8 * AlignedBuffer.ALIGNMENT;

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final DigestCache known = new DigestCache();
    private final EarlyRecovery early = new EarlyRecovery();
    private final BlockSumTable blocks;
    private Optional<Path> copyTo = Optional.empty();

    /** What was copied last while it was verified. */
    private Optional<FileIdentity> copied = Optional.empty();

    /**
     * A reader without known digests.
     *
     * @param slabs at least {@link SlabPool#SLABS}
     */
    public CheckpointReader(StorageEngine storage, SlabPool slabs) {
        this.storage = storage;
        this.slabs = slabs;
        blocks = new BlockSumTable(slabs.slabBytes());
    }

    /** Digests that need not be computed again, until {@link #forget}. To be used while nothing is read. */
    public DigestCache known() {
        return known;
    }

    /** Checksums with which a later read is compared, until {@link #forget}. To be used while nothing is read. */
    public BlockSumTable blocks() {
        return blocks;
    }

    /** The variables that were named. To be used while nothing is read. */
    public EarlyRecovery early() {
        return early;
    }

    /**
     * What is done with the bytes of a file that is recovered while they are hashed. To be used while nothing is read.
     *
     * @param meta what the file holds
     */
    public RecoveryPass recoveryPass(StoredFile meta) {
        Optional<ChunkSink> variables = early.sink(meta);
        return variables.isPresent() ? RecoveryPass.into(early, variables.get()) : summing(meta);
    }

    /** Checksums of blocks are of use only where one digest is all that a file has: a chunk is read and compared with its own. */
    private RecoveryPass summing(StoredFile meta) {
        return meta.whole().isPresent() ? RecoveryPass.summing(blocks, meta.toVerify()) : RecoveryPass.none();
    }

    /**
     * Reads all that has a digest and compares it with the metadata. What is known already is not read.
     *
     * @param keep what is kept of the file, until {@link #forget}
     * @throws IOException the file cannot be read or is not what was written
     */
    public synchronized void verify(Path path, StoredFile meta, RetainPolicy keep) throws IOException {
        List<Chunk> chunks = meta.toVerify();
        Optional<List<String>> digests = known.of(path, chunks);
        if (digests.isPresent()) {
            compare(path, chunks, digests.get());
            return;
        }
        // First: what is written from now on makes it another file.
        FileIdentity identity = FileIdentity.of(path);
        if (keep == RetainPolicy.COPIED && copyTo.isPresent()) {
            Optional<ChunkSchedule> plan = planOfCopy(identity.size(), meta);
            if (plan.isPresent()) {
                verifyAndCopy(path, identity, plan.get(), start(meta));
                return;
            }
        }
        RecoveryPass pass =
                switch (keep) {
                    case NOTHING -> RecoveryPass.none();
                    case BLOCK_SUMS, COPIED -> summing(meta);
                    case IN_VARIABLES -> recoveryPass(meta);
                };
        stream(path, chunks, pass);
        pass.done(identity);
    }

    /** The parts of the copy of a file; empty unless all that matters of it has a digest. */
    private static Optional<ChunkSchedule> planOfCopy(long fileSize, StoredFile meta) {
        StoredFile apart = meta.movedBy(-start(meta));
        long size = meta.whole().map(Chunk::length).orElse(fileSize);
        return ChunkSchedule.isPossible(size, apart, LEAST_COPIED)
                ? Optional.of(ChunkSchedule.of(size, apart))
                : Optional.empty();
    }

    /** Where in the file a checkpoint begins that has a digest of its own. */
    private static long start(StoredFile meta) {
        return meta.whole().map(Chunk::offset).orElse(0L);
    }

    /** Verifies a file and writes a copy of it in one pass: what is written is what was hashed. */
    private void verifyAndCopy(Path path, FileIdentity identity, ChunkSchedule plan, long start) throws IOException {
        copied = Optional.empty();
        RecoveryPass pass = recoveryPass(plan.meta());
        try (VerifiedCopy copy = new VerifiedCopy(storage, copyTo.orElseThrow(), plan.size(), slabs.slabBytes())) {
            List<Chunk> chunks =
                    plan.chunks().stream().map(chunk -> chunk.movedBy(start)).toList();
            stream(path, chunks, (chunk, position, piece) -> {
                Chunk inCopy = chunk.movedBy(-start);
                copy.write(inCopy.offset() + position, piece);
                if (chunk.md5().isPresent()) {
                    pass.take(inCopy, position, piece);
                }
            });
            Optional<FileIdentity> whole = copy.finish();
            whole.ifPresent(pass::done);
            copied = whole.map(there -> identity);
        }
    }

    /**
     * Says where {@link RetainPolicy#COPIED} writes its copy.
     *
     * @param path replaced when it exists; empty: nowhere
     */
    public synchronized void copyTo(Optional<Path> path) {
        copyTo = path;
        copied = Optional.empty();
    }

    /** The copy of a file that was written while the file was verified; empty if there is none, or the file was written since. */
    public synchronized Optional<Path> copyOf(Path path) throws IOException {
        return copied.isPresent() && copied.get().equals(FileIdentity.of(path)) ? copyTo : Optional.empty();
    }

    /**
     * The same for a range of a file, of which nothing is kept.
     *
     * @param md5 lower-case hexadecimal
     * @throws IOException the file cannot be read or the range is not what was written
     */
    public synchronized void verify(Path path, long offset, long length, String md5) throws IOException {
        Chunk range = new Chunk(-1, 0, offset, length, Optional.of(md5));
        verify(path, new StoredFile(0, List.of(range), Map.of()), RetainPolicy.NOTHING);
    }

    /**
     * Reads all that has a digest and compares it with the metadata.
     *
     * @return checksums of the blocks of what has a digest, for each of its parts in their order
     * @throws IOException the file cannot be read or is not what was written
     */
    public synchronized List<BlockSums> verifyBlocks(Path path, StoredFile meta) throws IOException {
        BlockSumRecorder recorder = blocks.recorder(meta.toVerify());
        stream(path, meta.toVerify(), recorder);
        return recorder.ranges();
    }

    /**
     * Names the variables for {@link RetainPolicy#IN_VARIABLES}, in the place of those that were named before. They change when a file is verified,
     * even if it is damaged.
     */
    public synchronized void recoverInto(Map<Integer, ProtectedData> variables) {
        early.into(variables);
    }

    /** Forgets what is known of files that were verified. */
    public synchronized void forget() {
        blocks.forget();
        known.forget();
        early.forget();
    }

    /**
     * Copies the given variables back into memory. All that has a digest, of its own or with the rest of the file, is compared on the way:
     * with that, or with checksums of blocks that were compared with it when they were taken. What differs is read once more.
     *
     * @throws IOException the file cannot be read or is not what was written; memory may have changed by then
     */
    public synchronized void recover(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
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
        if (digested && blocks.of(path, meta.toVerify()).isEmpty()) {
            known.forget();
            verify(path, meta, RetainPolicy.BLOCK_SUMS);
        }
        List<Chunk> wanted = meta.locator().isPresent() ? located(path, meta, data) : meta.chunks(data);
        ChunkSink sink = (chunk, position, piece) ->
                Objects.requireNonNull(data.get(chunk.id())).copyIn(chunk.from() + position, piece);
        Optional<List<BlockSums>> sums = blocks.of(path, wanted);
        if (sums.isPresent()) {
            BlockComparison comparison = new BlockComparison(sums.get(), wanted, sink);
            stream(path, comparison.toRead(), comparison);
            comparison.requireSame(path);
        } else if (digested) {
            throw DamagedException.changing(path);
        } else {
            stream(path, wanted, sink);
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
            Optional<List<BlockSums>> sums = blocks.of(path, meta.toVerify());
            ByteSource source = sums.isPresent() ? new VerifiedSource(file, sums.get()) : new BlockFileSource(file);
            return locator.chunks(source, path, data);
        }
    }

    private void stream(Path path, List<Chunk> chunks, ChunkSink sink) throws IOException {
        int all = SlabPool.SLABS / Md5Lanes.LANES * slabs.slabBytes();
        int pieceBytes = Math.max(AlignedBuffer.ALIGNMENT, all / ROUNDS);
        int rounds = all / pieceBytes;
        LaneSchedule plan = new LaneSchedule(chunks, pieceBytes);
        SlabParts memory = new SlabParts(slabs, pieceBytes);
        Deque<List<Arrival>> coming = new ArrayDeque<>();
        try (BlockFile file = storage.open(path, MODES);
                LaneHasher md5 = new LaneHasher()) {
            while (true) {
                startMore(coming, rounds, plan, file, memory);
                List<Arrival> arriving = coming.poll();
                if (arriving == null) {
                    break;
                }
                List<Piece> pieces = new ArrayList<>(arriving.size());
                List<ByteBuffer> hashed = new ArrayList<>(arriving.size());
                for (Arrival arrival : arriving) {
                    Piece piece = arrival.piece;
                    ByteBuffer bytes = arrival.await(file);
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
    private static void startMore(
            Deque<List<Arrival>> coming, int rounds, LaneSchedule plan, BlockFile file, SlabParts memory)
            throws IOException {
        while (coming.size() < rounds) {
            List<Piece> next = plan.nextRound();
            if (next.isEmpty()) {
                return;
            }
            List<Arrival> started = new ArrayList<>(next.size());
            for (Piece piece : next) {
                started.add(Arrival.start(piece, file, memory.take()));
            }
            coming.add(started);
        }
    }

    /** A piece on its way. */
    private record Arrival(Piece piece, ByteBuffer memory, PendingRead read) {

        static Arrival start(Piece piece, BlockFile file, ByteBuffer memory) throws IOException {
            int lead = piece.lead(file.alignment());
            memory.limit(piece.window(file.alignment()));
            return new Arrival(piece, memory, file.startRead(memory, piece.start() - lead));
        }

        /** Its bytes. */
        ByteBuffer await(BlockFile file) throws IOException {
            int lead = piece.lead(file.alignment());
            if (read.await() < lead + piece.length()) {
                throw DrumlinException.during("read")
                        .path(file.path())
                        .range(piece.start(), piece.length())
                        .problem("the file ends at " + file.size())
                        .advice("the file was cut while it was read")
                        .exception();
            }
            return memory.slice(lead, piece.length());
        }
    }

    private void compare(Path path, List<Chunk> chunks, List<String> digests) throws IOException {
        try {
            for (int i = 0; i < chunks.size(); i++) {
                compare(path, chunks.get(i), digests.get(i));
            }
        } catch (IOException e) {
            // What was taken of it on the way is of no use.
            early.forget();
            blocks.forget();
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
