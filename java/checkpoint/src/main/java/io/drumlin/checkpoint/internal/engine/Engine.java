package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.file.IncrementalFile;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.recovery.CommitLog;
import io.drumlin.checkpoint.internal.recovery.LevelCopy;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The components with which a rank takes and recovers the checkpoints of a run.
 *
 * @param archive the archive of level 4
 * @param given the application ranks in the order of the program's communicator
 */
public record Engine(
        Run run,
        RankContext context,
        Communicator given,
        Packing packing,
        Archive archive,
        CommitProtocol levels,
        IoMode mode,
        LevelCopy copy,
        RestartSection restartSection,
        CheckpointListFile checkpointList,
        CommitLog log,
        CheckpointCoordinator coordinator) {

    /** Creates the components. Collective. */
    public static Engine of(Run run, Packing packing) throws IOException {
        FtiConfig config = run.config();
        Topology topology = run.topology();
        RunDirectory directories = run.directories();
        StorageEngine storage = run.storage();
        // The program's messages must be kept apart from those of checkpoints, which another thread may send.
        // Without nodeOrder the run's communicator has the order of the program's ranks, also in a former order of
        // nodes.
        boolean inNodeOrder = run.nodeOrder() || topology.isInRankOrder();
        Communicator app = inNodeOrder ? run.app().dup() : run.app().split(0, topology.position());
        boolean sameOrder = run.nodeOrder() || topology.isNumberedByNode();
        Communicator given = sameOrder ? app : run.app().dup();
        Communicator node = topology.ofNode(app);
        Group group = Group.of(app, topology, config.groupSize());
        SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, config.slabBytes());
        CheckpointReader reader = new CheckpointReader(storage, slabs);
        RejectedFiles rejected = RejectedFiles.logged(app, config.goesOnFromOlder());
        boolean metadata = config.mode().metadataApart();
        int groups = metadata ? topology.ranksOfApplication() / config.groupSize() : 0;
        Archive archive = new Archive(directories, storage, config.kept(), metadata);
        CommitProtocol levels = new CommitProtocol(app, topology, directories, storage, archive, groups);
        boolean byPlace = run.nodeOrder() && run.previous().stream().allMatch(each -> each.oneOrder());
        RankContext context =
                new RankContext(app, node, group, topology, byPlace, storage, slabs, reader, rejected, events(run));
        IoMode mode = IoModes.of(context, config, levels, packing);
        LevelCopy copy = new LevelCopy(context, directories, mode);
        RestartSection restartSection = new RestartSection(app, run);
        CheckpointListFile checkpointList = new CheckpointListFile(app, config, topology, directories, storage);
        CommitLog log = new CommitLog(app, directories.commitLog(), storage);
        CheckpointCoordinator coordinator = new CheckpointCoordinator(
                run,
                app,
                levels,
                mode,
                new LevelWriter(context, directories, mode),
                new DifferentialWriter(app, directories, levels, storage, mode),
                restartSection,
                checkpointList,
                log);
        return new Engine(
                run,
                context,
                given,
                packing,
                archive,
                levels,
                mode,
                copy,
                restartSection,
                checkpointList,
                log,
                coordinator);
    }

    private static RunEvents events(Run run) {
        boolean first = !run.topology().isHead() && run.app().rank() == 0;
        return RunEvents.of(run.execId(), run.topology().rank(), first);
    }

    public RunEvents events() {
        return context.events();
    }

    public Communicator app() {
        return context.app();
    }

    public Group group() {
        return context.group();
    }

    public SlabPool slabs() {
        return context.slabs();
    }

    public CheckpointReader reader() {
        return context.reader();
    }

    public RejectedFiles rejected() {
        return context.rejected();
    }

    public FtiConfig config() {
        return run.config();
    }

    public StorageEngine storage() {
        return run.storage();
    }

    public RunDirectory directories() {
        return run.directories();
    }

    /** Returns the mode for files in other directories than those of the levels. */
    public IoMode modeAt(CheckpointDirectories places, RejectedFiles rejected) {
        return IoModes.of(context.with(rejected), config(), places, packing);
    }

    /** Returns this rank's file of a checkpoint whose variables are added a few at a time; opens nothing yet. */
    public IncrementalFile unfinished(Level level, Map<Integer, ProtectedData> all) {
        mode.requireIncrementalFiles();
        Path path = unfinishedFile(level);
        boolean temporary = level != Level.L4_DCP;
        return new IncrementalFile(storage(), path, temporary, () -> mode.incrementalWriter(level, path), all);
    }

    private Path unfinishedFile(Level level) {
        if (level == Level.L4_DCP) {
            return mode.differentialFile(directories());
        }
        // A file that is later copied into a file of all ranks, or by a head, is best kept on the node.
        boolean near = mode.shared(level).isPresent() || !config().isInline(level);
        Path root = near ? directories().local() : directories().root(level);
        return root.resolve(FileNames.incrementalName(run.topology().fileRank()));
    }

    /**
     * Frees what belongs to this rank alone, without a message.
     *
     * @param slabsAreIdle whether no thread uses the slabs; otherwise they stay
     */
    public void release(boolean slabsAreIdle) {
        events().close();
        reader().forget();
        levels.awaitDeletion();
        if (slabsAreIdle) {
            slabs().close();
        }
    }

    /** Frees memory and communicators. Collective. */
    public void close() throws IOException {
        release(true);
        group().close();
        context.node().close();
        if (given != app()) {
            given.close();
        }
        app().close();
    }
}
