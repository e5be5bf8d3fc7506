package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.ScatteringSource;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.file.StoredFile.Locator;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.checkpoint.internal.verify.RoundReader.Round;
import io.drumlin.format.ByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Reads checkpoint files and checks everything that has a digest. Thread-safe: one file is read at a time. */
public final class CheckpointReader {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /**
     * Least average chunk size in bytes of a file that is copied while it is verified, because two blocks of each chunk
     * are kept in memory.
     */
    private static final int LEAST_COPIED = 8 * AlignedBuffer.ALIGNMENT;

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final DigestCache known = new DigestCache();
    private final EarlyRecovery early = new EarlyRecovery();
    private final BlockSumTable blocks;
    private Optional<Path> copyTo = Optional.empty();

    /** The file that was last copied while it was verified. */
    private Optional<FileIdentity> copied = Optional.empty();

    /**
     * Creates a reader without known digests.
     *
     * @param slabs at least {@link SlabPool#SLABS}
     */
    public CheckpointReader(StorageEngine storage, SlabPool slabs) {
        this.storage = storage;
        this.slabs = slabs;
        blocks = new BlockSumTable(slabs.slabBytes());
    }

    /** Returns the digests that need not be computed again, until {@link #forget}. Must not be used during a read. */
    public DigestCache known() {
        return known;
    }

    /**
     * Returns the checksums with which later reads are compared, until {@link #forget}. Must not be used during a read.
     */
    public BlockSumTable blocks() {
        return blocks;
    }

    /** Returns the named variables. Must not be used during a read. */
    public EarlyRecovery early() {
        return early;
    }

    /**
     * Returns the pass that handles the bytes of a recovered file while they are hashed. Must not be used during a
     * read.
     *
     * @param meta content of the file
     */
    public RecoveryPass recoveryPass(StoredFile meta) {
        Optional<ChunkSink> variables = early.sink(meta);
        return variables.isPresent() ? RecoveryPass.into(early, variables.get()) : summing(meta);
    }

    /**
     * Returns a pass that records checksums of blocks if a file has only one digest. Otherwise a chunk is read and
     * compared with its own digest.
     */
    private RecoveryPass summing(StoredFile meta) {
        return meta.whole().isPresent() ? RecoveryPass.summing(blocks, meta.toVerify()) : RecoveryPass.none();
    }

