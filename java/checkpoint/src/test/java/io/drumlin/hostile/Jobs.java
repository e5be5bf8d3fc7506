package io.drumlin.hostile;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.hostile.Life.Failure;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.util.List;

/** Lets the ranks of a life's starts run. */
interface Jobs {

    /**
     * One start of a run.
     *
     * @param plan of the program
     * @param faults what goes wrong
     * @param telling what the ranks tell
     * @param hostOfRank the invented host of each rank
     * @param firstEpoch number of the first checkpoint that the program takes
     * @param behind whether checkpoints may be finished while the program goes on
     * @param sizes of the variables before the first checkpoint
     * @param storage for ranks in this process
     */
    record Start(
            RunFixture run,
            Plan plan,
            Faults faults,
            Telling telling,
            List<String> hostOfRank,
            int firstEpoch,
            boolean behind,
            int[] sizes,
            StorageEngine storage) {}

    /**
     * Lets the ranks run to their end.
     *
     * @return how the job failed, or {@code null}
     * @throws Failure it did what no job may do
     */
    Throwable run(Start start) throws IOException, Failure;

    /** How many ranks a node may have. */
    int mostRanksOfNode();

    /** What to say to {@code scripts/matrix --hostile} for such jobs, with a blank before it. */
    String option();
}
