package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Deleted;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.internal.branch.Branch;
import io.drumlin.checkpoint.internal.branch.LeasedRun;
import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints.Kept;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Deletes the archived checkpoints that are not to be kept, and what interrupted work has left. */
final class CataloguePruning {

    private static final Duration OLD = Duration.ofDays(1);

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
        Run surveyed = new CatalogueSurvey(config, execId, bytes -> {}).run(false);
        if (surveyed.problem() != null) {
            refused.add(execId + ": " + surveyed.problem());
            return 0;
        }
        for (int ckptId : superfluous(surveyed.checkpoints(), kept)) {
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
        for (KeptOnNodes.Kept each : nodes.superfluous()) {
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
    private static List<Integer> superfluous(List<Checkpoint> checkpoints, KeptCheckpoints kept) {
        List<Kept> archived = new ArrayList<>();
        Optional<Checkpoint> current = Optional.empty();
        for (Checkpoint each : checkpoints) {
            Instant time = each.time();
            if (each.isRecoverable() && each.isArchived() && time != null) {
                archived.add(new Kept(each.ckptId(), time.toEpochMilli(), each.bytes()));
            } else if (each.isRecoverable() && each.level() == Level.L4) {
                current = Optional.of(each);
            }
        }
        // Without a checkpoint at level 4 the newest of the archive is the current one.
        KeptCheckpoints rule = current.isPresent() ? kept : kept.withoutCurrent();
        return rule.superfluous(archived, current.map(Checkpoint::bytes).orElse(0L)).stream()
                .map(Kept::ckptId)
                .toList();
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
            } else if (name.endsWith(RunPlaces.PART) && isOld(entry)) {
                String execId = without(name, RunPlaces.PART);
                RunPlaces places = RunPlaces.of(config, execId);
                add(entry, PathStatus.exists(places.meta()) ? List.of(entry) : places.others());
                if (!dryRun) {
                    new Branch(config, storage).deleteHalfMade(execId);
                }
            }
        }
    }

    private void add(Path remains, List<Path> paths) throws IOException {
        finished.add(remains);
        for (Path each : paths) {
            freed.add(each);
        }
    }

    private static boolean isOld(Path entry) throws IOException {
        return PathStatus.read(entry)
                .lastModifiedTime()
                .toInstant()
                .isBefore(Instant.now().minus(OLD));
    }

    private static String without(String name, String suffix) {
        return name.substring(0, name.length() - suffix.length());
    }
}
