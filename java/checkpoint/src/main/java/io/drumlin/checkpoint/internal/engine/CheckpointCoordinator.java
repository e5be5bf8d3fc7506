package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DifferentialShare;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.events.CheckpointTrace;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.recovery.CommitLog;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Takes the checkpoints of a run: writes them, records them in the run's files, commits them and deletes the superseded
 * ones. Takes one checkpoint at a time, in any thread.
 */
public final class CheckpointCoordinator {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final FtiConfig config;
    private final Run run;
    private final RunDirectory directories;
    private final CommitProtocol levels;
    private final IoMode mode;
    private final LevelWriter writer;
    private final DifferentialWriter differential;
    private final RestartSection restartSection;
    private final CheckpointListFile checkpointList;
    private final CommitLog log;

    /** Whether a checkpoint was found or committed. */
    private boolean hasCheckpoint;

    /** Whether the run's directories still belong to a run with another number of ranks. */
    private boolean mustTakeOver;

    private static final Set<String> FULL = Set.of("ENOSPC", "EDQUOT");

    /** The checkpoint of another number of ranks from which the run continues. */
    private @Nullable ElasticCheckpoint elastic;

    /** Whether the run's directories still name the nodes of a run from which this run has found nothing. */
    private boolean beginsAfresh;

    /** @param app the application ranks; only the coordinator sends messages with it */
    CheckpointCoordinator(
            Run run,
            Communicator app,
            CommitProtocol levels,
            IoMode mode,
            LevelWriter writer,
            DifferentialWriter differential,
            RestartSection restartSection,
            CheckpointListFile checkpointList,
            CommitLog log) {
        this.app = app;
        this.run = run;
        this.levels = levels;
        this.mode = mode;
        this.writer = writer;
        this.differential = differential;
        this.restartSection = restartSection;
        config = run.config();
        directories = run.directories();
        this.checkpointList = checkpointList;
        this.log = log;
    }

    /**
     * Returns the level at which a checkpoint is taken: as in C FTI, an ordinary one of level 4 if there are no
     * differential ones.
     */
    public Level available(Level level) {
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

    /** Refuses ids of which no checkpoint is taken. */
    public void requireId(int ckptId) {
        int least = config.mode().leastId();
        if (ckptId < least) {
            throw new IllegalArgumentException("checkpoint id " + ckptId + " is below " + least);
        }
    }

    /**
     * Waits for all ranks, checks that they take the same checkpoint, and returns its timestamp, which marks the files
     * that belong together. Collective.
     *
     * @param request the argument of {@code FTI_Checkpoint} for the level
     * @param unrecovered whether this rank has not recovered the data that the restart found
     * @param leftOut the variables that this rank has not recovered, if it has recovered others
     * @param hasData whether this rank has protected variables
     * @throws IOException on all ranks: they request different checkpoints, or one has recovered nothing
     */
    public long agreeOnCheckpoint(
            int ckptId, int request, boolean unrecovered, SortedSet<Integer> leftOut, boolean hasData)
            throws IOException {
        levels.requireKnown();
        Instant now = Instant.now();
        long nanos = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        IOException taken = Agreement.attempt(app, "checkpoint " + ckptId, run::requireLease);
        Vote vote;
        try {
            vote = new Vote(
                            ckptId,
                            ckptId,
                            request,
                            request,
                            nanos,
                            taken != null,
                            hasData,
                            unrecovered ? app.rank() : Vote.NO_RANK,
                            leftOut.isEmpty() ? Vote.NO_RANK : app.rank())
                    .highest(app);
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        }
        if (vote.takenOver()) {
            throw taken != null
                    ? taken
                    : DrumlinException.during("checkpoint " + ckptId)
                            .problem("another job has taken over this run's directories; the first rank says which")
                            .exception();
        }
        if (vote.differs()) {
            throw DrumlinException.during("checkpoint " + ckptId)
                    .rank(app.rank())
                    .problem("ranks ask for different checkpoints: ids " + vote.leastId() + " to " + vote.ckptId()
                            + ", levels " + vote.leastRequest() + " to " + vote.request())
                    .advice("all ranks must take the same checkpoints in the same order")
                    .exception();
        }
        if (vote.unrecovered() != Vote.NO_RANK) {
            throw DrumlinException.during("checkpoint " + ckptId)
                    .rank((int) vote.unrecovered())
                    .problem(
                            "the run was restarted and this rank has not recovered its data: the checkpoint would replace them by"
                                    + " what the variables hold now")
                    .advice(
                            "recover them first; a program that does not want them calls discardRestart(), or begins afresh"
                                    + " with failure = 0")
                    .exception();
        }
        if (vote.leftOut() == app.rank()) {
            LOG.log(
                    Logger.Level.WARNING,
                    "rank {0}: the program has not recovered the variables {2} since the restart, but others: checkpoint {1}"
                            + " stores what they hold now, and the checkpoint before is going to be deleted; recover()"
                            + " or recover(id) comes first",
                    Integer.toString(app.rank()),
                    Integer.toString(ckptId),
                    leftOut);
        }
        if (!vote.hasData() && app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "checkpoint {0} has no data: no rank has protected a variable, see protect(id, variable)",
                    Integer.toString(ckptId));
        }
        return vote.nanos();
    }

