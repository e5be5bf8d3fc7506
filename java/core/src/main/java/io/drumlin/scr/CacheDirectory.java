package io.drumlin.scr;

import io.drumlin.DrumlinException;
import java.nio.file.Path;

/**
 * The directory of a dataset in a node (docs/formats/scr.md, section 10).
 *
 * @param path where it is
 * @param recorded where its files say that it is, which may differ if it was moved
 */
record CacheDirectory(Path path, Path recorded) implements DatasetDirectory {

    @Override
    public Path metadata() {
        return path.resolve(".scr");
    }

    Path filemap(int rank) {
        return metadata().resolve("filemap_" + rank);
    }

    /** What SCR's files call a file in here. */
    String recorded(Path file) {
        return recorded.resolve(path.relativize(file).toString()).toString();
    }

    @Override
    public Path locate(String name) throws DrumlinException {
        Path file = Path.of(name).normalize();
        if (!file.startsWith(recorded) || file.equals(recorded)) {
            throw DrumlinException.during("locating a file of a cached dataset")
                    .path(path)
                    .problem("'" + name + "' is not below " + recorded)
                    .advice("do not trust this cache")
                    .exception();
        }
        return path.resolve(recorded.relativize(file).toString());
    }
}
