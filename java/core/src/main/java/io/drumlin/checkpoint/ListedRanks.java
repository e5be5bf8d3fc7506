package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.IoMode.Places;
import io.drumlin.checkpoint.LevelDirectories.Slot;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How many ranks stored the checkpoints on the parallel file system, as far as the list of checkpoints says; the same on all ranks. */
final class ListedRanks {

    private final List<CheckpointList.Entry> entries;

    private ListedRanks(List<CheckpointList.Entry> entries) {
        this.entries = entries;
    }

    /** Reads the list, before anything is brought into its place. Collective. */
    static ListedRanks of(Communicator app, Path list, Places places, Refusals refusals) throws IOException {
        StringBuilder lines = new StringBuilder();
        if (app.rank() == 0) {
            // Only a kill leaves the checkpoint that one of other ranks was going to replace.
            boolean interrupted = Stream.of(
                            places.directory(Level.L4, Slot.TMP),
                            places.directory(Level.L4, Slot.REPLACED),
                            places.directory(Level.L4_DCP, Slot.REPLACED),
                            places.metadataDirectory(Level.L4, Slot.TMP),
                            places.metadataDirectory(Level.L4, Slot.REPLACED))
                    .anyMatch(Files::exists);
            refusals.succeeds("reading", list, () -> CheckpointList.entries(list).stream()
                    .filter(entry -> interrupted || !entry.ofOtherRanks())
                    .forEach(entry -> lines.append(entry.toLine()).append('\n')));
        }
        return new ListedRanks(Agreement.bcast(app, lines.toString(), 0)
                .lines()
                .map(CheckpointList.Entry::of)
                .toList());
    }

    /** The number of a checkpoint; empty if it is not known, two of which one is right where a kill may have kept it from being replaced. */
    Set<Integer> of(Level level, int ckptId) {
        return entries.stream()
                .filter(entry -> entry.level() == level && entry.ckptId() == ckptId && entry.ranks() > 0)
                .map(CheckpointList.Entry::ranks)
                .collect(Collectors.toSet());
    }

    /**
     * Whether it is sure that so many ranks stored a checkpoint.
     *
     * @param found of how many there are files
     * @param configured how many the former run had if it was configured as this one
     * @throws DrumlinException there were more
     */
    boolean confirm(FormerCheckpoint found, long configured) throws DrumlinException {
        Set<Integer> listed = of(found.level(), found.ckptId());
        int ranks = found.ranks();
        int most = listed.stream().mapToInt(Integer::intValue).max().orElse(0);
        if (most > ranks && !listed.contains(ranks)) {
            throw DrumlinException.during("restart from checkpoint " + found.ckptId())
                    .path(found.missingFile(most))
                    .problem("the file is missing: there are those of " + ranks + " ranks, and " + most
                            + " ranks wrote the checkpoint")
                    .advice("a restart on another number of ranks needs the files of all ranks: bring it back, or use"
                            + " another checkpoint")
                    .exception();
        }
        return listed.contains(ranks) || (listed.isEmpty() && ranks == configured);
    }
}
