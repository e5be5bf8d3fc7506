package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunReport.State;
import io.drumlin.checkpoint.internal.branch.BranchRecord;
import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inspect.EngineRunSurvey;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.provenance.StartsFile;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a run has, by the survey that {@code drumlin inspect} makes of it. */
final class CatalogueSurvey {

    private final FtiConfig config;
    private final String execId;
    private final RunDirectory run;
    private final StorageEngine storage;
    private final LongConsumer read;
    private @Nullable Listed listed;

    /** @param read receives the number of bytes of each read of a survey */
    CatalogueSurvey(FtiConfig config, String execId, StorageEngine storage, LongConsumer read) {
        this.storage = storage;
        this.config = config;
        this.execId = execId;
        this.read = read;
        run = new RunDirectory(config, execId, 0);
    }

    Run run(boolean data) throws IOException {
        Optional<BranchRecord> branch = BranchRecord.read(run.meta());
        List<Checkpoint> found = new ArrayList<>();
        String problem = listed().problem();
        try {
            List<Checkpoint> surveyed = checkpoints(survey().report(data));
            found.addAll(surveyed);
            found.addAll(named(true));
            found.removeIf(
                    each -> !surveyed.contains(each) && surveyed.stream().anyMatch(other -> isSame(each, other)));
        } catch (DrumlinException cannot) {
            problem = cannot.getMessage();
            found.addAll(named(false));
        }
        return new Run(
                execId,
                execId.equals(config.execId()),
                PathStatus.exists(run.lease()),
                branch.map(BranchRecord::parent).orElse(null),
                branch.map(BranchRecord::ckptId).orElse(-1),
                List.copyOf(found),
                problem);
    }

    /** Surveys the run, and verifies the data of the checkpoints at one level. */
    List<Checkpoint> verified(Level level, OptionalInt archived) throws IOException {
        return checkpoints(survey().report(level, archived));
    }

    /** Surveys the run, and verifies the data of the checkpoints of a level that were kept on the nodes. */
    List<Checkpoint> verifiedKept(Level level) throws IOException {
        return checkpoints(survey().reportKept(level));
    }

    private EngineRunSurvey survey() throws IOException {
        return EngineRunSurvey.open(config, execId).watchedBy(read);
    }

    private List<Checkpoint> checkpoints(RunReport report) throws IOException {
        List<CheckpointListFile.Entry> listed = listed().entries();
        List<StartsFile.Start> starts = StartsFile.read(run.meta());
        CommitOrder order = new CommitOrder(run.commitLog()).read();
        List<Checkpoint> found = new ArrayList<>();
        for (RunReport.Checkpoint each : report.checkpoints()) {
            if (each.state() == State.UNFINISHED) {
                continue;
            }
            int stored = ranks(listed, each.level(), each.ckptId());
            int surveyed = each.sources().size();
            boolean otherRanks = stored != 0 && stored != surveyed;
            boolean ofOthers = !each.isRecoverable() && (otherRanks || isOfOtherMode(each.ckptId()));
            Instant time = time(each, order);
            found.add(new Checkpoint(
                    each.ckptId(),
                    each.level(),
                    each.archived(),
                    each.folders(),
                    time,
                    each.bytes(),
                    ofOthers && otherRanks ? stored : surveyed,
                    ofOthers ? null : each.state(),
                    each.missing(),
                    each.damaged(),
                    start(starts, time)));
        }
        return found;
    }

    /** Returns what the names of files tell, also of those of which a survey has refused all files. */
    private List<Checkpoint> named(boolean refused) throws IOException {
        List<CheckpointListFile.Entry> listed = listed().entries();
        List<StartsFile.Start> starts = StartsFile.read(run.meta());
        List<Checkpoint> found = new ArrayList<>();
        for (CheckpointEntry each : RunInventory.of(run, storage).all(RunPlaces.seen(config, execId))) {
            found.add(new Checkpoint(
                    each.ckptId(),
                    each.level(),
                    each.isArchived(),
                    Set.of(each.place()),
                    each.age().time(),
                    bytes(each.paths()),
                    ranks(listed, each.level(), each.ckptId()),
                    refused && !isOfOtherMode(each.ckptId()) ? State.LOST : null,
                    Set.of(),
                    Set.of(),
                    start(starts, each.age().time())));
        }
        return found;
    }