    /**
     * Takes a checkpoint completely. Collective.
     *
     * @throws MeetingException it is unknown whether the checkpoint is in its place; the previous one still exists too,
     *     and a restart finds the newest whole one
     * @throws IOException on all ranks: the checkpoint failed, and earlier ones are unchanged
     */
    public CheckpointOutcome takeCheckpoint(
            int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace) throws IOException {
        return trace.guard(() -> take(ckptId, level, timestamp, own, trace));
    }

    private CheckpointOutcome take(int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace)
            throws IOException {
        FilePlan filePlan;
        Optional<DifferentialShare> share;
        writer.requireGroup(ckptId, level);
        levels.prepare(level);
        try {
            takeOver();
            log.begin(ckptId, level, mode.identity(ckptId, timestamp), timestamp);
            filePlan = level == Level.L4_DCP
                    ? differential.write(ckptId, timestamp, own, trace)
                    : writer.write(ckptId, level, timestamp, own, trace);
            trace.durable();
            trace.begin(Step.COMMIT);
            // Before the commit, because a restart also finds the checkpoint in tmp.
            checkpointList.add(ckptId, level);
            announce();
            share = level == Level.L4_DCP ? Optional.of(share(filePlan, mode.changedBytes())) : Optional.empty();
            log.await();
            levels.commit(level, trace::slowest);
            trace.end(filePlan.size());
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            abandon(level, failed);
            throw failed;
        }
        hasCheckpoint = true;
        checkpointList.confirmAddition();
        log.confirm();
        mode.committed(level, filePlan);
        Path plain = directories.committed(level).resolve(mode.plainName(level, ckptId));
        RankCheckpoint source = new RankCheckpoint(level, plain, filePlan.stored());
        Optional<IOException> late = Optional.empty();
        try {
            restartSection.confirm();
            levels.discardSuperseded(level);
            Agreement.run(
                    app, "deleting what checkpoint " + ckptId + " supersedes", () -> mode.deleteSuperseded(level));
        } catch (MeetingException unknown) {
            late = Optional.of(notKnown(unknown));
        } catch (IOException e) {
            late = Optional.of(e);
        }
        return new CheckpointOutcome(source, trace.done(), share, late);
    }

    /** Prepares a differential checkpoint of the present data, before its file is asked for. Collective. */
    public void prepareDifferential(Map<Integer, ProtectedData> data) throws IOException {
        try {
            mode.prepareDifferential(data);
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        }
    }

