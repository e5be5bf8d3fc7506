package io.drumlin.integrity;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** {@link Gf16Regions} with the C core: up to 32 words in one SIMD register. */
final class NativeGf16Regions implements Gf16Regions {

    /** Largest number of sources in one call; more sources take several calls. */
    private static final int BATCH = 32;

    private static final int COEFFICIENTS = BATCH * Long.BYTES;

    /** Addresses of the sources, and their coefficients. */
    private final ByteBuffer arguments =
            ByteBuffer.allocateDirect(COEFFICIENTS + BATCH * Short.BYTES).order(ByteOrder.nativeOrder());

    private final long argumentsAddress;
    private final int width;

    /** {@code width}: bytes per instruction; 0 for the maximum of this processor. */
    NativeGf16Regions(int width) {
        NativeCore.ensureAvailable();
        if (width > widest()) {
            throw new IllegalArgumentException("this processor takes no " + width + " bytes at once");
        }
        this.argumentsAddress = NativeMemory.address(arguments);
        this.width = width;
    }

    /** Returns the largest number of bytes per instruction on this processor. */
    static int widest() {
        return CoreLibrary.drumlin_gf16_width();
    }

    @Override
    public void accumulate(ByteBuffer target, List<ByteBuffer> sources, int[] coefficients) {
        Gf16Engine.check(target, sources, coefficients);
        checkLasting(target);
        sources.forEach(NativeGf16Regions::checkLasting);
        try {
            for (int done = 0; done < coefficients.length; done += BATCH) {
                int count = Math.min(BATCH, coefficients.length - done);
                for (int i = 0; i < count; i++) {
                    arguments.putLong(i * Long.BYTES, NativeMemory.address(sources.get(done + i)));
                    arguments.putShort(COEFFICIENTS + i * Short.BYTES, (short) coefficients[done + i]);
                }
                CoreLibrary.drumlin_gf16_accumulate(
                        NativeMemory.address(target),
                        argumentsAddress,
                        argumentsAddress + COEFFICIENTS,
                        count,
                        target.remaining(),
                        width);
            }
        } finally {
            Reference.reachabilityFence(target);
            Reference.reachabilityFence(sources);
        }
    }

    private static void checkLasting(ByteBuffer region) {
        if (!NativeMemory.isLasting(region)) {
            throw new IllegalArgumentException("a region must not be a mapped file or memory of an Arena");
        }
    }
}
