package io.drumlin.checkpoint.internal.run;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Stash;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.directory.MetadataFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.PendingCheckpoint;
import io.drumlin.checkpoint.internal.engine.RecoverySource;
import io.drumlin.checkpoint.internal.file.ProtectedVariables;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.FileCopy;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The stashes of a run. */
final class EngineStash implements Stash {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");
    private final Engine engine;
    private final Communicator app;
    private final Topology topology;
    private final RunDirectory directories;
    private final CheckpointDirectories levels;
    private final StorageEngine storage;
    private final ProtectedVariables variables;
    private final PendingCheckpoint underway;
    private final RecoverySource last;

    EngineStash(Engine engine, ProtectedVariables variables, PendingCheckpoint underway, RecoverySource last) {
        this.last = last;
        this.engine = engine;
        this.variables = variables;
        this.underway = underway;
        app = engine.app();
        topology = engine.run().topology();
        directories = engine.directories();
        levels = engine.levels();
        storage = engine.storage();
    }

    /** This rank's file in a directory of checkpoint files, and the directory of the metadata of its group. */
    private record Item(StoredCheckpoint checkpoint, Path file, Path metadataDirectory) {}

    @Override
    public void put(int ckptId, long stashId) throws IOException {
        underway.awaitHere();
        // The previous stash may still exist, half deleted.
        Agreement.run(app, "waiting for what was replaced", engine.levels()::awaitDeletion);
        Item item = item(levels, ckptId, "checkpoint " + ckptId + " of level 1");
        copy(item, Layer.LOCAL, stashId);
    }

    @Override
    public int load(long stashId) throws IOException {
        underway.awaitHere();
        Item item = item(stashId, Layer.LOCAL);
        try {
            StoredFile file = Agreement.call(app, "loading stash " + stashId, () -> {
                item.checkpoint.check(FileKind.PLAIN, item.file, RetainPolicy.BLOCK_SUMS);
                StoredFile stored = item.checkpoint.open(item.file);
                for (int id : stored.sizes().keySet()) {
                    checkSize(item.file, id, stored.size(id));
                    variables.require(id).expect(stored.size(id));
                }
                return stored;
            });
            Agreement.run(app, "loading stash " + stashId, () -> {
                engine.reader().recover(item.file, file, variables.byId());
                RecoverySource.requireUsable(variables.byId());
            });
        } finally {
            engine.reader().forget();
        }
        last.awaitNothing();
        return item.checkpoint.ckptId();
    }

    private void checkSize(Path path, int id, long stored) throws DrumlinException {
        ProtectedData variable = variables.byId().get(id);
        if (variable == null || !variable.takes(stored)) {
            throw DrumlinException.during("loading variable " + id)
                    .path(path)
                    .rank(app.rank())
                    .problem(stored + " bytes are stored and "
                            + (variable == null ? "it is not protected" : variable.size() + " are protected"))
                    .advice("protect an array of the stored size")
                    .exception();
        }
    }

    @Override
    public void push(long stashId) throws IOException {
        underway.awaitHere();
        Item item = item(stashId, Layer.LOCAL);
        boolean there = Agreement.call(app, "pushing stash " + stashId, () -> isThere(item, stashId));
        long[] all = {there ? 1 : 0};
        app.allreduce(all, Communicator.Op.MIN);
        if (all[0] == 0) {
            copy(item, Layer.GLOBAL, stashId);
        }
    }

    private boolean isThere(Item item, long stashId) throws IOException {
        Path directory = directories.globalStash(stashId);
        if (!PathStatus.isDirectory(directory)) {
            return false;
        }
        Path same = directory.resolve(item.file.getFileName());
        if (!PathStatus.exists(same) || Files.mismatch(same, item.file) >= 0) {
            throw DrumlinException.during("pushing stash " + stashId)
                    .path(directory)
                    .problem("another stash has this id; all runs share the directory")
                    .advice("drop it first, or take another id")
                    .exception();
        }
        return true;
    }

    @Override
    public void pull(long stashId) throws IOException {
        underway.awaitHere();
        boolean there = Agreement.call(
                app, "looking for stash " + stashId, () -> PathStatus.isDirectory(directories.localStash(stashId)));
        long[] all = {there ? 1 : 0};
        app.allreduce(all, Communicator.Op.MIN);
        if (all[0] == 0) {
            copy(item(stashId, Layer.GLOBAL), Layer.LOCAL, stashId);
        }
    }

    @Override
    public void drop(long stashId, Layer layer) throws IOException {
        underway.awaitHere();
        Agreement.run(app, "dropping stash " + stashId, () -> {
            if (isMaster(layer)) {
                Path directory = directory(layer, stashId);
                DirectoryTree.delete(directory, storage);
                DirectoryTree.delete(unfinished(directory), storage);
                DirectoryTree.delete(replaced(directory), storage);
            }
        });
    }

    private boolean isMaster(Layer layer) {
        return layer == Layer.LOCAL ? topology.isNodeMaster() : topology.isGlobalMaster();
    }

    private Item item(long stashId, Layer layer) throws IOException {
        Path directory = directory(layer, stashId);
        return item(new OnePlace(directory), Integer.MIN_VALUE, "stash " + stashId);
    }

