package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.IoMode.Place;
import io.drumlin.checkpoint.IoMode.StoredCheckpoint;
import io.drumlin.checkpoint.LevelDirectories.Slot;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Finds the checkpoint a restart continues from: the lowest level at which the files that are left, of all ranks, give one and
 * the same checkpoint (docs/formats/fti-run-directory.md, section 5). What is missing of it is made again.
 */
final class Recovery {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Communicator node;
    private final Group group;
    private final LevelDirectories levels;
    private final IoMode mode;
    private final Restoration restoration;
    private final StorageEngine storage;

    /**
     * @param node the ranks that share node-local storage
     */
    Recovery(
            Communicator app,
            Communicator node,
            Group group,
            LevelDirectories levels,
            IoMode mode,
            Restoration restoration,
            StorageEngine storage) {
        this.app = app;
        this.node = node;
        this.group = group;
        this.levels = levels;
        this.mode = mode;
        this.restoration = restoration;
        this.storage = storage;
    }

    /** A file of this rank that is whole, and what it holds. */
    record Found(Path path, StoredFile file) {}

    /**
     * Finds the newest checkpoint of a level, makes what is missing of it and clears away what an interrupted commit left.
     * Collective.
     *
     * @return this rank's file in the level's directory; empty on all ranks if there is none to be had
     */
    Optional<Found> find(Level level) throws IOException {
        Optional<StoredCheckpoint> mended = mend(level);
        if (mended.isEmpty()) {
            return Optional.empty();
        }
        StoredCheckpoint stored = mended.get();
        Path plain = committed(level).resolve(stored.fileName(FileKind.PLAIN));
        Found[] found = new Found[1];
        Agreement.run(app, "opening " + plain, () -> {
            found[0] = new Found(plain, stored.open(plain));
            deleteOthers(committed(level), stored);
        });
        levels.clean(level);
        return Optional.of(found[0]);
    }

    /**
     * Ends the commit that a kill interrupted at a level that is not restarted from, on all nodes alike: of two halves the loss
     * of a node would leave too little. Collective.
     */
    void settle(Level level) throws IOException {
        boolean replacing = Files.exists(levels.directory(level, Slot.REPLACED))
                || Files.exists(levels.metadataDirectory(level, Slot.REPLACED));
        long[] interrupted = {replacing ? 1 : 0};
        app.allreduce(interrupted, Op.MAX);
        Optional<StoredCheckpoint> mended = interrupted[0] == 0 ? Optional.empty() : mend(level);
        if (mended.isPresent()) {
            StoredCheckpoint stored = mended.get();
            Agreement.run(app, "settling level " + level.number(), () -> deleteOthers(committed(level), stored));
            levels.clean(level);
        }
    }

    /** Makes the newest checkpoint of a level whole and brings it into its place. Collective. */
    private Optional<StoredCheckpoint> mend(Level level) throws IOException {
        for (StoredCheckpoint stored : mode.stored(level)) {
            Slot slot = slot(level, stored);
            EnumSet<FileKind> present = present(level, stored, slot);
            if (!recoverable(level, present)) {
                continue;
            }
            present.removeIf(kind -> !isWhole(stored, kind, slot));
            if (recoverable(level, present) && restored(level, stored, slot, present)) {
                levels.settle(level, slot, stored.metadataSlot());
                return Optional.of(stored);
            }
        }
        return Optional.empty();
    }

    private Path committed(Level level) {
        return levels.directory(level, Slot.COMMITTED);
    }

    /** Where the files of a checkpoint lie that share a directory: in one place, which a restart moves as a whole. */
    private Slot slot(Level level, StoredCheckpoint stored) throws IOException {
        Slot[] slots = Slot.values();
        long[] files = new long[slots.length];
        for (int i = 0; i < slots.length; i++) {
            Slot slot = slots[i];
            files[i] = stored.places().values().stream()
                    .flatMap(List::stream)
                    .filter(place -> place.slot() == slot)
                    .count();
        }
        (level == Level.L4 ? app : node).allreduce(files, Op.SUM);
        // A checkpoint that a restart was copying may also be in its place: there it is whole.
        Slot most = Slot.COMMITTED;
        long mostFiles = 0;
        for (int i = 0; i < slots.length; i++) {
            if (files[i] > mostFiles || (files[i] == mostFiles && slots[i] == Slot.COMMITTED)) {
                most = slots[i];
                mostFiles = files[i];
            }
        }
        return most;
    }

