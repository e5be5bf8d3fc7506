package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Deleted;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.internal.branch.Branch;
import io.drumlin.checkpoint.internal.branch.BranchRecord;
import io.drumlin.checkpoint.internal.branch.LeasedRun;
import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Deletes the archived checkpoints that are not to be kept, and what interrupted work has left. */
final class CataloguePruning {

    private final Path configFile;
    private final FtiConfig config;
    private final StorageEngine storage;
    private final FreedSpace freed = new FreedSpace();
    private final List<String> deleted = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final List<Path> finished = new ArrayList<>();
    private boolean prunesArchive;

    CataloguePruning(Path configFile, FtiConfig config, StorageEngine storage) {
        this.configFile = configFile;
        this.config = config;
        this.storage = storage;
    }

    Deleted prune(List<String> execIds, Rule rule, boolean dryRun) throws IOException {
        KeptCheckpoints kept = kept(rule);
        finishRuns(dryRun);
        for (String execId : execIds) {
            try {
                if (dryRun) {
                    prune(execId, kept, true);
                } else {
                    LeasedRun.call(config, execId, () -> prune(execId, kept, false));
                }
            } catch (DrumlinException e) {
                if (e.errno() != null) {
                    throw e;
                }
                refused.add(execId + ": " + e.getMessage());
            }
        }
        return new Deleted(List.copyOf(deleted), freed.bytes(), List.of(), List.copyOf(refused), List.copyOf(finished));
    }

    private KeptCheckpoints kept(Rule rule) throws DrumlinException {
        IniFile ini = config.ini();
        ini = with(ini, "keep", rule.keep());
        ini = with(ini, "keep_every", rule.keepEvery());
        ini = with(ini, "keep_size", rule.keepSize());
        boolean given = rule.keep() != null || rule.keepEvery() != null || rule.keepSize() != null;
        KeptCheckpoints kept = given ? KeptCheckpoints.of(ini, configFile.toString()) : config.kept();
        prunesArchive = given || kept.archives();
        if (!prunesArchive && !kept.keepsOnNodes()) {
            throw DrumlinException.during("deleting checkpoints that are not to be kept")
                    .path(configFile)
                    .problem("[drumlin] has no keep or keep_every, so that all archived checkpoints would go")
                    .advice("say --keep N")
                    .exception();
        }
        return kept;
    }

    private static IniFile with(IniFile ini, String key, @Nullable String value) throws DrumlinException {
        return value == null ? ini : ini.with("drumlin", key, value);
    }

    private int prune(String execId, KeptCheckpoints kept, boolean dryRun) throws IOException {
        ArchiveDeletion archive = new ArchiveDeletion(config, execId, storage);
        for (Path mark : archive.marks()) {
            finished.add(mark);
            if (!dryRun) {
                archive.finish(mark);
            }
        }
        pruneKept(execId, dryRun);
        if (!prunesArchive) {
            return deleted.size();
        }
        Run surveyed = new CatalogueSurvey(config, execId, storage, bytes -> {}).run(false);
        if (surveyed.problem() != null) {
            refused.add(execId + ": " + surveyed.problem());
            return 0;
        }
        Archive.Judged judged = judge(execId, surveyed.checkpoints(), kept);
        if (!judged.unknown().isEmpty()) {
            refused.add(execId + ": " + new RunDirectory(config, execId, 0).commitLog()
                    + " does not say how old checkpoints " + judged.unknown()
                    + " are, or one of these cannot be read: they stay; see drumlin run delete");
        }
        for (int ckptId : judged.superfluous()) {
            for (Path path : archive.paths(ckptId)) {
                freed.add(path);
            }
            deleted.add(execId + "/" + ckptId);
            if (!dryRun) {
                archive.delete(ckptId);
            }
        }
        return deleted.size();
    }

