package io.drumlin.checkpoint.internal.branch;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Begins branches: a branch is a run of its own that begins with a checkpoint of another run, its parent. It gets
 * directories of its own, in which the checkpoint's files are the same files or copies. Nothing of the parent changes
 * (docs/formats/fti-run-directory.md, section 14).
 */
public final class Branch {

    private final FtiConfig config;
    private final StorageEngine storage;

    /** @param config the configuration of the parent, which is that of the branch but for {@code [restart]} */
    public Branch(FtiConfig config, StorageEngine storage) {
        this.config = config;
        this.storage = storage;
    }

    /** Returns the text of a configuration file with which a run starts next. */
    public static String config(IniFile parent, String execId) throws DrumlinException {
        return parent.with("restart", "failure", "1")
                .with("restart", "exec_id", execId)
                .text();
    }

    /**
     * Begins a branch, unless the run is one that has begun with this choice.
     *
     * @param parent id of the run
     * @return the id of the branch
     * @throws IOException there is no such checkpoint, the run is active, or there is no room; nothing was changed
     */
    public String begin(String parent, CheckpointChoice choice) throws IOException {
        if (hasBegunWith(choice, parent)) {
            return parent;
        }
        requireRun(parent);
        return LeasedRun.call(config, parent, () -> beginWith(parent, find(parent, choice), choice));
    }

    /** Returns whether a run is a branch that has begun with a choice, so that a start with it continues the run. */
    public boolean hasBegunWith(CheckpointChoice choice, String execId) throws IOException {
        Optional<BranchRecord> itself = BranchRecord.read(new RunDirectory(config, execId, 0).meta());
        boolean asNamed = choice.name().isEmpty() || choice.name().get().equals(execId);
        return asNamed && itself.isPresent() && itself.get().asked().equals(choice.asked());
    }

    void requireRun(String execId) throws IOException {
        Path topology = new RunDirectory(config, execId, 0).topologyFile();
        if (!PathStatus.exists(topology)) {
            throw DrumlinException.during("beginning a branch of run " + execId)
                    .path(topology)
                    .problem("there is no such run")
                    .advice("see drumlin run list for the runs that there are")
                    .exception();
        }
    }

    /**
     * Begins a branch with a checkpoint that was {@linkplain #find found}. The caller has the lease of the parent.
     *
     * @return the id of the branch
     */
    public String beginWith(String parent, CheckpointEntry checkpoint, CheckpointChoice choice) throws IOException {
        BranchRecord record = record(parent, checkpoint, choice);
        String id = id(record, choice.name(), Set.of());
        if (!PathStatus.exists(new RunDirectory(config, id, 0).meta())) {
            make(parent, checkpoint, id, record);
        }
        return id;
    }

    static BranchRecord record(String parent, CheckpointEntry checkpoint, CheckpointChoice choice) {
        return new BranchRecord(parent, checkpoint.ckptId(), checkpoint.level().number(), choice.asked(), "");
    }

    /** Makes a branch that is not there. The caller has the lease of the parent. */
    void make(String parent, CheckpointEntry checkpoint, String id, BranchRecord record) throws IOException {
        RunDirectory run = new RunDirectory(config, parent, 0);
        RunDirectory branch = new RunDirectory(config, id, 0);
        RunPlaces places = config.localTest() ? RunPlaces.of(config, id) : RunPlaces.shared(config, id);
        try {
            make(checkpoint, run, branch, places, record);
        } catch (Throwable e) {
            deleteAfter(e, places);
            throw e;
        }
    }

    /** Finds the checkpoint that was chosen, among those that this machine sees. */
    public CheckpointEntry find(String parent, CheckpointChoice choice) throws IOException {
        requireRun(parent);
        RunDirectory run = new RunDirectory(config, parent, 0);
        List<CheckpointEntry> stored = RunInventory.of(run, storage).all(RunPlaces.seen(config, parent));
        String others = config.localTest()
                ? ""
                : "; those of levels 1 to 3 are on the nodes, which this machine does not see: to begin with one of them"
                        + " set [drumlin] from = " + choice.asked()
                        + " in the configuration file, and the start on these nodes makes the branch";
        return find(parent, choice, stored, others + unfinished(run), storage);
    }

