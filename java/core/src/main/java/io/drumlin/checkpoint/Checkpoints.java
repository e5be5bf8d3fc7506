package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of one run: protects data, writes them at a level, brings them back after a failure.
 *
 * <pre>{@code
 * try (var checkpoints = Checkpoints.open(Path.of("config.fti"), Communicators.world())) {
 *     checkpoints.protect(0, iteration);
 *     checkpoints.protect(1, grid);
 *     if (checkpoints.isRestart()) {
 *         checkpoints.recover();
 *     }
 *     while (iteration.value < last) {
 *         ...
 *         checkpoints.checkpoint(iteration.value, Level.L1);
 *     }
 *     checkpoints.complete();
 * }
 * }</pre>
 *
 * <p>The configuration file, the directories and the files are those of C FTI (docs/formats). Runs share no state:
 * several runs can be open in one process. Methods marked <em>collective</em> are called by every rank, in the same order;
 * when such a call fails on one rank it throws on all. One thread per rank calls.
 */
public interface Checkpoints extends AutoCloseable {

    /**
     * Opens the run that a configuration file describes: a new one, or after a failure the one that failed. Collective.
     *
     * <p>After a restart rank r of the communicator has what rank r of that communicator protected, whatever nodes they are on: where the
     * nodes come in another order files are sent to the nodes of their ranks.
     *
     * @param configFile configuration file of C FTI; its restart section is rewritten; rank 0 reads it
     * @param communicator the ranks of the run; duplicated, and not closed by this
     * @return the run; {@link #isRestart} says whether there is data to recover. On a head it comes when the run is over, see
     *     {@link #isHead}
     * @throws IOException the configuration is refused, a directory cannot be made, or a checkpoint was asked for by
     *     {@code failure = 1} or {@code 2} and none could be recovered
     */
    static Checkpoints open(Path configFile, Communicator communicator) throws IOException {
        return builder(configFile).communicator(communicator).open();
    }

    /**
     * Begins to load the classes of a first checkpoint, in a thread of its own, so that it comes sooner. For programs that start
     * MPI before they open a run: to be called before, because MPI waits more than it computes while it starts. Where a run starts
     * MPI itself this is not needed. Returns at once, never fails, and does nothing the second time.
     */
    static void preload() {
        CheckpointsProvider.installed().preload();
    }

    /**
     * Starts to describe a run.
     *
     * @param configFile configuration file of C FTI
     * @return a builder with the world communicator and the best storage engine
     */
    static Builder builder(Path configFile) {
        return CheckpointsProvider.installed().builder(configFile);
    }
    /** How a run is opened. Not thread-safe. */
    interface Builder {

        /**
         * Names the ranks of the run; without it all processes of the job.
         *
         * @param ranks duplicated, and not closed by the run
         * @return this
         */
        Builder communicator(Communicator ranks);

        /**
         * Names the storage engine; without it the system property {@code drumlin.storage}, the configuration key
         * {@code [drumlin] storage} or the best one available decides, in this order.
         *
         * @param engine used for all files
         * @return this
         */
        Builder storage(StorageEngine engine);

        /**
         * Says how containers are placed; without it the configuration key {@code [drumlin] packing} decides.
         *
         * @param placement compact for the bytes C FTI would write, aligned for speed
         * @return this
         */
        Builder packing(Packing placement);

        /**
         * Protects data from the opening of the run on, otherwise as {@link Checkpoints#protect(int, Object)}. A restart that knows all of
         * its variables verifies a checkpoint and puts it into them in one pass, where it else reads it twice.
         *
         * <p>So what they hold after the opening of a restart is undefined until the program has called {@link Checkpoints#recover}, as ever, and
         * also if {@code open} throws. What the program writes to a variable before may stay there. Who protects one anew after the opening
         * has it read from the file. With {@link #freshStartIfUnrecoverable} or {@link #anyNumberOfRanks} variables stay as they are until
         * {@code recover}, and nothing is faster. A builder with variables opens one run.
         *
         * @param id 0 to {@code max_var_id} of the configuration; {@code open} fails on all ranks if it is out of range on one
         * @param variable a primitive array, a java.nio buffer from its position to its limit, or a {@link Scalar}
         * @return this
         * @throws IllegalArgumentException the class of {@code variable} cannot be protected
         */
        Builder protect(int id, Object variable);

