package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint.Part;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.topology.PreviousRun;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds the checkpoint on the parallel file system from which a run on another number of ranks than the previous run
 * continues (docs/formats/fti-run-directory.md, section 5). One rank verifies each file before any of its data are
 * used.
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
    private final StorageEngine storage;
    private final CommitOrder order;
    private Optional<DrumlinException> missing = Optional.empty();
    private Optional<ElasticBlockSums> blockSums = Optional.empty();

    /**
     * Creates a restart that looks for checkpoints of a run on another number of ranks.
     *
     * @param listed the number of ranks that stored each checkpoint
     * @param known what is known about the previous run
     * @param order the log, which says what is newer
     */
    public ElasticRestart(
            RankContext context,
            CommitProtocol levels,
            IoMode mode,
            RecordedRankCounts listed,
            PreviousRun known,
            CommitOrder order) {
        app = context.app();
        slabBytes = context.slabs().slabBytes();
        storage = context.storage();
        this.order = order;
        this.listed = listed;
        this.known = known;
        this.levels = levels;
        this.mode = mode;
        reader = context.reader();
        rejected = context.rejected();
    }

    /**
     * Finds the newest whole checkpoint and moves it to its place. Collective.
     *
     * @param order levels in the order of their checkpoints, the newest first; node-local levels are ignored
     * @return the same on all ranks; empty if there is none
     */
    public Optional<ElasticCheckpoint> find(List<Level> order) throws IOException {
        for (String each : candidates(order)) {
            Level level = Level.valueOf(each.substring(0, each.indexOf(' ')));
            Optional<ElasticCheckpoint> elastic = verified(level, each.substring(each.indexOf(' ') + 1));
            if (elastic.isPresent()) {
                // Nothing more, because the tmp directory of the metadata may belong to a checkpoint on the nodes.
                levels.completeInterruptedCommit(
                        level, elastic.get().slot(), elastic.get().metadataSlot());
                return Optional.of(elastic.get().inPlace());
            }
        }
        return Optional.empty();
    }

    /** Returns the checksums of the verified checkpoint. */
    public ElasticBlockSums blockSums() {
        return blockSums.orElseThrow();
    }

    /** Returns what is missing from the newest incomplete checkpoint. */
    public Optional<DrumlinException> missing() {
        return missing;
    }

    /** Returns what rank 0 finds, on all ranks, because thousands of ranks should not list a directory. */
    private List<String> candidates(List<Level> levelsInOrder) throws IOException {
        Map<String, Long> positions = new LinkedHashMap<>();
        for (Level level : app.rank() == 0 ? levelsInOrder : List.<Level>of()) {
            Path directory = levels.directory(level, CommitSlot.COMMITTED);
            if (level.isGlobal()) {
                rejected.succeeds("looking for checkpoints in", directory, () -> {
                    for (String line : mode.findElasticCheckpoints(level, known.numbering())) {
                        positions.put(level + " " + line, position(level, line));
                    }
                });
            }
        }
        rejected.requireReadable();
        List<String> found =
                CommitOrder.newestFirst(List.copyOf(positions.keySet()), each -> positions.getOrDefault(each, -1L));
        return Agreement.bcast(app, String.join("\n", found), 0).lines().toList();
    }

    /** Returns the position of a checkpoint in the log, below 0 if it is not known. */
    private long position(Level level, String line) throws IOException {
        ElasticCheckpoint found;
        try {
            found = mode.elasticCheckpoint(level, line);
        } catch (DrumlinException notWhole) {
            // All ranks say so when they look at it.
            return -1;
        }
        List<Path> places =
                List.of(levels.directory(level, found.slot()), levels.metadataDirectory(level, found.metadataSlot()));
        OptionalLong identity = CheckpointIdentity.of(found.ckptId(), places, storage);
        return order.read().age(found.ckptId(), identity).position();
    }

    private Optional<ElasticCheckpoint> verified(Level level, String line) throws IOException {
        ElasticCheckpoint[] elastic = new ElasticCheckpoint[1];
        Path directory = levels.directory(level, CommitSlot.COMMITTED);
        boolean possible =
                rejected.succeeds("looking at", directory, () -> elastic[0] = mode.elasticCheckpoint(level, line));
        rejected.requireReadable();
        if (!Agreement.all(app, possible)) {
            return Optional.empty();
        }
        ElasticCheckpoint found = elastic[0];
        if (!hasAllRanks(found)) {
            return Optional.empty();
        }
        boolean met = true;
        try {
            found.prepareParts(app);
        } catch (IOException e) {
            met = false;
            rejected.refuse("reading", directory, e);
        }
        rejected.requireReadable();
        return met && areWhole(found) ? Optional.of(found) : Optional.empty();
    }

    /** Returns whether the files of all ranks exist; the same on all ranks. */
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

    private boolean areWhole(ElasticCheckpoint elastic) throws IOException {
        boolean whole = true;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        Map<Integer, List<BlockSums>> sums = new HashMap<>();
        for (int rank = app.rank(); rank < elastic.ranks(); rank += app.size()) {
            int verified = rank;
            long[] common = new long[1];
            whole &= rejected.succeeds(
                    "verifying the data of rank " + rank + " in",
                    levels.directory(elastic.level(), elastic.slot()),
                    () -> {
                        Part part = elastic.part(verified);
                        common[0] = part.common();
                        sums.put(verified, elastic.check(verified));
                    });
            first = Math.min(first, common[0]);
            last = Math.max(last, common[0]);
        }
        reader.forget();
        rejected.requireReadable();
        long[] all = {whole ? 1 : 0, first, last == Long.MIN_VALUE ? Long.MAX_VALUE : -last};
        app.allreduce(all, Op.MIN);
        boolean together = all[1] == -all[2] && (all[1] >= 0 || elastic.mayBeUnmarked());
        if (all[0] == 1 && together) {
            blockSums = Optional.of(ElasticBlockSums.of(app, slabBytes, elastic.ranks(), sums));
        }
        return all[0] == 1 && together;
    }
}
