package io.drumlin.nativecore;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Converts between addresses and buffers. The Java heap has no fixed addresses, so native code never keeps data there;
 * it only copies them.
 *
 * <p>The methods can be called once {@link NativeCore#ensureAvailable()} has returned. Thread-safe.
 */
public final class NativeMemory {

    /** Number of bytes for which garbage collection may have to wait: a tenth of a millisecond. */
    private static final int ARRAY_PIECE = 1 << 20;

    private NativeMemory() {}

    /**
     * Returns the address of the remaining bytes of a direct buffer. It is valid as long as the caller keeps the buffer
     * reachable, see {@link java.lang.ref.Reference#reachabilityFence}.
     *
     * @param buffer a direct buffer
     * @return the address of the byte at its position
     * @throws IllegalArgumentException the buffer is not direct
     */
    public static long address(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("native code needs a direct buffer");
        }
        return CoreLibrary.address(buffer) + buffer.position();
    }

    /**
     * Returns whether native code may use the memory of a direct buffer. The memory must stay valid as long as the
     * buffer is reachable, whatever the program does. An {@code Arena} may be closed meanwhile, and a mapped file may
     * become shorter; touching such memory would end the process. The virtual machine throws an exception instead, so
     * Java must copy such memory.
     *
     * @param buffer any buffer
     * @return false for heap buffers too, and if the virtual machine does not tell
     */
    public static boolean isLasting(Buffer buffer) {
        return buffer.isDirect() && CoreLibrary.isLasting(buffer);
    }

    /**
     * Makes a buffer over memory.
     *
     * @param address the address of memory that stays valid until nobody uses the buffer any more
     * @param size size in bytes
     * @return a direct little-endian buffer
     */
    public static ByteBuffer view(long address, int size) {
        return CoreLibrary.view(address, size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Copies memory past the cache, if nobody reads it soon. This is faster than the methods of the buffers.
     *
     * @param source a direct buffer; its remaining bytes are copied, and it does not change
     * @param target a direct buffer, or one with an array
     * @param width size in bytes of an element of {@code target}; the bytes of {@code source} become its elements
     * @param offset the offset in {@code target}, in bytes from its element 0 on
     * @return false if nothing was copied, because there is no safe access to the elements of {@code target}
     * @throws IndexOutOfBoundsException the bytes do not fit
     * @throws IllegalArgumentException {@code source} is not direct
     */
    public static boolean copyIn(ByteBuffer source, Buffer target, int width, long offset) {
        Copy memory = (elements, at, piece, length) -> CoreLibrary.drumlin_memory_copy(at, piece, length);
        return copy(target, width, offset, source, memory, CoreLibrary::copyIn);
    }

    /**
     * Copies elements to memory past the cache, if nobody reads them soon. This is faster than the methods of the
     * buffers.
     *
     * @param source a direct buffer, or one with an array
     * @param width size in bytes of an element of {@code source}
     * @param offset the offset in {@code source}, in bytes from its element 0 on
     * @param target a direct buffer; its remaining bytes are overwritten, and its position does not change
     * @return false if nothing was copied, because there is no safe access to the elements of {@code source}
     * @throws IndexOutOfBoundsException {@code source} does not have that many bytes
     * @throws IllegalArgumentException {@code target} is not direct
     */
    public static boolean copyOut(Buffer source, int width, long offset, ByteBuffer target) {
        Copy memory = (elements, at, piece, length) -> CoreLibrary.drumlin_memory_copy(piece, at, length);
        return copy(source, width, offset, target, memory, CoreLibrary::copyOut);
    }

    /**
     * Copies between memory outside the Java heap and either the elements of an array or memory whose offset counts
     * from address 0.
     */
    @FunctionalInterface
    private interface Copy {
        void copy(Object elements, long at, long piece, long length);
    }

    private static boolean copy(
            Buffer elements, int width, long offset, ByteBuffer piece, Copy ofMemory, Copy ofArray) {
        int length = piece.remaining();
        Objects.checkFromIndexSize(offset, (long) length, (long) elements.capacity() * width);
        try {
            if (isLasting(elements)) {
                ofMemory.copy(elements, CoreLibrary.address(elements) + offset, address(piece), length);
                return true;
            }
            if (!elements.hasArray()) {
                return false;
            }
            long start = (long) elements.arrayOffset() * width + offset;
            for (long done = 0; done < length; done += ARRAY_PIECE) {
                long part = Math.min(ARRAY_PIECE, length - done);
                ofArray.copy(elements.array(), start + done, address(piece) + done, part);
            }
            return true;
        } finally {
            Reference.reachabilityFence(piece);
            Reference.reachabilityFence(elements);
        }
    }

    /**
     * Reads a C string.
     *
     * @param address the address of its first byte, or 0
     * @return the bytes before the NUL as UTF-8, or {@code null}
     */
    public static @Nullable String string(long address) {
        if (address == 0) {
            return null;
        }
        ByteBuffer memory = CoreLibrary.view(address, Integer.MAX_VALUE);
        int length = 0;
        while (memory.get(length) != 0) {
            length++;
        }
        return StandardCharsets.UTF_8.decode(memory.limit(length)).toString();
    }

    /**
     * Makes a C string of a path or a file name, in the encoding that the JVM uses for them.
     *
     * @param text a text without NUL
     * @return a direct buffer with its bytes and a NUL
     */
    static ByteBuffer nativeString(String text) {
        byte[] bytes = text.getBytes(Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")));
        return ByteBuffer.allocateDirect(bytes.length + 1)
                .put(bytes)
                .put((byte) 0)
                .flip();
    }

    /**
     * Calls a C function that makes an object and stores its address through a pointer.
     *
     * @param what the object, for the error message
     * @param function receives the address of the 8 bytes for the result; returns 0 or -errno
     * @return the address that the function stored
     * @throws OutOfMemoryError the function returned ENOMEM
     * @throws IllegalStateException the function failed otherwise
     */
    public static long make(String what, LongToIntFunction function) {
        ByteBuffer result = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        int error = function.applyAsInt(address(result));
        if (error == 0) {
            return result.getLong(0);
        }
        String name = string(CoreLibrary.drumlin_error_name(error));
        String message = what + ": " + name + " (" + string(CoreLibrary.drumlin_error_message(error)) + ")";
        if ("ENOMEM".equals(name)) {
            throw new OutOfMemoryError(message);
        }
        throw new IllegalStateException(message);
    }
}