    /** Handles a failed message: from now on no files are changed, and the program gets the returned exception. */
    MeetingException notKnown(MeetingException failure) {
        levels.stayAsTheyAre(failure);
        try {
            levels.requireKnown();
        } catch (MeetingException told) {
            return told;
        }
        return failure;
    }

    private DifferentialShare share(FilePlan filePlan, long changed) throws IOException {
        long data = filePlan.stored().sizes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        long[] sums = {data, changed};
        app.allreduce(sums, Op.SUM);
        return new DifferentialShare(data, changed, sums[0], sums[1]);
    }

    /**
     * Writes this rank's file of a checkpoint that the heads are going to finish; otherwise like
     * {@link #takeCheckpoint}. Collective.
     *
     * @throws IOException on all ranks: the checkpoint failed, and earlier ones are unchanged
     */
    public FilePlan writeForHead(int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace)
            throws IOException {
        return trace.guard(() -> writeHandedOver(ckptId, level, timestamp, own, trace));
    }

    private FilePlan writeHandedOver(int ckptId, Level level, long timestamp, RankFileWriter own, CheckpointTrace trace)
            throws IOException {
        writer.requireGroup(ckptId, level);
        levels.prepare(level);
        levels.prepare(Level.L1);
        try {
            takeOver();
            log.begin(ckptId, level, mode.identity(ckptId, timestamp), timestamp);
            FilePlan filePlan = writer.writeForHead(ckptId, level, timestamp, own, trace);
            announce();
            log.await();
            return filePlan;
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            abandon(Level.L1, failed);
            throw failed;
        }
    }

    /** Records that the heads have committed a checkpoint. */
    RankCheckpoint finishedByHead(HeadHandoff.Checkpoint checkpoint) {
        Level level = checkpoint.level();
        hasCheckpoint = true;
        log.confirm();
        mode.finishedByHead(level, checkpoint.filePlan());
        Path directory =
                level == Level.L4 ? directories.replica(config.mode().replicaIsLevel1()) : directories.committed(level);
        Path plain = directory.resolve(mode.plainName(Level.L1, checkpoint.ckptId()));
        return new RankCheckpoint(level, plain, checkpoint.filePlan().stored());
    }

    /** Records that the run continues from a checkpoint. The key failure keeps its value, also 2, as in C FTI. */
    public void continueRun() {
        restartSection.found();
        hasCheckpoint = true;
    }

    /** Records that the run continues from a checkpoint of another number of ranks. */
    public void continueFrom(ElasticCheckpoint from) {
        mustTakeOver = true;
        elastic = from;
    }

    /**
     * Records that no checkpoint was found.
     *
     * @param sameNodes whether the previous run had as many nodes
     */
    public void beginAfresh(boolean sameNodes) {
        mustTakeOver = !sameNodes;
        beginsAfresh = sameNodes;
    }

    /** Records the order of nodes if the files were in the last order; otherwise like {@link #nameNodes(int)}. */
    public void nameNodes() throws IOException {
        nameNodes(0);
    }

    /**
     * Records the order of nodes. If a node was replaced, the next restart must know its replacement, which now has the
     * data of this place. Collective.
     *
     * @param used number of the order in which the files were found
     */
    public void nameNodes(int used) throws IOException {
        NodeOrder order = run.order(app);
        Path file = directories.topologyFile();
        Agreement.run(app, "naming the nodes in " + file, () -> {
            if (app.rank() == 0) {
                String text = TextFiles.read(file);
                String renamed = TopologyFile.withOrder(text, file.toString(), order, used);
                if (!renamed.equals(text)) {
                    TextFiles.replace(file, renamed, run.storage());
                }
            }
        });
        beginsAfresh = false;
    }

