package io.drumlin.golden.base;

/** The levels that programs of C FTI ask for. */
public final class RequestedLevel {

    private static final int FTI_L1_DCP = 5;
    private static final int FTI_L3_DCP = 7;

    private RequestedLevel() {}

    /**
     * The level at which C FTI takes a checkpoint: differential ones of levels 1 to 3 are ordinary ones.
     *
     * @param json what {@code FTI_Checkpoint} or {@code FTI_InitICP} was given
     * @return the same, or 1 to 3 for 5 to 7
     */
    public static int of(Json json) {
        int level = json.integer();
        return level >= FTI_L1_DCP && level <= FTI_L3_DCP ? level - FTI_L1_DCP + 1 : level;
    }
}
