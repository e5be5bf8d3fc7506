package io.drumlin.checkpoint.internal.restart;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.elastic.ElasticBlockSums;
import io.drumlin.checkpoint.internal.elastic.ElasticRestart;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.elastic.Redistribution;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.OwnCheckpoints;
import io.drumlin.checkpoint.internal.engine.RecoverySource;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.events.StepTimer;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.group.GroupFile;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.singlefile.SharedHdf5File;
import io.drumlin.checkpoint.internal.singlefile.SharedHdf5Reader;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.PreviousRun;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Goes on with a run from its checkpoint, or begins it afresh. */
public final class RunRestart {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Engine engine;
    private final FtiConfig config;
    private final Communicator app;
    private final SharedHdf5File singleFile;
    private final RecoverySource last;
    private Status status = Status.FRESH;
    private int nextCkptId = 1;
    private boolean keepsAll;
    private Optional<DrumlinException> recoveryFailure = Optional.empty();

    public RunRestart(Engine engine, SharedHdf5File singleFile, RecoverySource last) {
        this.engine = engine;
        this.singleFile = singleFile;
        this.last = last;
        config = engine.config();
        app = engine.app();
    }

    /** Returns how the run started. */
    public Status status() {
        return status;
    }

    /** Returns the id for the next checkpoint: the id of the found checkpoint plus 1. */
    public int nextCkptId() {
        return nextCkptId;
    }

    /** Returns why a restart became a fresh start. */
    public Optional<DrumlinException> recoveryFailure() {
        return recoveryFailure;
    }

    /**
     * Finds the checkpoint for a requested restart, and cleans up. Collective.
     *
     * @param anyNumberOfRanks whether the checkpoint may be one of another number of ranks
     * @param freshStart whether the run begins afresh if there is no checkpoint
     */
    public void begin(boolean anyNumberOfRanks, boolean freshStart) throws IOException {
        engine.restartSection().read();
        if (config.isFromSingleFile()) {
            restartFromSingleFile(freshStart);
        } else if (config.failure() != 0) {
            restart(anyNumberOfRanks, freshStart);
        }
        // Files that cannot be recovered now may be recoverable later, and those of another number of ranks by the same
        // number of ranks. They are kept until the program takes a checkpoint.
        if (recoveryFailure.isEmpty() && last.formerRanks().isEmpty() && !keepsAll) {
            for (Level level : Level.values()) {
                engine.levels().tidy(level);
            }
            engine.levels().deleteIncremental();
        }
        if (config.failure() == 0 && app.rank() == 0) {
            // The new run has another id than the run that the configuration named, and no groups yet.
            GroupFile.warnOfLeft(config, "begins afresh");
        }
        // From now on the configuration file names this run, as after FTI_Init.
        engine.restartSection().nameThisRun();
    }

    private void restart(boolean anyNumberOfRanks, boolean freshStart) throws IOException {
        StepTimer timer = engine.events().begin(Step.RECOVER);
        RestartCoordinator restart = new RestartCoordinator(engine);
        PreviousRun known = engine.run().previous().orElseThrow();
        Path list = engine.directories().checkpointList();
        RecordedRankCounts listed = RecordedRankCounts.of(app, list, engine.levels(), engine.rejected());
        // With another number of nodes, the files of some ranks could be taken for those of all.
        Optional<RankCheckpoint> found = known.sameNodes() ? restart.find(listed) : Optional.empty();
        keepsAll = restart.keepsAll();
        if (found.isPresent()) {
            restartFrom(found.get(), timer);
            return;
        }
        Optional<DrumlinException> missing = Optional.empty();
        if (anyNumberOfRanks) {
            CommitOrder order = new CommitOrder(engine.directories().commitLog());
            ElasticRestart elastic =
                    new ElasticRestart(engine.context(), engine.levels(), engine.mode(), listed, known, order);
            Optional<ElasticCheckpoint> checkpoint = elastic.find(restart.order());
            if (checkpoint.isPresent()) {
                ElasticCheckpoint from = checkpoint.get();
                restartFrom(from, elastic.blockSums());
                engine.events().recovered(timer, "found of other ranks", from.ckptId(), from.level(), 0);
                return;
            }
            missing = elastic.missing();
        }
        List<String> otherModes = new OtherModes(engine).find();
        boolean searchesArchive = known.sameNodes() && otherModes.isEmpty();
        if (searchesArchive) {
            Optional<RankCheckpoint> archived = restart.findInArchive(listed);
            if (archived.isPresent()) {
                keepsAll = true;
                restartFrom(archived.get(), timer);
                return;
            }
        }
        ArchivedCheckpoints aside = new ArchivedCheckpoints(app, engine.directories(), engine.storage());
        String execId = engine.run().execId();
        boolean onlyGroups = engine.restartSection().own() == OwnCheckpoints.NONE && otherModes.isEmpty();
        if (freshStart || onlyGroups || (missing.isEmpty() && otherModes.isEmpty())) {
            aside.requireNoneInArchive(execId, searchesArchive);
            aside.requireNoneKept(execId);
        }
        if (onlyGroups) {
            beginBesideGroups(known);
            return;
        }
        String stashes = aside.stashes();
        int formerRanks = anyNumberOfRanks ? app.size() : known.ranks();
        boolean refused = engine.rejected().anyOnARank();
        unrecoverable(
                missing.orElseGet(() -> nothingRecoverable(formerRanks, otherModes, stashes, refused)), freshStart);
        engine.coordinator().beginAfresh(known.sameNodes());
    }

