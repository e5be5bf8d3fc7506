package io.drumlin.bench;

/** One thing that a rank of {@link ScaleModel} does, apart from computing. */
sealed interface Step permits Call, FileOperation, FarMessages, Allocation {

    /** The ranks of a node. */
    int NODE_SIZE = 4;

    /** The nodes of a group. */
    int GROUP_SIZE = 4;

    /** The smallest number of ranks of a job, and the number after which everything repeats. */
    int SECTOR = NODE_SIZE * GROUP_SIZE;
}
