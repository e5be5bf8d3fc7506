package io.drumlin.checkpoint;

import com.sun.management.OperatingSystemMXBean;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What was read of files to see whether they are whole, kept in memory until it is recovered or other ranks have got it: so a
 * restart reads and hashes everything once, and what comes into the arrays is what was hashed: of a mapped file, which may change, checksums are
 * compared. Who keeps bytes of a file either verifies all of them or forgets the file.
 *
 * <p>Kept only where there is plenty of memory, outside the Java heap. Not thread-safe.
 */
final class KeptBytes implements AutoCloseable {

    /** Of what is less a mapping costs more, some milliseconds, than memory does. */
    static final int LEAST_MAPPED = 4 << 20;

    /** The part of what is mapped that may be between the chunks: an eighth. */
    private static final int MOST_BETWEEN = 8;

    private final StorageEngine storage;
    private final LongSupplier limit;
    private final BooleanSupplier dear;
    private final List<KeptFile> files = new ArrayList<>();

    /** Large blocks of files that were forgotten, for the next ones: memory that is new to the process costs more than a read. */
    private final Deque<AlignedBuffer> spare = new ArrayDeque<>();

    /** Most bytes of all files, as the limit was before any memory was taken. */
    private long most;

    /** @param limit most bytes to be kept, asked when no memory is taken */
    KeptBytes(StorageEngine storage, LongSupplier limit) {
        this(storage, limit, () -> false);
    }

    /** @param dear whether memory costs more than to read and hash what would be kept in it once more */
    KeptBytes(StorageEngine storage, LongSupplier limit, BooleanSupplier dear) {
        this.storage = storage;
        this.limit = limit;
        this.dear = dear;
    }

    /**
     * For the ranks of a node that restart together: a quarter of the memory that is free now, as the Java machine sees it,
     * which knows the limits of a container.
     *
     * @param most bytes, whatever is free and whatever it costs
     * @param ranks on the machine
     */
    static KeptBytes ofFreeMemory(StorageEngine storage, OptionalLong most, int ranks) {
        return most.isPresent()
                ? new KeptBytes(storage, () -> Math.min(most.getAsLong(), freeMemory() / 4 / ranks))
                : new KeptBytes(storage, () -> freeMemory() / 4 / ranks, FreePageReporting::isOn);
    }

    /** Whether to read and hash a file twice costs less than to keep it. */
    boolean isDear() {
        return dear.getAsBoolean();
    }

