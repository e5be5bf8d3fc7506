package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.topology.PreviousRun;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The number of ranks that stored each checkpoint on the parallel file system, as far as the list of checkpoints
 * records it; the same on all ranks.
 */
public final class RecordedRankCounts {

    private final List<CheckpointListFile.Entry> entries;

    private RecordedRankCounts(List<CheckpointListFile.Entry> entries) {
        this.entries = entries;
    }

    /** Reads the list. Must be called before any checkpoint is moved to its place. Collective. */
    public static RecordedRankCounts of(
            Communicator app, Path list, CheckpointDirectories places, RejectedFiles rejected) throws IOException {
        StringBuilder lines = new StringBuilder();
        if (app.rank() == 0) {
            rejected.succeeds("reading", list, () -> {
                boolean interrupted = wasInterrupted(places);
                CheckpointListFile.entries(list).stream()
                        .filter(entry -> !entry.ofOtherRanks() || interrupted)
                        .forEach(entry -> lines.append(entry.toLine()).append('\n'));
            });
        }
        rejected.requireReadable();
        return new RecordedRankCounts(Agreement.bcast(app, lines.toString(), 0)
                .lines()
                .map(CheckpointListFile.Entry::of)
                .toList());
    }

    /**
     * Returns whether a commit was interrupted: only a kill leaves a checkpoint that one of another number of ranks was
     * going to replace.
     */
    private static boolean wasInterrupted(CheckpointDirectories places) throws IOException {
        for (Path left : List.of(
                places.directory(Level.L4, CommitSlot.TMP),
                places.directory(Level.L4, CommitSlot.REPLACED),
                places.directory(Level.L4_DCP, CommitSlot.REPLACED),
                places.metadataDirectory(Level.L4, CommitSlot.TMP),
                places.metadataDirectory(Level.L4, CommitSlot.REPLACED))) {
            if (PathStatus.exists(left)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the rank counts recorded for a checkpoint: none if unknown, two if a kill may have interrupted its
     * replacement (one of them is right).
     */
    public Set<Integer> of(Level level, int ckptId) {
        return CheckpointListFile.of(entries, level, ckptId).stream()
                .map(CheckpointListFile.Entry::ranks)
                .filter(ranks -> ranks > 0)
                .collect(Collectors.toSet());
    }

    /** Returns whether no checkpoint is recorded with another number of ranks. */
    public boolean areOf(int ranks) {
        return entries.stream().allMatch(entry -> entry.ranks() == 0 || entry.ranks() == ranks);
    }

    /**
     * Checks that the files of all ranks exist. A checkpoint that is not in the list is of the previous run. If only
     * the nodes of that run are known, all nodes must have the same number of ranks.
     *
     * @param found the checkpoint, whose files give its rank count
     * @throws DrumlinException another number of ranks stored the checkpoint
     */
    void confirm(ElasticCheckpoint found, PreviousRun run) throws DrumlinException {
        Set<Integer> listed = of(found.level(), found.ckptId());
        int ranks = found.ranks();
        int stored = listed.contains(ranks) ? ranks : listed.isEmpty() ? run.ranks() : Collections.max(listed);
        if (stored == 0) {
            stored = (ranks + run.nodes() - 1) / run.nodes() * run.nodes();
        }
        if (stored == ranks) {
            return;
        }
        DrumlinException.Context refusal = DrumlinException.during("restart from checkpoint " + found.ckptId());
        if (stored > ranks) {
            refusal.path(found.missingFile(stored));
        }
        throw refusal.problem(
                        "there are the files of " + ranks + " ranks, and " + stored + " ranks wrote the checkpoint")
                .advice(
                        "a restart on another number of ranks needs the files of all ranks: bring back what is missing, or"
                                + " use another checkpoint")
                .exception();
    }
}
