package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.LevelDirectories.Slot;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the checkpoint a restart continues from: the lowest level at which all ranks have whole files of one and the same
 * checkpoint (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>All files of one checkpoint of Drumlin carry the same id and timestamp, so files of different checkpoints are never
 * mixed, also when ids repeat. Files of C FTI carry a clock reading of each rank; they are taken by id when they lie in the
 * level's directory and no commit of ours was under way.
 */
final class Recovery {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final int rank;
    private final LevelDirectories levels;
    private final CheckpointReader reader;

    /**
     * @param rank the rank that the names of this rank's files carry
     */
    Recovery(Communicator app, int rank, LevelDirectories levels, CheckpointReader reader) {
        this.app = app;
        this.rank = rank;
        this.levels = levels;
        this.reader = reader;
    }

    /** A file of this rank, metadata checked. */
    record Candidate(Slot slot, Path path, StoredFile file) {
        boolean isOf(long ckptId, long timestamp) {
            return file.meta().ckptId() == ckptId && file.meta().timestamp() == timestamp;
        }
    }

    /**
     * Finds and settles the checkpoint of a level. Collective.
     *
     * @return this rank's file in the level's directory, contents verified; empty on all ranks if any has none
     */
    Optional<Candidate> find(Level level) throws IOException {
        Map<Slot, List<Candidate>> candidates = new EnumMap<>(Slot.class);
        for (Slot slot : Slot.values()) {
            candidates.put(slot, candidates(level, slot));
        }
        Candidate chosen = byTimestamp(candidates);
        if (chosen == null) {
            chosen = byId(level, candidates);
        }
        if (chosen == null) {
            return Optional.empty();
        }
        levels.settle(level, chosen.slot());
        Path settled =
                levels.directory(level, Slot.COMMITTED).resolve(chosen.path().getFileName());
        Agreement.run(app, "settling level " + level.number(), () -> {
            if (!Files.exists(settled)) {
                throw DrumlinException.during("settling level " + level.number())
                        .path(settled)
                        .rank(rank)
                        .problem("ranks of one node have their files in different directories")
                        .exception();
            }
        });
        return Optional.of(new Candidate(Slot.COMMITTED, settled, chosen.file()));
    }

    private List<Candidate> candidates(Level level, Slot slot) {
        List<Path> files = new ArrayList<>();
        succeeds("looking for checkpoint files", () -> {
            Path directory = levels.directory(level, slot);
            files.addAll(RunDirectory.rankFiles(directory, rank, app.size()));
        });
        List<Candidate> found = new ArrayList<>();
        for (Path path : files) {
            succeeds("reading " + path, () -> found.add(new Candidate(slot, path, reader.metadata(path))));
        }
        found.sort(
                Comparator.comparingInt((Candidate each) -> each.file().meta().ckptId())
                        .reversed());
        return found;
    }

    /** A file that cannot be used is no failure of the restart: another place or level may have the checkpoint. */
    private boolean succeeds(String operation, Agreement.Step step) {
        IOException refused = Agreement.attempt(app, operation, step);
        if (refused != null) {
            LOG.log(Logger.Level.WARNING, "rank {0}: {1}", rank, refused.getMessage());
        }
        return refused == null;
    }

    /** The first rank proposes what it has, newest first; a checkpoint that is whole everywhere is also there. */
    private @Nullable Candidate byTimestamp(Map<Slot, List<Candidate>> candidates) throws IOException {
        List<Candidate> own = candidates.values().stream().flatMap(List::stream).toList();
        for (int i = 0; i < count(own.size()); i++) {
            long[] key = broadcast(i < own.size() ? own.get(i) : null);
            // A checkpoint that a restart was copying may also be in its place: there it is on all ranks of the node.
            Candidate match = own.stream()
                    .filter(candidate -> candidate.isOf(key[0], key[1]))
                    .min(Comparator.comparing(candidate -> candidate.slot() != Slot.COMMITTED))
                    .orElse(null);
            if (allHave(match)) {
                return match;
            }
        }
        return null;
    }

    private @Nullable Candidate byId(Level level, Map<Slot, List<Candidate>> candidates) throws IOException {
        long[] replaced = {Files.exists(levels.directory(level, Slot.REPLACED)) ? 1 : 0};
        app.allreduce(replaced, Op.MAX);
        if (replaced[0] != 0) {
            return null;
        }
        List<Candidate> own = candidates.getOrDefault(Slot.COMMITTED, List.of());
        for (int i = 0; i < count(own.size()); i++) {
            long[] key = broadcast(i < own.size() ? own.get(i) : null);
            Candidate match = own.stream()
                    .filter(candidate -> candidate.file().meta().ckptId() == key[0])
                    .findFirst()
                    .orElse(null);
            if (allHave(match)) {
                return match;
            }
        }
        return null;
    }

    /** How many candidates the first rank has, on every rank. */
    private long count(int own) throws IOException {
        long[] count = {app.rank() == 0 ? own : 0};
        app.allreduce(count, Op.MAX);
        return count[0];
    }

    /** Id and timestamp of the first rank's candidate, on every rank. */
    private long[] broadcast(@Nullable Candidate candidate) throws IOException {
        long[] key = {Long.MIN_VALUE, Long.MIN_VALUE};
        if (app.rank() == 0 && candidate != null) {
            key = new long[] {
                candidate.file().meta().ckptId(), candidate.file().meta().timestamp()
            };
        }
        app.allreduce(key, Op.MAX);
        return key;
    }

    private boolean allHave(@Nullable Candidate match) throws IOException {
        long[] have = {match == null ? 0 : 1};
        app.allreduce(have, Op.MIN);
        if (have[0] == 0) {
            return false;
        }
        // Contents are read only for a checkpoint that every rank has.
        long[] whole = {match != null && isWhole(match) ? 1 : 0};
        app.allreduce(whole, Op.MIN);
        return whole[0] == 1;
    }

    private boolean isWhole(Candidate candidate) {
        return succeeds("verifying " + candidate.path(), () -> reader.verify(candidate.path(), candidate.file()));
    }

    /** What to say when no level is left. */
    static DrumlinException nothingRecoverable(String execId) {
        return DrumlinException.during("restart of run " + execId)
                .problem("no level has whole files of one checkpoint on all ranks")
                .advice("see the warnings above for each file that was refused; to start afresh set failure = 0")
                .exception();
    }
}
