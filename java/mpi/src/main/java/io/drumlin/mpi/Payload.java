package io.drumlin.mpi;

import io.drumlin.internal.MemoryFault;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * The memory of a buffer's bytes for MPI during a call. It is a direct buffer itself, or a copy. Heap buffers are
 * copied because the garbage collector may move them, and other memory if it may vanish during the call.
 */
final class Payload implements AutoCloseable {

    private final ByteBuffer buffer;
    private final long copy;
    private final long address;

    private Payload(ByteBuffer buffer) {
        this.buffer = buffer;
        boolean lasting = NativeMemory.isLasting(buffer);
        this.copy = lasting ? 0 : allocate(buffer.remaining());
        this.address = lasting ? NativeMemory.address(buffer) : copy;
    }

    private static long allocate(int length) {
        return NativeMemory.make(
                "memory for a message", result -> CoreLibrary.drumlin_memory_allocate(result, Math.max(length, 1)));
    }

    /** Prepares a call that reads the bytes. */
    static Payload from(ByteBuffer message) {
        Payload payload = new Payload(message);
        if (payload.copy != 0) {
            payload.view().put(0, message, message.position(), message.remaining());
            MemoryFault.throwPending(message);
        }
        return payload;
    }

    /** Prepares a call that writes bytes; {@link #deliver} copies them to the buffer. */
    static Payload into(ByteBuffer target) {
        return new Payload(target);
    }

    long address() {
        return address;
    }

    int length() {
        return buffer.remaining();
    }

    /** Copies the first {@code length} bytes to the buffer. */
    void deliver(int length) {
        if (copy != 0) {
            buffer.put(buffer.position(), view(), 0, length);
            MemoryFault.throwPending(buffer);
        }
    }

    private ByteBuffer view() {
        return NativeMemory.view(copy, Math.max(buffer.remaining(), 1));
    }

    @Override
    public void close() {
        try {
            if (copy != 0) {
                CoreLibrary.drumlin_memory_free(copy);
            }
        } finally {
            // MPI has used the buffer's memory up to this point.
            Reference.reachabilityFence(buffer);
        }
    }
}
