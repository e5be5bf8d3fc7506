package io.drumlin.integrity;

import io.drumlin.nativecore.NativeCore;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Chooses the implementation that computes in GF(2^16): the C core if it is available, else Java. Both compute the same
 * bytes. {@code -Ddrumlin.native=off} selects Java. Thread-safe.
 */
public final class Gf16Engine {

    private Gf16Engine() {}

    /**
     * Makes an implementation.
     *
     * @return an implementation for one thread at a time
     */
    public static Gf16Regions regions() {
        return NativeCore.isAvailable() ? new NativeGf16Regions(0) : new JavaGf16Regions();
    }

    /** Checks what every implementation requires. */
    static void check(ByteBuffer target, List<ByteBuffer> sources, int[] coefficients) {
        if (target.remaining() % Short.BYTES != 0) {
            throw new IllegalArgumentException(target.remaining() + " bytes are not whole words");
        }
        if (sources.size() != coefficients.length) {
            throw new IllegalArgumentException(
                    coefficients.length + " coefficients for " + sources.size() + " sources");
        }
        boolean direct = target.isDirect();
        for (int i = 0; i < sources.size(); i++) {
            ByteBuffer source = sources.get(i);
            direct &= source.isDirect();
            if (source.remaining() != target.remaining()) {
                throw new IllegalArgumentException(
                        "a source of " + source.remaining() + " bytes for a target of " + target.remaining());
            }
        }
        if (!direct) {
            throw new IllegalArgumentException("regions must be direct buffers");
        }
        for (int coefficient : coefficients) {
            if (coefficient < 0 || coefficient >= Gf16.SIZE) {
                throw new IllegalArgumentException(coefficient + " is not an element of GF(2^16)");
            }
        }
    }
}
