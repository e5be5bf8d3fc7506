package io.drumlin.storage.internal;

import io.drumlin.internal.MemoryFault;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/** A file of the C core as a block file. */
final class NativeFile extends PositionalFile {

    /**
     * Heap memory, and memory that may vanish meanwhile, is copied through native memory in pieces of so many bytes.
     */
    private static final int HEAP_PIECE = 1 << 20;

    /** Open files that the garbage collector has not taken; guarded by itself. */
    private static final Set<NativeFile> OPEN = Collections.newSetFromMap(new WeakHashMap<>());

    private final int fd;

    /** Started transfers that nobody has awaited to the end, the oldest first; guarded by itself. */
    private final Deque<Queued> queued = new ArrayDeque<>();

    NativeFile(Path path, int fd, int alignment) {
        super(path, alignment);
        this.fd = fd;
        synchronized (OPEN) {
            OPEN.add(this);
        }
    }

    /**
     * Waits for started transfers that use memory about to be freed. Their callers can still await them and get their
     * result.
     */
    static void endTransfersOf(long address, int size) {
        List<NativeFile> files;
        synchronized (OPEN) {
            files = List.copyOf(OPEN);
        }
        for (NativeFile file : files) {
            file.started().stream()
                    .filter(transfer ->
                            transfer.address < address + size && address < transfer.address + transfer.length)
                    .forEach(Queued::end);
        }
    }

    private List<Queued> started() {
        synchronized (queued) {
            return List.copyOf(queued);
        }
    }

    @Override
    int writeOnce(ByteBuffer source, long offset) throws IOException {
        if (NativeMemory.isLasting(source)) {
            return writeNative(source, offset);
        }
        int piece = Math.min(source.remaining(), HEAP_PIECE);
        try (AlignedBuffer memory = new NativeAlignedBuffer(piece)) {
            memory.buffer().put(0, source, source.position(), piece);
            MemoryFault.throwPending(source);
            return writeNative(memory.buffer(), offset);
        }
    }

    @Override
    int readOnce(ByteBuffer target, long offset) throws IOException {
        if (NativeMemory.isLasting(target)) {
            return readNative(target, offset);
        }
        int piece = Math.min(target.remaining(), HEAP_PIECE);
        try (AlignedBuffer memory = new NativeAlignedBuffer(piece)) {
            int count = readNative(memory.buffer(), offset);
            target.put(target.position(), memory.buffer(), 0, count);
            MemoryFault.throwPending(target);
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
        if (!NativeMemory.isLasting(memory)) {
            return super.launch(memory, offset);
        }
        long ticket = CoreLibrary.drumlin_queue_write(
                NativeQueue.address(), fd, NativeMemory.address(memory), memory.remaining(), offset);
        if (ticket < 0) {
            throw explain("write", offset, memory.remaining(), new ErrnoException("queue", (int) -ticket), "");
        }
        return queued("write", memory, offset, ticket);
    }

    @Override
    PendingRead launchRead(ByteBuffer memory, long offset) throws IOException {
        if (!NativeMemory.isLasting(memory)) {
            return super.launchRead(memory, offset);
        }
        long ticket = CoreLibrary.drumlin_queue_read(
                NativeQueue.address(), fd, NativeMemory.address(memory), memory.remaining(), offset);
        if (ticket < 0) {
            throw explain("read", offset, memory.remaining(), new ErrnoException("queue", (int) -ticket), "");
        }
        return queued("read", memory, offset, ticket)::moved;
    }

    private Queued queued(String operation, ByteBuffer memory, long offset, long ticket) {
        Queued transfer = new Queued(operation, memory, offset, ticket);
        synchronized (queued) {
            queued.add(transfer);
        }
        return transfer;
    }

    @Override
    void endLaunched() {
        started().forEach(Queued::end);
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
        synchronized (OPEN) {
            OPEN.remove(this);
        }
        require("close", CoreLibrary.drumlin_file_close(fd));
    }

    static long require(String call, long result) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, (int) -result);
        }
        return result;
    }

    /** A transfer in the C core's queue. It holds the memory until the kernel has released it. */
    private final class Queued implements PendingWrite {

        private final String operation;
        private final long address;
        private final int length;
        private final long offset;
        private final long ticket;

        /** Guarded by this, like all fields that follow; {@code null} once the transfer has ended. */
        private @Nullable ByteBuffer memory;

        private int moved;
        private @Nullable IOException failure;

        Queued(String operation, ByteBuffer memory, long offset, long ticket) {
            this.operation = operation;
            this.memory = memory;
            address = NativeMemory.address(memory);
            length = memory.remaining();
            this.offset = offset;
            this.ticket = ticket;
        }

        /** Waits unless somebody has done so already, because the ticket is valid only once. */
        synchronized @Nullable IOException end() {
            if (memory != null) {
                long result = waited(memory);
                memory = null;
                moved = (int) Math.max(0, result);
                if (result < 0) {
                    ErrnoException cause = new ErrnoException(operation, (int) -result);
                    failure = explain(operation, offset, length, cause, "");
                    keepUnreported(failure);
                }
                synchronized (queued) {
                    queued.remove(this);
                }
            }
            return failure;
        }

        private long waited(ByteBuffer held) {
            try {
                return CoreLibrary.drumlin_queue_wait(NativeQueue.address(), ticket);
            } finally {
                Reference.reachabilityFence(held);
            }
        }

        synchronized int moved() throws IOException {
            IOException told = end();
            if (told != null) {
                forgetUnreported(told);
                throw told;
            }
            return moved;
        }

        @Override
        public void await() throws IOException {
            moved();
        }
    }
}
