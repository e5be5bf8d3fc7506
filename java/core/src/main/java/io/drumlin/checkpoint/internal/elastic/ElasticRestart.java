package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint.Part;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.topology.PreviousRun;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the checkpoint on the parallel file system from which a run goes on that has another number of ranks than the one before
 * (docs/formats/fti-run-directory.md, section 5). Each file is verified by one rank, before any of its data are used.
 */
public final class ElasticRestart {

    private final Communicator app;
    private final CommitProtocol levels;
    private final IoMode mode;
    private final CheckpointReader reader;
    private final RejectedFiles rejected;
    private final RecordedRankCounts listed;
    private final PreviousRun known;
    private final int slabBytes;
    private Optional<DrumlinException> missing = Optional.empty();
    private Optional<ElasticBlockSums> blockSums = Optional.empty();

    /**
     * A restart that looks for checkpoints of a run with another number of ranks.
     *
     * @param listed how many ranks stored the checkpoints
     * @param known of the former run
     */
    public ElasticRestart(
            RankContext context, CommitProtocol levels, IoMode mode, RecordedRankCounts listed, PreviousRun known) {
        app = context.app();
        slabBytes = context.slabs().slabBytes();
        this.listed = listed;
        this.known = known;
        this.levels = levels;
        this.mode = mode;
        reader = context.reader();
        rejected = context.rejected();
    }

    /**
     * Finds the newest whole checkpoint and brings it into its place. Collective.
     *
     * @param order of levels, the newest checkpoint first; those of the nodes are not looked at
     * @return the same on all ranks; empty if there is none
     */
    public Optional<ElasticCheckpoint> find(List<Level> order) throws IOException {
        for (Level level : order) {
            for (String line : level.isGlobal() ? candidates(level) : List.<String>of()) {
                Optional<ElasticCheckpoint> former = verified(level, line);
                if (former.isPresent()) {
                    // No more than that: in the metadata's tmp there may be what belongs to a checkpoint on the nodes.
                    levels.settle(level, former.get().slot(), former.get().metadataSlot());
                    return Optional.of(former.get().inPlace());
                }
            }
        }
        return Optional.empty();
    }

    /** What was verified of the checkpoint that was found. */
    public ElasticBlockSums blockSums() {
        return blockSums.orElseThrow();
    }

    /** What is missing of the newest one of which not all files are there. */
    public Optional<DrumlinException> missing() {
        return missing;
    }

    /** What rank 0 finds, on all ranks: thousands of them should not list a directory. */
    private List<String> candidates(Level level) throws IOException {
        List<String> found = new ArrayList<>();
        if (app.rank() == 0) {
            Path directory = levels.directory(level, CommitSlot.COMMITTED);
            rejected.succeeds(
                    "looking for checkpoints in",
                    directory,
                    () -> found.addAll(mode.findFormer(level, known.numbering())));
        }
        rejected.requireReadable();
        return Agreement.bcast(app, String.join("\n", found), 0).lines().toList();
    }

    private Optional<ElasticCheckpoint> verified(Level level, String line) throws IOException {
        ElasticCheckpoint[] former = new ElasticCheckpoint[1];
        Path directory = levels.directory(level, CommitSlot.COMMITTED);
        boolean possible = rejected.succeeds("looking at", directory, () -> former[0] = mode.former(level, line));
        rejected.requireReadable();
        if (!onAllRanks(possible)) {
            return Optional.empty();
        }
        ElasticCheckpoint found = former[0];
        if (!hasAllRanks(found)) {
            return Optional.empty();
        }
        boolean met = true;
        try {
            found.meet(app);
        } catch (IOException e) {
            met = false;
            rejected.refuse("reading", directory, e);
        }
        rejected.requireReadable();
        return met && areWhole(found) ? Optional.of(found) : Optional.empty();
    }

    /** The same on all ranks. */
    private boolean hasAllRanks(ElasticCheckpoint found) {
        try {
            listed.confirm(found, known);
            return true;
        } catch (DrumlinException e) {
            rejected.refuse("looking at", levels.directory(found.level(), found.slot()), e);
            missing = missing.or(() -> Optional.of(e));
            return false;
        }
    }

    private boolean areWhole(ElasticCheckpoint former) throws IOException {
        boolean whole = true;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        Map<Integer, List<BlockSums>> sums = new HashMap<>();
        for (int rank = app.rank(); rank < former.ranks(); rank += app.size()) {
            int verified = rank;
            long[] common = new long[1];
            whole &= rejected.succeeds(
                    "verifying the data of rank " + rank + " in",
                    levels.directory(former.level(), former.slot()),
                    () -> {
                        Part part = former.part(verified);
                        common[0] = part.common();
                        sums.put(verified, former.check(verified));
                    });
            first = Math.min(first, common[0]);
            last = Math.max(last, common[0]);
        }
        reader.forget();
        rejected.requireReadable();
        long[] all = {whole ? 1 : 0, first, last == Long.MIN_VALUE ? Long.MAX_VALUE : -last};
        app.allreduce(all, Op.MIN);
        boolean together = all[1] == -all[2] && (all[1] >= 0 || former.mayBeUnmarked());
        if (all[0] == 1 && together) {
            blockSums = Optional.of(ElasticBlockSums.of(app, slabBytes, former.ranks(), sums));
        }
        return all[0] == 1 && together;
    }

    private boolean onAllRanks(boolean here) throws IOException {
        long[] everywhere = {here ? 1 : 0};
        app.allreduce(everywhere, Op.MIN);
        return everywhere[0] == 1;
    }
}
