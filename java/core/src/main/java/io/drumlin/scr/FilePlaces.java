package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The places of the files of ranks in the directory of a dataset in one node. SCR keeps the last names of files only,
 * so ranks of different nodes may have files with the same place. If these ranks come to one node, one file would
 * replace the other.
 */
final class FilePlaces {

    private final CacheDirectory directory;
    private final Map<String, Integer> owners = new HashMap<>();

    FilePlaces(CacheDirectory directory) {
        this.directory = directory;
    }

    /** Returns the places that the filemap of a rank in this node names; none if there is no whole filemap. */
    static List<String> of(int rank, CacheDirectory directory, KvTreeStore store) throws IOException {
        KvTree map = store.readIfWhole(directory.filemap(rank)).get("FILE");
        List<String> places = new ArrayList<>();
        for (String name : (map == null ? new KvTree() : map).keys()) {
            Optional<Path> file = directory.find(name);
            file.ifPresent(path -> places.add(directory.path().relativize(path).toString()));
        }
        return places;
    }

    /**
     * Adds the files of a rank.
     *
     * @throws DrumlinException one of them has the place of a file of another rank
     */
    void add(int rank, Iterable<String> places) throws DrumlinException {
        for (String place : places) {
            Integer other = owners.putIfAbsent(place, rank);
            if (other != null && other != rank) {
                throw DrumlinException.during("bringing the cached files of ranks together")
                        .path(directory.path().resolve(place))
                        .problem("a file of rank " + Math.min(rank, other) + " and one of rank " + Math.max(rank, other)
                                + " have this place, because their last names are the same, and one would replace the"
                                + " other in this node")
                        .advice("nothing was replaced: let these ranks run in different nodes, as when they wrote the"
                                + " files")
                        .exception();
            }
        }
    }
}
