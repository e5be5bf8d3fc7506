package io.drumlin.storage;

import java.util.Set;

/** The modes in which a {@link BlockFile} is opened. */
public enum OpenMode {
    /** Reads are allowed. */
    READ,
    /** Writes are allowed. */
    WRITE,
    /** The file is created when it is missing. Needs {@link #WRITE}. */
    CREATE,
    /** With {@link #CREATE}: the file must be missing. */
    EXCLUSIVE,
    /**
     * With {@link #CREATE}: only its owner may read and write a file that is created, from the beginning. An existing
     * file keeps its permissions.
     */
    PRIVATE,
    /** An existing file is cut to length 0. Needs {@link #WRITE}. */
    TRUNCATE,
    /**
     * Transfers bypass the page cache (O_DIRECT). If the file system refuses, the file is opened buffered, and
     * {@link BlockFile#direct()} returns false.
     */
    DIRECT;

    /**
     * Refuses modes that contradict each other or allow no transfer. Engines call it before they open a file.
     *
     * @param modes the requested modes
     * @throws IllegalArgumentException {@link #READ} and {@link #WRITE} are both missing, or a mode is missing that
     *     another one needs
     */
    public static void check(Set<OpenMode> modes) {
        require(modes.contains(READ) || modes.contains(WRITE), "READ, WRITE or both must be among them", modes);
        require(!modes.contains(CREATE) || modes.contains(WRITE), "CREATE needs WRITE", modes);
        require(!modes.contains(TRUNCATE) || modes.contains(WRITE), "TRUNCATE needs WRITE", modes);
        require(!modes.contains(EXCLUSIVE) || modes.contains(CREATE), "EXCLUSIVE needs CREATE", modes);
        require(!modes.contains(PRIVATE) || modes.contains(CREATE), "PRIVATE needs CREATE", modes);
    }

    private static void require(boolean condition, String rule, Set<OpenMode> modes) {
        if (!condition) {
            throw new IllegalArgumentException("bad open modes " + modes + ": " + rule);
        }
    }
}
