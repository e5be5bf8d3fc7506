package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DifferentialShare;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.file.RankFileWriter;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.recovery.CommitLog;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.scr.ScrPrefix;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Takes the checkpoints of a run: writes them, says so in the run's files, commits them and deletes what they supersede. One at a
 * time; by which thread does not matter.
 */
public final class CheckpointCoordinator {

    private final Communicator app;
    private final FtiConfig config;
    private final String execId;
    private final Run run;
    private final RunDirectory directories;
    private final CommitProtocol levels;
    private final IoMode mode;
    private final LevelWriter writer;
    private final DifferentialWriter differential;
    private final RestartSection restartSection;
    private final CheckpointListFile checkpointList;
    private final CommitLog log;
    private final Optional<ScrIndexEntry> listed;

    /** Whether the configuration file says that the next start is a restart. */
    private boolean saysRestart;

    /** Whether the run's directories are still those of one with another number of ranks. */
    private boolean succeeds;

    /** What the run goes on from, of another number of ranks. */
    private @Nullable ElasticCheckpoint former;

    /** Whether the run's directories still name nodes of a run that this one has found nothing of. */
    private boolean beginsAfresh;

    /** Which checkpoint was taken out of the index of SCR, as long as no other is in its place. */
    private OptionalInt unlisted = OptionalInt.empty();

