package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.internal.branch.Branch;
import io.drumlin.checkpoint.internal.branch.LeasedRun;
import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.group.GroupFile;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.format.fti.IniFile;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The catalogue of runs with the parts of the engine. */
public final class EngineRunCatalogue implements RunCatalogue {

    private final Path configFile;
    private final FtiConfig config;
    private final StorageEngine storage;

    /** Receives the number of bytes of each read of data. */
    private final LongConsumer read;

    /** @param storage the engine that makes, renames and deletes files */
    public EngineRunCatalogue(Path configFile, FtiConfig config, StorageEngine storage) {
        this(configFile, config, storage, bytes -> {});
    }

    private EngineRunCatalogue(Path configFile, FtiConfig config, StorageEngine storage, LongConsumer read) {
        this.configFile = configFile;
        this.config = config;
        this.storage = storage;
        this.read = read;
    }

    @Override
    public RunCatalogue watchedBy(LongConsumer reading) {
        return new EngineRunCatalogue(configFile, config, storage, reading);
    }

    /** Opens the catalogue of a configuration file; see {@link RunCatalogue#open}. */
    public static EngineRunCatalogue open(Path configFile, Path workingDirectory) throws IOException {
        FtiConfig config = FtiConfig.parse(TextFiles.read(configFile), configFile.toString(), workingDirectory);
        return new EngineRunCatalogue(configFile, config, new NioEngine());
    }

    @Override
    public String execId() {
        return config.execId();
    }

    @Override
    public int failure() {
        return config.failure();
    }

    @Override
    public boolean hasEnded() throws IOException {
        RunDirectory run = new RunDirectory(config, config.execId(), 0);
        boolean mayHave = config.failure() == 0 || config.failure() == 2;
        if (config.execId().isEmpty() || !mayHave || PathStatus.exists(run.lease())) {
            return false;
        }
        if (!PathStatus.exists(config.metaDir())) {
            throw DrumlinException.during("looking for the end of run " + config.execId())
                    .path(config.metaDir())
                    .problem("there is no such directory here")
                    .advice("ask on a machine that sees meta_dir")
                    .exception();
        }
        return config.failure() == 2
                || !PathStatus.exists(run.topologyFile())
                || !named(config.execId()).isEmpty();
    }

    private List<CheckpointEntry> named(String execId) throws IOException {
        return RunInventory.of(new RunDirectory(config, execId, 0), storage).all(RunPlaces.seen(config, execId));
    }

    @Override
    public Path metadata() {
        return config.metaDir();
    }

