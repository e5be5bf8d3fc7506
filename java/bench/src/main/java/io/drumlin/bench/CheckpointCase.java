package io.drumlin.bench;

import io.drumlin.checkpoint.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way to checkpoint, and what its rows are held to.
 *
 * @param mode what {@code ckpt_io} says
 * @param arrays how many there are
 * @param copies how many bytes are written for each byte of data: redundancy doubles them
 * @param losesNode whether the recovery is that of a lost node
 * @param writing of the bandwidth
 * @param writingCost of the CPU time
 * @param recovery of the bandwidth, after a loss that of the bytes which are made again
 * @param recoveryCost of the CPU time
 */
record CheckpointCase(
        String name,
        Level level,
        int mode,
        int arrays,
        int copies,
        boolean losesNode,
        Target writing,
        Target writingCost,
        Target recovery,
        Target recoveryCost) {

    private static final int FTI_FF = 3;
    private static final int MPI_IO = 2;
    private static final int MANY = 20;

    /**
     * The target of a row.
     *
     * @param factor of the raw bandwidth or of C FTI's cost model, gives the limit
     * @param goal the ratio to reach; null where there is none
     */
    record Target(double factor, @Nullable Double goal) {}

    private static final Target RAW = new Target(1, null);

    /** For rows for which C FTI's cost is not known. */
    private static final Target NO_LIMIT = new Target(0, null);

    private static final Target REBUILT = raw(0.6);

    private static Target raw(double goal) {
        return new Target(1, goal);
    }

    private static Target model(double factor, double goal) {
        return new Target(factor, goal);
    }

    private static CheckpointCase levelOne(String arrays, int count, double goal) {
        return new CheckpointCase(
                "L1, " + arrays, Level.L1, FTI_FF, count, 1, false, raw(goal), model(1, 7), raw(0.85), model(0.94, 7));
    }

    /** The cases that are measured with a number of ranks. */
    static List<CheckpointCase> of(int ranks) {
        return switch (ranks) {
            case 1 -> List.of(levelOne("one double[]", 1, 0.85).withoutGoals());
            case 2 ->
                List.of(
                        levelOne(MANY + " arrays", MANY, 0.90),
                        levelOne("one double[]", 1, 0.85),
                        new CheckpointCase(
                                "L2", Level.L2, FTI_FF, 1, 2, true, raw(0.8), model(1.35, 6), REBUILT, NO_LIMIT),
                        new CheckpointCase("L4, FTI-FF", Level.L4, FTI_FF, 1, 1, false, RAW, NO_LIMIT, RAW, NO_LIMIT),
                        new CheckpointCase(
                                "L4, MPI-IO", Level.L4, MPI_IO, 1, 1, false, raw(0.8), NO_LIMIT, RAW, NO_LIMIT));
            default ->
                List.of(new CheckpointCase(
                        "L3, group of " + ranks,
                        Level.L3,
                        FTI_FF,
                        1,
                        2,
                        true,
                        RAW,
                        model(2.6, 2.5),
                        REBUILT,
                        NO_LIMIT));
        };
    }

    /** Returns the same case without targets. */
    CheckpointCase withoutGoals() {
        return new CheckpointCase(
                name,
                level,
                mode,
                arrays,
                copies,
                losesNode,
                withoutGoal(writing),
                withoutGoal(writingCost),
                withoutGoal(recovery),
                withoutGoal(recoveryCost));
    }

    private static Target withoutGoal(Target target) {
        return new Target(target.factor, null);
    }
}