    /**
     * Finds the checkpoint that was chosen.
     *
     * @param stored those that there are, the newest first
     * @param others the end of a message that lists these
     */
    static CheckpointEntry find(
            String parent, CheckpointChoice choice, List<CheckpointEntry> stored, String others, StorageEngine storage)
            throws IOException {
        // A program that repeats ids may have left an earlier checkpoint with the same id in the archive.
        List<CheckpointEntry> readable = new ArrayList<>();
        for (CheckpointEntry each : stored) {
            if (!isLost(each, storage)) {
                readable.add(each);
            }
        }
        List<CheckpointEntry> fitting = readable.stream()
                .filter(each -> choice.ckptId().isPresent()
                        ? each.ckptId() == choice.ckptId().getAsInt()
                        : each.age().isBefore(choice.before().orElseThrow()))
                .toList();
        DrumlinException.Context context = DrumlinException.during("beginning a branch of run " + parent);
        List<CheckpointEntry> unknown = unknown(choice, readable, fitting);
        if (!unknown.isEmpty()) {
            CheckpointEntry one = unknown.get(0);
            throw context.problem("of checkpoint " + one.ckptId() + " (" + one.place()
                            + ") it is not known when it was taken, because drumlin-commits does not say it, so that another"
                            + " may not be the one that is meant")
                    .advice("name it by its id; there are: " + list(stored) + others)
                    .exception();
        }
        return fitting.stream().findFirst().orElseThrow(() -> context.problem(
                        "there is no checkpoint " + choice.asked() + " that a branch can begin with")
                .advice("there are: " + list(stored) + others)
                .exception());
    }

    /** Returns whether there are only metadata of another checkpoint, without which nobody can read its data. */
    static boolean isLost(CheckpointEntry entry, StorageEngine storage) throws IOException {
        return entry.identity().isEmpty() && MetadataFiles.areOfOthers(entry.ckptId(), entry.metadata(), storage);
    }

    /** Returns words about a checkpoint of level 4 that was not yet in its place when a job ended; empty if there is none. */
    private static String unfinished(RunDirectory run) throws IOException {
        for (Path directory : List.of(RunDirectory.tmp(run.global()), RunDirectory.replaced(run.global(), Level.L4))) {
            if (PathStatus.entries(directory).stream()
                    .anyMatch(file -> FileNames.idOfAny(file).isPresent())) {
                return "; a job ended while it put a checkpoint into its place, and has left files of it in "
                        + directory + ": a restart of the run (failure = 1) finishes that if the checkpoint is whole";
            }
        }
        return "";
    }

    /** Returns those of which nobody knows whether they are the one that is meant instead of the first that fits. */
    private static List<CheckpointEntry> unknown(
            CheckpointChoice choice, List<CheckpointEntry> stored, List<CheckpointEntry> fitting) {
        if (choice.ckptId().isPresent()) {
            // As in a restart, what is in its place is newer than what was moved from there.
            boolean sure = fitting.size() < 2
                    || !(fitting.get(0).isArchived() || fitting.get(0).isKept());
            return sure ? List.of() : CheckpointEntry.unknown(fitting);
        }
        long first = fitting.isEmpty() ? -1 : fitting.get(0).age().position();
        return stored.stream()
                .filter(each -> each.age().time() == null)
                .filter(each -> each.age().position() < 0 || each.age().position() > first)
                .toList();
    }

    private static String list(List<CheckpointEntry> newestFirst) {
        List<String> words = new ArrayList<>(newestFirst.stream()
                .map(each -> each.ckptId() + " (" + each.words() + ")")
                .toList());
        Collections.reverse(words);
        return words.isEmpty() ? "none" : String.join(", ", words);
    }

    /**
     * Returns the id of a new branch, or of one that was begun for the same choice and has no checkpoint of its own.
     *
     * @param taken ids that it cannot have
     */
    String id(BranchRecord record, Optional<String> name, Set<String> taken) throws IOException {
        String first = name.orElse(record.parent() + "-from-" + record.ckptId());
        String id = first;
        Optional<Path> obstacle = obstacle(id, record);
        for (int n = 2; obstacle.isPresent() || taken.contains(id); n++) {
            if (name.isPresent()) {
                throw nameTaken(id, obstacle.orElse(config.metaDir()));
            }
            id = first + "." + n;
            obstacle = obstacle(id, record);
        }
        return id;
    }

    static DrumlinException nameTaken(String id, Path obstacle) {
        return DrumlinException.during("beginning branch " + id)
                .path(obstacle)
                .problem("there is something of this name already")
                .advice("give the branch another name; or if this is a run, set exec_id = " + id
                        + " and failure = 1 to continue it")
                .exception();
    }

    /** Returns what has the name of a new branch; empty if nothing has, or a branch that may be taken or replaced. */
    private Optional<Path> obstacle(String id, BranchRecord record) throws IOException {
        RunDirectory run = new RunDirectory(config, id, 0);
        RunPlaces places = RunPlaces.of(config, id);
        if (PathStatus.exists(run.meta())) {
            boolean unused = BranchRecord.read(run.meta()).stream().anyMatch(record::isOfSameChoice)
                    && !PathStatus.exists(run.commitLog());
            return unused ? Optional.empty() : Optional.of(run.meta());
        }
        if (PathStatus.exists(places.deleted())) {
            // Nodes may still have checkpoints of that run.
            return Optional.of(places.deleted());
        }
        return PathStatus.exists(places.part()) ? Optional.empty() : places.firstExisting();
    }

