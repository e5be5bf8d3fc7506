package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The places that the filemaps of ranks name in the directory of a dataset in one node. SCR keeps the last names of
 * files only, so ranks of different nodes may have files with the same place. If these ranks come to one node, one file
 * must not replace the other.
 */
final class FilePlaces {

    private static final String CRC = "CRC";

    private final CacheDirectory directory;

    /** The ranks that name each place, and whether their filemaps have a CRC32 of the file. */
    private final Map<Path, NavigableMap<Integer, Boolean>> owners = new HashMap<>();

    FilePlaces(CacheDirectory directory) {
        this.directory = directory;
    }

    /**
     * Returns the places that the filemap of a rank in this node names, below the dataset, each with the key CRC if the
     * filemap has one; none if there is no whole filemap.
     */
    static KvTree of(int rank, CacheDirectory directory, KvTreeStore store) throws IOException {
        KvTree map = store.readIfWhole(directory.filemap(rank)).get("FILE");
        KvTree places = new KvTree();
        (map == null ? new KvTree() : map)
                .entries()
                .forEach((name, file) -> directory.find(name).ifPresent(path -> {
                    KvTree place = places.add(directory.path().relativize(path).toString());
                    CachedFile.of(file).crc().ifPresent(crc -> place.add(CRC));
                }));
        return places;
    }

    void add(int rank, KvTree places) {
        places.entries().forEach((place, file) -> owners.computeIfAbsent(
                        directory.path().resolve(place), each -> new TreeMap<>())
                .put(rank, file.has(CRC)));
    }

    /** Returns the places that more than one rank names. */
    Set<Path> contested() {
        return owners.entrySet().stream()
                .filter(each -> each.getValue().size() > 1)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * Refuses to continue if a file of this node may be that of several ranks, and no CRC32 tells whose it is.
     *
     * @param present the ranks whose filemaps are in this node
     */
    void requireKnownOwners(Set<Integer> present) throws IOException {
        for (Map.Entry<Path, NavigableMap<Integer, Boolean>> each : owners.entrySet()) {
            Path place = each.getKey();
            List<Integer> claimants = new ArrayList<>();
            for (int rank : each.getValue().keySet()) {
                if (present.contains(rank) && !RankDirectory.of(directory, rank).isApart(place)) {
                    claimants.add(rank);
                }
            }
            boolean told = claimants.stream().allMatch(each.getValue()::get);
            if (claimants.size() > 1 && !told && PathStatus.exists(place)) {
                throw DrumlinException.during("looking for the cached files of ranks")
                        .path(place)
                        .problem("a file of rank " + claimants.get(0) + " and one of rank " + claimants.get(1)
                                + " have this place, because their last names are the same, and no CRC32 tells whose"
                                + " it is")
                        .advice("nothing was replaced: let these ranks run in different nodes, as when they wrote the"
                                + " files")
                        .exception();
            }
        }
    }
}