    /** The groups of the run may have checkpoints, so the run keeps its id. */
    private void beginBesideGroups(PreviousRun known) {
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.INFO,
                    "run {0} has no checkpoint of its own and begins afresh; its groups go on from theirs",
                    engine.run().execId());
        }
        engine.coordinator().beginAfresh(known.sameNodes());
    }

    /**
     * Returns the exception for a restart in which no level has a checkpoint.
     *
     * @param formerRanks number of application ranks of the previous run, 0 if unknown
     * @param otherModes other modes that have checkpoints
     * @param stashes stashes that the program could load; empty if there are none
     * @param refused whether warnings about files were logged
     */
    private DrumlinException nothingRecoverable(
            int formerRanks, List<String> otherModes, String stashes, boolean refused) {
        DrumlinException.Context context =
                DrumlinException.during("restart of run " + engine.run().execId());
        if (formerRanks != 0 && formerRanks != app.size()) {
            return Run.otherRanks(context, formerRanks, app.size(), config);
        }
        String problem = refused
                ? "at no level the files that are left give one whole checkpoint on all ranks"
                : "at no level there are files of all " + app.size() + " ranks, in ckpt_dir = " + config.ckptDir()
                        + " on the nodes or in glbl_dir = " + config.glblDir();
        if (!otherModes.isEmpty()) {
            return context.problem(
                            problem + "; there are checkpoints of another mode: " + String.join(", ", otherModes))
                    .advice("restart with the ckpt_io of the run that wrote them")
                    .exception();
        }
        if (engine.restartSection().own() == OwnCheckpoints.BEGUN) {
            Path meta = engine.directories().meta();
            return context.problem(
                            problem + "; so far only groups of the run had checkpoints, and its own first one was"
                                    + " begun: it was either not completed, or its files are lost or away")
                    .advice(
                            "if all nodes and directories that the run had before are here, it was not completed: rename "
                                    + OwnCheckpoints.BEGUN.file(meta) + " to "
                                    + OwnCheckpoints.NONE.file(meta).getFileName()
                                    + ", and the run begins afresh while its groups go on; if one is away, bring it back and"
                                    + " start again")
                    .exception();
        }
        String look = refused
                ? "see the warnings above for each file that was refused; "
                : "are these the directories, the nodes and the number of ranks of the run before? ";
        String otherRanks = formerRanks == 0 ? NodeList.whatOtherRanksRecover(config) + "; " : "";
        return context.problem(problem)
                .advice(look
                        + otherRanks
                        + (stashes.isEmpty()
                                ? "to start afresh set failure = 0 in "
                                        + engine.run().configFile()
                                : "there are stashes, which the program can load after it has opened the run with"
                                        + " freshStartIfUnrecoverable: " + stashes))
                .exception();
    }

    private void restartFrom(RankCheckpoint from, StepTimer timer) throws IOException {
        restartFrom(from);
        StoredFile file = from.file();
        engine.events().recovered(timer, "found", file.ckptId(), from.level(), file.dataBytes());
    }

    private void restartFrom(RankCheckpoint from) throws IOException {
        int ckptId = from.file().ckptId();
        last.set(from);
        nextCkptId = ckptId + 1;
        status = ofConfiguration();
        engine.coordinator().continueRun();
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.INFO,
                    "recovering from level {0}, checkpoint {1}",
                    from.level().number(),
                    Integer.toString(ckptId));
        }
        engine.coordinator().nameNodes();
    }

    private void restartFrom(ElasticCheckpoint from, ElasticBlockSums sums) throws IOException {
        last.set(new Redistribution(engine.given(), from, sums, engine.storage(), engine.slabs()));
        engine.coordinator().continueFrom(from);
        nextCkptId = from.ckptId() + 1;
        status = ofConfiguration();
        engine.coordinator().continueRun();
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.INFO,
                    "recovering from level {0}, checkpoint {1}; number of ranks then: {2}, now: {3}; checkpoints of"
                            + " levels 1 to 3 would be found by the former number only",
                    from.level().number(),
                    Integer.toString(from.ckptId()),
                    Integer.toString(from.ranks()),
                    Integer.toString(app.size()));
        }
        Agreement.run(app, "reading the log of checkpoints", this::warnOfLostLevels);
    }

    /** Warns of levels that the run has used and that the groups of this number of ranks are too small for. */
    private void warnOfLostLevels() throws IOException {
        if (app.rank() != 0 || config.groupSize() > 1) {
            return;
        }
        if (engine.log().entries().stream().anyMatch(each -> each.level() == Level.L2 || each.level() == Level.L3)) {
            LOG.log(
                    Logger.Level.WARNING,
                    "the run has taken checkpoints of level 2 or 3, which fail now, with group_size = 1: make it 2 or"
                            + " more, and a divisor of the number of nodes");
        }
    }

    private Status ofConfiguration() {
        return config.failure() == 2 ? Status.RESTART_FROM_KEPT : Status.RESTART;
    }

    private void restartFromSingleFile(boolean freshStart) throws IOException {
        Optional<SharedHdf5Reader> found = singleFile.find();
        if (found.isEmpty()) {
            unrecoverable(singleFile.notFound(), freshStart);
            return;
        }
        nextCkptId = found.get().ckptId() + 1;
        status = Status.RESTART_FROM_SINGLE_FILE;
    }

    private void unrecoverable(DrumlinException failure, boolean freshStart) throws DrumlinException {
        recoveryFailure = Optional.of(failure);
        if (!freshStart) {
            throw failure;
        }
        LOG.log(Logger.Level.WARNING, failure.getMessage());
    }
}