    /**
     * The directory of metadata comes first, under a name that tells what a kill leaves; it gets its own name last,
     * because that makes the run known.
     */
    private void make(
            CheckpointEntry checkpoint, RunDirectory run, RunDirectory branch, RunPlaces places, BranchRecord record)
            throws IOException {
        Path meta = places.part();
        deleteFiles(places);
        DirectoryTree.make(meta, storage);
        // First: it says whose lease tells whether somebody is making the branch.
        TextFiles.replace(BranchRecord.file(meta), record.text(), storage);
        for (Map.Entry<Path, List<Path>> each : checkpoint.files().entrySet()) {
            Path target = target(each.getKey(), checkpoint, branch, meta);
            makeBoth(root(target), target);
            share(each.getValue(), target);
        }
        boolean hasMetadata = checkpoint.isKept() || PathStatus.isDirectory(checkpoint.metadata());
        if (config.mode().metadataApart() && hasMetadata) {
            requireOf(checkpoint);
            Path target = RunDirectory.committed(meta, checkpoint.level());
            DirectoryTree.make(target, storage);
            share(metadata(checkpoint), target);
        }
        TextFiles.replace(meta.resolve(run.topologyFile().getFileName()), TextFiles.read(run.topologyFile()), storage);
        list(run.checkpointList(), meta.resolve(run.checkpointList().getFileName()), checkpoint.ckptId());
        storage.rename(meta, branch.meta());
        storage.syncDirectory(config.metaDir());
    }

    /** In a directory of a node, the branch has the same place. */
    private static Path target(Path directory, CheckpointEntry checkpoint, RunDirectory branch, Path meta) {
        if (checkpoint.level() == Level.L4) {
            Path global = branch.global().equals(branch.meta()) ? meta : branch.global();
            return RunDirectory.committed(global, Level.L4);
        }
        Path id = branch.meta().getFileName();
        return RunDirectory.committed(root(directory).resolveSibling(id), checkpoint.level());
    }

    private static Path root(Path ofLevel) {
        return ofLevel.resolve("..").normalize();
    }

    private void makeBoth(Path root, Path directory) throws IOException {
        DirectoryTree.make(root, storage);
        DirectoryTree.make(directory, storage);
    }

    private void share(List<Path> files, Path target) throws IOException {
        for (Path file : files) {
            SharedFiles.share(file, target.resolve(file.getFileName()), storage);
        }
        storage.syncDirectory(target);
    }

    /** Returns the files with metadata, beside which there may be those with data. */
    private static List<Path> metadata(CheckpointEntry checkpoint) throws IOException {
        return PathStatus.entries(checkpoint.metadata()).stream()
                .filter(file -> FileNames.METADATA_FILE
                        .matcher(file.getFileName().toString())
                        .matches())
                .toList();
    }

    private void requireOf(CheckpointEntry checkpoint) throws IOException {
        Optional<String> name = MetadataFiles.archiveName(checkpoint.metadata(), storage);
        if (!name.equals(Optional.of(FileNames.archived(checkpoint.ckptId())))) {
            throw DrumlinException.during("beginning a branch with checkpoint " + checkpoint.ckptId())
                    .path(checkpoint.metadata())
                    .problem("its metadata are missing, damaged or of another checkpoint")
                    .advice("choose another checkpoint; see drumlin inspect for those that are whole")
                    .exception();
        }
    }

    /** Lists the checkpoint for the branch, if it is in the list: the number of ranks that stored it may be there alone. */
    private void list(Path from, Path to, int ckptId) throws IOException {
        if (!PathStatus.exists(from)) {
            return;
        }
        IniFile list = CheckpointListFile.read(from);
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        for (String section : list.sections()) {
            if (section.equals("checkpoint_id." + ckptId) || section.startsWith("checkpoint_id." + ckptId + ".l")) {
                sections.put(section, list.section(section));
            }
        }
        if (!sections.isEmpty()) {
            TextFiles.replace(to, IniFile.dump(sections), storage);
        }
    }

    private void deleteAfter(Throwable failure, RunPlaces places) {
        try {
            // If it has its name already, it is whole, and the next start takes it.
            if (!PathStatus.exists(places.meta())) {
                deleteFiles(places);
                DirectoryTree.delete(places.part(), storage);
            }
        } catch (IOException stays) {
            failure.addSuppressed(stays);
        }
    }

    /** Deletes the files of a half-made branch, but not the directory that announces them. */
    private void deleteFiles(RunPlaces places) throws IOException {
        places.deleteOthers(storage);
        for (Path entry : PathStatus.entries(places.part())) {
            DirectoryTree.delete(entry, storage);
        }
    }

    /** Deletes what a kill has left of a branch that was being made. */
    public void deleteHalfMade(String id) throws IOException {
        RunPlaces places = RunPlaces.of(config, id);
        if (!PathStatus.exists(places.meta())) {
            deleteFiles(places);
        }
        DirectoryTree.delete(places.part(), storage);
        storage.syncDirectory(config.metaDir());
    }
}
