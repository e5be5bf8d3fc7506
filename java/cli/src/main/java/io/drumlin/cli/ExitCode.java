package io.drumlin.cli;

/** The exit codes of the command. Their descriptions are in the help of {@link DrumlinCommand}. */
final class ExitCode {

    static final int OK = 0;
    static final int DAMAGED = 1;
    static final int NOT_RECOGNISED = 2;
    static final int IO_ERROR = 3;
    /** As in sysexits.h. */
    static final int USAGE = 64;

    /** As in sysexits.h: a damaged file, for a command whose exit code 1 has another meaning. */
    static final int DAMAGED_DATA = 65;

    /** The files differ, of a command that compares. */
    static final int DIFFERENT = 1;

    /** As in sysexits.h: a mistake of the program, not a fault of the file. */
    static final int MISTAKE = 70;

    private ExitCode() {}
}