    /** Asked only when there is something to keep, because the first question takes as long as many checkpoints. */
    private static long freeMemory() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getFreeMemorySize();
    }

    /** Never keeps anything. */
    static KeptBytes none(StorageEngine storage) {
        return new KeptBytes(storage, () -> 0);
    }

    /**
     * Begins to keep chunks of a file, as it is now.
     *
     * @return empty if there is not memory enough
     */
    Optional<KeptFile> begin(Path path, List<Chunk> chunks) throws IOException {
        long bytes = KeptFile.bytesFor(chunks);
        if (bytes + spareBytes() > left()) {
            // A mapping takes none of it.
            freeSpare();
        }
        Optional<KeptFile> file = begin(bytes);
        if (file.isPresent()) {
            try {
                // First: what is written from now on makes it another file.
                file.get().isOf(path);
                map(file.get(), path, chunks);
            } catch (OutOfMemoryError e) {
                giveUp(file.get());
                return Optional.empty();
            } catch (IOException | RuntimeException | Error e) {
                forget(file.get());
                throw e;
            }
        }
        return file;
    }

    /** Maps what is between the first and the last byte of the chunks, if they are most of it. */
    private void map(KeptFile file, Path path, List<Chunk> chunks) throws IOException {
        long start = Long.MAX_VALUE;
        long end = 0;
        for (Chunk chunk : chunks) {
            start = Math.min(start, chunk.offset());
            end = Math.max(end, chunk.offset() + chunk.length());
        }
        long span = end - start;
        if (span >= LEAST_MAPPED && span - file.bytes() <= span / MOST_BETWEEN) {
            storage.map(path, start, span).ifPresent(file::map);
        }
    }

    /**
     * Begins to keep a file that is going to be made; {@link KeptFile#isOf} is to tell which one that is.
     *
     * @param bytes of memory
     * @return empty if there is not memory enough
     */
    Optional<KeptFile> begin(long bytes) {
        if (!storage.freesMemoryAtOnce() || bytes == 0 || bytes > left()) {
            return Optional.empty();
        }
        KeptFile begun = new KeptFile(this::block, bytes);
        files.add(begun);
        return Optional.of(begun);
    }

    /** Bytes that may be kept of other files. */
    private long left() {
        if (files.isEmpty() && spare.isEmpty()) {
            most = limit.getAsLong();
        }
        long left = most;
        for (KeptFile file : files) {
            left -= file.bytes();
        }
        return left;
    }

    private long spareBytes() {
        return (long) spare.size() * KeptFile.BLOCK_BYTES;
    }

    /**
     * Takes the memory of a file that is going to be written from its beginning to its end; if there is less than it seemed, forgets
     * the file.
     *
     * @param slabBytes bytes of a slab, at most {@link KeptFile#BLOCK_BYTES}
     * @return the slabs to write it through, each of them once and in order; empty if it is forgotten
     */
    Optional<SlabPool> slabs(KeptFile file, int slabBytes) {
        try {
            return Optional.of(file.slabs(slabBytes));
        } catch (OutOfMemoryError e) {
            giveUp(file);
            return Optional.empty();
        }
    }

    /**
     * Takes the large blocks of memory for a file that is going to be made, so that nobody waits for them then.
     *
     * @param bytes of memory; none is taken, or what was is given back, if there is not enough
     */
    void prepare(long bytes) {
        begin(bytes / KeptFile.BLOCK_BYTES * KeptFile.BLOCK_BYTES).ifPresent(file -> {
            slabs(file, KeptFile.BLOCK_BYTES);
            forget(file);
        });
    }

    private AlignedBuffer block(int size) {
        // What is small has its own: only its bytes count.
        return spare.isEmpty() || size <= KeptFile.BLOCK_BYTES / 2 ? storage.allocateOnce(size) : spare.pop();
    }

    /** What is kept of a file. */
    Optional<KeptFile> of(Path path) throws IOException {
        for (KeptFile file : files) {
            if (file.knows(path)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /** What is kept of a file, if all of the chunks are. */
    Optional<KeptFile> of(Path path, List<Chunk> chunks) throws IOException {
        return of(path).filter(file -> file.hold(chunks));
    }

    /** Lets the memory of a file be used for others. */
    void forget(KeptFile file) {
        files.remove(file);
        for (AlignedBuffer block : file.release()) {
            if (block.buffer().capacity() == KeptFile.BLOCK_BYTES) {
                spare.push(block);
            } else {
                block.close();
            }
        }
    }

    /** Forgets a file for which the memory did not suffice, and gives back what nobody uses. */
    void giveUp(KeptFile file) {
        forget(file);
        freeSpare();
    }

    /** Forgets all files but one, and gives their memory back. */
    void forgetAllBut(Path path) throws IOException {
        Optional<KeptFile> stays = of(path);
        for (KeptFile file : List.copyOf(files)) {
            if (stays.isEmpty() || file != stays.get()) {
                forget(file);
            }
        }
        freeSpare();
    }

    /** Forgets all files and gives their memory back. */
    void forget() {
        for (KeptFile file : List.copyOf(files)) {
            forget(file);
        }
        freeSpare();
    }

    private void freeSpare() {
        spare.forEach(AlignedBuffer::close);
        spare.clear();
    }

    @Override
    public void close() {
        forget();
    }
}
