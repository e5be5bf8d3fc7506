package io.drumlin.integrity;

import io.drumlin.nativecore.NativeCore;

/**
 * Chooses who computes digests: the C core where it is available, else the JDK. Both give the same bytes.
 * {@code -Ddrumlin.native=off} leaves the JDK. Thread-safe.
 */
public final class DigestEngine {

    private DigestEngine() {}

    /**
     * Sixteen MD5 streams, all empty.
     *
     * @return lanes to be closed by the caller
     */
    public static Md5Lanes md5() {
        return NativeCore.isAvailable() ? new NativeMd5Lanes(0) : new JavaMd5Lanes();
    }

    /**
     * Who computes, for a log line.
     *
     * @return {@code native, 16 lanes at once} (or 8 or 4, as the processor has it), or {@code java}
     */
    public static String name() {
        if (!NativeCore.isAvailable()) {
            return "java";
        }
        try (NativeMd5Lanes lanes = new NativeMd5Lanes(0)) {
            return "native, " + lanes.width() + " lanes at once";
        }
    }

    static void checkCount(int count) {
        if (count > Md5Lanes.LANES) {
            throw new IllegalArgumentException(count + " pieces for " + Md5Lanes.LANES + " lanes");
        }
    }
}
