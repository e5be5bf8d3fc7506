package io.drumlin.checkpoint.internal.object;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes of an encoded object: written one after the other while they become more, and read from any place. Their
 * memory is kept for the next object. Numbers are little-endian. Not thread-safe.
 */
public final class ObjectBytes {

    private static final int BLOCK = 1 << 16;
    private static final int FIRST_BLOCK = 1 << 10;

    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);

    /** All but the last have the same length. */
    private final List<byte[]> blocks = new ArrayList<>();

    /** Index of the block that is written. */
    private int block;

    /** Where the next byte is written in this block. */
    private int at;

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /** Makes room for the bytes of a stored object, which come in any order. Memory follows when they come. */
    public static ObjectBytes ofSize(long size) {
        ObjectBytes bytes = new ObjectBytes();
        bytes.block = Math.toIntExact(size / BLOCK);
        bytes.at = (int) (size % BLOCK);
        return bytes;
    }

    /** Returns the number of the bytes. */
    public long size() {
        return (long) block * BLOCK + at;
    }

    /** Begins a new object. */
    void clear() {
        block = 0;
        at = 0;
    }

    /** Returns the block that is written, with room for some bytes or for as many as a block has. */
    private byte[] room(int bytes) {
        if (block == blocks.size()) {
            blocks.add(new byte[block == 0 ? FIRST_BLOCK : BLOCK]);
        }
        byte[] current = blocks.get(block);
        if (at + bytes > current.length && current.length < BLOCK) {
            byte[] larger = new byte[Math.min(BLOCK, Math.max(FIRST_BLOCK + 2 * current.length, at + bytes))];
            System.arraycopy(current, 0, larger, 0, at);
            blocks.set(block, larger);
            return larger;
        }
        return current;
    }

    void put(int value) {
        if (at == BLOCK) {
            block++;
            at = 0;
        }
        room(1)[at++] = (byte) value;
    }

    void putShort(int value) {
        byte[] bytes = room(Short.BYTES);
        if (at + Short.BYTES <= bytes.length) {
            SHORTS.set(bytes, at, (short) value);
            at += Short.BYTES;
        } else {
            put(value);
            put(value >> Byte.SIZE);
        }
    }

    void putInt(int value) {
        byte[] bytes = room(Integer.BYTES);
        if (at + Integer.BYTES <= bytes.length) {
            INTS.set(bytes, at, value);
            at += Integer.BYTES;
        } else {
            putShort(value);
            putShort(value >> Short.SIZE);
        }
    }

    void putLong(long value) {
        byte[] bytes = room(Long.BYTES);
        if (at + Long.BYTES <= bytes.length) {
            LONGS.set(bytes, at, value);
            at += Long.BYTES;
        } else {
            putInt((int) value);
            putInt((int) (value >> Integer.SIZE));
        }
    }

    void put(byte[] values, int length) {
        for (int done = 0; done < length; ) {
            if (at == BLOCK) {
                block++;
                at = 0;
            }
            byte[] bytes = room(Math.min(length - done, BLOCK - at));
            int part = Math.min(length - done, bytes.length - at);
            System.arraycopy(values, done, bytes, at, part);
            at += part;
            done += part;
        }
    }

    /** Copies bytes from {@code offset} on into the remaining space of {@code target}. */
    public void copyOut(long offset, ByteBuffer target) {
        long position = offset;
        while (target.hasRemaining()) {
            byte[] bytes = blockAt(position);
            int from = (int) (position % BLOCK);
            int part = Math.min(target.remaining(), bytes.length - from);
            target.put(bytes, from, part);
            position += part;
        }
    }

    /** Copies the remaining bytes of {@code source} to the place that begins at {@code offset}. */
    public void copyIn(long offset, ByteBuffer source) {
        long position = offset;
        while (source.hasRemaining()) {
            byte[] bytes = blockAt(position);
            int from = (int) (position % BLOCK);
            int part = Math.min(source.remaining(), bytes.length - from);
            source.get(bytes, from, part);
            position += part;
        }
    }

    /** Returns the block that has a byte; made if nothing was copied there before. */
    private byte[] blockAt(long offset) {
        int index = (int) (offset / BLOCK);
        while (blocks.size() <= index) {
            blocks.add(new byte[0]);
        }
        byte[] bytes = blocks.get(index);
        int length = index < block ? BLOCK : at;
        if (bytes.length < length) {
            bytes = Arrays.copyOf(bytes, length);
            blocks.set(index, bytes);
        }
        return bytes;
    }
}
