package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a format read from a file, direct or not: small parts come from a slab of memory, large ones straight from the file
 * where it is not direct. Where a direct file is read in sequence, the next slab is on its way meanwhile: the system does
 * that for the others. Memory is taken when it is first needed. Not thread-safe.
 */
final class ReadWindow implements ByteSource, Closeable {

    private static final long MOST = 4L << 20;

    /** Slabs of a task: one that is used and one that is read ahead. */
    private static final int SLABS = 2;

    /** Memory for the slabs of all tasks of a process. */
    private static final long BUDGET = 64L << 20;

    private final StorageEngine storage;
    private final BlockFile file;
    private final long size;
    private final int slabBytes;

    private @Nullable AlignedBuffer slab;
    private @Nullable AlignedBuffer other;

    /** What of the file is in the slab. */
    private long base;

    private int length;

    /** What is being read into the other slab, and from where. */
    private @Nullable PendingRead ahead;

    private long aheadBase;

    /** Large, but not larger than what is there of a task. */
    static int slabBytes(long largestBlock, int tasks) {
        long share = Math.max(AlignedBuffer.ALIGNMENT, BUDGET / SLABS / tasks);
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
        long wanted = position - position % file.alignment();
        boolean inSequence = wanted == base + length && length > 0;
        base = wanted;
        length = 0;
        length = ahead != null && aheadBase == wanted ? takeAhead(ahead) : readHere();
        require((int) (base + length - position), position);
        if (inSequence && file.direct() && length == slabBytes && base + length < size) {
            startAhead(base + length);
        }
    }

    private int readHere() throws IOException {
        dropAhead();
        return file.read(slab().clear(), base);
    }

    private int takeAhead(PendingRead read) throws IOException {
        ahead = null;
        int count = read.await();
        AlignedBuffer filled = other;
        other = slab;
        slab = filled;
        return count;
    }

    private void startAhead(long offset) throws IOException {
        AlignedBuffer memory = other;
        if (memory == null) {
            memory = storage.allocate(slabBytes);
            other = memory;
        }
        ahead = file.startRead(memory.buffer().clear(), offset);
        aheadBase = offset;
    }

    /** Nobody wants it, so it may fail. */
    private void dropAhead() {
        PendingRead read = ahead;
        ahead = null;
        if (read != null) {
            try {
                read.await();
            } catch (IOException e) {
                aheadBase = -1;
            }
        }
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
        dropAhead();
        if (slab != null) {
            slab.close();
            slab = null;
        }
        if (other != null) {
            other.close();
            other = null;
        }
    }
}
