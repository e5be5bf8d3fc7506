package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
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
public final class Checkpoints implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Run run;
    private final FtiConfig config;
    private final Engine engine;
    private final ProtectedVariables variables;
    private final LastCheckpoint last;
    private final Underway underway;
    private final SnapshotClock snapshotClock;
    private final boolean asynchronous;
    private final Optional<Staging> staging;
    private final FaultInjection faultInjection;
    private final Stash stash;
    private final SingleFile singleFile;
    private final RunDescription description;

    private Status status = Status.FRESH;
    private Optional<DrumlinException> recoveryFailure = Optional.empty();
    private int nextSnapshot = 1;
    private @Nullable IncrementalCheckpoint incremental;
    private Optional<DifferentialShare> share = Optional.empty();
    private boolean started;
    private boolean closed;

    private Checkpoints(Run run, Builder given) throws IOException {
        this.run = run;
        config = run.config();
        asynchronous = given.asynchronous || config.isAsynchronous();
        engine = Engine.of(run, given.packing.orElse(config.packing()));
        variables = new ProtectedVariables(config.maxVarId());
        singleFile = new SingleFile(engine, variables, callsOfSingleFile());
        last = new LastCheckpoint(engine, variables, singleFile);
        underway = new Underway(engine, last, Optional.ofNullable(given.lateFailures));
        snapshotClock = config.meanSecondsBetweenFailures().isEmpty()
                ? new MinuteClock(config, System::nanoTime)
                : new IntervalClock(config.meanSecondsBetweenFailures(), config.maxSyncIntv(), System::nanoTime);
        staging = config.staging()
                ? Optional.of(
                        new Staging(run.directories().stage(), run.storage(), config.heads() > 0, config.slabBytes()))
                : Optional.empty();
        faultInjection = new FaultInjection(config.injection(), run.app().rank(), System::nanoTime);
        stash = new Stash(engine, variables, underway, last);
        description = run.description(engine.group());
    }

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
    public static Checkpoints open(Path configFile, Communicator communicator) throws IOException {
        return builder(configFile).communicator(communicator).open();
    }

    /**
     * Begins to load the classes of a first checkpoint, in a thread of its own, so that it comes sooner. For programs that start
     * MPI before they open a run: to be called before, because MPI waits more than it computes while it starts. Where a run starts
     * MPI itself this is not needed. Returns at once, never fails, and does nothing the second time.
     */
    public static void preload() {
        Preload.start();
    }

    /**
     * Starts to describe a run.
     *
     * @param configFile configuration file of C FTI
     * @return a builder with the world communicator and the best storage engine
     */
    public static Builder builder(Path configFile) {
        return new Builder(configFile);
    }

    /** How a run is opened. Not thread-safe. */
    public static final class Builder {

        private final Path configFile;
        private @Nullable Communicator communicator;
        private @Nullable StorageEngine storage;
        private Optional<Packing> packing = Optional.empty();
        private final Map<Integer, ProtectedData> variables = new LinkedHashMap<>();
        private boolean freshStartIfUnrecoverable;
        private boolean asynchronous;
        private boolean anyNumberOfRanks;
        private boolean orderOfNodes;
        private @Nullable Consumer<IOException> lateFailures;
        private BiConsumer<Checkpoints, CheckpointReport> finishedByHead = (run, report) -> {};
        private Optional<HeadCallback> headCallback = Optional.empty();
        private Optional<IntFunction<Host>> hosts = Optional.empty();

        private Builder(Path configFile) {
            this.configFile = configFile;
        }

        /**
         * Names the ranks of the run; without it all processes of the job.
         *
         * @param ranks duplicated, and not closed by the run
         * @return this
         */
        public Builder communicator(Communicator ranks) {
            communicator = ranks;
            return this;
        }

        /**
         * Names the storage engine; without it the system property {@code drumlin.storage}, the configuration key
         * {@code [drumlin] storage} or the best one available decides, in this order.
         *
         * @param engine used for all files
         * @return this
         */
        public Builder storage(StorageEngine engine) {
            storage = engine;
            return this;
        }

        /**
         * Says how containers are placed; without it the configuration key {@code [drumlin] packing} decides.
         *
         * @param placement compact for the bytes C FTI would write, aligned for speed
         * @return this
         */
        public Builder packing(Packing placement) {
            packing = Optional.of(placement);
            return this;
        }

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
        public Builder protect(int id, Object variable) {
            variables.put(id, ProtectedData.of(variable));
            return this;
        }

        /**
         * The same for the first elements of an array or buffer.
         *
         * @param id as above
         * @param variable a primitive array or a java.nio buffer
         * @param count elements, 0 or above
         * @return this
         * @throws IllegalArgumentException the count is out of range or the class of {@code variable} cannot be protected
         */
        public Builder protect(int id, Object variable, long count) {
            variables.put(id, ProtectedData.of(variable, count));
            return this;
        }

        /**
         * Starts afresh where a restart finds no whole checkpoint, instead of throwing: what C FTI does.
         * {@link Checkpoints#recoveryFailure} then says what was missing. Not where the archive of level 4 has a checkpoint: that the new
         * run could replace, and {@link Checkpoints#open} says how to bring it back.
         *
         * @return this
         */
        public Builder freshStartIfUnrecoverable() {
            freshStartIfUnrecoverable = true;
            return this;
        }

        /**
         * Lets the run be restarted on another number of ranks than took its checkpoints; otherwise such a restart is refused. It goes on from
         * the newest checkpoint of level 4, in the modes FTI-FF, POSIX, MPI-IO and SIONlib: those of levels 1 to 3 are of use to the
         * former number only. Before {@link Checkpoints#recover} the program says how its variables are distributed
         * ({@link Checkpoints#distribute}).
         *
         * @return this
         */
        public Builder anyNumberOfRanks() {
            anyNumberOfRanks = true;
            return this;
        }

        /**
         * Lets data belong to places in the order of nodes and not to ranks, which is the rule of C FTI: {@link Checkpoints#communicator} is in this
         * order, and after a restart with the nodes in another order its ranks, and not those of the communicator given, have the data they
         * had. A warning says so where the numbers differ. For programs that are written for that, and use it for everything.
         *
         * @return this
         */
        public Builder orderOfNodes() {
            orderOfNodes = true;
            return this;
        }

        /**
         * Lets a thread of each rank take checkpoints while the rank computes, as {@code [drumlin] async = 1} does:
         * {@link Checkpoints#checkpoint} returns when the protected data are copied to memory. The copy takes as much as they do, and
         * is kept for the next checkpoint. Where MPI carries the messages it must provide MPI_THREAD_MULTIPLE.
         *
         * @return this
         */
        public Builder asynchronous() {
            asynchronous = true;
            return this;
        }

        /**
         * Says what becomes of the failure of a checkpoint that was being finished behind the computation. Without this the next
         * collective call throws it, on all ranks, and does nothing else; with it that call gives the failure to the handler, on all
         * ranks, and goes on: what C FTI does.
         *
         * @param handler told of each failure; earlier checkpoints are as they were
         * @return this
         */
        public Builder lateFailures(Consumer<IOException> handler) {
            lateFailures = handler;
            return this;
        }

        /**
         * Lets a head tell of its work.
         *
         * @param listener told, on heads, of their run and each checkpoint that they have finished: the bytes are those of the node,
         *     of the times only the last is not 0
         * @return this
         */
        public Builder finishedByHead(BiConsumer<Checkpoints, CheckpointReport> listener) {
            finishedByHead = listener;
            return this;
        }

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
        public Builder headCallback(HeadCallback callback) {
            headCallback = Optional.of(callback);
            return this;
        }

        /** Invents the hosts of the ranks, for tests on one machine that lose, replace and reorder nodes. */
        Builder hosts(IntFunction<Host> ofRank) {
            hosts = Optional.of(ofRank);
            return this;
        }

        /**
         * Opens the run. Collective.
         *
         * @return the run
         * @throws IOException as {@link Checkpoints#open}
         */
        public Checkpoints open() throws IOException {
            Run run = prepare();
            Checkpoints checkpoints = new Checkpoints(run, this);
            try {
                checkpoints.start(this);
                if (checkpoints.isHead()) {
                    checkpoints.head(this).serve();
                }
            } catch (IOException | RuntimeException | Error e) {
                checkpoints.closeAfter(e);
                throw e;
            }
            return checkpoints;
        }

        private Run prepare() throws IOException {
            if (communicator != null) {
                return prepare(communicator);
            }
            preload();
            try (Communicator world = Communicators.world()) {
                return prepare(world);
            }
        }

        private Run prepare(Communicator ranks) throws IOException {
            Optional<Host> host = hosts.map(ofRank -> ofRank.apply(ranks.rank()));
            return Run.prepare(configFile, ranks, Optional.ofNullable(storage), anyNumberOfRanks, orderOfNodes, host);
        }
    }

    private void start(Builder given) throws IOException {
        if (run.headLink().isEmpty()) {
            begin(given);
            return;
        }
        run.headLink().get().agree("opening run " + run.execId(), () -> {
            if (!isHead()) {
                begin(given);
            }
        });
    }

    private Head head(Builder given) {
        IdleHead idle = new IdleHead(run.headLink().orElseThrow(), this, given.headCallback);
        return new Head(engine, idle, report -> given.finishedByHead.accept(this, report));
    }

    private void begin(Builder given) throws IOException {
        if (asynchronous && !engine.app().threadMultiple()) {
            throw DrumlinException.during("opening run " + run.execId())
                    .problem("asynchronous checkpoints need MPI_THREAD_MULTIPLE, and MPI was initialised without it")
                    .advice("let Drumlin initialise MPI, or ask for it in the program; or set [drumlin] async = 0,"
                            + " heads (head = 1) need no second thread")
                    .exception();
        }
        Agreement.run(engine.app(), "protecting variables", () -> given.variables
                .keySet()
                .forEach(variables::requireInRange));
        boolean mayLeaveThem = given.freshStartIfUnrecoverable || given.anyNumberOfRanks;
        engine.reader().recoverInto(mayLeaveThem ? Map.of() : given.variables);
        RunStart start = new RunStart(engine, singleFile, last);
        start.begin(given.anyNumberOfRanks, given.freshStartIfUnrecoverable);
        engine.reader().recoverInto(Map.of());
        // Not before: they get the names under which they are stored.
        given.variables.forEach(variables::protect);
        status = start.status();
        recoveryFailure = start.recoveryFailure();
        nextSnapshot = start.nextCkptId();
        if (isRestart()) {
            last.awaitRecovery();
        }
        started = true;
    }

    /**
     * Protects data under an id, or replaces what is protected under it: from now on checkpoints hold them. Nothing is
     * copied; the values at the time of a checkpoint count. Not collective, but every rank protects in the same order.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array, a java.nio buffer from its position to its limit, or a {@link Scalar}
     * @throws IllegalArgumentException the id is out of range or the class of {@code variable} cannot be protected
     */
    public void protect(int id, Object variable) {
        variables.protect(id, ProtectedData.of(variable));
    }

    /**
     * Protects the first elements of an array or buffer; otherwise as {@link #protect(int, Object)}.
     *
     * @param id 0 to {@code max_var_id} of the configuration
     * @param variable a primitive array or a java.nio buffer
     * @param count elements, 0 or above
     * @throws IllegalArgumentException the id or the count is out of range or the class of {@code variable} cannot be
     *     protected
     */
    public void protect(int id, Object variable, long count) {
        variables.protect(id, ProtectedData.of(variable, count));
    }

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
    public void protect(int id, Object variable, long count, DataType type) {
        variables.protect(id, variable, count, type);
    }

    /**
     * Says how a variable is shared by the ranks, for a restart on another number of them ({@link Builder#anyNumberOfRanks}); before it is
     * recovered. Nothing of it is stored: the program that restarts says it for the one that took the checkpoint too.
     *
     * @param id a protected variable; what is protected under the id later is distributed alike
     * @param distribution the same on all ranks
     * @throws IllegalArgumentException the variable is not protected
     */
    public void distribute(int id, Distribution distribution) {
        variables.require(id).distribution(Optional.of(distribution));
    }

    /**
     * Bytes a checkpoint of this rank would hold.
     *
     * @return sum over all protected variables
     */
    public long protectedBytes() {
        return variables.bytes();
    }

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
    public <T> T reallocate(int id, T array) {
        return variables.reallocate(id, array);
    }

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
    public int idFor(String name) {
        return variables.idFor(name);
    }

    /**
     * The id that a name stands for, if it is known: from {@link #idFor}, or from the checkpoint of a restart.
     *
     * @param name a name
     * @return the id
     * @throws IllegalArgumentException no variable can have that name
     */
    public Optional<Integer> idOf(String name) {
        return variables.idOf(name);
    }

    /**
     * Gives a protected variable a name that the metadata of all modes but FTI-FF tell of. Drumlin makes nothing of it.
     *
     * @param id a protected variable
     * @param name without line breaks; at most 255 bytes of UTF-8
     * @throws IllegalArgumentException the variable is not protected, or the name cannot be stored
     */
    public void setAttribute(int id, String name) {
        variables.setAttribute(id, name);
    }

    /**
     * Gives a protected variable dimensions that the metadata of all modes but FTI-FF tell of. Drumlin makes nothing of them.
     *
     * @param id a protected variable
     * @param dimensions at most 32
     * @throws IllegalArgumentException the variable is not protected, or has too many dimensions
     */
    public void setAttribute(int id, List<Long> dimensions) {
        variables.setAttribute(id, dimensions);
    }

    /**
     * Flips a bit of a variable as the section {@code [injection]} of the configuration says, to try how a program bears it.
     *
     * @param id a protected variable of floats or doubles
     * @return whether it was flipped: on the rank named there only, as often as it says, and when the time there has passed since
     *     the last flip
     * @throws IllegalArgumentException the variable is not protected, is neither of floats nor of doubles, or has no such element
     */
    public boolean flipBit(int id) {
        return faultInjection.flip(id, variables.require(id));
    }

    /**
     * Says where a protected variable is in the files of the mode HDF5: {@code FTI_DefineDataset}. The other modes make nothing
     * of it. A restart reads the dataset that is defined then, so it is defined again before the data are recovered.
     *
     * @param id a protected variable
     * @param name of the dataset, without slashes; if it is empty, as before, at first {@code Dataset_} and the id
     * @param dimensions at most 32, whose product is the number of elements, the last varying fastest; if there are none, as
     *     before, at first one
     * @param group of this run; if it is empty, as before, at first {@link #datasets}
     * @throws IllegalArgumentException the variable is not protected, the name cannot be, the dimensions do not fit or the group
     *     is of another run
     */
    public void defineDataset(int id, Optional<String> name, List<Long> dimensions, Optional<DatasetGroup> group) {
        variables.define(id, name, dimensions, group);
    }

    /**
     * The root group in the files of the mode HDF5.
     *
     * @return the same for the whole run
     */
    public DatasetGroup datasets() {
        return variables.datasets();
    }

    /**
     * How the run started.
     *
     * @return {@link Status#FRESH} also after {@link #recover}
     */
    public Status status() {
        return status;
    }

    /**
     * Whether there are data to recover.
     *
     * @return true from the opening of a restarted run until {@link #recover}
     */
    public boolean isRestart() {
        return status != Status.FRESH;
    }

    /**
     * Why a restart that was asked for has become a fresh start.
     *
     * @return empty unless the run was opened with {@link Builder#freshStartIfUnrecoverable}
     */
    public Optional<DrumlinException> recoveryFailure() {
        return recoveryFailure;
    }

    /**
     * The checkpoint that {@link #recover} reads: the one the restart found, later the last one taken.
     *
     * @return its id, or empty when there is none
     */
    public Optional<Integer> lastCheckpoint() {
        return last.ckptId();
    }

    /**
     * How many ranks of the application took {@link #lastCheckpoint}, where it is one that {@link #recover} brings to another number of them.
     *
     * @return empty if each rank has a checkpoint of its own
     */
    public Optional<Integer> formerRanks() {
        return last.formerRanks();
    }

    /**
     * The level of {@link #lastCheckpoint}.
     *
     * @return the level at which it was found or taken, or empty when there is none
     */
    public Optional<Level> lastLevel() {
        return last.level();
    }

    /**
     * Whether this rank is a head: with {@code head = 1} the first of each node, which takes no part in the application. It works
     * on the checkpoints of its node within {@link #open}, which returns when the application has closed the run; nothing is left
     * to do then but to close.
     *
     * @return true on a head
     */
    public boolean isHead() {
        return run.topology().isHead();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this run is closed: open it again to go on with it");
        }
    }

    private void requireApplication() {
        requireOpen();
        if (isHead()) {
            throw new IllegalStateException(
                    "rank " + run.topology().rank() + " is a head of the run and has no data in it: a program ends, or"
                            + " goes on with something else, where isHead()");
        }
    }

    /**
     * The ranks of the application, or on a head the heads, in the order of the communicator given to {@link #open}; with
     * {@link Builder#orderOfNodes} in the order of nodes.
     *
     * @return closed with this; Drumlin's own messages go another way
     */
    public Communicator communicator() {
        return run.app();
    }

    /**
     * Sends files of the program to the parallel file system.
     *
     * @return empty without {@code enable_staging = 1}
     */
    public Optional<Staging> staging() {
        return staging;
    }

    /**
     * Puts checkpoints aside, to go back to them later.
     *
     * @return the stashes of this run
     */
    public Stash stash() {
        return stash;
    }

    /**
     * Checkpoints in one HDF5 file of all ranks, for a restart on any number of ranks.
     *
     * @return the shared files of this run
     */
    public SingleFile singleFile() {
        return singleFile;
    }

    private SingleFile.CallsOfRun callsOfSingleFile() {
        return new SingleFile.CallsOfRun() {
            @Override
            public void meet(int ckptId, int request) throws IOException {
                requireApplication();
                Checkpoints.this.meet(ckptId, request);
            }

            @Override
            public void requireNoneOpen() {
                Checkpoints.this.requireNoneOpen();
            }

            @Override
            public void begun(IncrementalCheckpoint checkpoint) {
                incremental = checkpoint;
            }
        };
    }

    /**
     * The node of this rank.
     *
     * @return 0 or above, in the order of the first ranks of nodes; with {@link Builder#orderOfNodes} that of the run's first start
     */
    public int node() {
        return run.topology().node();
    }

    /**
     * Whether this rank does what is done once per node, such as the work on node-local directories.
     *
     * @return true on the first rank of the application on each node, and on its head
     */
    public boolean isNodeMaster() {
        return run.topology().isNodeMaster();
    }

    /**
     * What C FTI prints of the run.
     *
     * @return {@code verbosity} of the configuration: 1 debug, 2 information, 3 warnings
     */
    public int verbosity() {
        return config.verbosity();
    }

    /**
     * What the configuration came to, and where this rank stands.
     *
     * @return the same for the whole run
     */
    public RunDescription describe() {
        return description;
    }

    /**
     * The run's id, a directory name below each configured directory.
     *
     * @return the id
     */
    public String execId() {
        return run.execId();
    }

    /**
     * Size of a variable in the last checkpoint.
     *
     * @param id id of the variable
     * @return bytes; 0 if it is not in the checkpoint or there is none
     */
    public long storedSize(int id) {
        return last.storedSize(id);
    }

    /**
     * Brings all protected data back from the last checkpoint: after a restart the one that was found, in a running job the
     * one taken last. Every rank reads its own file, checking every byte; where there are {@link #formerRanks}, it reads what it
     * needs of their files, which were checked when the run was opened, and the call is collective. So it is in a run that began with
     * a {@link SingleFile}.
     *
     * @throws IOException there is no checkpoint, the protected variables or their sizes differ from the stored ones, or the
     *     file cannot be read; in the last case data may be partly overwritten
     */
    public void recover() throws IOException {
        requireOpen();
        underway.awaitHere();
        last.recover();
        status = Status.FRESH;
    }

    /**
     * Brings one variable back; otherwise as {@link #recover()}. {@link #status} does not change.
     *
     * @param id a protected variable
     * @throws IOException there is no checkpoint, the variable is not in it or has another size there, or the file cannot be
     *     read; where the call is collective, on all ranks, also if the variable is not protected on any
     * @throws IllegalArgumentException the variable is not protected, where the call is not collective
     */
    public void recover(int id) throws IOException {
        requireOpen();
        underway.awaitHere();
        last.recover(id);
    }

    /**
     * Gives up what a restart has found: from now on checkpoints may replace it. Without this, a checkpoint before anything of it was
     * recovered fails, because it would replace the only good data by what the variables hold before. Not collective, but every rank
     * calls it. {@link #status} is {@link Status#FRESH} then; {@link #recover} still brings the data back until a checkpoint
     * replaces them. Does nothing in a run that was not restarted.
     */
    public void discardRestart() {
        last.awaitNothing();
        status = Status.FRESH;
    }

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
    public CheckpointReport checkpoint(int ckptId, Level level) throws IOException {
        requireApplication();
        requireNoneOpen();
        long begin = System.nanoTime();
        Level taken = available(level);
        long timestamp = meet(ckptId, taken.request());
        if (taken == Level.L4_DCP) {
            try (IncrementalFile file = unfinished(taken)) {
                return take(ckptId, taken, timestamp, file.adding(engine.mode().order(variables.byId())), begin);
            }
        }
        if (asynchronous && config.isInline(taken)) {
            return takeBehind(ckptId, taken, timestamp, begin);
        }
        OwnFile own = new DirectFile(variables.byId(), engine.mode(), engine.storage(), engine.slabs());
        return take(ckptId, taken, timestamp, own, begin);
    }

    /** What C FTI does: an ordinary checkpoint of level 4 where there are no differential ones. */
    private Level available(Level level) {
        if (level != Level.L4_DCP || config.differential().isPresent()) {
            return level;
        }
        if (engine.app().rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "a differential checkpoint is asked for and the configuration allows none: it is taken at level 4");
        }
        return Level.L4;
    }

    private IncrementalFile unfinished(Level level) {
        IoMode mode = engine.mode();
        mode.requireGathering();
        Path path = unfinishedFile(level);
        boolean temporary = level != Level.L4_DCP;
        return new IncrementalFile(
                engine.storage(), path, temporary, () -> mode.gathering(level, path), variables.byId());
    }

    private Path unfinishedFile(Level level) {
        RunDirectory directories = engine.directories();
        if (level == Level.L4_DCP) {
            return engine.mode().differentialFile(directories);
        }
        // What is copied into a file of all ranks, or by a head, is best kept near.
        boolean near = engine.mode().shared(level).isPresent() || !config.isInline(level);
        Path root = near ? directories.local() : directories.root(level);
        return root.resolve(FileNames.incrementalName(run.topology().fileRank()));
    }

    /**
     * How much a differential checkpoint had to write.
     *
     * @return empty unless the last checkpoint was one
     */
    public Optional<DifferentialShare> differentialShare() {
        return share;
    }

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
    public IncrementalCheckpoint incremental(int ckptId, Level level) throws IOException {
        requireApplication();
        requireId(ckptId);
        requireNoneOpen();
        underway.awaitHere();
        Level taken = available(level);
        IncrementalCheckpoint begun =
                new IncrementalCheckpoint(ckptId, engine.app(), additions(ckptId, taken, unfinished(taken)));
        incremental = begun;
        return begun;
    }

    private IncrementalCheckpoint.Target additions(int ckptId, Level level, IncrementalFile file) {
        return new IncrementalCheckpoint.Target() {
            @Override
            public void requireNew(int id) {
                variables.require(id);
                file.requireNew(id);
            }

            @Override
            public void add(int id) throws IOException {
                file.add(List.of(id));
            }

            @Override
            public CheckpointReport commit(@Nullable IOException failure) throws IOException {
                long begin = System.nanoTime();
                long timestamp = meet(ckptId, level.request());
                Agreement.agree(engine.app(), "incremental checkpoint " + ckptId, failure);
                return take(ckptId, level, timestamp, file, begin);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private void requireNoneOpen() {
        IncrementalCheckpoint open = incremental;
        if (open != null && !open.isClosed()) {
            throw new IllegalStateException(
                    "incremental checkpoint " + open.ckptId() + " is neither committed nor closed");
        }
    }

    /** With id 0 in the mode FTI-FF, a restart of C FTI crashes. */
    private void requireId(int ckptId) {
        int least = config.ioMode() == FtiConfig.IO_FTIFF ? 1 : 0;
        if (ckptId < least) {
            throw new IllegalArgumentException("checkpoint id " + ckptId + " is below " + least);
        }
    }

    /** Waits for the checkpoint before, then for all ranks. Collective. */
    private long meet(int ckptId, int request) throws IOException {
        await();
        share = Optional.empty();
        long timestamp = engine.taker().meet(ckptId, request, last.isWaiting());
        requireId(ckptId);
        engine.reader().forget();
        underway.tidy();
        return timestamp;
    }

    private CheckpointReport take(int ckptId, Level level, long timestamp, OwnFile own, long begin) throws IOException {
        long met = System.nanoTime();
        if (!config.isInline(level)) {
            Draft draft = engine.taker().writeForHead(ckptId, level, timestamp, own);
            long durable = System.nanoTime();
            underway.handOver(ckptId, level, timestamp, draft);
            return report(ckptId, level, draft.size(), begin, met, durable);
        }
        CheckpointTaken taken = engine.taker().take(ckptId, level, timestamp, own);
        last.set(taken.source());
        share = taken.share();
        if (taken.late().isPresent()) {
            throw taken.late().get();
        }
        return report(ckptId, level, taken.bytes(), begin, met, taken.durable());
    }

    private CheckpointReport takeBehind(int ckptId, Level level, long timestamp, long begin) throws IOException {
        long met = System.nanoTime();
        underway.takeBehind(ckptId, level, timestamp, variables.byId());
        return report(ckptId, level, variables.bytes(), begin, met, System.nanoTime());
    }

    private static CheckpointReport report(int ckptId, Level level, long bytes, long begin, long met, long durable) {
        long end = System.nanoTime();
        return new CheckpointReport(
                ckptId, level, bytes, (met - begin) / 1e9, (durable - met) / 1e9, (end - durable) / 1e9);
    }

    /**
     * Whether a checkpoint is being finished behind the computation.
     *
     * @return true from a {@link #checkpoint} that returned before its end to the call that waits for this end
     */
    public boolean isUnderway() {
        return underway.isUnderway();
    }

    /**
     * Waits until the checkpoint that is being finished behind the computation is complete, and the one that it replaces deleted. Also
     * done by the next {@link #checkpoint} and by {@link #complete}. Collective.
     *
     * @throws IOException on all ranks: it has failed, and earlier ones are as they were; or it is in its place, and something
     *     that it replaces could not be deleted, or it could not be listed for SCR: then {@link #lastCheckpoint} is this one
     */
    public void await() throws IOException {
        requireApplication();
        underway.await();
    }

    /**
     * To be called once per iteration of the main loop: brings the data back after a restart, and takes a checkpoint when one of
     * the intervals {@code ckpt_l1} to {@code ckpt_l4} of the configuration has passed, or with {@code ckpt_interval = auto} one
     * that loses the least time, at the highest level that is due. Their ids count up from 1, after a restart from the one behind the recovered checkpoint's. Collective.
     *
     * @return what the checkpoint took; empty when none was due
     * @throws IOException as {@link #recover()} and {@link #checkpoint}
     */
    public Optional<CheckpointReport> snapshot() throws IOException {
        requireApplication();
        if (isRestart()) {
            Agreement.run(engine.app(), "recovery", this::recover);
            return Optional.empty();
        }
        Optional<Level> due = snapshotClock.tick(run.app());
        if (due.isEmpty()) {
            return Optional.empty();
        }
        CheckpointReport report = checkpoint(nextSnapshot, due.get());
        nextSnapshot++;
        snapshotClock.taken(run.app(), due.get(), report.seconds());
        return Optional.of(report);
    }

    /**
     * What the ranks agreed on in the last call of {@link #snapshot}.
     *
     * @return empty if that call needed no agreement
     */
    public Optional<SnapshotPlan> newSnapshotPlan() {
        return snapshotClock.newPlan();
    }

    /**
     * Ends a run that has reached its goal, as {@code FTI_Finalize}. Collective. With {@code keep_last_ckpt = 1} the last
     * checkpoint is brought to the parallel file system, for a later restart; with {@code keep_l4_ckpt = 1} the level-4
     * checkpoints stay in the archive; otherwise all files of the run are deleted. To be followed by {@link #close}.
     *
     * @throws IOException on all ranks, if a step failed on any. As long as a checkpoint to be kept is not kept, a restart is
     *     possible as before; what could not be archived or deleted after that stays where it is
     */
    public void complete() throws IOException {
        await();
        new RunEnd(engine, staging).complete(last);
    }

    /**
     * Lets go of memory and communicator and leaves all files as they are, so that a run that did not {@link #complete} can
     * be restarted. Collective. A second call does nothing.
     *
     * @throws IOException the communicator cannot be freed
     */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        staging.ifPresent(Staging::close);
        try {
            try {
                if (incremental != null) {
                    incremental.close();
                }
            } finally {
                leave();
            }
        } finally {
            engine.log().flush();
            underway.close();
            try {
                engine.close();
                run.app().close();
            } finally {
                // Another job may change the directories from now on, so this one has deleted what it had to.
                run.lease().ifPresent(Lease::close);
            }
        }
    }

    /** Waits until this rank deletes nothing any more behind the computation. */
    void awaitDeletion() {
        engine.levels().awaitDeletion();
    }

    private void leave() throws IOException {
        try {
            if (started) {
                underway.leave();
            }
        } finally {
            if (run.headLink().isPresent()) {
                run.headLink().get().close();
            }
        }
    }

    private void closeAfter(Throwable failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }
}
