package io.drumlin.checkpoint;

/** Where a checkpoint is stored, and therefore what it survives. The numbers are those of C FTI. */
public enum Level {
    /** A file per rank on node-local storage: survives the death of processes. */
    L1(1),
    /** L1 and a copy on a partner node: survives the loss of nodes that are not neighbours in their group. */
    L2(2),
    /** L1 and Reed-Solomon parity: survives the loss of half the nodes of a group. */
    L3(3),
    /**
     * L4 as a differential checkpoint, {@code FTI_L4_DCP}: it writes only the blocks that have changed since the last
     * differential checkpoint. If the configuration has {@code enable_dcp = 0} or the I/O mode has no differential
     * checkpoints, an {@link #L4} checkpoint is taken instead, with a warning. The checkpoint is complete when the call
     * returns, even if other checkpoints are finished in the background. The constant stands before L4 because a
     * restart that does not know which of the two is newer tries it first.
     */
    L4_DCP(4),
    /** A file per rank on the parallel file system: survives the loss of all nodes. */
    L4(4);

    /** Argument of {@code FTI_Checkpoint} for a differential checkpoint. */
    private static final int FTI_L4_DCP = 8;

    private final int number;

    Level(int number) {
        this.number = number;
    }

    /**
     * Returns the number of the level in C FTI.
     *
     * @return 1 to 4; 4 for a differential checkpoint
     */
    public int number() {
        return number;
    }

    /**
     * Returns the level with a number.
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
     * Returns the argument of {@code FTI_Checkpoint} for the level.
     *
     * @return 1 to 4, or 8 for a differential checkpoint
     */
    public int request() {
        return this == L4_DCP ? FTI_L4_DCP : number;
    }

    /**
     * Returns whether all ranks share the directory of the level.
     *
     * @return true at level 4
     */
    public boolean isGlobal() {
        return number == L4.number;
    }
}
