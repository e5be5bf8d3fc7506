package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes.Kept;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Deletes checkpoints of levels 1 to 3 that were kept on the nodes, as far as this machine sees them. */
final class KeptDeletion {

    private final FtiConfig config;
    private final StorageEngine storage;
    private final CommitOrder order;

    private final Path meta;

    /** The directories of the run. That of metadata is the last, because it may alone say how old what is in the others is. */
    private final List<Path> roots;

    KeptDeletion(FtiConfig config, String execId, StorageEngine storage) throws IOException {
        this.config = config;
        this.storage = storage;
        order = new CommitOrder(new RunDirectory(config, execId, 0).commitLog());
        RunPlaces places = RunPlaces.of(config, execId);
        meta = places.meta();
        roots = new ArrayList<>(places.others());
        roots.add(meta);
    }

    /** Returns the directories of a checkpoint. */
    List<Path> paths(int ckptId) throws IOException {
        return kept(ckptId).stream().map(Kept::path).toList();
    }

    private List<Kept> kept(int ckptId) throws IOException {
        List<Kept> kept = new ArrayList<>();
        for (Path root : roots) {
            for (Kept each : KeptOnNodes.in(root)) {
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
        order.read();
        Map<String, Age> ages = new TreeMap<>();
        for (Path root : roots) {
            KeptOnNodes.addAges(root, order, storage, ages);
        }
        List<String> names = KeptOnNodes.superfluous(ages, config.kept(), roots);
        List<String> unknown = new ArrayList<>(CommitOrder.unknown(List.copyOf(ages.keySet()), ages::get));
        unknown.removeAll(names);
        order.tell(unknown, meta);
        List<Kept> superfluous = new ArrayList<>();
        for (Path root : roots) {
            KeptOnNodes.in(root).stream()
                    .filter(each -> names.contains(KeptOnNodes.name(each.level(), each.ckptId())))
                    .forEach(superfluous::add);
        }
        return superfluous;
    }
}
