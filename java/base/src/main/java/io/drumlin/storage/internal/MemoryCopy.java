package io.drumlin.storage.internal;

import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies large pieces of memory past the cache, with the C core, if nobody reads them soon. This takes half the time of
 * {@code put} of a buffer, which does the same work if there is no C core. Thread-safe.
 */
public final class MemoryCopy {

    /** Smaller pieces may be read from the cache soon. */
    static final int LARGE = 64 << 10;

    private MemoryCopy() {}

    /**
     * Copies the remaining bytes of {@code source}, which does not change, if that is faster.
     *
     * @param source a piece outside the Java heap; smaller than 64 KiB, it is not copied
     * @param target its elements become the bytes unchanged, whatever its byte order
     * @param width size in bytes of an element of {@code target}
     * @param offset the offset in {@code target}, in bytes from its element 0 on
     * @return false if nothing was copied, because the piece is small, there is no C core, {@code source} is not memory
     *     outside the Java heap, {@code target} is neither that nor an array, or the memory may vanish meanwhile
     *     ({@link NativeMemory#isLasting})
     * @throws IndexOutOfBoundsException the bytes do not fit
     */
    public static boolean copiedIn(ByteBuffer source, Buffer target, int width, long offset) {
        return gains(source) && NativeMemory.copyIn(source, target, width, offset);
    }

    /**
     * Fills the remaining space of {@code target}, whose position does not change, if that is faster. The conditions
     * are those of {@link #copiedIn}.
     *
     * @param source its elements are copied as bytes unchanged, whatever its byte order
     * @param width size in bytes of an element of {@code source}
     * @param offset the offset in {@code source}, in bytes from its element 0 on
     * @param target a piece outside the Java heap; smaller than 64 KiB, it is not filled
     * @return false if nothing was copied
     * @throws IndexOutOfBoundsException {@code source} does not have that many bytes
     */
    public static boolean copiedOut(Buffer source, int width, long offset, ByteBuffer target) {
        return gains(target) && NativeMemory.copyOut(source, width, offset, target);
    }

    /**
     * Reverses the bytes of each element between position and limit, which do not change. The virtual machine ends the process if a mapped
     * file becomes shorter while a {@code put} between buffers of different byte orders copies it. Memory of the program is therefore
     * copied between buffers of one order, and reversed in memory of Drumlin.
     *
     * @param memory whole elements
     * @param width size in bytes of an element: 1, 2, 4 or 8
     */
    public static void reverse(ByteBuffer memory, int width) {
        ByteBuffer from = memory.slice().order(ByteOrder.BIG_ENDIAN);
        ByteBuffer to = memory.slice().order(ByteOrder.LITTLE_ENDIAN);
        int count = memory.remaining() / width;
        switch (width) {
            case Short.BYTES -> to.asShortBuffer().put(0, from.asShortBuffer(), 0, count);
            case Integer.BYTES -> to.asIntBuffer().put(0, from.asIntBuffer(), 0, count);
            case Long.BYTES -> to.asLongBuffer().put(0, from.asLongBuffer(), 0, count);
            default -> {}
        }
    }

    private static boolean gains(ByteBuffer piece) {
        return piece.remaining() >= LARGE && NativeCore.isAvailable() && NativeMemory.isLasting(piece);
    }
}
