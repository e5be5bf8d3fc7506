package io.drumlin.format;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/** Any bytes, for a reader that must not ask for more than there are, nor for all of them again and again. */
public final class BoundedSource implements ByteSource {

    private static final int PASSES = 20;
    private static final long MEMORY = 64L << 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final ByteSource bytes;
    private long served;

    private BoundedSource(byte[] bytes) {
        this.bytes = new MemoryByteSource(ByteBuffer.wrap(bytes));
    }

    /** Something that is read from a file. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(BoundedSource file) throws IOException;
    }

    /** Reads, which must not take more memory than there are bytes, plus 64 MiB. */
    public static <T> T withinMemory(byte[] bytes, Reader<T> reader) throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        T found = reader.read(new BoundedSource(bytes));
        long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
        require(taken < bytes.length + MEMORY, taken + " bytes of memory for a file of " + bytes.length);
        return found;
    }

    @Override
    public long size() {
        return bytes.size();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        served += target.remaining();
        require(served <= PASSES * (bytes.size() + 512), served + " bytes read of " + bytes.size());
        require(
                target.capacity() <= Math.max(bytes.size(), 1 << 16),
                "a buffer of " + target.capacity() + " bytes for a file of " + bytes.size());
        bytes.readFully(offset, target);
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new AssertionError(otherwise);
        }
    }
}