    /**
     * Reads everything that has a digest and compares it with the metadata. Parts with a known digest are not read.
     *
     * @param keep what is kept of the file until {@link #forget}
     * @throws IOException the file cannot be read or differs from what was written
     */
    public synchronized void verify(Path path, StoredFile meta, RetainPolicy keep) throws IOException {
        List<Chunk> chunks = meta.toVerify();
        Optional<List<String>> digests = known.of(path, chunks);
        if (digests.isPresent()) {
            compare(path, chunks, digests.get());
            return;
        }
        // First, because any later write changes the identity.
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

    /** Returns the parts of the copy of a file; empty unless everything relevant in it has a digest. */
    private static Optional<ChunkSchedule> planOfCopy(long fileSize, StoredFile meta) {
        StoredFile apart = meta.movedBy(-start(meta));
        long size = meta.whole().map(Chunk::length).orElse(fileSize);
        return ChunkSchedule.isPossible(size, apart, LEAST_COPIED)
                ? Optional.of(ChunkSchedule.of(size, apart))
                : Optional.empty();
    }

    /** Returns the offset of a checkpoint in the file, if it has its own digest. */
    private static long start(StoredFile meta) {
        return meta.whole().map(Chunk::offset).orElse(0L);
    }

    /** Verifies a file and writes a copy of it in one pass, so that the written bytes are the hashed ones. */
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
     * Sets where {@link RetainPolicy#COPIED} writes its copy.
     *
     * @param path the copy, replaced if it exists; empty for no copy
     */
    public synchronized void copyTo(Optional<Path> path) {
        copyTo = path;
        copied = Optional.empty();
    }

    /**
     * Returns the copy that was written while the file was verified; empty if there is none, or the file was written
     * afterwards.
     */
    public synchronized Optional<Path> copyOf(Path path) throws IOException {
        return copied.isPresent() && copied.get().equals(FileIdentity.of(path)) ? copyTo : Optional.empty();
    }

    /**
     * Reads a range of a file and compares it with a digest; keeps nothing.
     *
     * @param md5 the digest, lower-case hexadecimal
     * @throws IOException the file cannot be read or the range differs from what was written
     */
    public synchronized void verify(Path path, long offset, long length, String md5) throws IOException {
        verify(path, new Chunk(-1, 0, offset, length, Optional.of(md5)));
    }

    /**
     * Reads a range of a file and compares it with its digest; keeps nothing.
     *
     * @throws IOException the file cannot be read or the range differs from what was written
     */
    public synchronized void verify(Path path, Chunk range) throws IOException {
        verify(path, new StoredFile(0, List.of(range), Map.of()), RetainPolicy.NOTHING);
    }

    /**
     * Reads everything that has a digest and compares it with the metadata.
     *
     * @return checksums of the blocks of each part that has a digest, in their order
     * @throws IOException the file cannot be read or differs from what was written
     */
    public synchronized List<BlockSums> verifyBlocks(Path path, StoredFile meta) throws IOException {
        BlockSumRecorder recorder = blocks.recorder(meta.toVerify());
        stream(path, meta.toVerify(), recorder);
        return recorder.ranges();
    }

    /**
     * Names the variables for {@link RetainPolicy#IN_VARIABLES}, in place of those named before. Their contents change
     * when a file is verified, even if it is damaged.
     */
    public synchronized void recoverInto(Map<Integer, ProtectedData> variables) {
        early.into(variables);
    }

    /** Forgets everything about verified files. */
    public synchronized void forget() {
        blocks.forget();
        known.forget();
        early.forget();
    }

    /**
     * Copies the given variables from a file into memory. Everything that has a digest, its own or one for the whole
     * file, is compared during this read, either with the digest or with block checksums from an earlier pass that
     * compared the digest. Data that differ are read once more.
     *
     * @throws IOException the file cannot be read or differs from what was written; memory may have changed
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

    /** Reads the whole file, compares all digests, and copies the variables at the same time. */
    private void readAll(Path path, StoredFile meta, Locator verifier, Map<Integer, ProtectedData> data)
            throws IOException {
        try (ReadWindow source = ReadWindow.open(storage, path)) {
            List<Chunk> wanted = meta.chunks().isEmpty() ? verifier.chunks(source, path, data) : meta.chunks(data);
            List<Chunk> found = verifier.chunks(new ScatteringSource(source, wanted, data), path, data);
            if (!Set.copyOf(found).equals(Set.copyOf(wanted))) {
                throw DamagedException.changing(path);
            }
        }
    }

    /** Returns where the variables are in a file that was verified as far as possible. */
    private List<Chunk> located(Path path, StoredFile meta, Map<Integer, ProtectedData> data) throws IOException {
        Locator locator = meta.locator().orElseThrow();
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            Optional<List<BlockSums>> sums = blocks.of(path, meta.toVerify());
            ByteSource source = sums.isPresent() ? new VerifiedSource(file, sums.get()) : new BlockFileSource(file);
            return locator.chunks(source, path, data);
        }
    }

    private void stream(Path path, List<Chunk> chunks, ChunkSink sink) throws IOException {
        DeferredFailure failure = new DeferredFailure();
        SlabPool parts = RoundReader.parts(slabs, 1).get(0);
        try (RoundReader file = new RoundReader(storage, path, chunks, parts, failure);
                LaneHasher md5 = new LaneHasher()) {
            while (true) {
                file.readAhead();
                Round round = file.next();
                if (round == null) {
                    break;
                }
                List<ByteBuffer> bytes = round.bytes();
                for (int i = 0; i < bytes.size(); i++) {
                    // One by one, because the next ones arrive while this one is used.
                    file.await(round, i);
                    failure.throwIfThere();
                    Piece piece = round.pieces().get(i);
                    sink.take(piece.chunk(), piece.position(), bytes.get(i).duplicate());
                }
                md5.update(round.pieces(), bytes, (last, digest) -> compare(path, last.chunk(), digest));
            }
            failure.throwIfThere();
        } finally {
            slabs.drain();
        }
    }

    private void compare(Path path, List<Chunk> chunks, List<String> digests) throws IOException {
        try {
            for (int i = 0; i < chunks.size(); i++) {
                compare(path, chunks.get(i), digests.get(i));
            }
        } catch (IOException e) {
            // The bytes copied so far are useless.
            early.forget();
            blocks.forget();
            throw e;
        }
    }

    private static void compare(Path path, Chunk chunk, String md5) throws IOException {
        if (chunk.md5().isPresent() && !FileEntry.isDigestOf(chunk.md5().get(), md5)) {
            throw DamagedException.of(
                    chunk.id() < 0 ? "checking a digest" : "checking variable " + chunk.id(),
                    path,
                    chunk.offset(),
                    chunk.length(),
                    md5,
                    chunk.md5().get());
        }
    }
}
