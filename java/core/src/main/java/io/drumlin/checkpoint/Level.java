package io.drumlin.checkpoint;

import java.util.Arrays;

/** Where a checkpoint goes and so what it survives. The numbers are those of C FTI. */
public enum Level {
    /** A file per rank on node-local storage: survives the death of processes. */
    L1(1),
    /** L1 and a copy on a partner node: survives the loss of nodes that are not neighbours in their group. */
    L2(2),
    /** L1 and Reed-Solomon parity: survives the loss of half the nodes of a group. */
    L3(3),
    /** A file per rank on the parallel file system: survives the loss of all nodes. */
    L4(4);

    private final int number;

    Level(int number) {
        this.number = number;
    }

    /**
     * The number of the level in C FTI.
     *
     * @return 1 to 4
     */
    public int number() {
        return number;
    }

    /**
     * The level of a number.
     *
     * @param number 1 to 4
     * @return the level
     * @throws IllegalArgumentException there is no such level
     */
    public static Level of(int number) {
        return Arrays.stream(values())
                .filter(level -> level.number == number)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("level " + number + " is not in 1..4"));
    }
}