    private static EnumSet<FileKind> present(Level level, StoredCheckpoint stored, Slot slot) {
        EnumSet<FileKind> present = EnumSet.noneOf(FileKind.class);
        for (FileKind kind : FileKind.of(level)) {
            if (place(stored, kind, slot).isPresent()) {
                present.add(kind);
            }
        }
        return present;
    }

    private static Optional<Place> place(StoredCheckpoint stored, FileKind kind, Slot slot) {
        return stored.places().getOrDefault(kind, List.of()).stream()
                .filter(place -> place.slot() == slot)
                .findFirst();
    }

    private boolean isWhole(StoredCheckpoint stored, FileKind kind, Slot slot) {
        Path path = place(stored, kind, slot).orElseThrow().path();
        return succeeds(app, "verifying " + path, () -> stored.check(kind, path));
    }

    /** Whether the files of all ranks together give every rank its own. Collective. */
    private boolean recoverable(Level level, EnumSet<FileKind> present) throws IOException {
        boolean own = present.contains(FileKind.PLAIN);
        long[] recoverable = {
            switch (level) {
                        case L1, L4 -> own;
                        case L2 -> group.gather(present.contains(FileKind.PARTNER) ? 1 : 0)[group.right()] == 1 || own;
                        case L3 -> filesOfGroup(present) >= group.size();
                    }
                    ? 1
                    : 0
        };
        app.allreduce(recoverable, Op.MIN);
        return recoverable[0] == 1;
    }

    private long filesOfGroup(EnumSet<FileKind> present) throws IOException {
        long[] files = {present.size()};
        group.comm().allreduce(files, Op.SUM);
        return files[0];
    }

    private boolean restored(Level level, StoredCheckpoint stored, Slot slot, EnumSet<FileKind> present) {
        try {
            // Where the files lie now: should it fail, the places of the other checkpoints are still as they were
            // found.
            restoration.restore(level, stored, levels.directory(level, slot), present);
            return true;
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "rank {0}: {1}", app.rank(), e.getMessage());
            return false;
        }
    }

    /** Files of another checkpoint may lie where lost ones were made again; C FTI would take the first it meets. */
    private void deleteOthers(Path directory, StoredCheckpoint stored) throws IOException {
        for (FileKind kind : FileKind.values()) {
            String own = stored.fileName(kind);
            OptionalInt owner = RunDirectory.owner(own);
            List<Path> files = owner.isPresent()
                    ? RunDirectory.rankFiles(directory, kind, owner.getAsInt(), app.size())
                    : List.of();
            for (Path file : files) {
                if (!file.endsWith(own)) {
                    storage.delete(file);
                }
            }
        }
    }

    /** A file that cannot be used is no failure of the restart: another place, file or level may have the checkpoint. */
    static boolean succeeds(Communicator app, String operation, Agreement.Step step) {
        IOException refused = Agreement.attempt(app, operation, step);
        if (refused != null) {
            LOG.log(Logger.Level.WARNING, "rank {0}: {1}", app.rank(), refused.getMessage());
        }
        return refused == null;
    }

    /** What to say when no level is left. */
    static DrumlinException nothingRecoverable(String execId) {
        return DrumlinException.during("restart of run " + execId)
                .problem("at no level the files that are left give one whole checkpoint on all ranks")
                .advice("see the warnings above for each file that was refused; to start afresh set failure = 0")
                .exception();
    }

    /** The ranks of a job that share a node, in a communicator of their own. Collective. */
    static Communicator nodeOf(Communicator app, Topology topology) throws IOException {
        return app.split(topology.position() / topology.nodeSize(), topology.position());
    }
}
