package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.checkpoint.internal.io.PartialBlocks;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.StripedMd5;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The region of one rank in a file shared by many. Blocks that belong to this rank alone are written with direct I/O.
 * The parts of blocks that it shares with its neighbours are returned, to be written in another way. Not thread-safe.
 */
final class SharedFileRegion implements Closeable {

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final Path path;
    private final long start;
    private final long end;
    private @Nullable BlockFile file;

    /**
     * @param path a file that exists when {@link #open} is called
     * @param start offset of the region
     * @param size bytes of the region
     */
    SharedFileRegion(StorageEngine storage, SlabPool slabs, Path path, long start, long size) {
        this.storage = storage;
        this.slabs = slabs;
        this.path = path;
        this.start = start;
        end = start + size;
    }

    void open() throws IOException {
        file = storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.DIRECT));
        slabs.fill();
    }

    private BlockFile file() {
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        return file;
    }

    boolean isDirect() {
        return file().direct();
    }

    /** Reserves the space of the whole file. No other rank may use the file meanwhile. */
    void reserve(long size) throws IOException {
        file().allocate(size);
    }

    /**
     * The result of a write.
     *
     * @param digests the striped MD5 of all bytes of the region
     * @param head bytes before the whole blocks that are still to be written, possibly none
     * @param tail bytes after the whole blocks that are still to be written, possibly none
     */
    record Written(List<byte[]> digests, Edge head, Edge tail) {}

    /**
     * The part of a shared block that is in the region.
     *
     * @param offset offset in the file
     * @param bytes the bytes, ready to be written
     */
    record Edge(long offset, ByteBuffer bytes) {

        private static Edge between(long from, long to) {
            return new Edge(from, ByteBuffer.allocateDirect((int) (to - from)));
        }

        /** Copies the bytes of this part from memory whose index 0 is at {@code base} in the file. */
        void take(ByteBuffer memory, long base) {
            long from = Math.max(memory.position(), offset - base);
            long to = Math.min(memory.limit(), offset + bytes.limit() - base);
            if (from < to) {
                bytes.put((int) (base + from - offset), memory, (int) from, (int) (to - from));
            }
        }
    }

    /** Writes the whole blocks and makes them durable. A write touches one stripe of the file system. */
    Written write(ByteSource bytes) throws IOException {
        long blocks = Math.min(end, PartialBlocks.roundUp(start, PartialBlocks.BLOCK));
        long blocksEnd = Math.max(blocks, end - end % PartialBlocks.BLOCK);
        Edge head = Edge.between(start, blocks);
        Edge tail = Edge.between(blocksEnd, end);
        try (StripedMd5 md5 = new StripedMd5()) {
            int length;
            for (long at = start; at < end; at += length) {
                int lead = (int) (at % PartialBlocks.BLOCK);
                long base = at - lead;
                length = (int) Math.min(slabs.slabBytes() - at % slabs.slabBytes(), end - at);
                SlabPool.Slab slab = slabs.take();
                ByteBuffer memory = slab.buffer().limit(lead + length).position(lead);
                bytes.readFully(at - start, memory);
                memory.position(lead);
                head.take(memory, base);
                tail.take(memory, base);
                int from = (int) Math.max(lead, blocks - base);
                int to = (int) Math.min(lead + length, blocksEnd - base);
                if (from < to) {
                    slab.write(file(), memory.limit(to).position(from), base + from);
                }
                // While the device writes it.
                md5.update(slab.view(lead, length));
            }
            slabs.drain();
            file().sync();
            return new Written(List.of(md5.digest()), head, tail);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            slabs.drain();
        } finally {
            if (file != null) {
                file.close();
            }
        }
    }
}
