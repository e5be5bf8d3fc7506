package io.drumlin.integrity;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A 64-bit checksum of a stream, many times as fast as an MD5. It is compared with the checksum of another read in the same
 * job and never stored. It misses a fault of memory, cables or devices once in 2^64, and does not protect against an attacker.
 *
 * <p>A stripe of 64 bytes has two words for each of four chains. Each word is combined with a key or with the chain, and the
 * 128 bits of the product of both, folded by exclusive or, are the chain from then on. So a checksum depends on the place of
 * each word. Not thread-safe.
 */
public final class Checksum64 {

    static final int STRIPE = 64;

    /** Odd numbers without a pattern, which {@code native/src/core/checksum64.c} has too. */
    private static final long KEY_A = 0x97B1165F0971B7C5L;

    private static final long KEY_B = 0xD13C513A42F8EDA1L;
    private static final long KEY_C = 0x8A8318174D645FA7L;
    private static final long KEY_D = 0xA5ABD89BD67E4D93L;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** The chains during a call of the C core: a direct buffer for each stream would be dear. */
    private static final ThreadLocal<ByteBuffer> CHAINS = ThreadLocal.withInitial(
            () -> ByteBuffer.allocateDirect(4 * Long.BYTES).order(ByteOrder.nativeOrder()));

    private final boolean inCore;

    /** Bytes that fill no stripe yet. */
    private final ByteBuffer pending = ByteBuffer.allocate(STRIPE);

    private long length;
    private long a;
    private long b;
    private long c;
    private long d;

    /** Makes the checksum of an empty stream, with the C core if it is available. */
    public Checksum64() {
        this(NativeCore.isAvailable());
    }

    Checksum64(boolean inCore) {
        this.inCore = inCore;
        reset();
    }

    private void reset() {
        pending.clear();
        length = 0;
        a = KEY_D;
        b = KEY_A;
        c = KEY_B;
        d = KEY_C;
    }

    /**
     * Appends bytes to the stream.
     *
     * @param bytes from position to limit, and does not change; direct or heap
     */
    public void update(ByteBuffer bytes) {
        int at = bytes.position();
        length += bytes.remaining();
        if (pending.position() > 0) {
            at += append(bytes, at);
            if (pending.hasRemaining()) {
                return;
            }
            stripes(pending, 0, STRIPE);
            pending.clear();
        }
        int end = bytes.limit() - (bytes.limit() - at) % STRIPE;
        if (inCore && NativeMemory.isLasting(bytes)) {
            stripesInCore(bytes, at, end);
        } else {
            stripes(bytes, at, end);
        }
        append(bytes, end);
    }

    /** Makes bytes wait for the rest of their stripe; returns how many. */
    private int append(ByteBuffer bytes, int from) {
        int count = Math.min(pending.remaining(), bytes.limit() - from);
        pending.put(pending.position(), bytes, from, count).position(pending.position() + count);
        return count;
    }

    private void stripes(ByteBuffer bytes, int from, int to) {
        long a = this.a;
        long b = this.b;
        long c = this.c;
        long d = this.d;
        for (int at = from; at < to; at += STRIPE) {
            a = fold(word(bytes, at) ^ KEY_A, word(bytes, at + 8) ^ a);
            b = fold(word(bytes, at + 16) ^ KEY_B, word(bytes, at + 24) ^ b);
            c = fold(word(bytes, at + 32) ^ KEY_C, word(bytes, at + 40) ^ c);
            d = fold(word(bytes, at + 48) ^ KEY_D, word(bytes, at + 56) ^ d);
        }
        this.a = a;
        this.b = b;
        this.c = c;
        this.d = d;
    }

    private static long word(ByteBuffer bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    private static long fold(long x, long y) {
        return x * y ^ Math.multiplyHigh(x, y);
    }

    private void stripesInCore(ByteBuffer bytes, int from, int to) {
        ByteBuffer chains = CHAINS.get();
        chains.putLong(0, a).putLong(8, b).putLong(16, c).putLong(24, d);
        try {
            long address = NativeMemory.address(bytes) - bytes.position() + from;
            CoreLibrary.drumlin_checksum64_update(NativeMemory.address(chains), address, (to - from) / STRIPE);
        } finally {
            Reference.reachabilityFence(bytes);
        }
        a = chains.getLong(0);
        b = chains.getLong(8);
        c = chains.getLong(16);
        d = chains.getLong(24);
    }

    /**
     * Ends the stream and starts a new one.
     *
     * @return the checksum of the stream
     */
    public long finish() {
        if (pending.position() > 0) {
            while (pending.hasRemaining()) {
                pending.put((byte) 0);
            }
            stripes(pending, 0, STRIPE);
        }
        long sum = fold(fold(a ^ length, b ^ KEY_A) ^ c, d ^ KEY_B);
        reset();
        return sum;
    }
}