    /** @param ckptId id of the checkpoint; any if negative */
    private Item item(CheckpointDirectories places, int ckptId, String what) throws IOException {
        RejectedFiles rejected = RejectedFiles.of(app, "looking for " + what);
        Optional<StoredCheckpoint> found = engine.modeAt(places, rejected).stored(Level.L1).stream()
                .filter(stored -> ckptId < 0 || stored.ckptId() == ckptId)
                .findFirst();
        rejected.requireReadable();
        return Agreement.call(app, "looking for " + what, () -> {
            List<FileLocation> files = found.map(
                            checkpoint -> checkpoint.places().getOrDefault(FileKind.PLAIN, List.of()))
                    .orElse(List.of());
            if (files.isEmpty()) {
                throw DrumlinException.during("looking for " + what)
                        .path(places.directory(Level.L1, CommitSlot.COMMITTED))
                        .rank(app.rank())
                        .problem("this rank has no file of it")
                        .exception();
            }
            StoredCheckpoint checkpoint = found.orElseThrow();
            return new Item(
                    checkpoint, files.get(0).path(), places.metadataDirectory(Level.L1, checkpoint.metadataSlot()));
        });
    }

    private void copy(Item item, Layer layer, long stashId) throws IOException {
        Path directory = directory(layer, stashId);
        Path part = unfinished(directory);
        String operation = "making " + directory;
        Agreement.run(app, operation, () -> {
            if (isMaster(layer)) {
                DirectoryTree.delete(part, storage);
                DirectoryTree.delete(replaced(directory), storage);
                DirectoryTree.make(stashes(directory), storage);
                storage.createDirectories(part);
            }
        });
        Agreement.run(app, operation, () -> {
            copy(item.file, part);
            Path metadata = item.metadataDirectory.resolve(MetadataFiles.name(engine.group()));
            // Each node has one rank of a group. FTI-FF has no separate metadata.
            if ((layer == Layer.LOCAL || engine.group().index() == 0) && PathStatus.exists(metadata)) {
                copy(metadata, part);
            }
        });
        publish(layer, directory);
    }

    private void copy(Path file, Path directory) throws IOException {
        new FileCopy(storage, engine.slabs())
                .copy(file, 0, PathStatus.size(file), directory.resolve(file.getFileName()));
    }

    /**
     * Renames a stash to its final name. No node has the new stash while another still has the old one. Therefore all
     * ranks load data of the same time, whatever fails and wherever. Collective.
     */
    private void publish(Layer layer, Path directory) throws IOException {
        Path part = unfinished(directory);
        Path replaced = replaced(directory);
        String operation = "making " + directory;
        try {
            onMasters(layer, operation, () -> {
                storage.syncDirectory(part);
                move(directory, replaced);
            });
            onMasters(layer, operation, () -> move(part, directory));
        } catch (MeetingException unknown) {
            // The other ranks may have agreed that the new stash exists, or that it does not, so neither is deleted.
            throw unknown;
        } catch (IOException failed) {
            takeBack(layer, directory, failed);
            throw failed;
        }
        if (isMaster(layer)) {
            IOException left =
                    Agreement.attempt(app, "deleting " + replaced, () -> DirectoryTree.delete(replaced, storage));
            if (left != null) {
                // The new stash exists. The next replacement or deletion of it tries again to delete the old one.
                LOG.log(Logger.Level.WARNING, "rank {0}: {1}", app.rank(), left.getMessage());
            }
        }
    }

    /** Restores the old stash, on any node only after the new one is gone from all. Collective. */
    private void takeBack(Layer layer, Path directory, IOException failed) {
        Path part = unfinished(directory);
        Path replaced = replaced(directory);
        try {
            onMasters(layer, "taking back " + directory, () -> {
                if (!PathStatus.exists(part)) {
                    move(directory, part);
                }
            });
            onMasters(layer, "bringing back " + directory, () -> {
                move(replaced, directory);
                DirectoryTree.delete(part, storage);
            });
        } catch (IOException e) {
            failed.addSuppressed(e);
        }
    }

    private void onMasters(Layer layer, String operation, Agreement.Step step) throws IOException {
        Agreement.run(app, operation, () -> {
            if (isMaster(layer)) {
                step.run();
            }
        });
    }

    /** Renames a directory durably, if it exists. */
    private void move(Path from, Path to) throws IOException {
        if (PathStatus.exists(from)) {
            storage.rename(from, to);
            storage.syncDirectory(stashes(to));
        }
    }

    private static Path stashes(Path directory) {
        return Objects.requireNonNull(directory.getParent(), "a stash is in the directory of all");
    }

    /** Returns the directory of a stash that is being replaced. */
    private static Path replaced(Path directory) {
        return directory.resolveSibling(directory.getFileName() + ".drumlin-replaced");
    }

    private static Path unfinished(Path directory) {
        return directory.resolveSibling(directory.getFileName() + ".drumlin-part");
    }

    /** A single directory with files and metadata. */
    private record OnePlace(Path committed) implements CheckpointDirectories {

        @Override
        public Path directory(Level level, CommitSlot slot) {
            return slot == CommitSlot.COMMITTED
                    ? committed
                    : unfinished(committed).resolve(slot.name());
        }

        @Override
        public Path metadataDirectory(Level level, CommitSlot slot) {
            return directory(level, slot);
        }
    }

    private Path directory(Layer layer, long stashId) {
        return layer == Layer.LOCAL ? directories.localStash(stashId) : directories.globalStash(stashId);
    }
}