        /**
         * The same for the first elements of an array or buffer.
         *
         * @param id as above
         * @param variable a primitive array or a java.nio buffer
         * @param count elements, 0 or above
         * @return this
         * @throws IllegalArgumentException the count is out of range or the class of {@code variable} cannot be protected
         */
        Builder protect(int id, Object variable, long count);

        /**
         * Starts afresh where a restart finds no whole checkpoint, instead of throwing: what C FTI does.
         * {@link Checkpoints#recoveryFailure} then says what was missing. Not where the archive of level 4 has a checkpoint: that the new
         * run could replace, and {@link Checkpoints#open} says how to bring it back.
         *
         * @return this
         */
        Builder freshStartIfUnrecoverable();

        /**
         * Lets the run be restarted on another number of ranks than took its checkpoints; otherwise such a restart is refused. It goes on from
         * the newest checkpoint of level 4, in the modes FTI-FF, POSIX, MPI-IO and SIONlib: those of levels 1 to 3 are of use to the
         * former number only. Before {@link Checkpoints#recover} the program says how its variables are distributed
         * ({@link Checkpoints#distribute}).
         *
         * @return this
         */
        Builder anyNumberOfRanks();

        /**
         * Lets data belong to places in the order of nodes and not to ranks, which is the rule of C FTI: {@link Checkpoints#communicator} is in this
         * order, and after a restart with the nodes in another order its ranks, and not those of the communicator given, have the data they
         * had. A warning says so where the numbers differ. For programs that are written for that, and use it for everything.
         *
         * @return this
         */
        Builder orderOfNodes();

        /**
         * Lets a thread of each rank take checkpoints while the rank computes, as {@code [drumlin] async = 1} does:
         * {@link Checkpoints#checkpoint} returns when the protected data are copied to memory. The copy takes as much as they do, and
         * is kept for the next checkpoint. Where MPI carries the messages it must provide MPI_THREAD_MULTIPLE.
         *
         * @return this
         */
        Builder asynchronous();

        /**
         * Says what becomes of the failure of a checkpoint that was being finished behind the computation. Without this the next
         * collective call throws it, on all ranks, and does nothing else; with it that call gives the failure to the handler, on all
         * ranks, and goes on: what C FTI does.
         *
         * @param handler told of each failure; earlier checkpoints are as they were
         * @return this
         */
        Builder lateFailures(Consumer<IOException> handler);

        /**
         * Lets a head tell of its work.
         *
         * @param listener told, on heads, of their run and each checkpoint that they have finished: the bytes are those of the node,
         *     of the times only the last is not 0
         * @return this
         */
        Builder finishedByHead(BiConsumer<Checkpoints, CheckpointReport> listener);

        /**
         * Lets a head work for the program while its node gives it nothing to do, as {@code FTIX_CALLBACK} of C FTI. It calls within
         * {@link #open}, again and again, and once more when the application has left. Checkpoints come first. As long as a call lasts
         * they wait, on all nodes, because the heads work together; the calls of different heads have nothing to do with each other, so
         * they must not be collective.
         *
         * <p>After a call of less than 320 microseconds the head pauses for 20 microseconds, after more of them in a row for up to 320.
         * If the callback throws, that is logged, the head calls it no more and goes on with its work.
         *
         * @param callback called on heads only
         * @return this
         */
        Builder headCallback(HeadCallback callback);

        /**
         * Opens the run. Collective.
         *
         * @return the run
         * @throws IOException as {@link Checkpoints#open}
         */
        Checkpoints open() throws IOException;
    }

    /**
     * Protects data under an id, or replaces what is protected under it: from now on checkpoints hold them. Nothing is
     * copied; the values at the time of a checkpoint count. Not collective, but every rank protects in the same order.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array, a java.nio buffer from its position to its limit, or a {@link Scalar}
     * @throws IllegalArgumentException the id is out of range or the class of {@code variable} cannot be protected
     */
    void protect(int id, Object variable);

    /**
     * Protects the first elements of an array or buffer; otherwise as {@link #protect(int, Object)}.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array or a java.nio buffer
     * @param count elements, 0 or above
     * @throws IllegalArgumentException the id or the count is out of range or the class of {@code variable} cannot be
     *     protected
     */
    void protect(int id, Object variable, long count);

