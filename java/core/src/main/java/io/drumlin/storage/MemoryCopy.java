package io.drumlin.storage;

import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Copies large pieces of memory that nobody reads soon past the cache, by the C core. It takes half the time of a {@code put} of
 * buffers, which does the same where there is no C core. Thread-safe.
 */
public final class MemoryCopy {

    /** What is smaller may well be read from the cache soon. */
    static final int LARGE = 64 << 10;

    private MemoryCopy() {}

    /**
     * Copies the remaining bytes of {@code source}, which stays as it is, if there is something to gain.
     *
     * @param source a piece of 64 KiB or more, outside the Java heap, or there is nothing to gain
     * @param target its elements become the bytes as they are, whatever its byte order
     * @param width bytes of an element of {@code target}
     * @param offset in {@code target}, bytes from its element 0 on
     * @return false if nothing was copied: the piece is small, there is no C core, or {@code source} is no memory outside the Java heap, or {@code target}
     *     neither that nor an array, or memory that may go away meanwhile ({@link NativeMemory#isLasting})
     * @throws IndexOutOfBoundsException the bytes do not fit
     */
    public static boolean copiedIn(ByteBuffer source, Buffer target, int width, long offset) {
        return gains(source) && NativeMemory.copyIn(source, target, width, offset);
    }

    /**
     * Fills the remaining space of {@code target}, whose position stays, if there is something to gain; otherwise as {@link #copiedIn}.
     *
     * @param source its elements are copied as the bytes that they are, whatever its byte order
     * @param width bytes of an element of {@code source}
     * @param offset in {@code source}, bytes from its element 0 on
     * @param target as {@code source} of {@link #copiedIn}
     * @return false if nothing was copied
     * @throws IndexOutOfBoundsException there are not so many bytes
     */
    public static boolean copiedOut(Buffer source, int width, long offset, ByteBuffer target) {
        return gains(target) && NativeMemory.copyOut(source, width, offset, target);
    }

    private static boolean gains(ByteBuffer piece) {
        return piece.remaining() >= LARGE && NativeCore.isAvailable() && NativeMemory.isLasting(piece);
    }
}
