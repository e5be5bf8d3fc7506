package io.drumlin.storage;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file of the C core as a block file. */
final class NativeFile extends PositionalFile {

    /** Heap memory is copied through native memory in pieces of this many bytes. */
    private static final int HEAP_PIECE = 1 << 20;

    private final int fd;

    /** Started transfers that nobody has awaited to the end, the eldest first; guarded by itself. */
    private final Deque<Queued> queued = new ArrayDeque<>();

    NativeFile(Path path, int fd, int alignment) {
        super(path, alignment);
        this.fd = fd;
    }

    @Override
    int writeOnce(ByteBuffer source, long offset) throws IOException {
        if (source.isDirect()) {
            return writeNative(source, offset);
        }
        int piece = Math.min(source.remaining(), HEAP_PIECE);
        try (AlignedBuffer memory = new NativeAlignedBuffer(piece)) {
            memory.buffer().put(0, source, source.position(), piece);
            return writeNative(memory.buffer(), offset);
        }
    }

    @Override
    int readOnce(ByteBuffer target, long offset) throws IOException {
        if (target.isDirect()) {
            return readNative(target, offset);
        }
        int piece = Math.min(target.remaining(), HEAP_PIECE);
        try (AlignedBuffer memory = new NativeAlignedBuffer(piece)) {
            int count = readNative(memory.buffer(), offset);
            target.put(target.position(), memory.buffer(), 0, count);
            return count;
        }
    }

    private int writeNative(ByteBuffer source, long offset) throws IOException {
        try {
            long address = NativeMemory.address(source);
            return (int) require("write", CoreLibrary.drumlin_file_write(fd, address, source.remaining(), offset));
        } finally {
            Reference.reachabilityFence(source);
        }
    }

    private int readNative(ByteBuffer target, long offset) throws IOException {
        try {
            long address = NativeMemory.address(target);
            return (int) require("read", CoreLibrary.drumlin_file_read(fd, address, target.remaining(), offset));
        } finally {
            Reference.reachabilityFence(target);
        }
    }

    @Override
    PendingWrite launch(ByteBuffer memory, long offset) throws IOException {
        long ticket = CoreLibrary.drumlin_queue_write(
                NativeQueue.address(), fd, NativeMemory.address(memory), memory.remaining(), offset);
        if (ticket < 0) {
            throw explain("write", offset, memory.remaining(), new ErrnoException("queue", (int) -ticket), "");
        }
        Queued write = new Queued("write", memory, offset, ticket);
        keep(write);
        return write::await;
    }

    @Override
    PendingRead launchRead(ByteBuffer memory, long offset) throws IOException {
        long ticket = CoreLibrary.drumlin_queue_read(
                NativeQueue.address(), fd, NativeMemory.address(memory), memory.remaining(), offset);
        if (ticket < 0) {
            throw explain("read", offset, memory.remaining(), new ErrnoException("queue", (int) -ticket), "");
        }
        Queued read = new Queued("read", memory, offset, ticket);
        keep(read);
        return read::await;
    }

    private void keep(Queued transfer) {
        synchronized (queued) {
            queued.add(transfer);
        }
    }

    private void forget(Queued transfer) {
        synchronized (queued) {
            queued.remove(transfer);
        }
    }

    @Override
    void endLaunched() {
        List<Queued> left;
        synchronized (queued) {
            left = List.copyOf(queued);
        }
        left.forEach(Queued::end);
    }

    @Override
    long length() throws IOException {
        return require("size", CoreLibrary.drumlin_file_size(fd));
    }

    @Override
    void reserveTo(long size) throws IOException {
        require("allocate", CoreLibrary.drumlin_file_allocate(fd, size));
    }

    @Override
    void reserveRange(long offset, long length) throws IOException {
        require("reserve", CoreLibrary.drumlin_file_reserve(fd, offset, length));
    }

    @Override
    void writeBack(long offset, long length) throws IOException {
        require("writeback", CoreLibrary.drumlin_file_writeback(fd, offset, length));
    }

    @Override
    void setLength(long size) throws IOException {
        require("truncate", CoreLibrary.drumlin_file_truncate(fd, size));
    }

    @Override
    void flush() throws IOException {
        require("sync", CoreLibrary.drumlin_file_sync(fd, 0));
    }

    @Override
    void release() throws IOException {
        require("close", CoreLibrary.drumlin_file_close(fd));
    }

    static long require(String call, long result) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, (int) -result);
        }
        return result;
    }

    /** A transfer in the C core's queue; it holds the memory until the kernel has let go of it. */
    private final class Queued {

        private final String operation;
        private final ByteBuffer memory;
        private final int length;
        private final long offset;
        private final long ticket;

        /** Guarded by this. */
        private boolean ended;
        /** Guarded by this. */
        private int moved;
        /** Guarded by this. */
        private @Nullable IOException failure;

        Queued(String operation, ByteBuffer memory, long offset, long ticket) {
            this.operation = operation;
            this.memory = memory;
            length = memory.remaining();
            this.offset = offset;
            this.ticket = ticket;
        }

        /** Waits unless somebody has done so; the ticket is good for once. */
        synchronized @Nullable IOException end() {
            if (!ended) {
                long result = waited();
                moved = (int) Math.max(0, result);
                if (result < 0) {
                    ErrnoException cause = new ErrnoException(operation, (int) -result);
                    failure = explain(operation, offset, length, cause, "");
                    keepUnreported(failure);
                }
                ended = true;
                forget(this);
            }
            return failure;
        }

        private long waited() {
            try {
                return CoreLibrary.drumlin_queue_wait(NativeQueue.address(), ticket);
            } finally {
                Reference.reachabilityFence(memory);
            }
        }

        synchronized int await() throws IOException {
            IOException told = end();
            if (told != null) {
                forgetUnreported(told);
                throw told;
            }
            return moved;
        }
    }
}
