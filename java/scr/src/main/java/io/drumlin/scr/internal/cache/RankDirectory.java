package io.drumlin.scr.internal.cache;

import io.drumlin.scr.internal.redundancy.DatasetDirectory;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * The files of one rank in the directory of a dataset in a node. A file is at the place that its filemap names, or
 * apart from it if a file of another rank has that place (docs/formats/scr.md, section 10).
 *
 * @param directory the directory of the dataset in the node
 * @param rank the rank
 * @param contested places in the node that more than one rank's filemap names
 */
public record RankDirectory(CacheDirectory directory, int rank, Set<Path> contested) implements DatasetDirectory {

    /** Returns a rank's files, which are only read. */
    public static RankDirectory of(CacheDirectory directory, int rank) {
        return new RankDirectory(directory, rank, Set.of());
    }

    @Override
    public Path metadata() {
        return directory.metadata();
    }

    @Override
    public Path locate(String name) throws IOException {
        return find(directory.locate(name));
    }

    /** Returns the path of the file that has a place. */
    Path find(Path place) throws IOException {
        return isApart(place) ? apart(place) : place;
    }

    boolean isApart(Path place) throws IOException {
        return PathStatus.exists(apart(place));
    }

    /** Returns where the file is if another rank's file has its place. */
    Path apart(Path place) {
        return metadata()
                .resolve("apart_" + rank)
                .resolve(directory.path().relativize(place).toString());
    }

    /** Returns the path to which the file that has a place must be written, so that it replaces no other rank's. */
    Path target(Path place) throws IOException {
        return contested.contains(place) ? apart(place) : find(place);
    }

    @Override
    public DatasetDirectory forWriting() {
        return new DatasetDirectory() {
            @Override
            public Path metadata() {
                return directory.metadata();
            }

            @Override
            public Path locate(String name) throws IOException {
                return target(directory.locate(name));
            }
        };
    }
}
