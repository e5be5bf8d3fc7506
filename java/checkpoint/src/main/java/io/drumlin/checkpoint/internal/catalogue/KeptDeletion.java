package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.directory.RunInventory.Kept;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Deletes checkpoints of levels 1 to 3 that were kept on the nodes, as far as this machine sees them. */
final class KeptDeletion {

    private final FtiConfig config;
    private final StorageEngine storage;
    private final CommitOrder order;

    private final RunDirectory run;

    /** The directories of the run. That of metadata is the last, because it may alone say how old what is in the others is. */
    private final List<Path> roots;

    KeptDeletion(FtiConfig config, String execId, StorageEngine storage) throws IOException {
        this.config = config;
        this.storage = storage;
        run = new RunDirectory(config, execId, 0);
        order = new CommitOrder(run.commitLog());
        RunPlaces places = RunPlaces.of(config, execId);
        roots = new ArrayList<>(places.others());
        roots.add(places.meta());
    }

    /** Returns the directories of a checkpoint. */
    List<Path> paths(int ckptId) throws IOException {
        return kept(ckptId).stream().map(Kept::path).toList();
    }

    private List<Kept> kept(int ckptId) throws IOException {
        List<Kept> kept = new ArrayList<>();
        for (Path root : roots) {
            for (Kept each : RunInventory.keptIn(root)) {
                if (each.ckptId() == ckptId) {
                    kept.add(each);
                }
            }
        }
        return kept;
    }

    void delete(int ckptId) throws IOException {
        for (Kept each : kept(ckptId)) {
            delete(each);
        }
    }

    void delete(Kept kept) throws IOException {
        DirectoryTree.delete(KeptOnNodes.dropped(kept.path(), storage), storage);
    }

    /** Returns what interrupted deletions have left. */
    List<Path> remains() throws IOException {
        List<Path> remains = new ArrayList<>();
        for (Path root : roots) {
            remains.addAll(KeptOnNodes.remains(root));
        }
        return remains;
    }

    /** Returns those that the configuration does not keep. */
    List<Kept> superfluous() throws IOException {
        List<CheckpointEntry> kept =
                RunInventory.forDeletion(run, storage, order.read()).kept(roots);
        List<CheckpointEntry> beyond = KeptOnNodes.superfluous(kept, config.kept(), roots);
        order.tell(KeptOnNodes.unknown(kept, beyond), run.meta());
        List<String> names = beyond.stream().map(CheckpointEntry::place).toList();
        List<Kept> superfluous = new ArrayList<>();
        for (Path root : roots) {
            RunInventory.keptIn(root).stream()
                    .filter(each -> names.contains(RunInventory.nameOfKept(each.level(), each.ckptId())))
                    .forEach(superfluous::add);
        }
        return superfluous;
    }
}
