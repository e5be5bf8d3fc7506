package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.StripedMd5;
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
    private @Nullable AlignedWriter file;

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
        file = new AlignedWriter(storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.DIRECT)), slabs);
        slabs.fill();
    }

    private AlignedWriter file() {
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        return file;
    }

    boolean isDirect() {
        return file().file().direct();
    }

    /** Reserves the space of the whole file. No other rank may use the file meanwhile. */
    void reserve(long size) throws IOException {
        file().file().allocate(size);
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
    record Edge(long offset, ByteBuffer bytes) {}

    /** Writes the whole blocks and makes them durable. A write touches one stripe of the file system. */
    Written write(ByteSource bytes) throws IOException {
        AlignedWriter writer = file();
        try (StripedMd5 md5 = new StripedMd5()) {
            int length;
            for (long at = start; at < end; at += length) {
                int lead = AlignedWriter.lead(at);
                length = (int) Math.min(slabs.slabBytes() - at % slabs.slabBytes(), end - at);
                SlabPool.Slab slab = slabs.take();
                bytes.readFully(at - start, slab.buffer().limit(lead + length).position(lead));
                writer.start(slab, at, length);
                // While the device writes it.
                md5.update(slab.view(lead, length));
            }
            writer.await();
            writer.file().sync();
            long blocks = Math.min(end, AlignedWriter.roundUp(start, AlignedWriter.BLOCK));
            long blocksEnd = Math.max(blocks, end - AlignedWriter.lead(end));
            return new Written(
                    List.of(md5.digest()),
                    new Edge(start, writer.kept(start, blocks)),
                    new Edge(blocksEnd, writer.kept(blocksEnd, end)));
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
