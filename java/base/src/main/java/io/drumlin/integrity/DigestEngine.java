package io.drumlin.integrity;

import io.drumlin.nativecore.NativeCore;

/**
 * Chooses the implementation that computes digests: the C core if it is available, else the JDK. Both compute the same
 * bytes. {@code -Ddrumlin.native=off} selects the JDK. Thread-safe.
 */
public final class DigestEngine {

    /** Least number of streams for which the C core is faster than the JDK. */
    private static final int LEAST_STREAMS = 3;

    /** Bytes of the smallest file for which a second digest pays. */
    private static final long LEAST_STRIPED = 1 << 20;

    /** Least number of lanes per instruction with which a second digest pays. */
    private static final int LEAST_WIDTH = 8;

    /** Least number of lanes per instruction with which two streams side by side pay. */
    private static final int LEAST_WIDTH_OF_PAIRS = 16;

    private DigestEngine() {}

    /**
     * Makes sixteen empty MD5 streams.
     *
     * @return lanes, which the caller must close
     */
    public static Md5Lanes md5() {
        return NativeCore.isAvailable() ? new NativeMd5Lanes(0) : new JavaMd5Lanes();
    }

    /**
     * Makes lanes for a number of streams. The C core needs as long for one stream as for all, so that the JDK is faster
     * for one or two.
     *
     * @param streams number of streams that are digested at the same time, 0 to {@link Md5Lanes#LANES}
     * @return lanes, which the caller must close
     */
    public static Md5Lanes md5(int streams) {
        return streams < LEAST_STREAMS ? new JavaMd5Lanes() : md5();
    }

    /**
     * Names the implementation, for a log line.
     *
     * @return {@code native, 16 lanes at once} (or 8 or 4, depending on the processor), or {@code java}
     */
    public static String name() {
        if (!NativeCore.isAvailable()) {
            return "java";
        }
        try (NativeMd5Lanes lanes = new NativeMd5Lanes(0)) {
            return "native, " + lanes.width() + " lanes at once";
        }
    }

    /**
     * Returns whether a striped MD5 beside the plain one pays. With 16 lanes in a register it costs an eighth of that. With
     * eight it is computed in the gaps that the plain one leaves, and costs less. With four it costs nearly half, and a
     * small file is read in no time.
     *
     * @param bytes of the file
     * @return false also without the C core
     */
    public static boolean stripesPay(long bytes) {
        return bytes >= LEAST_STRIPED && isAsWideAs(LEAST_WIDTH);
    }

    /**
     * Returns whether two streams side by side, with a striped MD5 elsewhere, pay. With 16 lanes in a register they take little
     * longer than one. With eight, the striped MD5 is nearly free beside a plain one, and would be dearer alone.
     *
     * @return false also without the C core
     */
    public static boolean pairsPay() {
        return isAsWideAs(LEAST_WIDTH_OF_PAIRS);
    }

    private static boolean isAsWideAs(int width) {
        if (!NativeCore.isAvailable()) {
            return false;
        }
        try (NativeMd5Lanes lanes = new NativeMd5Lanes(0)) {
            return lanes.width() >= width;
        }
    }

    static void checkCount(int count) {
        if (count > Md5Lanes.LANES) {
            throw new IllegalArgumentException(count + " pieces for " + Md5Lanes.LANES + " lanes");
        }
    }
}