    /**
     * Converts the run's directories to this number of ranks, if they belong to another. This happens before this run
     * writes a file, because the previous number of ranks could take some of its files for a checkpoint. First the
     * files on the nodes are deleted, because with the topology of this run they could be taken for its own. The
     * checkpoint on the parallel file system is kept until there is another.
     */
    private void takeOver() throws IOException {
        if (beginsAfresh) {
            nameNodes();
        }
        if (!mustTakeOver) {
            return;
        }
        NodeOrder order = run.order(app);
        // The same on all ranks, which have one configuration; if it cannot be written, nothing is deleted.
        String topology = TopologyFile.toIni(config, order, run.topology().ranksOfApplication());
        if (elastic != null) {
            checkpointList.addOfPreviousRun(elastic.ckptId(), elastic.level(), elastic.ranks());
        }
        levels.deleteOfPreviousRun();
        Agreement.run(app, "writing " + directories.topologyFile(), () -> {
            if (app.rank() == 0) {
                TextFiles.replace(directories.topologyFile(), topology, run.storage());
            }
        });
        mustTakeOver = false;
        elastic = null;
    }

    /** Returns whether the configuration file says that the next start is a restart. */
    private boolean saysRestart() {
        return hasCheckpoint || (config.failure() == 1 && restartSection.own() == OwnCheckpoints.SOME);
    }

    /**
     * Records in the run's files that the next start is a restart. Collective.
     */
    private void announce() throws IOException {
        if (!saysRestart()) {
            restartSection.announce();
        }
    }

    /**
     * Commits a copy of the last checkpoint in {@code tmp} as a checkpoint of level 4. Collective.
     *
     * @throws IOException on all ranks: the previous checkpoint of level 4 is still in its place
     */
    public void commitKept(int ckptId) throws IOException {
        commitCopy(Level.L4, () -> checkpointList.addKept(ckptId));
    }

    /**
     * Commits the files in {@code tmp}, which were sent to the nodes of their ranks, as a checkpoint of level 1.
     * Collective.
     *
     * @throws IOException on all ranks: the files are not in their place
     */
    public void commitMoved(int ckptId) throws IOException {
        // The list has it, otherwise a restart would try an older differential checkpoint first.
        commitCopy(Level.L1, () -> checkpointList.add(ckptId, Level.L1));
    }

    private void commitCopy(Level level, Agreement.Step listing) throws IOException {
        try {
            listing.run();
            levels.commit(level, slowest -> {});
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            takeBackFailure(failed);
            throw failed;
        }
        checkpointList.confirmAddition();
    }

    /** Undoes a failed checkpoint as far as possible. Collective. */
    private void abandon(Level level, IOException failed) {
        sayWhatTakesRoom(level, failed);
        takeBack(failed, () -> levels.tidy(level));
        takeBackFailure(failed);
    }

    /** If a node is full, kept checkpoints are what its user can do without. */
    private void sayWhatTakesRoom(Level level, IOException failed) {
        if (level.isGlobal()
                || !(failed instanceof DrumlinException full)
                || !FULL.contains(String.valueOf(full.errno()))) {
            return;
        }
        try {
            List<RunInventory.Kept> kept = RunInventory.keptIn(directories.local());
            if (!kept.isEmpty()) {
                LOG.log(
                        Logger.Level.WARNING,
                        "{0} has no room for the checkpoint; {1} earlier ones are kept there: a lower keep_l{2} lets them go",
                        directories.local(),
                        kept.size(),
                        kept.get(0).level().number());
            }
        } catch (IOException unknown) {
            failed.addSuppressed(unknown);
        }
    }

    /** Restores the entries in the run's files from before the checkpoint. Collective. */
    void takeBackFailure(IOException failed) {
        takeBack(failed, checkpointList::undoAddition);
        if (!saysRestart()) {
            takeBack(failed, restartSection::takeBack);
        }
    }

    /** Runs an undo step, unless a message has failed before, because the other ranks would not take part. */
    private void takeBack(IOException failed, Agreement.Step step) {
        try {
            levels.requireKnown();
            step.run();
        } catch (MeetingException unknown) {
            failed.addSuppressed(notKnown(unknown));
        } catch (IOException e) {
            failed.addSuppressed(e);
        }
    }
}
