package io.drumlin.fti;

import io.drumlin.checkpoint.DifferentialShare;
import java.io.PrintStream;
import java.util.Locale;

/** Prints the lines of C FTI, which users search for in their logs. */
final class Messages {

    private static final int DEBUG = 1;
    private static final int INFORMATION = 2;
    private static final double KIBI = 1024;
    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB"};

    private final int rank;
    private final int verbosity;

    Messages(int rank, int verbosity) {
        this.rank = rank;
        this.verbosity = verbosity;
    }

    /** Prints a head's message about its work. The first head prints for all. */
    void ofHead(String format, Object... values) {
        if (rank == 0 && verbosity <= INFORMATION) {
            print(System.out, "[ FTI-Head Message ] : ", format, values);
        }
    }

    void debug(String format, Object... values) {
        if (verbosity <= DEBUG) {
            print(System.out, String.format(Locale.ROOT, "[FTI Debug - %06d] : ", rank), format, values);
        }
    }

    void information(String format, Object... values) {
        if (rank == 0 && verbosity <= INFORMATION) {
            print(System.out, "[ FTI  Information ] : ", format, values);
        }
    }

    /**
     * Prints the shares of a differential checkpoint, as C FTI does: the sum of all ranks on the first rank and, at
     * verbosity 1, its own share on each other rank.
     */
    void differential(DifferentialShare share) {
        if (rank == 0) {
            if (verbosity <= INFORMATION) {
                print(System.out, "[ FTI  dCP Message ] : ", "%s", share("Total", share.allData(), share.allChanged()));
            }
        } else {
            debug("%s", share("Local", share.data(), share.changed()));
        }
    }

    private static String share(String whose, long data, long changed) {
        return String.format(
                Locale.ROOT,
                "%s CP data: %s, %s dCP update: %s, dCP share: %.2f%%",
                whose,
                size(data),
                whose,
                size(changed),
                data == 0 ? 0 : 100.0 * changed / data);
    }

    private static String size(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= KIBI && unit < UNITS.length - 1) {
            value /= KIBI;
            unit++;
        }
        return String.format(Locale.ROOT, "%.2f %s", value, UNITS[unit]);
    }

    void warning(String format, Object... values) {
        print(System.out, String.format(Locale.ROOT, "[ FTI Warning %06d ] : ", rank), format, values);
    }

    void error(Throwable failure) {
        print(
                System.err,
                String.format(Locale.ROOT, "[ FTI Error - %06d ] : ", rank),
                "%s",
                String.valueOf(failure.getMessage()));
    }

    private static void print(PrintStream stream, String tag, String format, Object... values) {
        stream.println(tag + String.format(Locale.ROOT, format, values));
        stream.flush();
    }
}
