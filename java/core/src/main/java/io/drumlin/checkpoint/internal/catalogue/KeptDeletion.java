package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes.Kept;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Deletes checkpoints of levels 1 to 3 that were kept on the nodes, as far as this machine sees them. */
final class KeptDeletion {

    private final FtiConfig config;
    private final StorageEngine storage;

    /** The directories of the run, that of metadata first. */
    private final List<Path> roots = new ArrayList<>();

    KeptDeletion(FtiConfig config, String execId, StorageEngine storage) throws IOException {
        this.config = config;
        this.storage = storage;
        RunPlaces places = RunPlaces.of(config, execId);
        roots.add(places.meta());
        roots.addAll(places.others());
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
        List<Kept> superfluous = new ArrayList<>();
        for (Path root : roots) {
            for (Level level : List.of(Level.L1, Level.L2, Level.L3)) {
                superfluous.addAll(
                        KeptOnNodes.superfluous(root, level, config.kept().onNodes(level)));
            }
        }
        return superfluous;
    }
}
