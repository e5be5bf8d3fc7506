package io.drumlin.checkpoint;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a run with the calls that C FTI has and Java programs have no need for: {@code io.drumlin.fti} stands
 * on them. What {@link Checkpoints.Builder#open} returns is one. As thread-safe as {@link Checkpoints}.
 */
public interface FtiCheckpoints extends Checkpoints {

    /**
     * Returns the number of this rank's node.
     *
     * @return 0 or above, in the order of the first ranks of the nodes; with {@link Builder#orderOfNodes} the number
     *     from the run's first start
     */
    int node();

    /**
     * Returns whether this rank does the work that is done once per node, such as the work on node-local directories.
     *
     * @return true on the first rank of the application on each node, and on its head
     */
    boolean isNodeMaster();

    /**
     * Returns how much C FTI prints about the run.
     *
     * @return {@code verbosity} of the configuration: 1 debug, 2 information, 3 warnings
     */
    int verbosity();

    /**
     * Returns what the ranks agreed on in the last call of {@link #snapshot}.
     *
     * @return empty if that call needed no agreement
     */
    Optional<SnapshotPlan> newSnapshotPlan();

    /**
     * Flips a bit of a variable as the section {@code [injection]} of the configuration says, to test how a program
     * copes with it.
     *
     * @param id a protected variable of floats or doubles
     * @return whether a bit was flipped: only on the configured rank, at most the configured number of times, and only
     *     if the configured time has passed since the last flip
     * @throws IllegalArgumentException the variable is not protected, does not hold floats or doubles, or does not have
     *     the configured element
     */
    boolean flipBit(int id);

    /**
     * Gives a protected variable a name. All modes but FTI-FF store it in the metadata; Drumlin does not use it.
     *
     * @param id a protected variable
     * @param name without line breaks; at most 255 bytes of UTF-8
     * @throws IllegalArgumentException the variable is not protected, or the name cannot be stored
     */
    void setAttribute(int id, String name);

    /**
     * Gives a protected variable dimensions. All modes but FTI-FF store them in the metadata. Drumlin uses them for
     * nothing but {@link #reallocate}. An array of arrays has its own.
     *
     * @param id a protected variable
     * @param dimensions at most 32
     * @throws IllegalArgumentException the variable is not protected, has other dimensions of its own, or has too many
     */
    void setAttribute(int id, List<Long> dimensions);

    /**
     * Says where a protected variable is in the files of the mode HDF5: {@code FTI_DefineDataset}. The other modes
     * ignore it. The definition is not stored, so a restarted program defines the dataset again before it recovers the
     * data.
     *
     * @param id a protected variable
     * @param name name of the dataset, without slashes; null keeps the present name, at first {@code Dataset_} and the
     *     id
     * @param dimensions at most 32, the last varying fastest; their product is the number of elements; an empty list
     *     keeps the present dimensions, at first those of an array of arrays, else a single one
     * @param group a group of this run; null keeps the present group, at first {@link #datasets}
     * @throws IllegalArgumentException the variable is not protected, the name is not allowed, the dimensions do not
     *     fit, or the group belongs to another run
     */
    void defineDataset(int id, @Nullable String name, List<Long> dimensions, @Nullable DatasetGroup group);

    /**
     * Returns the root group of the files in the mode HDF5.
     *
     * @return the same for the whole run
     */
    DatasetGroup datasets();

    /**
     * Returns the id of a name, and assigns one if the name is new. The id of a new name is the number of known
     * variables, and an empty variable is protected under it until the program protects another. Do not mix names with
     * ids chosen by hand. All modes but FTI-FF store the names with the checkpoint, so they are known after a restart.
     * In the mode FTI-FF the restarted program must ask for its names in the same order as before.
     *
     * @param name not empty, without line breaks; at most 255 bytes of UTF-8
     * @return the id
     * @throws IllegalArgumentException the name cannot be stored, or the new id is in use
     */
    int idFor(String name);

    /**
     * Returns the id of a name if it is known from {@link #idFor} or from the checkpoint of a restart.
     *
     * @param name a name
     * @return the id
     * @throws IllegalArgumentException no variable can have that name
     */
    Optional<Integer> idOf(String name);

    /**
     * Returns how many bytes of data a checkpoint of this rank would hold.
     *
     * @return sum over all protected variables
     */
    long protectedBytes();

    /**
     * What the ranks agreed on in {@link #snapshot}.
     *
     * @param calls completed calls, 1 or more
     * @param interval calls from one possible checkpoint to the next, 1 or more
     * @param iteration number of the call, from 1, at which a checkpoint may be due next
     * @param syncInterval calls since the ranks agreed last, 1 or more
     */
    record SnapshotPlan(long calls, long interval, long iteration, long syncInterval) {}
}
