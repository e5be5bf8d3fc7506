package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Deletes the files of all ranks on the parallel file system. Each rank deletes its own: one rank alone would take a
 * quarter of an hour for those of a million.
 */
public final class GlobalDeletion {

    /** Stands for the names of the groups' metadata. */
    private static final String OF_GROUP = "sector*-group*.fti";

    private final Communicator app;
    private final Topology topology;
    private final Group group;
    private final StorageEngine storage;

    public GlobalDeletion(Communicator app, Topology topology, Group group, StorageEngine storage) {
        this.app = app;
        this.topology = topology;
        this.group = group;
        this.storage = storage;
    }

    /**
     * Deletes the files that have the names of ranks and groups of this run, in the directories of all levels. Others stay
     * for the rank that deletes the directories. Collective.
     */
    public void deleteOfRanks(RunDirectory directories) throws IOException {
        for (Path root : new LinkedHashSet<>(List.of(directories.global(), directories.meta()))) {
            deleteOfRanks(root);
        }
    }

    private void deleteOfRanks(Path root) throws IOException {
        List<String> names = Agreement.ofFirst(app, "listing the run's files", () -> String.join("\n", names(root)))
                .lines()
                .toList();
        Agreement.run(app, "deleting the run's files", () -> {
            for (String name : names) {
                deleteOwn(root.resolve(name));
            }
        });
    }

    /** Returns the files in the directories below a root, without ranks and groups in their names: there are few then. */
    private static Set<String> names(Path root) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path directory : PathStatus.entries(root)) {
            for (Path entry : PathStatus.isDirectory(directory) ? PathStatus.entries(directory) : List.<Path>of()) {
                Optional<String> name =
                        MetadataFiles.isOne(entry) ? Optional.of(OF_GROUP) : NamesOfRanks.withoutRank(entry);
                name.ifPresent(each -> names.add(directory.getFileName() + "/" + each));
            }
        }
        return names;
    }

    private void deleteOwn(Path path) throws IOException {
        String name = path.getFileName().toString();
        if (!name.equals(OF_GROUP)) {
            storage.delete(path.resolveSibling(NamesOfRanks.ofRank(name, topology.fileRank())));
        } else if (group.index() == 0) {
            storage.delete(path.resolveSibling(MetadataFiles.name(group)));
        }
    }
}
