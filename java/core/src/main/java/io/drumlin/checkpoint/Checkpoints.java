package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.CheckpointTaker.Taken;
import io.drumlin.checkpoint.HandedOver.Outcome;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
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
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
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
 * <p>The configuration file, the directories and the files are those of C FTI (docs/formats). There is no static state:
 * several runs can be open in one process. Methods marked <em>collective</em> are called by every rank, in the same order;
 * when such a call fails on one rank it throws on all. One thread per rank calls.
 */
public final class Checkpoints implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator application;
    private final Communicator app;
    private final Optional<HeadLink> headLink;
    private final int rank;
    private final int fileRank;
    private final Optional<Run.Former> former;
    private final FtiConfig config;
    private final Topology topology;
    private final String execId;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final RunDirectory directories;
    private final LevelDirectories levels;
    private final CheckpointReader reader;
    private final Communicator node;
    private final Group group;
    private final Refusals refusals;
    private final IoMode mode;
    private final LevelCopy copy;
    private final RestartSection restartSection;
    private final CheckpointTaker taker;
    private final SnapshotClock snapshotClock;

    private final ProtectedVariables variables;
    private Status status;
    private int nextSnapshot = 1;
    private @Nullable IncrementalCheckpoint incremental;
    private Optional<DifferentialShare> share = Optional.empty();
    private @Nullable Source source;
    private final Optional<HandedOver> handedOver;
    private @Nullable Outcome headsOutcome;
    private final boolean asynchronous;
    private final CheckpointThread thread;
    private final StagedData staged;
    private Optional<IOException> late = Optional.empty();
    private final Optional<Consumer<IOException>> lateFailures;
    private boolean started;
    private boolean closed;

    private @Nullable Redistribution redistribution;
    private @Nullable DrumlinException recoveryFailure;
    private final Optional<Staging> staging;
    private final FaultInjection faultInjection;
    private final Stash stash;
    private final SingleFile singleFile;
    private final RunDescription description;

    private Checkpoints(Run run, Builder given) throws IOException {
        lateFailures = Optional.ofNullable(given.lateFailures);
        asynchronous = given.asynchronous || run.config().isAsynchronous();
        application = run.app();
        // The program's messages must not meet those of checkpoints, which may be taken by another thread.
        app = application.dup();
        former = run.former();
        headLink = run.headLink();
        handedOver = headLink.map(HandedOver::new);
        rank = run.topology().rank();
        fileRank = run.topology().fileRank();
        config = run.config();
        topology = run.topology();
        execId = run.execId();
        storage = run.storage();
        directories = run.directories();
        slabs = new SlabPool(storage, CheckpointReader.SLABS);
        int ranksOfMachine = config.localTest() ? app.size() : topology.nodeSize();
        reader = new CheckpointReader(
                storage, slabs, KeptBytes.ofFreeMemory(storage, config.restartMemory(), ranksOfMachine));
        boolean metadata = config.ioMode() != FtiConfig.IO_FTIFF;
        levels = new LevelDirectories(app, run.topology(), directories, storage, config.keepL4Ckpt(), metadata);
        restartSection = new RestartSection(app, run.configFile(), execId, storage);
        variables = new ProtectedVariables(config.maxVarId());
        snapshotClock = config.meanSecondsBetweenFailures().isEmpty()
                ? new MinuteClock(config, System::nanoTime)
                : new IntervalClock(config.meanSecondsBetweenFailures(), config.maxSyncIntv(), System::nanoTime);
        status = Status.FRESH;
        node = Recovery.nodeOf(app, run.topology());
        group = Group.of(app, run.topology(), config.groupSize());
        refusals = Refusals.logged(app);
        Packing packing = given.packing.orElse(config.packing());
        mode = IoMode.of(config, app, group, topology, levels, storage, slabs, reader, refusals, packing);
        copy = new LevelCopy(app, directories, storage, slabs, reader, mode);
        LevelWriter writer = new LevelWriter(app, group, directories, storage, slabs, mode);
        DifferentialWriter differential = new DifferentialWriter(app, directories, levels, storage, mode);
        taker = new CheckpointTaker(run, app, levels, mode, writer, differential, restartSection);
        thread = new CheckpointThread(rank);
        staged = new StagedData(storage);
        staging = config.staging()
                ? Optional.of(new Staging(directories.stage(), storage, config.heads() > 0))
                : Optional.empty();
        faultInjection = new FaultInjection(config.injection(), app.rank(), System::nanoTime);
        Function<IoMode.Places, IoMode> modeAt =
                places -> IoMode.of(config, app, group, topology, places, storage, slabs, reader, refusals, packing);
        stash = new Stash(app, topology, group, directories, levels, storage, slabs, reader, variables, modeAt);
        description = RunDescription.of(run, group);
        singleFile = new SingleFile(config, app, storage, slabs, variables, callsOfSingleFile());
    }

    /**
     * Opens the run that a configuration file describes: a new one, or after a failure the one that failed. Collective.
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
        private boolean freshStartIfUnrecoverable;
        private boolean asynchronous;
        private boolean anyNumberOfRanks;
        private @Nullable Consumer<IOException> lateFailures;
        private BiConsumer<Checkpoints, CheckpointReport> finishedByHead = (run, report) -> {};

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
         * Starts afresh where a restart finds no whole checkpoint, instead of throwing: what C FTI does.
         * {@link Checkpoints#recoveryFailure} then says what was missing.
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
                    checkpoints.head(run, finishedByHead).serve();
                }
            } catch (IOException | RuntimeException | Error e) {
                checkpoints.closeAfter(e);
                throw e;
            }
            return checkpoints;
        }

        private Run prepare() throws IOException {
            if (communicator != null) {
                return Run.prepare(configFile, communicator, Optional.ofNullable(storage), anyNumberOfRanks);
            }
            try (Communicator world = Communicators.world()) {
                return Run.prepare(configFile, world, Optional.ofNullable(storage), anyNumberOfRanks);
            }
        }
    }

    private void start(Builder given) throws IOException {
        if (headLink.isEmpty()) {
            begin(given);
            return;
        }
        headLink.get().agree("opening run " + execId, () -> {
            if (!isHead()) {
                begin(given);
            }
        });
    }

    private Head head(Run run, BiConsumer<Checkpoints, CheckpointReport> finished) {
        return new Head(
                run.headLink().orElseThrow(), run, group, levels, slabs, mode, report -> finished.accept(this, report));
    }

    private void begin(Builder given) throws IOException {
        if (asynchronous && !app.threadMultiple()) {
            throw DrumlinException.during("opening run " + execId)
                    .problem("asynchronous checkpoints need MPI_THREAD_MULTIPLE, and MPI was initialised without it")
                    .advice("let Drumlin initialise MPI, or ask for it in the program; or set [drumlin] async = 0,"
                            + " heads (head = 1) need no second thread")
                    .exception();
        }
        if (config.isFromSingleFile()) {
            restartFromSingleFile(given.freshStartIfUnrecoverable);
        } else if (config.failure() != 0) {
            restart(given);
        }
        // What could not be recovered now may be recoverable later, and what other ranks have left by as many: it stays
        // until the program takes a checkpoint.
        if (recoveryFailure == null && redistribution == null) {
            for (Level level : Level.values()) {
                levels.tidy(level);
            }
            levels.deleteIncremental();
        }
        // From now on the file names this run, as after FTI_Init.
        restartSection.take(config.failure());
        started = true;
    }

    private void restart(Builder given) throws IOException {
        Restart restart =
                new Restart(app, node, topology, group, directories, levels, storage, slabs, mode, copy, refusals);
        Run.Former known = former.orElseThrow();
        // On other nodes the files of some ranks could be taken for those of all.
        Optional<Source> found = known.sameNodes() ? restart.find() : Optional.empty();
        if (found.isEmpty() && given.anyNumberOfRanks) {
            restartFormer(new FormerRestart(app, levels, mode, reader, refusals, known.numberedByNode())
                    .find(restart.order()));
        }
        if (redistribution != null) {
            return;
        }
        if (found.isEmpty()) {
            unrecoverable(Recovery.nothingRecoverable(execId), given.freshStartIfUnrecoverable);
            return;
        }
        Source from = found.get();
        setSource(from);
        nextSnapshot = from.file().ckptId() + 1;
        status = config.failure() == 2 ? Status.RESTART_FROM_KEPT : Status.RESTART;
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.INFO,
                    "recovering from level {0}, checkpoint {1}",
                    from.level().number(),
                    Integer.toString(from.file().ckptId()));
        }
        if (from.level() == Level.L4) {
            taker.listIfMissing(from.file().ckptId());
        }
    }

    private void unrecoverable(DrumlinException failure, boolean freshStart) throws DrumlinException {
        recoveryFailure = failure;
        if (!freshStart) {
            throw failure;
        }
        LOG.log(Logger.Level.WARNING, failure.getMessage());
    }

    private void restartFromSingleFile(boolean freshStartIfUnrecoverable) throws IOException {
        Optional<SingleFileSource> found = singleFile.find();
        if (found.isEmpty()) {
            unrecoverable(singleFile.notFound(), freshStartIfUnrecoverable);
            return;
        }
        nextSnapshot = found.get().ckptId() + 1;
        status = Status.RESTART_FROM_SINGLE_FILE;
    }

    private void restartFormer(Optional<FormerCheckpoint> found) {
        if (found.isEmpty()) {
            return;
        }
        FormerCheckpoint from = found.get();
        redistribution = new Redistribution(app, from, storage, slabs);
        taker.succeedFormerRun();
        nextSnapshot = from.ckptId() + 1;
        status = config.failure() == 2 ? Status.RESTART_FROM_KEPT : Status.RESTART;
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.INFO,
                    "recovering from level {0}, checkpoint {1}, of {2} ranks for {3}; checkpoints of levels 1 to 3"
                            + " would be found by {2} ranks only",
                    from.level().number(),
                    Integer.toString(from.ckptId()),
                    Integer.toString(from.ranks()),
                    Integer.toString(app.size()));
        }
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
     * stored with the checkpoint, and known again after a restart.
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
        return Optional.ofNullable(recoveryFailure);
    }

    /**
     * The checkpoint that {@link #recover} reads: the one the restart found, later the last one taken.
     *
     * @return its id, or empty when there is none
     */
    public Optional<Integer> lastCheckpoint() {
        return redistribution != null
                ? Optional.of(redistribution.former().ckptId())
                : Optional.ofNullable(source).map(found -> found.file().ckptId());
    }

    /**
     * How many ranks of the application took {@link #lastCheckpoint}, where it is one that {@link #recover} brings to another number of them.
     *
     * @return empty if each rank has a checkpoint of its own
     */
    public Optional<Integer> formerRanks() {
        return Optional.ofNullable(redistribution).map(found -> found.former().ranks());
    }

    /**
     * The level of {@link #lastCheckpoint}.
     *
     * @return the level at which it was found or taken, or empty when there is none
     */
    public Optional<Level> lastLevel() {
        return redistribution != null
                ? Optional.of(redistribution.former().level())
                : Optional.ofNullable(source).map(Source::level);
    }

    /**
     * Whether this rank is a head: with {@code head = 1} the first of each node, which takes no part in the application. It works
     * on the checkpoints of its node within {@link #open}, which returns when the application has closed the run; nothing is left
     * to do then but to close.
     *
     * @return true on a head
     */
    public boolean isHead() {
        return topology.isHead();
    }

    private void requireApplication() {
        if (isHead()) {
            throw new IllegalStateException("rank " + rank + " was a head of the run, which is over: a program ends, or"
                    + " goes on with something else, where isHead()");
        }
    }

    /**
     * The ranks of the application in the order of their nodes, or on a head the heads; rank numbers can differ from those of the communicator given
     * to {@link #open} after a node was replaced.
     *
     * @return closed with this; Drumlin's own messages go another way
     */
    public Communicator communicator() {
        return application;
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
     * @throws IOException the end of the checkpoint under way, for which this waits, is not known
     */
    public Stash stash() throws IOException {
        awaitHere();
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
     * @return 0 or above, in the order of nodes of the run's first start
     */
    public int node() {
        return topology.node();
    }

    /**
     * Whether this rank does what is done once per node, such as the work on node-local directories.
     *
     * @return true on the first rank of the application on each node, and on its head
     */
    public boolean isNodeMaster() {
        return topology.isNodeMaster();
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
        return execId;
    }

    /**
     * Size of a variable in the last checkpoint.
     *
     * @param id id of the variable
     * @return bytes; 0 if it is not in the checkpoint or there is none
     */
    public long storedSize(int id) {
        return source == null ? 0 : source.file().size(id);
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
        if (redistribution != null) {
            redistribution.recover(variables.byId(), true);
            status = Status.FRESH;
            return;
        }
        if (source == null && singleFile.restartFile().isPresent()) {
            singleFile.recover();
            status = Status.FRESH;
            return;
        }
        Source from = requireVerifiedSource();
        Set<Integer> stored = from.file().sizes().keySet();
        if (stored.size() != variables.byId().size()) {
            throw DrumlinException.during("recovery")
                    .path(from.path())
                    .rank(rank)
                    .problem(variables.byId().size() + " variables are protected and " + stored.size() + " are stored")
                    .advice("protect exactly the variables " + stored + " before recovering")
                    .exception();
        }
        for (int id : variables.byId().keySet()) {
            checkSize(from, id);
        }
        reader.recover(from.path(), from.file(), variables.byId());
        reader.forget();
        mode.recovered(from, variables.byId());
        status = Status.FRESH;
    }

    /**
     * Brings one variable back; otherwise as {@link #recover()}. {@link #status} does not change.
     *
     * @param id a protected variable
     * @throws IOException there is no checkpoint, the variable is not in it or has another size there, or the file cannot be
     *     read
     */
    public void recover(int id) throws IOException {
        if (redistribution != null) {
            redistribution.recover(Map.of(id, variables.require(id)), false);
            return;
        }
        if (source == null && singleFile.restartFile().isPresent()) {
            singleFile.recover(Set.of(id));
            return;
        }
        Source from = requireVerifiedSource();
        checkSize(from, id);
        Map<Integer, ProtectedData> variable = Map.of(id, variables.require(id));
        reader.recover(from.path(), from.file(), variable);
        mode.recovered(from, variable);
    }

    private Source requireVerifiedSource() throws IOException {
        awaitHere();
        if (source == null) {
            throw DrumlinException.during("recovery")
                    .rank(rank)
                    .problem("there is no checkpoint to recover from")
                    .advice("ask isRestart() first")
                    .exception();
        }
        if (!source.verified() && source.file().whole().isPresent()) {
            // Its parts have no digests that could be checked on the way.
            reader.verify(source.path(), source.file());
            source = source.asVerified();
        }
        return source;
    }

    private void checkSize(Source from, int id) throws DrumlinException {
        long size = variables.require(id).size();
        boolean known = from.file().contains(id);
        if (!known || size != storedSize(id)) {
            throw DrumlinException.during("recovery of variable " + id)
                    .path(from.path())
                    .rank(rank)
                    .problem(
                            known
                                    ? size + " bytes are protected and " + storedSize(id) + " are stored"
                                    : "it is not stored")
                    .advice("protect an array of the stored size, see storedSize(id)")
                    .exception();
        }
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
     * @param ckptId number of the checkpoint, above 0; part of the file names
     * @param level where it goes; L2 and L3 need a {@code group_size} of 2 or more
     * @return what it took
     * @throws IOException on all ranks, if it failed on any
     * @throws IllegalArgumentException on all ranks: the id is not above 0
     */
    public CheckpointReport checkpoint(int ckptId, Level level) throws IOException {
        requireApplication();
        requireNoneOpen();
        long begin = System.nanoTime();
        Level taken = available(level);
        long timestamp = meet(ckptId, taken.request());
        if (taken == Level.L4_DCP) {
            try (IncrementalFile file = unfinished(taken)) {
                return take(ckptId, taken, timestamp, OwnFile.of(file, mode.order(variables.byId())), begin);
            }
        }
        if (asynchronous && config.isInline(taken)) {
            return takeBehind(ckptId, taken, timestamp, begin);
        }
        return take(ckptId, taken, timestamp, OwnFile.of(variables.byId(), mode, storage, slabs), begin);
    }

    /** What C FTI does: an ordinary checkpoint of level 4 where there are no differential ones. */
    private Level available(Level level) {
        if (level != Level.L4_DCP || config.differential().isPresent()) {
            return level;
        }
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "a differential checkpoint is asked for and the configuration allows none: it is taken at level 4");
        }
        return Level.L4;
    }

    private IncrementalFile unfinished(Level level) {
        mode.requireGathering();
        Path path = unfinishedFile(level);
        boolean temporary = level != Level.L4_DCP;
        return new IncrementalFile(storage, path, temporary, () -> mode.gathering(level, path), variables.byId());
    }

    private Path unfinishedFile(Level level) {
        if (level == Level.L4_DCP) {
            return mode.differentialFile(directories);
        }
        // What is copied into a file of all ranks, or by a head, is best kept near.
        boolean near = mode.shared(level).isPresent() || !config.isInline(level);
        Path root = near ? directories.local() : directories.root(level);
        return root.resolve(RunDirectory.incrementalName(fileRank));
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
     * @param ckptId number of the checkpoint, above 0; part of the file names
     * @param level where it goes, as in {@link #checkpoint}
     * @return to be committed
     * @throws IOException the end of the checkpoint under way, for which this waits, is not known
     * @throws IllegalArgumentException the id is not above 0, or files are written in layout A
     * @throws IllegalStateException another one is open
     */
    public IncrementalCheckpoint incremental(int ckptId, Level level) throws IOException {
        requireApplication();
        requireAbove0(ckptId);
        requireNoneOpen();
        awaitHere();
        Level taken = available(level);
        IncrementalCheckpoint begun = new IncrementalCheckpoint(ckptId, additions(ckptId, taken, unfinished(taken)));
        incremental = begun;
        return begun;
    }

    private IncrementalCheckpoint.Target additions(int ckptId, Level level, IncrementalFile file) {
        return new IncrementalCheckpoint.Target() {
            @Override
            public void add(int id) throws IOException {
                variables.require(id);
                file.add(List.of(id));
            }

            @Override
            public CheckpointReport commit() throws IOException {
                long begin = System.nanoTime();
                long timestamp = meet(ckptId, level.request());
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

    private static void requireAbove0(int ckptId) {
        if (ckptId <= 0) {
            throw new IllegalArgumentException("checkpoint id " + ckptId + " is not above 0");
        }
    }

    /** Waits for the checkpoint before, then for all ranks. Collective. */
    private long meet(int ckptId, int request) throws IOException {
        await();
        share = Optional.empty();
        long timestamp = taker.meet(ckptId, request);
        requireAbove0(ckptId);
        reader.forget();
        if (handedOver.isPresent()) {
            handedOver.get().tidy();
        }
        return timestamp;
    }

    private CheckpointReport take(int ckptId, Level level, long timestamp, OwnFile own, long begin) throws IOException {
        long met = System.nanoTime();
        if (!config.isInline(level)) {
            return handOver(ckptId, level, timestamp, own, begin, met);
        }
        Taken taken = taker.take(ckptId, level, timestamp, own);
        setSource(taken.source());
        share = taken.share();
        if (taken.late().isPresent()) {
            throw taken.late().get();
        }
        return report(ckptId, level, taken.bytes(), begin, met, taken.durable());
    }

    /** Writes this rank's file and leaves the rest to the heads. */
    private CheckpointReport handOver(int ckptId, Level level, long timestamp, OwnFile own, long begin, long met)
            throws IOException {
        Draft draft = taker.writeForHead(ckptId, level, timestamp, own);
        long durable = System.nanoTime();
        handedOver.orElseThrow().give(new HandedOver.Checkpoint(ckptId, level, draft), timestamp);
        return report(ckptId, level, draft.size(), begin, met, durable);
    }

    /** Copies the data and leaves all else to a thread. */
    private CheckpointReport takeBehind(int ckptId, Level level, long timestamp, long begin) throws IOException {
        long met = System.nanoTime();
        Map<Integer, ProtectedData> copies = new LinkedHashMap<>();
        Agreement.run(app, "copying the data of checkpoint " + ckptId, () -> {
            copies.putAll(staged.copy(variables.byId()));
        });
        OwnFile own = OwnFile.of(copies, mode, storage, slabs);
        thread.start(() -> taker.take(ckptId, level, timestamp, own));
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
        return thread.isUnderway() || handedOver.map(HandedOver::isUnderway).orElse(false);
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
        awaitHere();
        levels.awaitDeletion();
        Outcome ofHeads = headsOutcome;
        Optional<IOException> failed = late;
        headsOutcome = null;
        late = Optional.empty();
        if (ofHeads != null && ofHeads.answer().committed()) {
            taker.listIfGlobal(
                    ofHeads.checkpoint().ckptId(), ofHeads.checkpoint().level());
        } else if (ofHeads != null) {
            failed.ifPresent(taker::takeBackFailure);
        }
        if (failed.isPresent()) {
            lateFailures.orElseThrow(failed::get).accept(failed.get());
        }
    }

    /** Waits for this rank's thread or the head of its node, and takes note of what has come of the checkpoint. Not collective. */
    private void awaitHere() throws IOException {
        try {
            Optional<Taken> taken = thread.await();
            if (taken.isPresent()) {
                setSource(taken.get().source());
                late = taken.get().late();
            }
        } catch (IOException e) {
            late = Optional.of(e);
        }
        Optional<Outcome> ended = handedOver.isPresent() ? handedOver.get().await() : Optional.empty();
        if (ended.isPresent()) {
            headsOutcome = ended.get();
            late = ended.get().answer().failure().map(why -> why);
            if (ended.get().answer().committed()) {
                setSource(taker.finishedByHead(ended.get().checkpoint()));
            }
        }
    }

    private void setSource(@Nullable Source newest) {
        redistribution = null;
        source = newest;
        variables.storedIn(newest == null ? null : newest.file());
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
            Agreement.run(app, "recovery", this::recover);
            return Optional.empty();
        }
        Optional<Level> due = snapshotClock.tick(application);
        if (due.isEmpty()) {
            return Optional.empty();
        }
        CheckpointReport report = checkpoint(nextSnapshot, due.get());
        nextSnapshot++;
        snapshotClock.taken(application, due.get(), report.seconds());
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
        if (config.keepLastCkpt() && lastCheckpoint().isPresent()) {
            keepLast();
            restartSection.write(2);
            // In their order: half of the last checkpoint must not leave an older one that a restart would take.
            levels.discardSuperseded(Level.L4);
        } else {
            // First of all: a run that is done must not be restarted from what the deletion has left.
            restartSection.write(0);
            levels.awaitDeletion();
            taker.unlist();
            Agreement.run(app, "archiving or deleting the run's files", () -> {
                if (levels.isMaster(Level.L4) && !(config.keepL4Ckpt() && levels.archiveL4())) {
                    directories.deleteGlobal(storage);
                }
            });
        }
        boolean allSent = allSent();
        levels.awaitDeletion();
        Agreement.run(app, "deleting the run's local files", () -> {
            if (levels.isMaster(Level.L1)) {
                directories.deleteLocal(storage, !allSent);
            }
            if (levels.isMaster(Level.L4)) {
                levels.deleteLocalMetadata();
                levels.deleteSpare();
            }
        });
        setSource(null);
    }

    /** Whether no rank has a file left that could not be sent. */
    private boolean allSent() throws IOException {
        if (staging.isEmpty()) {
            return true;
        }
        long[] sent = {staging.get().finish() ? 1 : 0};
        app.allreduce(sent, Op.MIN);
        if (sent[0] == 0 && app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "not all files arrived that were sent: the directories {0} stay on all nodes",
                    directories.stage());
        }
        return sent[0] == 1;
    }

    private void keepLast() throws IOException {
        Source last = source;
        if (last == null || last.level().isGlobal()) {
            return;
        }
        levels.tidy(Level.L4);
        copy.copyToTmp(last.path(), last.file(), Level.L4);
        taker.unlist();
        levels.commit(Level.L4);
        levels.tidy(Level.L4);
        taker.list(
                lastCheckpoint().orElseThrow(),
                directories.committed(Level.L4).resolve(mode.copyName(Level.L4, last.path())));
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
            if (incremental != null) {
                incremental.close();
            }
            leave();
        } finally {
            reader.forget();
            levels.awaitDeletion();
            staged.close();
            slabs.close();
            group.close();
            node.close();
            app.close();
            application.close();
        }
    }

    /** Waits until this rank deletes nothing any more behind the computation. */
    void awaitDeletion() {
        levels.awaitDeletion();
    }

    /** Waits for what is under way, and lets the head go. */
    private void leave() throws IOException {
        try {
            if (started) {
                awaitHere();
                // Nobody asks any more.
                late.ifPresent(why -> LOG.log(Logger.Level.WARNING, why.getMessage()));
            }
            if (started && handedOver.isPresent()) {
                handedOver.get().leave();
            }
        } finally {
            if (headLink.isPresent()) {
                headLink.get().close();
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