    /**
     * Protects the first elements of an array or buffer as what they are in C; otherwise as {@link #protect(int, Object)}.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array or a java.nio buffer: of elements as large as those of the type, or of bytes; for a type
     *     of the program also of elements of which several make one of it
     * @param count elements of the type, 0 or above
     * @param type what an element is
     * @throws IllegalArgumentException the id or the count is out of range, the elements do not make whole ones of the type, or the
     *     class of {@code variable} cannot be protected
     */
    void protect(int id, Object variable, long count, DataType type);

    /**
     * Says how a variable is shared by the ranks, for a restart on another number of them ({@link Builder#anyNumberOfRanks}); before it is
     * recovered. Nothing of it is stored: the program that restarts says it for the one that took the checkpoint too.
     *
     * @param id a protected variable; what is protected under the id later is distributed alike
     * @param distribution the same on all ranks
     * @throws IllegalArgumentException the variable is not protected
     */
    void distribute(int id, Distribution distribution);

    /**
     * Bytes a checkpoint of this rank would hold.
     *
     * @return sum over all protected variables
     */
    long protectedBytes();

    /**
     * Replaces a protected array by a new one of the size it has in the last checkpoint.
     *
     * @param <T> class of the array
     * @param id a stored variable
     * @param array an array of the kind wanted
     * @return the new array, protected under the id and all zero
     * @throws IllegalArgumentException {@code array} is no primitive array, the stored bytes are not whole elements of it, or
     *     the variable is not stored
     */
    <T> T reallocate(int id, T array);

    /**
     * The id that a name stands for. A new name gets the number of the known variables as its id, and an empty variable is
     * protected under it until another is: do not mix names with ids chosen by hand. In all modes but FTI-FF names are
     * stored with the checkpoint, and known again after a restart; in the mode FTI-FF the restarted program asks for them in the
     * order in which it did before.
     *
     * @param name not empty, without line breaks; at most 255 bytes of UTF-8
     * @return the id
     * @throws IllegalArgumentException the name cannot be stored, or the new id is in use
     */
    int idFor(String name);

    /**
     * The id that a name stands for, if it is known: from {@link #idFor}, or from the checkpoint of a restart.
     *
     * @param name a name
     * @return the id
     * @throws IllegalArgumentException no variable can have that name
     */
    Optional<Integer> idOf(String name);

    /**
     * Gives a protected variable a name that the metadata of all modes but FTI-FF tell of. Drumlin makes nothing of it.
     *
     * @param id a protected variable
     * @param name without line breaks; at most 255 bytes of UTF-8
     * @throws IllegalArgumentException the variable is not protected, or the name cannot be stored
     */
    void setAttribute(int id, String name);

    /**
     * Gives a protected variable dimensions that the metadata of all modes but FTI-FF tell of. Drumlin makes nothing of them.
     *
     * @param id a protected variable
     * @param dimensions at most 32
     * @throws IllegalArgumentException the variable is not protected, or has too many dimensions
     */
    void setAttribute(int id, List<Long> dimensions);

    /**
     * Flips a bit of a variable as the section {@code [injection]} of the configuration says, to try how a program bears it.
     *
     * @param id a protected variable of floats or doubles
     * @return whether it was flipped: on the rank named there only, as often as it says, and when the time there has passed since
     *     the last flip
     * @throws IllegalArgumentException the variable is not protected, is neither of floats nor of doubles, or has no such element
     */
    boolean flipBit(int id);

    /**
     * Says where a protected variable is in the files of the mode HDF5: {@code FTI_DefineDataset}. The other modes make nothing
     * of it. A restart reads the dataset that is defined then, so it is defined again before the data are recovered.
     *
     * @param id a protected variable
     * @param name of the dataset, without slashes; null leaves it as it is, at first {@code Dataset_} and the id
     * @param dimensions at most 32, whose product is the number of elements, the last varying fastest; none leave
     *     them as they are, at first one
     * @param group of this run; null leaves the dataset where it is, at first in {@link #datasets}
     * @throws IllegalArgumentException the variable is not protected, the name cannot be, the dimensions do not fit or the group
     *     is of another run
     */
    void defineDataset(int id, @Nullable String name, List<Long> dimensions, @Nullable DatasetGroup group);

    /**
     * The root group in the files of the mode HDF5.
     *
     * @return the same for the whole run
     */
    DatasetGroup datasets();

