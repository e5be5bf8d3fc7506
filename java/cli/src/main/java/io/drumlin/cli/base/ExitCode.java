package io.drumlin.cli.base;

/** The exit codes of the command. Their descriptions are in the help of {@code drumlin}. */
public final class ExitCode {

    public static final int OK = 0;
    public static final int DAMAGED = 1;
    public static final int NOT_RECOGNISED = 2;
    public static final int IO_ERROR = 3;
    /** As in sysexits.h. */
    public static final int USAGE = 64;

    /** As in sysexits.h: a damaged file, for a command whose exit code 1 has another meaning. */
    public static final int DAMAGED_DATA = 65;

    /** The files differ, of a command that compares. */
    public static final int DIFFERENT = 1;

    /** As in sysexits.h: a mistake of the program, not a fault of the file. */
    public static final int MISTAKE = 70;

    private ExitCode() {}
}
