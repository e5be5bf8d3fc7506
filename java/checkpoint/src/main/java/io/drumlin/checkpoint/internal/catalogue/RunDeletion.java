package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.branch.RunPlaces;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.internal.HostName;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Deletes whole runs. The directory of metadata gets another name first, so that no restart finds the run. It is deleted
 * last, because its name tells that the other directories are to be deleted. It stays, with the names of the nodes and of
 * those on which the run is deleted, while other nodes may have files of the run: a new run of this name would take them for
 * its own.
 */
final class RunDeletion {

    /** {@code Topology.fti} of a run that no restart is to find. */
    private static final String TOPOLOGY = "deleted-Topology.fti";

    /** Begins the name of an empty directory that says on which node the run is deleted. */
    private static final String DONE = "deleted-on-";

    private final FtiConfig config;
    private final String execId;
    private final RunPlaces places;
    private final StorageEngine storage;

    /** The nodes on which the files are deleted, this one among them. */
    private final Set<String> nodes;

    RunDeletion(FtiConfig config, String execId, StorageEngine storage) throws IOException {
        this(config, execId, storage, Set.of(HostName.read()));
    }

    RunDeletion(FtiConfig config, String execId, StorageEngine storage, Set<String> nodes) throws IOException {
        this.nodes = nodes;
        this.config = config;
        this.execId = execId;
        this.storage = storage;
        places = RunPlaces.of(config, execId);
    }

    /** Returns whether a deletion of the run was begun before. */
    boolean isBegun() throws IOException {
        return PathStatus.exists(places.deleted());
    }

    /** Returns what is deleted on this machine. */
    List<Path> paths() {
        List<Path> paths = new ArrayList<>(places.others());
        paths.add(places.meta());
        paths.add(places.deleted());
        return paths;
    }

    /** Returns what is deleted when a deletion that was begun is finished. */
    List<Path> remains() throws IOException {
        List<Path> remains = new ArrayList<>(PathStatus.exists(places.meta()) ? List.of() : places.others());
        remains.add(places.deleted());
        return remains;
    }

    /** Returns the nodes that may have files that this machine does not see. */
    List<String> elsewhere() throws IOException {
        if (config.localTest()) {
            return List.of();
        }
        for (Path file : List.of(
                new RunDirectory(config, execId, 0).topologyFile(),
                places.deleted().resolve(TOPOLOGY))) {
            if (PathStatus.exists(file)) {
                return elsewhere(file);
            }
        }
        return List.of();
    }

    private List<String> elsewhere(Path file) throws IOException {
        String text = TextFiles.read(file);
        try {
            IniFile topology = IniFile.parse(text, file.toString());
            return TopologyFile.orders(topology, file.toString()).stream()
                    .flatMap(order -> order.nodeNames().stream())
                    .distinct()
                    .filter(node -> !nodes.contains(node) && !Files.isDirectory(done(node)))
                    .toList();
        } catch (DrumlinException damaged) {
            return List.of("unknown nodes");
        }
    }

    private Path done(String node) {
        return places.deleted().resolve(DONE + node);
    }

    void delete() throws IOException {
        DirectoryTree.delete(places.deleted(), storage);
        storage.rename(places.meta(), places.deleted());
        storage.syncDirectory(config.metaDir());
        finish();
    }

    /** Returns whether this machine has something to finish. */
    boolean hasRemains() throws IOException {
        for (Path each : remains()) {
            if (!each.equals(places.deleted()) && PathStatus.exists(each)) {
                return true;
            }
        }
        return PathStatus.entries(places.deleted()).stream().anyMatch(entry -> !isNote(entry))
                || elsewhere().isEmpty();
    }

    private static boolean isNote(Path entry) {
        String name = Objects.requireNonNull(entry.getFileName()).toString();
        return name.equals(TOPOLOGY) || name.startsWith(DONE);
    }

    /** Finishes a deletion that was begun. */
    void finish() throws IOException {
        Path topology = places.deleted().resolve("Topology.fti");
        if (PathStatus.exists(topology)) {
            storage.rename(topology, places.deleted().resolve(TOPOLOGY));
        }
        List<String> elsewhere = elsewhere();
        if (!PathStatus.exists(places.meta())) {
            places.deleteOthers(storage);
            for (Path each : places.others()) {
                deleteEmptyNode(each);
            }
        }
        for (Path entry : PathStatus.entries(places.deleted())) {
            if (!isNote(entry)) {
                DirectoryTree.delete(entry, storage);
            }
        }
        if (elsewhere.isEmpty()) {
            DirectoryTree.delete(places.deleted(), storage);
        } else {
            for (String node : nodes) {
                DirectoryTree.make(done(node), storage);
            }
        }
        storage.syncDirectory(config.metaDir());
    }

    private void deleteEmptyNode(Path local) throws IOException {
        Path node = local.getParent();
        if (!config.localTest() || node == null || !config.ckptDir().equals(node.getParent())) {
            return;
        }
        if (PathStatus.isDirectory(node) && PathStatus.entries(node).isEmpty()) {
            storage.delete(node);
        }
    }
}