    /**
     * How the run started.
     *
     * @return {@link Status#FRESH} also after {@link #recover}
     */
    Status status();

    /**
     * Whether there are data to recover.
     *
     * @return true from the opening of a restarted run until {@link #recover}
     */
    boolean isRestart();

    /**
     * Why a restart that was asked for has become a fresh start.
     *
     * @return empty unless the run was opened with {@link Builder#freshStartIfUnrecoverable}
     */
    Optional<DrumlinException> recoveryFailure();

    /**
     * The checkpoint that {@link #recover} reads: the one the restart found, later the last one taken.
     *
     * @return its id, or empty when there is none
     */
    Optional<Integer> lastCheckpoint();

    /**
     * How many ranks of the application took {@link #lastCheckpoint}, where it is one that {@link #recover} brings to another number of them.
     *
     * @return empty if each rank has a checkpoint of its own
     */
    Optional<Integer> formerRanks();

    /**
     * The level of {@link #lastCheckpoint}.
     *
     * @return the level at which it was found or taken, or empty when there is none
     */
    Optional<Level> lastLevel();

    /**
     * Whether this rank is a head: with {@code head = 1} the first of each node, which takes no part in the application. It works
     * on the checkpoints of its node within {@link #open}, which returns when the application has closed the run; nothing is left
     * to do then but to close.
     *
     * @return true on a head
     */
    boolean isHead();

    /**
     * The ranks of the application, or on a head the heads, in the order of the communicator given to {@link #open}; with
     * {@link Builder#orderOfNodes} in the order of nodes.
     *
     * @return closed with this; Drumlin's own messages go another way
     */
    Communicator communicator();

    /**
     * Sends files of the program to the parallel file system.
     *
     * @return empty without {@code enable_staging = 1}
     */
    Optional<Staging> staging();

    /**
     * Puts checkpoints aside, to go back to them later.
     *
     * @return the stashes of this run
     */
    Stash stash();

    /**
     * Checkpoints in one HDF5 file of all ranks, for a restart on any number of ranks.
     *
     * @return the shared files of this run
     */
    SingleFile singleFile();

    /**
     * The node of this rank.
     *
     * @return 0 or above, in the order of the first ranks of nodes; with {@link Builder#orderOfNodes} that of the run's first start
     */
    int node();

    /**
     * Whether this rank does what is done once per node, such as the work on node-local directories.
     *
     * @return true on the first rank of the application on each node, and on its head
     */
    boolean isNodeMaster();

    /**
     * What C FTI prints of the run.
     *
     * @return {@code verbosity} of the configuration: 1 debug, 2 information, 3 warnings
     */
    int verbosity();

    /**
     * What the configuration came to, and where this rank stands.
     *
     * @return the same for the whole run
     */
    RunDescription describe();

    /**
     * The run's id, a directory name below each configured directory.
     *
     * @return the id
     */
    String execId();

    /**
     * Size of a variable in the last checkpoint.
     *
     * @param id id of the variable
     * @return bytes; 0 if it is not in the checkpoint or there is none
     */
    long storedSize(int id);

    /**
     * Brings all protected data back from the last checkpoint: after a restart the one that was found, in a running job the
     * one taken last. Every rank reads its own file, checking every byte; where there are {@link #formerRanks}, it reads what it
     * needs of their files, which were checked when the run was opened, and the call is collective. So it is in a run that began with
     * a {@link SingleFile}.
     *
     * @throws IOException there is no checkpoint, the protected variables or their sizes differ from the stored ones, or the
     *     file cannot be read; in the last case data may be partly overwritten
     */
    void recover() throws IOException;

    /**
     * Brings one variable back; otherwise as {@link #recover()}. {@link #status} does not change.
     *
     * @param id a protected variable
     * @throws IOException there is no checkpoint, the variable is not in it or has another size there, or the file cannot be
     *     read; where the call is collective, on all ranks, also if the variable is not protected on any
     * @throws IllegalArgumentException the variable is not protected, where the call is not collective
     */
    void recover(int id) throws IOException;

    /**
     * Gives up what a restart has found: from now on checkpoints may replace it. Without this, a checkpoint before anything of it was
     * recovered fails, because it would replace the only good data by what the variables hold before. Not collective, but every rank
     * calls it. {@link #status} is {@link Status#FRESH} then; {@link #recover} still brings the data back until a checkpoint
     * replaces them. Does nothing in a run that was not restarted.
     */
    void discardRestart();

