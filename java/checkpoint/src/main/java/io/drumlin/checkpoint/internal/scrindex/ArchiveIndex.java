package io.drumlin.checkpoint.internal.scrindex;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.scr.internal.index.DatasetRegistry;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The archived checkpoints of a run in the index of SCR (docs/formats/scr.md, section 13). A record is removed, durably,
 * before its first file is replaced or deleted, and added when all files are in the archive. So a kill leaves files without
 * a record, which are listed later, but no record without files. For the rank that moves and deletes the files.
 */
public final class ArchiveIndex implements Archive.Listing {

    private static final Pattern OF_RANK = Pattern.compile("Ckpt\\d{1,9}-Rank(\\d{1,9})\\..*");

    private final ScrPrefix prefix;
    private final RunDirectory directories;
    private final StorageEngine storage;
    private final boolean metadata;

    /** Prefix of the names in the index: the path of the archive. */
    private final String start;

    /** @param metadata whether the mode keeps metadata apart from the data */
    public ArchiveIndex(ScrPrefix prefix, RunDirectory directories, StorageEngine storage, boolean metadata) {
        this.prefix = prefix;
        this.metadata = metadata;
        this.directories = directories;
        this.storage = storage;
        start = prefix.path().relativize(directories.archive().toAbsolutePath().normalize()) + "/Ckpt";
    }

    /** Work with the index. */
    @FunctionalInterface
    private interface Work {
        void with(DatasetRegistry registry) throws IOException;
    }

    private void index(Work work) throws IOException {
        try (Communicator alone = new SingleCommunicator()) {
            work.with(new DatasetRegistry(prefix, alone, storage));
        }
    }

    /** Removes checkpoints before their files change. */
    public void remove(Collection<Integer> ids) throws IOException {
        Set<String> names = ids.stream().map(id -> start + id).collect(Collectors.toSet());
        if (!names.isEmpty()) {
            index(registry -> registry.removeIf(names::contains));
        }
    }

    @Override
    public void removeAll() throws IOException {
        index(registry -> registry.removeAll(start));
    }

    @Override
    public void removeReplacedBy(Path directory) throws IOException {
        Set<Integer> ids = new TreeSet<>();
        for (Path file : PathStatus.entries(directory)) {
            Matcher name = Archive.FILE.matcher(name(file));
            if (name.matches()) {
                ids.add(Integer.valueOf(name.group(1)));
            }
        }
        remove(ids);
    }

    private static String name(Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    @Override
    public void update(Set<Integer> leaving) throws IOException {
        SortedMap<String, Checkpoint> stay = new TreeMap<>();
        for (Map.Entry<Integer, List<Path>> each : Archive.archived(directories).entrySet()) {
            if (!leaving.contains(each.getKey())) {
                checkpoint(each.getKey(), each.getValue()).ifPresent(whole -> stay.put(start + each.getKey(), whole));
            }
        }
        index(registry -> {
            registry.removeIf(name -> name.startsWith(start) && !stay.containsKey(name));
            Set<String> listed = registry.names(start);
            stay.keySet().removeAll(listed);
            for (Map.Entry<String, Checkpoint> each : stay.entrySet()) {
                Checkpoint whole = each.getValue();
                registry.add(each.getKey(), name(directories.global()), whole.ranks, whole.files);
            }
        });
    }

    /** An archived checkpoint, with the files of each rank that has some. */
    private record Checkpoint(int ranks, List<List<Path>> files) {}

    /** Returns a checkpoint, unless files are missing, as of one that was being deleted at a kill. */
    private Optional<Checkpoint> checkpoint(int ckptId, List<Path> paths) throws IOException {
        SortedMap<Integer, Path> ofRanks = new TreeMap<>();
        List<Path> shared = new ArrayList<>();
        boolean hasMetadata = false;
        for (Path path : paths) {
            Matcher ofRank = OF_RANK.matcher(name(path));
            if (PathStatus.isDirectory(path)) {
                hasMetadata = true;
            } else if (ofRank.matches()) {
                ofRanks.put(Integer.valueOf(ofRank.group(1)), path);
            } else {
                shared.add(path);
            }
        }
        List<List<Path>> files =
                shared.isEmpty() ? ofRanks.values().stream().map(List::of).toList() : List.of(shared);
        boolean isListed = hasMetadata == metadata;
        List<CheckpointListFile.Entry> entries = CheckpointListFile.entries(directories.checkpointList());
        for (CheckpointListFile.Entry entry : CheckpointListFile.of(entries, Level.L4, ckptId)) {
            boolean fits = shared.isEmpty() ? entry.ranks() == files.size() : entry.ranks() > 0;
            if (isListed && fits) {
                return Optional.of(new Checkpoint(entry.ranks(), files));
            }
        }
        return Optional.empty();
    }
}
