package io.drumlin.fti;

import java.io.PrintStream;
import java.util.Locale;

/** The lines C FTI prints, which users search their logs for. */
final class Messages {

    private static final int DEBUG = 1;
    private static final int INFORMATION = 2;

    private final int rank;
    private final int verbosity;

    Messages(int rank, int verbosity) {
        this.rank = rank;
        this.verbosity = verbosity;
    }

    /** What a head says of its work; the first of them for all. */
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