    /**
     * Takes a checkpoint of all protected data. Collective. When it returns the checkpoint is durable and replaces those of
     * its level and of lower levels; when it throws they are as they were, unless only their deletion failed, or the new one
     * could not be listed for SCR: then {@link #lastCheckpoint} is the new one.
     *
     * <p>It returns earlier, with a checkpoint that {@link #isUnderway}, at levels that heads finish, and in runs that are
     * {@link Builder#asynchronous}. It waits for the end of the one before, and if that has failed throws its failure and takes none,
     * unless there is a handler ({@link Builder#lateFailures}).
     *
     * <p>After a restart it fails until each rank has recovered its data, all or single variables, loaded a {@link Stash}, or said that it
     * does not want them ({@link #discardRestart}).
     *
     * @param ckptId number of the checkpoint, 0 or above, in the mode FTI-FF above 0; part of the file names
     * @param level where it goes; L2 and L3 need a {@code group_size} of 2 or more
     * @return what it took
     * @throws IOException on all ranks, if it failed on any
     * @throws IllegalArgumentException on all ranks: the id is too small
     */
    CheckpointReport checkpoint(int ckptId, Level level) throws IOException;

    /**
     * How much a differential checkpoint had to write.
     *
     * @return empty unless the last checkpoint was one
     */
    Optional<DifferentialShare> differentialShare();

    /**
     * Begins a checkpoint whose variables are added one by one. Not collective, but every rank begins the same ones in the same
     * order, and commits or closes them before the next checkpoint.
     *
     * @param ckptId number of the checkpoint, 0 or above, in the mode FTI-FF above 0; part of the file names
     * @param level where it goes, as in {@link #checkpoint}
     * @return to be committed
     * @throws IOException the end of the checkpoint under way, for which this waits, is not known
     * @throws IllegalArgumentException the id is too small, or files are written in layout A
     * @throws IllegalStateException another one is open
     */
    IncrementalCheckpoint incremental(int ckptId, Level level) throws IOException;

    /**
     * Whether a checkpoint is being finished behind the computation.
     *
     * @return true from a {@link #checkpoint} that returned before its end to the call that waits for this end
     */
    boolean isUnderway();

    /**
     * Waits until the checkpoint that is being finished behind the computation is complete, and the one that it replaces deleted. Also
     * done by the next {@link #checkpoint} and by {@link #complete}. Collective.
     *
     * @throws IOException on all ranks: it has failed, and earlier ones are as they were; or it is in its place, and something
     *     that it replaces could not be deleted, or it could not be listed for SCR: then {@link #lastCheckpoint} is this one
     */
    void await() throws IOException;

    /**
     * To be called once per iteration of the main loop: brings the data back after a restart, and takes a checkpoint when one of
     * the intervals {@code ckpt_l1} to {@code ckpt_l4} of the configuration has passed, or with {@code ckpt_interval = auto} one
     * that loses the least time, at the highest level that is due. Their ids count up from 1, after a restart from the one behind the recovered checkpoint's. Collective.
     *
     * @return what the checkpoint took; empty when none was due
     * @throws IOException as {@link #recover()} and {@link #checkpoint}
     */
    Optional<CheckpointReport> snapshot() throws IOException;

    /**
     * What the ranks agreed on in the last call of {@link #snapshot}.
     *
     * @return empty if that call needed no agreement
     */
    Optional<SnapshotPlan> newSnapshotPlan();

    /**
     * Ends a run that has reached its goal, as {@code FTI_Finalize}. Collective. With {@code keep_last_ckpt = 1} the last
     * checkpoint is brought to the parallel file system, for a later restart; with {@code keep_l4_ckpt = 1} the level-4
     * checkpoints stay in the archive; otherwise all files of the run are deleted. To be followed by {@link #close}.
     *
     * @throws IOException on all ranks, if a step failed on any. As long as a checkpoint to be kept is not kept, a restart is
     *     possible as before; what could not be archived or deleted after that stays where it is
     */
    void complete() throws IOException;

    /**
     * Lets go of memory and communicator and leaves all files as they are, so that a run that did not {@link #complete} can
     * be restarted. Collective. A second call does nothing.
     *
     * @throws IOException the communicator cannot be freed
     */
    @Override
    void close() throws IOException;
}