    @Override
    public List<Run> runs(boolean data) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (String execId : ids()) {
            runs.add(new CatalogueSurvey(config, execId, storage, read).run(data));
        }
        return runs;
    }

    private List<String> ids() throws IOException {
        TreeSet<String> ids = new TreeSet<>();
        for (Path entry : PathStatus.entries(config.metaDir())) {
            String name = name(entry);
            if (!isOfRemains(name) && PathStatus.exists(new RunDirectory(config, name, 0).topologyFile())) {
                ids.add(name);
            }
        }
        return List.copyOf(ids);
    }

    private static String name(Path entry) {
        return Objects.requireNonNull(entry.getFileName()).toString();
    }

    private static boolean isOfRemains(String name) {
        return name.endsWith(RunPlaces.PART) || name.endsWith(RunPlaces.DELETED);
    }

    @Override
    public Run run(String execId, boolean data) throws IOException {
        requireRun(execId, "looking for the run");
        return new CatalogueSurvey(config, execId, storage, read).run(data);
    }

    private RunDirectory requireRun(String execId, String operation) throws IOException {
        StoredNames.file(config.metaDir(), execId);
        RunDirectory run = new RunDirectory(config, execId, 0);
        if (isOfRemains(execId) || !PathStatus.exists(run.topologyFile())) {
            throw DrumlinException.during(operation)
                    .path(config.metaDir())
                    .problem("there is no run " + execId)
                    .advice("see drumlin run list for the runs that there are")
                    .exception();
        }
        return run;
    }

    @Override
    public List<Path> remains() throws IOException {
        List<Path> remains = new ArrayList<>();
        for (Path entry : PathStatus.entries(config.metaDir())) {
            if (isOfRemains(name(entry))) {
                remains.add(entry);
            }
        }
        for (String execId : ids()) {
            remains.addAll(new ArchiveDeletion(config, execId, storage).marks());
            remains.addAll(new KeptDeletion(config, execId, storage).remains());
        }
        return remains;
    }

    @Override
    public Restored restore(String execId, int ckptId, @Nullable String name) throws IOException {
        return restore(execId, CheckpointChoice.of(ckptId), name);
    }

    @Override
    public Restored restoreLatestBefore(String execId, Instant time, @Nullable String name) throws IOException {
        return restore(execId, CheckpointChoice.latestBefore(time), name);
    }

    private Restored restore(String execId, CheckpointChoice asked, @Nullable String name) throws IOException {
        CheckpointChoice choice = asked.named(Optional.ofNullable(name).map(CheckpointChoice::requireName));
        requireRun(execId, "restoring a checkpoint");
        requireNoGroupOfNamed(execId);
        if (config.choice().isPresent()) {
            throw DrumlinException.during("restoring a checkpoint")
                    .path(configFile)
                    .problem("[drumlin] from = " + config.choice().get().asked()
                            + " would choose a checkpoint again at the next start")
                    .advice("take from and branch out of the configuration file")
                    .exception();
        }
        String named = config.execId();
        boolean another = !named.isEmpty() && !named.equals(execId) && ids().contains(named);
        return LeasedRun.call(
                config,
                execId,
                () -> another
                        ? LeasedRun.call(config, named, () -> restoreUnderLease(execId, choice))
                        : restoreUnderLease(execId, choice));
    }

    /** The configuration file is that of the run, which would begin with the data of a library. */
    private void requireNoGroupOfNamed(String execId) throws IOException {
        Optional<String> run = runWithGroup(execId);
        if (run.isPresent() && run.get().equals(config.execId())) {
            throw DrumlinException.during("restoring a checkpoint")
                    .path(configFile)
                    .problem("run " + execId + " is a group of run " + run.get() + ", which this file names")
                    .advice("make a copy of the file with exec_id = " + execId + ", and restore with the copy")
                    .exception();
        }
    }

    /** Returns the run that goes on with another as its group. */
    private Optional<String> runWithGroup(String execId) throws IOException {
        for (String run : ids()) {
            if (hasCheckpoints(run).contains(execId)) {
                return Optional.of(run);
            }
        }
        return Optional.empty();
    }

    /** Returns the groups of a run that have checkpoints. */
    private List<String> hasCheckpoints(String run) throws IOException {
        return GroupFile.of(new RunDirectory(config, run, 0).meta()).stream()
                .filter(group -> group.failure() != 0)
                .map(GroupFile::execId)
                .toList();
    }

    private Restored restoreUnderLease(String execId, CheckpointChoice choice) throws IOException {
        Branch branches = new Branch(config, storage);
        CheckpointEntry checkpoint = branches.find(execId, choice);
        requireWhole(execId, checkpoint);
        String branch = branches.beginWith(execId, checkpoint, choice);
        IniFile now = IniFile.parse(TextFiles.read(configFile), configFile.toString());
        String text = Branch.config(now, branch);
        TextFiles.replace(configFile, text, branch, storage);
        return new Restored(execId, checkpoint.ckptId(), branch, config.execId(), config.failure());
    }

    /** Verifies all data of the checkpoint, as a restart does. */
    private void requireWhole(String execId, CheckpointEntry checkpoint) throws IOException {
        OptionalInt archived = checkpoint.isArchived() ? OptionalInt.of(checkpoint.ckptId()) : OptionalInt.empty();
        CatalogueSurvey survey = new CatalogueSurvey(config, execId, storage, read);
        List<Checkpoint> found = checkpoint.isKept()
                ? survey.verifiedKept(checkpoint.level())
                : survey.verified(checkpoint.level(), archived);
        boolean whole = found.stream()
                .filter(each -> each.ckptId() == checkpoint.ckptId() && each.level() == checkpoint.level())
                .filter(each -> each.isArchived() == checkpoint.isArchived())
                .filter(each -> each.folders().contains(checkpoint.place()))
                .anyMatch(Checkpoint::isRecoverable);
        if (!whole) {
            throw DrumlinException.during("restoring checkpoint " + checkpoint.ckptId() + " of run " + execId)
                    .path(checkpoint.files().keySet().iterator().next())
                    .problem("with this configuration it is damaged or not complete")
                    .advice("see drumlin run list --data for those that are whole" + namesakes(execId, checkpoint))
                    .exception();
        }
    }

    /** Tells of the other checkpoints with the same id, which the id does not choose. */
    private String namesakes(String execId, CheckpointEntry checkpoint) throws IOException {
        return named(execId).stream()
                .filter(each -> each.ckptId() == checkpoint.ckptId() && !each.equals(checkpoint))
                .map(each -> "; there is another one with this id (" + each.words()
                        + "), which a time after it chooses, before the time of this one")
                .collect(Collectors.joining());
    }

    @Override
    public Deleted delete(String execId, int ckptId, boolean dryRun) throws IOException {
        RunDirectory run = requireRun(execId, "deleting checkpoint " + ckptId);
        ArchiveDeletion archive = new ArchiveDeletion(config, execId, storage);
        KeptDeletion kept = new KeptDeletion(config, execId, storage);
        List<Path> paths = new ArrayList<>(archive.paths(ckptId));
        boolean isArchived = !paths.isEmpty();
        List<Path> onNodes = kept.paths(ckptId);
        paths.addAll(onNodes);
        if (paths.isEmpty()) {
            throw notDeletable(execId, run, ckptId);
        }
        FreedSpace freed = new FreedSpace();
        for (Path path : paths) {
            freed.add(path);
        }
        List<String> elsewhere = onNodes.isEmpty() ? List.of() : new RunDeletion(config, execId, storage).elsewhere();
        if (!dryRun) {
            LeasedRun.call(config, execId, () -> {
                kept.delete(ckptId);
                if (isArchived) {
                    archive.delete(ckptId);
                }
                return ckptId;
            });
        }
        return new Deleted(List.of(execId + "/" + ckptId), freed.bytes(), elsewhere, List.of(), List.of());
    }

    private DrumlinException notDeletable(String execId, RunDirectory run, int ckptId) throws IOException {
        boolean atLevel = named(execId).stream().anyMatch(each -> each.ckptId() == ckptId);
        return DrumlinException.during("deleting checkpoint " + ckptId + " of run " + execId)
                .path(run.archive())
                .problem(
                        atLevel
                                ? "it is not in the archive but at a level, where a restart looks for it"
                                : "it is not in the archive of level 4, nor kept on nodes that this machine sees")
                .advice("see drumlin run list for those in the archive or kept; a whole run is deleted without"
                        + " --checkpoint")
                .exception();
    }

    @Override
    public Deleted deleteRun(String execId, boolean force, boolean dryRun) throws IOException {
        StoredNames.file(config.metaDir(), execId);
        RunDeletion deletion = new RunDeletion(config, execId, storage);
        boolean begun = deletion.isBegun() && !PathStatus.exists(new RunDirectory(config, execId, 0).meta());
        if (!begun) {
            requireRun(execId, "deleting a run");
            requireNotNeeded(execId, force);
        }
        FreedSpace freed = new FreedSpace();
        List<Path> paths = new ArrayList<>();
        for (Path path : deletion.paths()) {
            freed.add(path);
            if (PathStatus.exists(path)) {
                paths.add(path);
            }
        }
        List<String> elsewhere = deletion.elsewhere();
        if (!dryRun && begun) {
            deletion.finish();
        } else if (!dryRun) {
            LeasedRun.call(config, execId, () -> {
                deletion.delete();
                return execId;
            });
        }
        return new Deleted(List.of(execId), freed.bytes(), elsewhere, List.of(), paths);
    }

    private void requireNotNeeded(String execId, boolean force) throws IOException {
        if (!force) {
            requireNoGroups(execId);
        }
        if (execId.equals(config.execId()) && config.failure() != 0 && !force) {
            throw DrumlinException.during("deleting run " + execId)
                    .path(configFile)
                    .problem("the next start of this configuration restarts from it, failure = " + config.failure())
                    .advice(
                            "to delete it nevertheless, say --force; the next start is then refused until failure = 0 or"
                                    + " exec_id names another run")
                    .exception();
        }
    }

    private void requireNoGroups(String execId) throws IOException {
        DrumlinException.Context context =
                DrumlinException.during("deleting run " + execId).path(config.metaDir());
        Optional<String> run = runWithGroup(execId);
        if (run.isPresent()) {
            throw context.problem("run " + run.get() + " goes on with it as its group")
                    .advice("to delete it nevertheless, say --force; run " + run.get()
                            + " then refuses to open the group, and says how it begins afresh")
                    .exception();
        }
        List<String> groups = hasCheckpoints(execId);
        if (!groups.isEmpty()) {
            throw context.problem("its groups have checkpoints: " + String.join(", ", groups))
                    .advice(
                            "delete these runs first, if nobody needs them; with --force they stay, as runs of their own")
                    .exception();
        }
    }

    @Override
    public Deleted prune(List<String> execIds, Rule rule, boolean dryRun) throws IOException {
        for (String execId : execIds) {
            requireRun(execId, "deleting checkpoints that are not to be kept");
        }
        return new CataloguePruning(configFile, config, storage).prune(execIds, rule, dryRun);
    }
}