    /** Returns whether a survey has the checkpoint that the names of files tell. */
    private static boolean isSame(Checkpoint named, Checkpoint surveyed) {
        return named.ckptId() == surveyed.ckptId()
                && named.isArchived() == surveyed.isArchived()
                && surveyed.folders().containsAll(named.folders());
    }

    /**
     * The list of checkpoints, which tells only the numbers of ranks and the modes.
     *
     * @param problem why it cannot be read; null if it can, or there is none
     */
    private record Listed(Optional<IniFile> list, @Nullable String problem) {

        static Listed read(Path file) {
            try {
                return new Listed(
                        PathStatus.exists(file) ? Optional.of(CheckpointListFile.read(file)) : Optional.empty(), null);
            } catch (IOException damaged) {
                return new Listed(Optional.empty(), damaged.getMessage());
            }
        }

        List<CheckpointListFile.Entry> entries() {
            return list.map(CheckpointListFile::entries).orElse(List.of());
        }
    }

    private Listed listed() {
        if (listed == null) {
            listed = Listed.read(run.checkpointList());
        }
        return listed;
    }

    private static long bytes(List<Path> files) throws IOException {
        long bytes = 0;
        for (Path file : files) {
            bytes += PathStatus.size(file);
        }
        return bytes;
    }

    private static int ranks(List<CheckpointListFile.Entry> listed, Level level, int ckptId) {
        return CheckpointListFile.of(listed, level, ckptId).stream()
                .filter(entry -> !entry.ofOtherRanks())
                .mapToInt(CheckpointListFile.Entry::ranks)
                .filter(ranks -> ranks > 0)
                .findFirst()
                .orElse(0);
    }

    /** Returns whether the list of checkpoints says that one was stored with another {@code ckpt_io}. */
    private boolean isOfOtherMode(int ckptId) {
        String own = "100" + config.mode().number();
        return listed().list()
                .flatMap(list -> list.get("checkpoint_id." + ckptId, "io_mode"))
                .filter(mode -> !mode.equals(own))
                .isPresent();
    }

    private static @Nullable String start(List<StartsFile.Start> starts, @Nullable Instant time) {
        return starts.stream()
                .filter(start -> time != null && !start.time().isAfter(time))
                .reduce((earlier, later) -> later)
                .map(StartsFile.Start::json)
                .orElse(null);
    }

    /** Returns when a checkpoint was begun; null if the log does not say it, or this machine sees no file of it. */
    private @Nullable Instant time(RunReport.Checkpoint checkpoint, CommitOrder order) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : checkpoint.folders()) {
            Path metadata = run.meta().resolve(folder);
            files.add(checkpoint.archived() ? metadata.resolve(FileNames.archived(checkpoint.ckptId())) : metadata);
        }
        if (checkpoint.level() == Level.L4_DCP) {
            files.add(RunDirectory.committed(run.meta(), Level.L4));
        }
        for (Path root : Stream.concat(Stream.of(run.global()), RunPlaces.of(config, execId).others().stream())
                .toList()) {
            for (String folder : checkpoint.folders()) {
                PathStatus.entries(root.resolve(folder)).stream()
                        .filter(file -> isOf(checkpoint, file))
                        .forEach(files::add);
            }
        }
        return order.age(checkpoint.ckptId(), CheckpointIdentity.of(checkpoint.ckptId(), files, storage))
                .time();
    }

    private static boolean isOf(RunReport.Checkpoint checkpoint, Path file) {
        return checkpoint.level() == Level.L4_DCP
                || FileNames.idOfAny(file).equals(OptionalInt.of(checkpoint.ckptId()));
    }
}