    /** Deletes those of levels 1 to 3 that {@code keep_l1} to {@code keep_l3} of the configuration do not keep. */
    private void pruneKept(String execId, boolean dryRun) throws IOException {
        KeptDeletion nodes = new KeptDeletion(config, execId, storage);
        for (Path each : nodes.remains()) {
            finished.add(each);
            if (!dryRun) {
                DirectoryTree.delete(each, storage);
            }
        }
        for (RunInventory.Kept each : nodes.superfluous()) {
            freed.add(each.path());
            String name = execId + "/" + each.ckptId();
            if (!deleted.contains(name)) {
                deleted.add(name);
            }
            if (!dryRun) {
                nodes.delete(each);
            }
        }
    }

    /** A damaged checkpoint does not count, so that none that is whole goes for it. */
    private Archive.Judged judge(String execId, List<Checkpoint> checkpoints, KeptCheckpoints kept) throws IOException {
        RunDirectory run = new RunDirectory(config, execId, 0);
        Set<Integer> whole = new HashSet<>();
        Optional<Checkpoint> current = Optional.empty();
        for (Checkpoint each : checkpoints) {
            if (each.isRecoverable() && each.isArchived()) {
                whole.add(each.ckptId());
            } else if (each.isRecoverable() && each.level() == Level.L4) {
                current = Optional.of(each);
            }
        }
        // Without a checkpoint at level 4 the newest of the archive is the current one.
        KeptCheckpoints rule = current.isPresent() ? kept : kept.withoutCurrent();
        long bytes = current.map(Checkpoint::bytes).orElse(0L);
        RunInventory inventory = RunInventory.forDeletion(run, storage, new CommitOrder(run.commitLog()).read());
        List<CheckpointEntry> archived = inventory.archived().stream()
                .filter(each -> whole.contains(each.ckptId()))
                .toList();
        return Archive.judge(archived, rule, bytes);
    }

    /** Finishes deletions of runs, and deletes half-made branches that nobody is making any more. */
    private void finishRuns(boolean dryRun) throws IOException {
        for (Path entry : PathStatus.entries(config.metaDir())) {
            String name = Objects.requireNonNull(entry.getFileName()).toString();
            if (name.endsWith(RunPlaces.DELETED)) {
                RunDeletion deletion = new RunDeletion(config, without(name, RunPlaces.DELETED), storage);
                if (deletion.hasRemains()) {
                    add(entry, deletion.remains());
                    if (!dryRun) {
                        deletion.finish();
                    }
                }
            } else if (name.endsWith(RunPlaces.PART)) {
                String execId = without(name, RunPlaces.PART);
                try {
                    finishBranch(entry, execId, dryRun);
                } catch (DrumlinException e) {
                    if (e.errno() != null) {
                        throw e;
                    }
                    refused.add(execId + ": " + e.getMessage());
                }
            }
        }
    }

    /** Whoever makes a branch holds the lease of the parent. */
    private void finishBranch(Path part, String execId, boolean dryRun) throws IOException {
        Optional<String> parent = BranchRecord.read(part).map(BranchRecord::parent);
        boolean leased =
                parent.isPresent() && PathStatus.exists(new RunDirectory(config, parent.get(), 0).topologyFile());
        if (dryRun || !leased) {
            deleteHalfMade(part, execId, dryRun);
        } else {
            LeasedRun.call(config, parent.get(), () -> {
                deleteHalfMade(part, execId, false);
                return execId;
            });
        }
    }

    private void deleteHalfMade(Path part, String execId, boolean dryRun) throws IOException {
        RunPlaces places = RunPlaces.of(config, execId);
        add(part, PathStatus.exists(places.meta()) ? List.of(part) : places.others());
        if (!dryRun) {
            new Branch(config, storage).deleteHalfMade(execId);
        }
    }

    private void add(Path remains, List<Path> paths) throws IOException {
        finished.add(remains);
        for (Path each : paths) {
            freed.add(each);
        }
    }

    private static String without(String name, String suffix) {
        return name.substring(0, name.length() - suffix.length());
    }
}
