package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The checkpoints of one run. Protects data, writes them at a level, and recovers them after a failure.
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
 * <p>The configuration file, the directories and the files are those of C FTI (docs/formats). Runs share no state, so
 * several runs can be open in one process. Every rank must call the methods marked <em>collective</em>, in the same
 * order; if such a call fails on one rank, it throws on all. Only one thread per rank may call.
 */
public interface Checkpoints extends AutoCloseable {

    /**
     * The exit status of a program that {@link #shouldStop stopped} before it reached its goal: start it again, and it
     * continues. It is {@code EX_TEMPFAIL} of {@code sysexits.h}.
     */
    int COME_AGAIN = 75;

    /**
     * Opens the run that a configuration file describes: a new run, or the failed run after a failure. Collective.
     *
     * <p>After a restart, rank r of this communicator recovers what rank r of the earlier communicator protected,
     * whatever nodes they run on. If the nodes come in another order, files are sent to the nodes of their ranks.
     *
     * @param configFile configuration file of C FTI; rank 0 reads it and rewrites its restart section
     * @param communicator the ranks of the run; duplicated, and not closed by the run
     * @return the run; {@link #isRestart} says whether there is data to recover. On a head this method returns when the
     *     run is over, see {@link #isHead}
     * @throws IOException the configuration is refused, a directory cannot be created, or {@code failure = 1} or
     *     {@code 2} asks for a restart and no checkpoint can be recovered
     */
    static Checkpoints open(Path configFile, Communicator communicator) throws IOException {
        return builder(configFile).communicator(communicator).open();
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
         * Sets the ranks of the run. The default is all processes of the job.
         *
         * @param ranks duplicated, and not closed by the run
         * @return this
         */
        Builder communicator(Communicator ranks);

        /**
         * Sets the storage engine. The default is the engine named by the system property {@code drumlin.storage}, else
         * by the configuration key {@code [drumlin] storage}, else the best one available.
         *
         * @param engine used for all files
         * @return this
         */
        Builder storage(StorageEngine engine);

        /**
         * Sets how containers are placed in a file. The default is the configuration key {@code [drumlin] packing}.
         *
         * @param placement compact for the bytes C FTI would write, aligned for speed
         * @return this
         */
        Builder packing(Packing placement);

        /**
         * Chooses the checkpoint with which a restart begins; otherwise it is the newest. The run becomes a branch of
         * the run in the configuration file: it gets an {@code exec_id} of its own, and the checkpoints of that run
         * stay as they are. Checkpoints of level 4 can be chosen, those that {@code [drumlin] keep} keeps too, and by as
         * many ranks on as many nodes those of levels 1 to 3, with what {@code keep_l1} to {@code keep_l3} keep. If the
         * run has begun with this choice, it continues with its newest checkpoint. The choice of the first rank counts.
         * The default is the configuration key {@code [drumlin] from}.
         *
         * <p>{@link #open} throws on all ranks, and changes nothing, if there is no such checkpoint, if another job has
         * the run open, if this is no restart, or if the checkpoint is on the nodes and these are other ranks.
         *
         * @param ckptId its id, 0 or above
         * @return this
         * @throws IllegalArgumentException the id is below 0
         */
        Builder from(int ckptId);

        /**
         * Chooses the latest checkpoint that was taken before a time, by the log of the run; otherwise like {@link #from}. If
         * the log does not have one that may be the latest, the start is refused.
         *
         * @param time a time, by the clock of the parallel file system
         * @return this
         */
        Builder fromLatestBefore(Instant time);

        /**
         * Names the branch that {@link #from} begins. The name is the {@code exec_id} of the branch. The default is the
         * configuration key {@code [drumlin] branch}; without it the name is made from that of the run and the id of the
         * checkpoint.
         *
         * @param name letters, digits, dots, hyphens and underscores, at most 200, not only dots
         * @return this
         * @throws IllegalArgumentException the name has other characters
         */
        Builder branch(String name);

        /**
         * Protects data from the opening of the run on; otherwise like {@link Checkpoints#protect(int, Object)}. A
         * restart that knows all variables of a checkpoint verifies the file and fills the variables in one pass.
         * Without them it reads the file twice.
         *
         * <p>After the opening of a restart, the contents of these variables are undefined until
         * {@link Checkpoints#recover} returns. They are undefined too if {@code open} throws. {@code recover} may keep
         * what the program writes to a variable between the two calls. A variable that is protected again after the
         * opening is read from the file. With {@link #freshStartIfUnrecoverable} or {@link #anyNumberOfRanks} the
         * variables do not change before {@code recover}, and the restart reads the file twice. A builder with
         * variables opens only one run.
         *
         * @param id 0 to {@code max_var_id} of the configuration; {@code open} fails on all ranks if it is out of range
         *     on one
         * @param variable a primitive array, a rectangular array of such arrays, a java.nio buffer from its position to
         *     its limit, a memory segment, or a {@link Scalar}
         * @return this
         * @throws IllegalArgumentException the class of {@code variable} cannot be protected
         */
        Builder protect(int id, Object variable);

        /**
         * Protects the first elements of an array or buffer from the opening of the run on; otherwise like
         * {@link #protect(int, Object)}.
         *
         * @param id 0 to {@code max_var_id} of the configuration; {@code open} fails on all ranks if it is out of range
         *     on one
         * @param variable a primitive array or a java.nio buffer
         * @param count elements, 0 or above
         * @return this
         * @throws IllegalArgumentException the count is out of range or the class of {@code variable} cannot be
         *     protected
         */
        Builder protect(int id, Object variable, long count);

        /**
         * Protects a field of a primitive type from the opening of the run on; otherwise like {@link #protect(int,
         * Object)} and {@link Checkpoints#protect(int, MethodHandles.Lookup, Object, String)}.
         *
         * @param id 0 to {@code max_var_id} of the configuration; {@code open} fails on all ranks if it is out of range
         *     on one
         * @param lookup has access to the field
         * @param owner the object that has the field, or the class for a static field
         * @param field name of a field that is not final
         * @return this
         * @throws IllegalArgumentException there is no such field that {@code lookup} can set
         */
        Builder protect(int id, MethodHandles.Lookup lookup, Object owner, String field);

        /**
         * Protects an object from the opening of the run on; otherwise like {@link #protect(int, Object)} and {@link
         * Checkpoints#protect(int, Supplier, Consumer, Codec)}.
         *
         * @param <T> the object
         * @param id 0 to {@code max_var_id} of the configuration; {@code open} fails on all ranks if it is out of range
         *     on one
         * @param supplier returns the object, never null
         * @param consumer gets the object when {@link Checkpoints#recover} is called
         * @param codec describes the object
         * @return this
         * @throws IllegalArgumentException the codec describes what cannot be stored
         */
        <T> Builder protect(int id, Supplier<? extends T> supplier, Consumer<? super T> consumer, Codec<T> codec);

        /**
         * Makes a restart that finds no whole checkpoint start afresh, as C FTI does, instead of throwing.
         * {@link Checkpoints#recoveryFailure} then says what was missing. If the archive of level 4 has a checkpoint
         * that this run cannot recover, {@link Checkpoints#open} throws all the same, because the new run could replace
         * that checkpoint; the message says what to do.
         *
         * @return this
         */
        Builder freshStartIfUnrecoverable();

        /**
         * Allows a restart on another number of ranks than the number that took the checkpoints. Without this, such a
         * restart is refused. The restart continues from the newest checkpoint of level 4, in the modes FTI-FF, POSIX,
         * MPI-IO and SIONlib. Checkpoints of levels 1 to 3 serve only the number of ranks that took them. Before it
         * calls {@link Checkpoints#recover}, the program says how its variables are distributed
         * ({@link Checkpoints#distribute}).
         *
         * @return this
         */
        Builder anyNumberOfRanks();

        /**
         * Assigns data to places in the order of nodes instead of to ranks, as C FTI does.
         * {@link Checkpoints#communicator} is then in the order of nodes. After a restart with the nodes in another
         * order, its ranks recover the data they had; the ranks of the communicator given to the run may not. A warning
         * is logged if the rank numbers differ. This is for programs that use {@link Checkpoints#communicator} for
         * everything.
         *
         * @return this
         */
        Builder orderOfNodes();

        /**
         * Makes a thread of each rank take the checkpoints while the rank computes, like {@code [drumlin] async = 1}.
         * {@link Checkpoints#checkpoint} returns when the protected data are copied to memory. The copy needs as much
         * memory as the protected data, and the memory is kept for the next checkpoint. If MPI carries the messages, it
         * must provide MPI_THREAD_MULTIPLE.
         *
         * @return this
         */
        Builder asynchronous();

        /**
         * Sets a handler for failures of checkpoints that are finished in the background. Without a handler the next
         * collective call throws the failure on all ranks and does nothing else. With a handler that call passes the
         * failure to the handler, on all ranks, and then does its work, as in C FTI.
         *
         * @param handler called with each failure; earlier checkpoints are unchanged
         * @return this
         */
        Builder lateFailures(Consumer<IOException> handler);

        /**
         * Sets a listener for the checkpoints that a head finishes.
         *
         * @param listener called on heads, with the run and a report for each checkpoint that the head has finished;
         *     the report counts the bytes of the node, and only the last of its times is not 0
         * @return this
         */
        Builder finishedByHead(BiConsumer<Checkpoints, CheckpointReport> listener);

        /**
         * Sets a callback for a head to run while its node gives it nothing to do, like {@code FTIX_CALLBACK} of C FTI.
         * The head calls it within {@link #open}, again and again, and once more after the application has left.
         * Checkpoints come first, but they cannot interrupt a call: while a call lasts, checkpoints wait on all nodes,
         * because the heads work together. Each head makes its calls independently of the others, so the callback must
         * not make collective calls, except those of {@link Checkpoints#stash}, which wait for the other heads.
         *
         * <p>After a call of less than 320 microseconds the head pauses for 20 microseconds. After several such calls
         * in a row the pause grows to at most 320 microseconds. If the callback throws, the head logs the exception,
         * does not call the callback again, and continues its work.
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
     * Protects data under an id, or replaces what is protected under this id. Later checkpoints contain the data.
     * Nothing is copied: a checkpoint stores the values at the time it is taken. Not collective, but every rank must
     * protect its variables in the same order.
     *
     * <p>An array of arrays, such as a {@code double[][]} or an {@code int[][][]}, is stored like an array of C with as
     * many dimensions. All modes but FTI-FF store the dimensions in the metadata, and the mode HDF5 gives them to the
     * dataset. The program can put other arrays of the same length into the array. If their lengths have changed, a
     * checkpoint or a recovery fails until the program protects the array again.
     *
     * <p>A {@code java.lang.foreign.MemorySegment} of Java 22 or later is stored as bytes, which may be more than 2 GiB;
     * {@link #protect(int, Object, long, DataType)} gives them a type. A checkpoint or a recovery fails on all ranks if
     * its arena was closed or its mapped file has become shorter.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array, a rectangular array of such arrays, a java.nio buffer from its position to its
     *     limit, a memory segment, or a {@link Scalar}
     * @throws IllegalArgumentException the id is out of range or the class of {@code variable} cannot be protected
     */
    void protect(int id, Object variable);

    /**
     * Protects the first elements of an array or buffer and gives their type in C; otherwise like {@link #protect(int,
     * Object)}. An array of arrays is protected whole, and its elements are as large as those of the type.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array or a java.nio buffer, of bytes or of elements as large as those of the type;
     *     for a type of the program, several elements of the array may make up one element of the type
     * @param count elements of the type, 0 or above
     * @param type type of an element in C
     * @throws IllegalArgumentException the id or the count is out of range, the array does not hold whole elements of
     *     the type, or the class of {@code variable} cannot be protected
     */
    void protect(int id, Object variable, long count, DataType type);

    /**
     * Protects the first elements of an array or buffer; otherwise like {@link #protect(int, Object)}.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array or a java.nio buffer
     * @param count elements, 0 or above
     * @throws IllegalArgumentException the id or the count is out of range or the class of {@code variable} cannot be
     *     protected
     */
    void protect(int id, Object variable, long count);

    /**
     * Protects a field of a primitive type; otherwise like {@link #protect(int, Object)}. It has the bytes of a variable
     * of C, so a program that was ported needs no {@link Scalar}.
     *
     * <pre>{@code
     * private int step;
     * ...
     * checkpoints.protect(0, MethodHandles.lookup(), this, "step");
     * }</pre>
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param lookup has access to the field, such as {@code MethodHandles.lookup()} in the class that has it
     * @param owner the object that has the field, or the class for a static field
     * @param field name of a field that is not final, in the class of {@code owner} or the nearest superclass that has
     *     one of this name
     * @throws IllegalArgumentException the id is out of range, or there is no such field that {@code lookup} can set
     */
    void protect(int id, MethodHandles.Lookup lookup, Object owner, String field);

    /**
     * Protects the fields of an object that are marked with {@link Checkpointed}, also those of its superclasses.
     * Otherwise like {@link #protect(int, MethodHandles.Lookup, Object, String)} and {@link #protect(int, Object)}.
     *
     * <p>The id of a field follows from {@code name} and the name of the field alone, so fields can be added, removed and
     * put into another order between two runs. It is 1,000 + CRC-32 of {@code name.field} modulo 100,000. A field with
     * another name is another variable. The names are the attributes of the variables ({@link FtiCheckpoints#setAttribute(int,
     * String)}).
     *
     * @param name name of the object, equal in all runs and different for each object; not empty, without line breaks
     * @param lookup has access to the fields, such as {@code MethodHandles.lookup()} in the class that has them
     * @param owner the object that has the fields
     * @return the ids by name of the field, in alphabetical order
     * @throws IllegalArgumentException no field is marked, {@code lookup} has no access to one, one cannot be protected,
     *     is static, is null, or is neither primitive nor final, its id has another variable, or {@code name} is that of
     *     another object; then no field is protected
     */
    Map<String, Integer> protectFields(String name, MethodHandles.Lookup lookup, Object owner);

    /**
     * Protects an object of the program, such as a list of records. A checkpoint calls {@code supplier} and stores the
     * object that it returns; a recovery makes a new object and gives it to {@code consumer}. The object can have another
     * size in each checkpoint. Otherwise like {@link #protect(int, Object)}.
     *
     * <pre>{@code
     * checkpoints.protect(2, () -> particles, stored -> particles = stored, Codec.list(Codec.record(Particle.class)));
     * }</pre>
     *
     * <p>The object is encoded when the checkpoint begins, or when the first variable is added to an {@linkplain
     * #incremental incremental} one. Its bytes stay in memory (docs/formats/objects.md has them). {@link FtiCheckpoints#protectedBytes}
     * counts those of the last checkpoint. Another number of ranks can recover the object only if
     * it is {@link Distribution#replicated}.
     *
     * @param <T> the object
     * @param id 0 to {@code max_var_id} of the configuration
     * @param supplier returns the object, never null; called in the thread that takes the checkpoint
     * @param consumer gets the recovered object; called in the thread that recovers, after all bytes are known to be good
     * @param codec describes the object
     * @throws IllegalArgumentException the id is out of range, or the codec describes what cannot be stored
     */
    <T> void protect(int id, Supplier<? extends T> supplier, Consumer<? super T> consumer, Codec<T> codec);

    /**
     * Protects an array of arrays whose lengths differ, such as the neighbours of each node of a graph; otherwise like
     * {@link #protect(int, Object)}. The lengths are stored in front of the elements (docs/formats/ragged.md), so for C
     * FTI it is a variable of bytes that begins with them. If a length has changed, the program protects the array again
     * before the next checkpoint. After a restart {@link #reallocateRagged} makes the array.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param arrays an array of arrays of primitives, of any depth
     * @throws IllegalArgumentException the id is out of range, an array is null, or there are no primitives in it
     */
    void protectRagged(int id, Object[] arrays);

    /**
     * Replaces a {@linkplain #protectRagged ragged} array by a new one that has the lengths of the last checkpoint. The
     * variable is read for that, and once more when it is recovered. Not collective.
     *
     * @param <T> class of the arrays in it
     * @param id a stored variable
     * @param array an array of the wanted class, such as {@code new int[0][]}
     * @return the new array, protected under the id and all zero
     * @throws IOException there is no checkpoint, or the file cannot be read
     * @throws IllegalArgumentException the variable is not stored, or not as an array of this class with its lengths, or
     *     another number of ranks has stored it
     */
    <T> T[] reallocateRagged(int id, T[] array) throws IOException;

    /**
     * Ends the protection of a variable, for example before its memory is given away. Later checkpoints do not contain
     * it. The checkpoints that were taken before do; {@link #recover()} refuses them as long as other variables are
     * protected than are stored, and {@link #recover(int)} recovers one of the variables that are left. Not collective,
     * but every rank must end the protection of the same variables. A {@linkplain FtiCheckpoints#idFor name} keeps its id.
     *
     * @param id a protected variable
     * @throws IllegalArgumentException the variable is not protected
     * @throws IllegalStateException an {@linkplain #incremental incremental} checkpoint is open
     */
    void unprotect(int id);

    /**
     * Says how the ranks share a variable, for a restart on another number of ranks ({@link Builder#anyNumberOfRanks}).
     * The program calls this before it recovers the variable. The distribution is not stored: the restarted program
     * describes the distribution in the run that took the checkpoint as well as its own.
     *
     * @param id a protected variable; the distribution also applies to whatever is protected under this id later
     * @param distribution the same on all ranks
     * @throws IllegalArgumentException the variable is not protected
     */
    void distribute(int id, Distribution distribution);

    /**
     * Replaces a protected array by a new one of the size it has in the last checkpoint. An array of arrays gets the
     * stored dimensions. If there are none, as in the mode FTI-FF, it gets the dimensions of {@code array}, and the first
     * one follows from the stored size.
     *
     * @param <T> class of the array
     * @param id a stored variable
     * @param array an array of the wanted class; an array of arrays, for example, {@code new double[1][columns]}
     * @return the new array, protected under the id and all zero
     * @throws IllegalArgumentException {@code array} is not a primitive array or an array of such arrays, the stored
     *     bytes are not a whole number of its elements or arrays, or the variable is not stored
     */
    <T> T reallocate(int id, T array);

    /**
     * Returns how the run started.
     *
     * @return {@link Status#FRESH} also after {@link #recover}
     */
    Status status();

    /**
     * Returns whether there are data to recover.
     *
     * @return true from the opening of a restarted run until {@link #recover}
     */
    boolean isRestart();

    /**
     * Returns why a requested restart became a fresh start.
     *
     * @return empty unless the run was opened with {@link Builder#freshStartIfUnrecoverable}
     */
    Optional<DrumlinException> recoveryFailure();

    /**
     * Returns the checkpoint that {@link #recover} reads: the one the restart found, and later the last one taken.
     *
     * @return its id, or empty if there is none
     */
    Optional<Integer> lastCheckpoint();

    /**
     * Returns how many application ranks took {@link #lastCheckpoint}, if {@link #recover} has to distribute it to
     * another number of ranks.
     *
     * @return empty if each rank has a checkpoint of its own
     */
    Optional<Integer> formerRanks();

    /**
     * Returns the level of {@link #lastCheckpoint}. A checkpoint of level 2 or 3 counts as one of level 1 if a restart
     * could not make its lost partner copies or encoded files again.
     *
     * @return the level at which it was found or taken, or empty if there is none
     */
    Optional<Level> lastLevel();

    /**
     * Returns whether this rank is a head. With {@code head = 1} the first rank of each node is a head and takes no
     * part in the application. It works on the checkpoints of its node within {@link #open}, which returns after the
     * application has closed the run. The program then only has to close the run on the head.
     *
     * @return true on a head
     */
    boolean isHead();

    /**
     * Returns a communicator of the application's ranks, or on a head a communicator of the heads. The order is that of
     * the communicator given to {@link #open}, or with {@link Builder#orderOfNodes} the order of nodes.
     *
     * @return closed with the run; Drumlin's own messages use another one
     */
    Communicator communicator();

    /**
     * Returns the service that sends files of the program to the parallel file system.
     *
     * @return empty without {@code enable_staging = 1}
     */
    Optional<Staging> staging();

    /**
     * Returns the stashes, where a program puts checkpoints aside to return to them later.
     *
     * @return the stashes of this run
     */
    Stash stash();

    /**
     * Returns the access to checkpoints in one HDF5 file shared by all ranks, for a restart on any number of ranks.
     *
     * @return the shared files of this run
     */
    SingleFile singleFile();

    /**
     * Returns the effective configuration and the place of this rank in the run.
     *
     * @return the same for the whole run
     */
    RunDescription describe();

    /**
     * Returns the id of the run, which names its directory below each configured directory.
     *
     * @return the id
     */
    String execId();

    /**
     * Returns the size of a variable in the last checkpoint.
     *
     * @param id id of the variable
     * @return bytes; 0 if it is not in the checkpoint or there is none
     */
    long storedSize(int id);

    /**
     * Recovers all protected data from the last checkpoint: after a restart the checkpoint that was found, in a running
     * job the one taken last. Every rank reads its own file and checks every byte. If there are {@link #formerRanks},
     * the call is collective and each rank reads the parts that it needs of their files, which were checked when the
     * run was opened. The call is collective too in a run that began with a {@link SingleFile}.
     *
     * @throws IOException there is no checkpoint, the protected variables or their sizes differ from the stored ones,
     *     or the file cannot be read; in the last case data may be partly overwritten
     */
    void recover() throws IOException;

    /**
     * Recovers one variable; otherwise like {@link #recover()}. {@link #status} does not change. If a checkpoint is taken
     * while others that the restart has found are not recovered, a warning names them: it stores what they hold then.
     *
     * @param id a protected variable
     * @throws IOException there is no checkpoint, the variable is not in it or has another size there, or the file
     *     cannot be read; if the call is collective, this is thrown on all ranks, also if the variable is not protected
     *     on one of them
     * @throws IllegalArgumentException the variable is not protected and the call is not collective
     */
    void recover(int id) throws IOException;

    /**
     * Gives up the checkpoint that a restart has found, so that new checkpoints may replace it. Without this call, a
     * checkpoint taken before any data were recovered fails, because it would replace the only good data by the
     * unrecovered contents of the variables. Not collective, but every rank calls it. Afterwards {@link #status} is
     * {@link Status#FRESH}; {@link #recover} still works until a checkpoint replaces the data. Does nothing in a run
     * that was not restarted.
     */
    void discardRestart();

    /**
     * Takes a checkpoint of all protected data. Collective. When this method returns, the checkpoint is durable and
     * replaces those of its level and of lower levels. When it throws, the earlier checkpoints are unchanged, with two
     * exceptions: if only their deletion failed, or if the new checkpoint could not be listed for SCR,
     * {@link #lastCheckpoint} is the new one.
     *
     * <p>At levels that heads finish, and in {@linkplain Builder#asynchronous asynchronous} runs, it returns while the
     * checkpoint is still {@linkplain #isUnderway under way}. It first waits for the end of the previous checkpoint. If
     * that one failed, it throws that failure and takes no checkpoint, unless there is a handler
     * ({@link Builder#lateFailures}).
     *
     * <p>A warning is logged if no rank has protected anything. After a restart it fails until each rank has recovered data (all or single variables), loaded a {@link Stash},
     * or given up the data ({@link #discardRestart}).
     *
     * @param ckptId number of the checkpoint, 0 or above (above 0 in the mode FTI-FF); part of the file names
     * @param level where it goes; L2 and L3 need a {@code group_size} of 2 or more
     * @return size and times of the checkpoint
     * @throws IOException on all ranks, if it failed on any
     * @throws IllegalArgumentException on all ranks: the id is too small
     */
    CheckpointReport checkpoint(int ckptId, Level level) throws IOException;

    /**
     * Returns size and times of the last checkpoint of this run that is known to be complete. For a checkpoint that was
     * finished in the background, this report covers the time until its end, which the report of {@link #checkpoint}
     * does not.
     *
     * @return empty until a checkpoint is complete. One that is finished in the background counts after {@link #await},
     *     {@link #recover}, {@link #complete} or the next checkpoint has waited for it. The checkpoints of a
     *     {@link #singleFile} do not count
     */
    Optional<CheckpointReport> lastReport();

    /**
     * Returns how much the last differential checkpoint had to write.
     *
     * @return empty unless the last checkpoint was a differential one
     */
    Optional<DifferentialShare> differentialShare();

    /**
     * Begins a checkpoint whose variables are added one by one. Not collective, but every rank must begin the same
     * checkpoints in the same order, and commit or close each before the next checkpoint.
     *
     * @param ckptId number of the checkpoint, 0 or above (above 0 in the mode FTI-FF); part of the file names
     * @param level where it goes, as in {@link #checkpoint}
     * @return the checkpoint, to be committed by the program
     * @throws IOException the call waited for the checkpoint under way, and its outcome is not known
     * @throws IllegalArgumentException the id is too small, or the run writes files in layout A
     * @throws IllegalStateException another incremental checkpoint is open
     */
    IncrementalCheckpoint incremental(int ckptId, Level level) throws IOException;

    /**
     * Returns whether a checkpoint is being finished in the background.
     *
     * @return true after a {@link #checkpoint} that returned before the checkpoint was complete, until a call has
     *     waited for its end
     */
    boolean isUnderway();

    /**
     * Waits until the checkpoint that is being finished in the background is complete and the one it replaces is
     * deleted. The next {@link #checkpoint} and {@link #complete} do the same. Collective.
     *
     * @throws IOException on all ranks: the checkpoint failed, and earlier ones are unchanged; or it is in its place
     *     and {@link #lastCheckpoint}, but something that it replaces could not be deleted, or it could not be listed
     *     for SCR
     */
    void await() throws IOException;

    /**
     * Recovers the data after a restart, and takes a checkpoint when one is due. The program calls this once per
     * iteration of its main loop. A checkpoint is due when one of the intervals {@code ckpt_l1} to {@code ckpt_l4} of
     * the configuration has passed, or with {@code ckpt_interval = auto} the interval that loses the least time. It is
     * taken at the highest level that is due. The ids count up from 1, or after a restart from the recovered
     * checkpoint's id plus 1. Collective.
     *
     * <p>When the job is to stop, this call takes the last checkpoint at {@code [drumlin] stop_level} and waits until it
     * is complete. Then {@link #shouldStop} is true. With {@code [drumlin] stop = exit} the call closes the run and ends
     * the process with the status {@link #COME_AGAIN}.
     *
     * @return size and times of the checkpoint; empty if none was due
     * @throws IOException as {@link #recover()} and {@link #checkpoint}
     */
    Optional<CheckpointReport> snapshot() throws IOException;

    /**
     * Opens a group of this run: a run for the variables of a library, which are protected, checkpointed and recovered by
     * themselves. Collective.
     *
     * <pre>{@code
     * try (var checkpoints = Checkpoints.open(Path.of("config.fti"), world);
     *         var solver = checkpoints.group("solver")) {
     *     solver.protect(0, pressure);
     *     if (solver.isRestart()) {
     *         solver.recover();
     *     }
     * }
     * }</pre>
     *
     * <p>A group has ids of variables and of checkpoints, levels and times of its own. It has the settings of this run, the
     * options with which this run was opened, and the ranks of {@link #communicator}. Its {@code exec_id} is that of this
     * run with the name behind it, and its configuration file is in the directory of metadata of this run. It has no
     * {@link #singleFile}.
     *
     * <p>In a fresh run all groups are fresh. In a restarted run a group that has checkpoints is restarted. If only groups
     * have checkpoints when the job is killed, this run begins afresh ({@link #isRestart} is false) and the groups are
     * restarted. {@link #close} closes the groups that are open, and they can be restarted. {@link #complete} completes
     * the groups that are open. A group that is completed earlier begins afresh when this run is restarted.
     *
     * @param name 1 to 32 letters, digits, hyphens and underscores; the same on all ranks
     * @return the group, which the caller closes
     * @throws IOException on all ranks: the name is refused, the ranks give different names, or the group is open; this
     *     run is a group or a branch, has heads, or begins with the data of a shared HDF5 file; or as {@link #open}
     */
    Checkpoints group(String name) throws IOException;

    /**
     * Returns whether the program is to stop before the batch system ends the job. The program asks once per iteration
     * of its main loop. All ranks get the same answer in the same iteration. Then the program closes the run without
     * {@link #complete}, and ends with the status {@link #COME_AGAIN}.
     *
     * <pre>{@code
     * while (iteration.value < last && !checkpoints.shouldStop()) {
     *     ...
     *     checkpoints.snapshot();
     * }
     * }</pre>
     *
     * <p>A job is to stop when one of its ranks gets SIGTERM or SIGUSR1, when the halt file is there ({@code [drumlin]
     * halt_file}), or when the end of the allocation is so near that there is just time for a last checkpoint. The time
     * for it is computed from the checkpoints that were taken and from {@code [drumlin] stop_margin}. The environment
     * tells the end of the allocation, or Slurm does (docs/cluster-guide.md). A signal interrupts nothing; it only
     * changes the answer. The first call installs the handlers of the signals, unless the program has handlers of its
     * own; with {@code stop = exit} the opening of the run does. {@link #close} removes them. If SIGTERM comes again 5 seconds later or more, the JVM ends.
     *
     * <p>A program that calls {@link #snapshot} gets true after a snapshot has taken the last checkpoint; the ranks agree
     * in {@code snapshot()}, and this call sends no message. A program that takes its checkpoints itself takes the last
     * one when this call returns true, at level 4 unless what is on the nodes outlives the job. Without snapshots this
     * call is collective, and sends 16 bytes about once a second.
     *
     * @return always false with {@code [drumlin] stop = never}; true from the first true on
     * @throws IOException the ranks could not meet
     */
    boolean shouldStop() throws IOException;

    /**
     * Ends a run that has reached its goal, like {@code FTI_Finalize}, with its open groups. Collective. With {@code keep_last_ckpt = 1} the
     * last checkpoint is copied to the parallel file system for a later restart. With {@code keep_l4_ckpt = 1} the
     * level-4 checkpoints stay in the archive. Otherwise all files of the run are deleted. The program then calls
     * {@link #close}. A {@link #group} that has checkpoints and is not open keeps them, and a warning names it.
     *
     * @throws IOException on all ranks, if a step failed on any. If the checkpoint to be kept could not be kept, a
     *     restart is possible as before. After that step, what could not be archived or deleted stays where it is
     */
    void complete() throws IOException;

    /**
     * Ends the run on this rank after its communicator has failed, and leaves all files unchanged: frees memory, threads
     * and the lease, and sends no message. The program can then {@link #open} the run again, in the same process and
     * with a communicator of the ranks that are left or were replaced; with {@code failure = 1}, which a run sets with
     * its first checkpoint, it continues from the newest whole checkpoint. Not collective. Every surviving rank calls it
     * before any of them opens the run again. The communicators that the run made are not freed, because that is
     * collective. If a checkpoint in the background does not notice within 10 seconds that the communicator has failed,
     * its memory is not freed either. Replaces {@link #close}; a second call does nothing.
     */
    void abandon();

    /**
     * Frees the memory and the communicator, closes the open groups and leaves all files unchanged, so that a run that
     * did not {@link #complete} can be restarted. Collective. A second call does nothing.
     *
     * @throws IOException the communicator cannot be freed
     */
    @Override
    void close() throws IOException;
}