    /**
     * @param app the ranks of the application, for nobody else's messages
     */
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
        execId = run.execId();
        directories = run.directories();
        this.checkpointList = checkpointList;
        this.log = log;
        listed = config.scrIndex()
                .map(prefix -> new ScrIndexEntry(new ScrPrefix(prefix), directories, app, run.storage()));
        saysRestart = config.failure() == 1;
    }

    /**
     * Waits for all ranks, checks that they take the same checkpoint and gives them its timestamp, which marks the files that
     * belong together. Collective.
     *
     * @param request what {@code FTI_Checkpoint} takes for the level
     * @param unrecovered whether this rank has not recovered what the restart found
     * @throws IOException on all ranks: they ask for different checkpoints, or one has recovered nothing
     */
    public long meet(int ckptId, int request, boolean unrecovered) throws IOException {
        levels.requireKnown();
        Instant now = Instant.now();
        long nanos = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        IOException taken = Agreement.attempt(app, "checkpoint " + ckptId, run::requireLease);
        long[] values = {
            ckptId, -ckptId, request, -request, nanos, taken == null ? 0 : 1, unrecovered ? app.rank() + 1 : 0
        };
        try {
            app.allreduce(values, Op.MAX);
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        }
        if (values[5] > 0) {
            throw taken != null
                    ? taken
                    : DrumlinException.during("checkpoint " + ckptId)
                            .problem("another job has taken over this run's directories; the first rank says which")
                            .exception();
        }
        if (values[0] != -values[1] || values[2] != -values[3]) {
            throw DrumlinException.during("checkpoint " + ckptId)
                    .rank(app.rank())
                    .problem("ranks ask for different checkpoints: ids " + -values[1] + " to " + values[0] + ", levels "
                            + -values[3] + " to " + values[2])
                    .advice("all ranks must take the same checkpoints in the same order")
                    .exception();
        }
        if (values[6] != 0) {
            throw DrumlinException.during("checkpoint " + ckptId)
                    .rank((int) values[6] - 1)
                    .problem(
                            "the run was restarted and this rank has not recovered its data: the checkpoint would replace them by"
                                    + " what the variables hold now")
                    .advice(
                            "recover them first; a program that does not want them calls discardRestart(), or begins afresh"
                                    + " with failure = 0")
                    .exception();
        }
        return values[4];
    }

    /**
     * Takes a checkpoint from its beginning to its end. Collective.
     *
     * @throws MeetingException it is not known whether it is in its place; the one before is still there too, and a restart finds the
     *     newest whole one
     * @throws IOException otherwise: on all ranks, the checkpoint has failed, and earlier ones are as they were
     */
    public CheckpointOutcome take(int ckptId, Level level, long timestamp, RankFileWriter own) throws IOException {
        long durable;
        FilePlan draft;
        Optional<DifferentialShare> share;
        levels.prepare(level);
        try {
            takeOver();
            log.begin(ckptId, level, mode.identity(ckptId, timestamp));
            draft = level == Level.L4_DCP
                    ? differential.write(ckptId, timestamp, own)
                    : writer.write(ckptId, level, timestamp, own);
            durable = System.nanoTime();
            // Before it is committed: a restart also finds it in tmp.
            checkpointList.add(ckptId, level);
            announce(level);
            share = level == Level.L4_DCP ? Optional.of(share(draft, mode.changedBytes())) : Optional.empty();
            log.await();
            levels.commit(level);
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            abandon(level, failed);
            throw failed;
        }
        saysRestart = true;
        checkpointList.confirm();
        log.confirm();
        mode.committed(level, draft);
        Path plain = directories.committed(level).resolve(mode.plainName(level, ckptId));
        RankCheckpoint source = new RankCheckpoint(level, plain, draft.stored());
        Optional<IOException> late = Optional.empty();
        try {
            levels.discardSuperseded(level);
            Agreement.run(
                    app, "deleting what checkpoint " + ckptId + " supersedes", () -> mode.deleteSuperseded(level));
            listIfGlobal(ckptId, level);
        } catch (MeetingException unknown) {
            late = Optional.of(notKnown(unknown));
        } catch (IOException e) {
            late = Optional.of(e);
        }
        return new CheckpointOutcome(source, draft.size(), durable, share, late);
    }

    /** A message has failed: from now on what is there stays, and the program is told so. */
    MeetingException notKnown(MeetingException failure) {
        levels.stayAsTheyAre(failure);
        try {
            levels.requireKnown();
        } catch (MeetingException told) {
            return told;
        }
        return failure;
    }

    private DifferentialShare share(FilePlan draft, long changed) throws IOException {
        long data = draft.stored().sizes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        long[] sums = {data, changed};
        app.allreduce(sums, Op.SUM);
        return new DifferentialShare(data, changed, sums[0], sums[1]);
    }

    /**
     * Writes this rank's file of a checkpoint that the heads are going to finish. Collective.
     *
     * @throws IOException as {@link #take}
     */
    public FilePlan writeForHead(int ckptId, Level level, long timestamp, RankFileWriter own) throws IOException {
        levels.prepare(level);
        levels.prepare(Level.L1);
        try {
            takeOver();
            log.begin(ckptId, level, mode.identity(ckptId, timestamp));
            FilePlan draft = writer.writeForHead(ckptId, level, timestamp, own);
            announce(level);
            log.await();
            return draft;
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            abandon(Level.L1, failed);
            throw failed;
        }
    }

    /** Takes note that the heads have committed a checkpoint. */
    RankCheckpoint finishedByHead(HeadHandoff.Checkpoint checkpoint) {
        Level level = checkpoint.level();
        saysRestart = true;
        log.confirm();
        mode.finishedByHead(level, checkpoint.draft());
        Path directory = level == Level.L4
                ? directories.replica(config.ioMode() == FtiConfig.IO_POSIX)
                : directories.committed(level);
        Path plain = directory.resolve(mode.plainName(Level.L1, checkpoint.ckptId()));
        return new RankCheckpoint(level, plain, checkpoint.draft().stored());
    }

    /** Takes note that the run goes on from a checkpoint: failure stays as it is, also 2, as in C FTI. */
    public void goOn() {
        saysRestart = true;
    }

    /** Takes note that the run goes on from a checkpoint of another number of ranks. */
    public void succeed(ElasticCheckpoint from) {
        succeeds = true;
        former = from;
    }

    /**
     * Takes note that there was nothing to go on from.
     *
     * @param sameNodes whether the run before had as many nodes
     */
    public void beginAfresh(boolean sameNodes) {
        succeeds = !sameNodes;
        beginsAfresh = sameNodes;
    }

    /** As {@link #nameNodes(int)} where the files were in the last order. */
    public void nameNodes() throws IOException {
        nameNodes(0);
    }

    /**
     * Writes down the order of nodes: where a node was replaced the next restart must know its replacement, which has the data of its place
     * now. Collective.
     *
     * @param used the number of the order in which the files were found
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
     * Makes the run's directories those of this number of ranks, if they are not: before there is a file of its own, for the former number of
     * ranks could take some of these for a checkpoint. First what is on the nodes goes, for with the topology of this run it
     * could be taken for one of it; the checkpoint on the parallel file system stays until there is another.
     */
    private void takeOver() throws IOException {
        if (beginsAfresh) {
            nameNodes();
        }
        if (!succeeds) {
            return;
        }
        if (former != null) {
            checkpointList.addFormer(former.ckptId(), former.level(), former.ranks());
        }
        levels.deleteOfFormerRun();
        NodeOrder order = run.order(app);
        Agreement.run(app, "writing " + directories.topologyFile(), () -> {
            if (app.rank() == 0) {
                String topology =
                        TopologyFile.toIni(config, order, run.topology().ranksOfApplication());
                TextFiles.replace(directories.topologyFile(), topology, run.storage());
            }
        });
        succeeds = false;
        former = null;
    }

    /** Says in the run's files that the next start is a restart, and that SCR has not to know of what was there. Collective. */
    private void announce(Level level) throws IOException {
        if (!saysRestart) {
            restartSection.write(1);
        }
        if (levels.supersedesL4(level)) {
            unlist();
        }
    }

    /**
     * Commits a copy in {@code tmp} of the last checkpoint as one of level 4. Collective.
     *
     * @throws IOException on all ranks: the one of level 4 before it is in its place and listed as before
     */
    public void commitKept(int ckptId) throws IOException {
        try {
            checkpointList.add(ckptId, Level.L4);
            unlist();
            levels.commit(Level.L4);
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            takeBackFailure(failed);
            throw failed;
        }
        checkpointList.confirm();
    }

    /**
     * Commits files in {@code tmp} that were brought to the nodes of their ranks as a checkpoint of level 1. Collective.
     *
     * @throws IOException on all ranks: they are not in their place
     */
    public void commitMoved(int ckptId) throws IOException {
        try {
            // Else a differential checkpoint that is older would be looked at first.
            checkpointList.add(ckptId, Level.L1);
            levels.commit(Level.L1);
        } catch (MeetingException unknown) {
            throw notKnown(unknown);
        } catch (IOException failed) {
            takeBackFailure(failed);
            throw failed;
        }
        checkpointList.confirm();
    }

    /** Takes back what a failed checkpoint has left, as far as that is possible. Collective. */
    private void abandon(Level level, IOException failed) {
        takeBack(failed, () -> levels.tidy(level));
        takeBackFailure(failed);
    }

    /** Says in the run's files again what was there before the checkpoint. Collective. */
    void takeBackFailure(IOException failed) {
        takeBack(failed, checkpointList::takeBack);
        if (!saysRestart) {
            takeBack(failed, () -> restartSection.write(config.failure()));
        }
        if (unlisted.isPresent()) {
            takeBack(failed, () -> listIfGlobal(unlisted.getAsInt(), Level.L4));
        }
    }

    /** A step of taking back, unless a message has failed before: then the others are not there to take part. */
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

    /** Takes the run's checkpoint out of the index of SCR, before its files change. Collective. */
    public void unlist() throws IOException {
        if (listed.isPresent()) {
            unlisted = listed.get().remove();
        }
    }

    /** Puts a checkpoint into the index of SCR if it is one of level 4. Collective. */
    void listIfGlobal(int ckptId, Level level) throws IOException {
        if (level == Level.L4) {
            list(ckptId, directories.committed(level).resolve(mode.plainName(level, ckptId)));
        }
    }

    /** Lists a checkpoint of level 4 that a kill kept from being listed. Collective. */
    public void listIfMissing(int ckptId) throws IOException {
        if (listed.isPresent()) {
            Path file = directories.committed(Level.L4).resolve(mode.plainName(Level.L4, ckptId));
            listed.get().addIfMissing(ckptId, execId, file);
        }
    }

    /** Puts a checkpoint of level 4 into the index of SCR. Collective. */
    public void list(int ckptId, Path file) throws IOException {
        if (listed.isPresent()) {
            listed.get().add(ckptId, execId, file);
            unlisted = OptionalInt.empty();
        }
    }
}
