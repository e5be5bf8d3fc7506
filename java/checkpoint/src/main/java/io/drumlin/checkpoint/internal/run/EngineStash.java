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
import io.drumlin.checkpoint.internal.directory.PlaceAside;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.IoModes;
import io.drumlin.checkpoint.internal.engine.PendingCheckpoint;
import io.drumlin.checkpoint.internal.engine.RecoverySource;
import io.drumlin.checkpoint.internal.file.ProtectedVariables;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.io.FileCopy;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/** The stashes of a run: on an application rank its own files, on a head those of all application ranks of its node. */
final class EngineStash implements Stash {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");
    private static final String MEANWHILE = "; the application may have replaced the checkpoint meanwhile";

    private final Engine engine;
    private final Communicator app;
    private final Topology topology;
    private final RunDirectory directories;
    private final CheckpointDirectories levels;
    private final StorageEngine storage;
    private final ProtectedVariables variables;
    private final PendingCheckpoint underway;
    private final RecoverySource last;

    /** The application ranks whose files this rank copies. */
    private final List<RankContext> ranks;

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
        ranks = topology.isHead()
                ? IntStream.range(topology.heads(), topology.nodeSize())
                        .mapToObj(engine.context()::standingFor)
                        .toList()
                : List.of(engine.context());
    }

    /** The file of an application rank in a directory of checkpoint files, and the metadata of its group. */
    private record Item(StoredCheckpoint checkpoint, Path file, Path metadata) {}

    @Override
    public void put(int ckptId, long stashId) throws IOException {
        underway.awaitHere();
        // The previous stash may still exist, half deleted.
        Agreement.run(app, "waiting for what was replaced", engine.levels()::awaitDeletion);
        // While a head looks, the application may write its next checkpoint to the other places.
        CheckpointDirectories places = topology.isHead()
                ? new PlaceAside(
                        Level.L1,
                        levels.directory(Level.L1, CommitSlot.COMMITTED),
                        levels.metadataDirectory(Level.L1, CommitSlot.COMMITTED))
                : levels;
        copy(items(places, ckptId, "checkpoint " + ckptId + " of level 1"), Layer.LOCAL, stashId);
    }

    @Override
    public int load(long stashId) throws IOException {
        underway.awaitHere();
        Item item = items(stashId, Layer.LOCAL).get(0);
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
        List<Item> items = items(stashId, Layer.LOCAL);
        boolean there = Agreement.call(app, "pushing stash " + stashId, () -> isThere(items, stashId));
        if (!Agreement.all(app, there)) {
            copy(items, Layer.GLOBAL, stashId);
        }
    }

    private boolean isThere(List<Item> items, long stashId) throws IOException {
        Path directory = directories.globalStash(stashId);
        if (!PathStatus.isDirectory(directory)) {
            return false;
        }
        for (Item item : items) {
            Path same = directory.resolve(item.file.getFileName());
            if (!PathStatus.exists(same) || Files.mismatch(same, item.file) >= 0) {
                throw DrumlinException.during("pushing stash " + stashId)
                        .path(directory)
                        .problem("another stash has this id; all runs share the directory")
                        .advice("drop it first, or take another id")
                        .exception();
            }
        }
        return true;
    }

    @Override
    public void pull(long stashId) throws IOException {
        underway.awaitHere();
        boolean there = Agreement.call(
                app, "looking for stash " + stashId, () -> PathStatus.isDirectory(directories.localStash(stashId)));
        if (!Agreement.all(app, there)) {
            copy(items(stashId, Layer.GLOBAL), Layer.LOCAL, stashId);
        }
    }

    @Override
    public void drop(long stashId, Layer layer) throws IOException {
        underway.awaitHere();
        Agreement.run(app, "dropping stash " + stashId, () -> {
            if (isMaster(layer)) {
                Path directory = directory(layer, stashId);
                DirectoryTree.delete(directory, storage);
                DirectoryTree.delete(unfinished(directory, false), storage);
                DirectoryTree.delete(unfinished(directory, true), storage);
                DirectoryTree.delete(replaced(directory), storage);
            }
        });
    }

    private boolean isMaster(Layer layer) {
        return layer == Layer.LOCAL ? topology.isNodeMaster() : topology.isGlobalMaster();
    }

    private List<Item> items(long stashId, Layer layer) throws IOException {
        Path directory = directory(layer, stashId);
        return items(new PlaceAside(Level.L1, directory, directory), Integer.MIN_VALUE, "stash " + stashId);
    }

    /**
     * Returns the files of this rank, or of the ranks for which it stands, of one checkpoint. Collective.
     *
     * @param ckptId id of the checkpoint; any if negative
     */
    private List<Item> items(CheckpointDirectories places, int ckptId, String what) throws IOException {
        List<Item> items = new ArrayList<>();
        for (RankContext rank : ranks) {
            Item item = item(rank, places, ckptId, what);
            StoredCheckpoint first = items.isEmpty() ? item.checkpoint : items.get(0).checkpoint;
            // The same on all ranks, so that they fail together.
            if (item.checkpoint.ckptId() != first.ckptId()
                    || !item.checkpoint.identity().equals(first.identity())) {
                throw DrumlinException.during("looking for " + what)
                        .path(places.directory(Level.L1, CommitSlot.COMMITTED))
                        .problem("the files of a node are not of one checkpoint" + MEANWHILE)
                        .exception();
            }
            items.add(item);
        }
        return items;
    }

    private Item item(RankContext rank, CheckpointDirectories places, int ckptId, String what) throws IOException {
        RejectedFiles rejected = RejectedFiles.of(app, "looking for " + what);
        Optional<StoredCheckpoint> found =
                IoModes.of(rank.with(rejected), engine.config(), places, engine.packing()).stored(Level.L1).stream()
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
                        .rank(rank.topology().rank())
                        .problem("this rank has no file of it" + (topology.isHead() ? MEANWHILE : ""))
                        .exception();
            }
            StoredCheckpoint checkpoint = found.orElseThrow();
            Path metadata = places.metadataDirectory(Level.L1, checkpoint.metadataSlot());
            return new Item(checkpoint, files.get(0).path(), metadata.resolve(MetadataFiles.name(rank.group())));
        });
    }

    private void copy(List<Item> items, Layer layer, long stashId) throws IOException {
        Path directory = directory(layer, stashId);
        Path part = unfinished(directory, topology.isHead());
        String operation = "making " + directory;
        try {
            onMasters(layer, operation, () -> begin(directory, part));
            Agreement.run(app, operation, () -> {
                for (Item item : items) {
                    copy(item.file, part);
                    // Each node has one rank of a group. FTI-FF has no separate metadata.
                    boolean writesMetadata =
                            layer == Layer.LOCAL || engine.group().index() == 0;
                    if (writesMetadata && PathStatus.exists(item.metadata)) {
                        copy(item.metadata, part);
                    }
                }
            });
            if (topology.isHead()) {
                verify(part, items.get(0).checkpoint.ckptId());
            }
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException failed) {
            deleteUnfinished(layer, part, failed);
            throw failed;
        }
        publish(layer, directory);
    }

    private void begin(Path directory, Path part) throws IOException {
        DirectoryTree.delete(part, storage);
        DirectoryTree.make(stashes(directory), storage);
        storage.createDirectories(part);
        // Not earlier: of the application and a head that begin at once, one sees the other.
        Path other = unfinished(directory, !topology.isHead());
        if (PathStatus.exists(other)) {
            throw DrumlinException.during("making " + directory)
                    .path(other)
                    .problem((topology.isHead() ? "the application is" : "heads are")
                            + " making a stash with this id, or ended while they made it")
                    .advice("take another id, or drop the stash when nobody makes it")
                    .exception();
        }
        DirectoryTree.delete(replaced(directory), storage);
    }

    /** Reads the copies, because the application may have replaced the files while a head copied them. Collective. */
    private void verify(Path part, int ckptId) throws IOException {
        List<Item> copies = items(new PlaceAside(Level.L1, part, part), ckptId, "copies of checkpoint " + ckptId);
        try {
            Agreement.run(app, "verifying " + part, () -> {
                for (Item copy : copies) {
                    copy.checkpoint.check(FileKind.PLAIN, copy.file, RetainPolicy.NOTHING);
                }
            });
        } finally {
            engine.reader().forget();
        }
    }

    private void deleteUnfinished(Layer layer, Path part, IOException failed) {
        if (isMaster(layer)) {
            IOException left = Agreement.attempt(app, "deleting " + part, () -> DirectoryTree.delete(part, storage));
            if (left != null) {
                failed.addSuppressed(left);
            }
        }
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
        Path part = unfinished(directory, topology.isHead());
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
        Path part = unfinished(directory, topology.isHead());
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

    /** Returns the directory of a stash that heads or ranks of the application are making. */
    private static Path unfinished(Path directory, boolean heads) {
        return directory.resolveSibling(directory.getFileName() + (heads ? ".drumlin-part-heads" : ".drumlin-part"));
    }

    private Path directory(Layer layer, long stashId) {
        return layer == Layer.LOCAL ? directories.localStash(stashId) : directories.globalStash(stashId);
    }
}
