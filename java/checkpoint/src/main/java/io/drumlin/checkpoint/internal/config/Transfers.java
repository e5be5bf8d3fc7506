package io.drumlin.checkpoint.internal.config;

import java.util.Map;
import java.util.TreeMap;

/** The keys of {@code [advanced]} that say how C FTI moves bytes to the parallel file system. */
final class Transfers {

    /** Bounds of {@code transfer_size}, and the value used outside of them, in MiB. */
    private static final int LEAST = 8;

    private static final int MOST = 64;
    private static final int DEFAULT = 16;

    private static final int MEBIBYTE = 1 << 20;

    private static final int UNSET = -1;

    private Transfers() {}

    static int bytes(ConfigValues values) {
        int mebibytes = values.lenient("advanced", "transfer_size", UNSET);
        return (mebibytes >= LEAST && mebibytes <= MOST ? mebibytes : DEFAULT) * MEBIBYTE;
    }

    /**
     * Returns hints for MPI-IO. C FTI gives the same values to Lustre itself. A value below those of Lustre leaves the
     * choice to the file system.
     */
    static Map<String, String> stripeHints(ConfigValues values) {
        Map<String, String> hints = new TreeMap<>();
        putHint(hints, "striping_unit", values.lenient("advanced", "lustre_stiping_unit", UNSET), 1);
        putHint(hints, "striping_factor", values.lenient("advanced", "lustre_stiping_factor", UNSET), 1);
        putHint(hints, "start_iodevice", values.lenient("advanced", "lustre_stiping_offset", UNSET), 0);
        return hints;
    }

    private static void putHint(Map<String, String> hints, String hint, int value, int least) {
        if (value >= least) {
            hints.put(hint, Integer.toString(value));
        }
    }
}
