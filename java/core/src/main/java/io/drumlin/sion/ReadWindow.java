package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a format read from a file, direct or not: small parts come from a slab of memory, large ones straight from the file
 * where it is not direct. Memory is taken when it is first needed. Not thread-safe.
 */
final class ReadWindow implements ByteSource, Closeable {

    private static final long MOST = 8L << 20;

    /** Memory for the slabs of all tasks of a process. */
    private static final long BUDGET = 64L << 20;

    private final StorageEngine storage;
    private final BlockFile file;
    private final long size;
    private final int slabBytes;

    private @Nullable AlignedBuffer slab;

    /** What of the file is in the slab. */
    private long base;

    private int length;

    /** Nothing is read ahead, so a slab is large; but not larger than what is there of a task. */
    static int slabBytes(long largestBlock, int tasks) {
        long share = Math.max(AlignedBuffer.ALIGNMENT, BUDGET / tasks);
        long most = Math.min(MOST, Math.min(share, Math.max(1, largestBlock)));
        int unit = AlignedBuffer.ALIGNMENT;
        return (int) ((most + unit - 1) / unit * unit);
    }

    ReadWindow(StorageEngine storage, BlockFile file, int slabBytes) throws IOException {
        this.storage = storage;
        this.file = file;
        this.size = file.size();
        this.slabBytes = slabBytes;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        long position = offset;
        while (target.hasRemaining()) {
            int there = (int) Math.max(0, Math.min(base + length - position, target.remaining()));
            if (position >= base && there > 0) {
                ByteBuffer bytes = slab().clear();
                target.put(bytes.slice((int) (position - base), there));
                position += there;
            } else if (!file.direct() && target.isDirect() && target.remaining() >= slabBytes) {
                int read = require(file.read(target, position), position);
                target.position(target.position() + read);
                position += read;
            } else {
                fill(position);
            }
        }
    }

    private void fill(long position) throws IOException {
        base = position - position % file.alignment();
        length = 0;
        length = file.read(slab().clear(), base);
        require((int) (base + length - position), position);
    }

    private int require(int read, long position) throws IOException {
        if (read <= 0) {
            throw DrumlinException.during("read")
                    .path(file.path())
                    .range(position, -1)
                    .problem("the file has become shorter")
                    .exception();
        }
        return read;
    }

    private ByteBuffer slab() {
        AlignedBuffer memory = slab;
        if (memory == null) {
            memory = storage.allocate(slabBytes);
            slab = memory;
        }
        return memory.buffer();
    }

    @Override
    public void close() {
        if (slab != null) {
            slab.close();
            slab = null;
        }
    }
}
