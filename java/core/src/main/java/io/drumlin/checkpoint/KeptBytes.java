package io.drumlin.checkpoint;

import com.sun.management.OperatingSystemMXBean;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a file to see whether it is whole, kept in memory until it is recovered: so a restart reads and hashes
 * everything once, and what comes into the arrays is what was hashed.
 *
 * <p>Kept only where there is plenty of memory, outside the Java heap. Not thread-safe.
 */
final class KeptBytes implements AutoCloseable {

    /** Large enough for huge pages. */
    private static final int BLOCK_BYTES = 16 << 20;

    private final StorageEngine storage;
    private final LongSupplier limit;
    private final List<AlignedBuffer> blocks = new ArrayList<>();
    private final TreeMap<Long, ByteBuffer> pieces = new TreeMap<>();
    private long expected;
    private ByteBuffer free = ByteBuffer.allocate(0);
    private @Nullable Identity file;

    /** By which a file is known again that was renamed, and one that was written since is not. */
    private record Identity(@Nullable Object key, long size, FileTime written) {
        static Identity of(Path path) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new Identity(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
        }
    }

    /** What becomes of kept bytes. */
    @FunctionalInterface
    interface Sink {
        void take(long position, ByteBuffer piece);
    }

    /** @param limit most bytes to be kept, asked each time */
    KeptBytes(StorageEngine storage, LongSupplier limit) {
        this.storage = storage;
        this.limit = limit;
    }

    /**
     * For the ranks of a node that restart together: a quarter of the memory that is free now, as the Java machine sees it,
     * which knows the limits of a container.
     *
     * @param most bytes, whatever is free
     * @param ranks on the machine
     */
    static KeptBytes ofFreeMemory(StorageEngine storage, long most, int ranks) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new KeptBytes(storage, () -> Math.min(most, system.getFreeMemorySize() / 4 / ranks));
    }

    /** Never keeps anything. */
    static KeptBytes none(StorageEngine storage) {
        return new KeptBytes(storage, () -> 0);
    }

    /** Forgets what was kept; tells whether {@code bytes} of another file can be. */
    boolean begin(long bytes) {
        forget();
        expected = BlockEdges.roundUp(bytes + 1, AlignedBuffer.ALIGNMENT);
        return storage.freesMemoryAtOnce() && bytes <= limit.getAsLong();
    }

    /** Memory for a piece, from an aligned address on. */
    ByteBuffer space(int length) {
        int room = (int) BlockEdges.roundUp(length, AlignedBuffer.ALIGNMENT);
        if (blocks.isEmpty() || free.remaining() < room) {
            // A small file takes no large block.
            AlignedBuffer block = storage.allocate((int) Math.max(room, Math.min(BLOCK_BYTES, expected)));
            blocks.add(block);
            free = block.buffer();
        }
        ByteBuffer space = free.slice(free.position(), length);
        free.position(free.position() + room);
        return space;
    }

    /** Takes note of bytes of the file. */
    void put(long offset, ByteBuffer piece) {
        if (piece.hasRemaining()) {
            pieces.put(offset, piece.slice());
        }
    }

    /** What is put from now on is of this file as it is now. */
    void bytesOf(Path path) throws IOException {
        file = Identity.of(path);
    }

    /** Whether all of the chunks of a file are here. */
    boolean hold(Path path, List<Chunk> chunks) throws IOException {
        if (file == null || !file.equals(Identity.of(path))) {
            return false;
        }
        for (Chunk chunk : chunks) {
            long end = chunk.offset() + chunk.length();
            long at = chunk.offset();
            while (at < end) {
                Map.Entry<Long, ByteBuffer> piece = pieces.floorEntry(at);
                long pieceEnd =
                        piece == null ? at : piece.getKey() + piece.getValue().capacity();
                if (pieceEnd <= at) {
                    return false;
                }
                at = pieceEnd;
            }
        }
        return true;
    }

    /** Hands out the bytes of a chunk that is held. */
    void copy(Chunk chunk, Sink sink) {
        long position = 0;
        while (position < chunk.length()) {
            Map.Entry<Long, ByteBuffer> piece = pieces.floorEntry(chunk.offset() + position);
            int skipped = (int) (chunk.offset() + position - piece.getKey());
            int length = (int) Math.min(piece.getValue().capacity() - skipped, chunk.length() - position);
            sink.take(position, piece.getValue().slice(skipped, length));
            position += length;
        }
    }

    /** Gives the memory back. */
    void forget() {
        file = null;
        pieces.clear();
        free = ByteBuffer.allocate(0);
        blocks.forEach(AlignedBuffer::close);
        blocks.clear();
    }

    @Override
    public void close() {
        forget();
    }
}
