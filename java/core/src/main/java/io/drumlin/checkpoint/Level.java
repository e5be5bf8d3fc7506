package io.drumlin.checkpoint;

/** Where a checkpoint goes and so what it survives. The numbers are those of C FTI. */
public enum Level {
    /** A file per rank on node-local storage: survives the death of processes. */
    L1(1),
    /** L1 and a copy on a partner node: survives the loss of nodes that are not neighbours in their group. */
    L2(2),
    /** L1 and Reed-Solomon parity: survives the loss of half the nodes of a group. */
    L3(3),
    /**
     * L4, but of the data only those blocks are written that have changed since the last checkpoint of this kind: a differential
     * checkpoint, {@code FTI_L4_DCP}. Where the configuration has {@code enable_dcp = 0}, or the I/O mode no such checkpoints,
     * {@link #L4} is taken instead, with a warning. It is complete when the call returns, also where other checkpoints are finished
     * behind the computation. It stands before L4 because a restart that does not know which of the two is
     * newer tries it first.
     */
    L4_DCP(4),
    /** A file per rank on the parallel file system: survives the loss of all nodes. */
    L4(4);

    /** What C FTI takes for a differential checkpoint at level 4. */
    private static final int FTI_L4_DCP = 8;

    private final int number;

    Level(int number) {
        this.number = number;
    }

    /**
     * The number of the level in C FTI.
     *
     * @return 1 to 4; of a differential checkpoint too
     */
    public int number() {
        return number;
    }

    /**
     * The level of a number.
     *
     * @param number 1 to 4, or 8 for a differential checkpoint, as {@code FTI_Checkpoint} takes them
     * @return the level
     * @throws IllegalArgumentException there is no such level
     */
    public static Level of(int number) {
        if (number == FTI_L4_DCP) {
            return L4_DCP;
        }
        for (Level level : values()) {
            if (level != L4_DCP && level.number == number) {
                return level;
            }
        }
        throw new IllegalArgumentException("level " + number + " is not in 1..4");
    }

    /**
     * What {@code FTI_Checkpoint} takes for the level.
     *
     * @return 1 to 4, or 8 for a differential checkpoint
     */
    public int request() {
        return this == L4_DCP ? FTI_L4_DCP : number;
    }

    /**
     * Whether all ranks share the directory of the level.
     *
     * @return true at level 4
     */
    public boolean isGlobal() {
        return number == L4.number;
    }
}
