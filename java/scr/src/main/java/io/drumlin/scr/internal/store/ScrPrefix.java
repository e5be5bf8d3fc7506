package io.drumlin.scr.internal.store;

import io.drumlin.DrumlinException;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The paths in a prefix directory; docs/formats/scr.md, section 1. Thread-safe.
 *
 * @param path the prefix directory
 */
public record ScrPrefix(Path path) {

    private static final Pattern METADATA = Pattern.compile("scr\\.dataset\\.(\\d{1,9})");

    /**
     * Names a prefix directory.
     *
     * @param path the prefix directory; made absolute, without {@code .} and {@code ..}, so that a comparison of paths
     *     shows what lies below it
     */
    public ScrPrefix {
        path = path.toAbsolutePath().normalize();
    }

    /**
     * Returns the directory of SCR's own files.
     *
     * @return a directory that need not exist
     */
    public Path scr() {
        return path.resolve(".scr");
    }

    /**
     * Returns the path of a file or directory that a file of SCR names.
     *
     * @param name a name below the prefix directory
     * @return its path
     * @throws DrumlinException it is outside, among SCR's own files, or has bytes that no path can represent
     */
    public Path locate(String name) throws DrumlinException {
        Path place = StoredNames.below(path, name);
        if (place.startsWith(scr())) {
            throw DrumlinException.during("locating a file")
                    .path(path)
                    .problem("'" + name + "' is among SCR's own files")
                    .advice("do not trust the file that names it")
                    .exception();
        }
        return place;
    }

    /**
     * Returns the path of the index. The oldest development versions have it beside {@link #scr}, later ones in it.
     *
     * @return a file that need not exist
     */
    public Path index() {
        Path index = scr().resolve("index.scr");
        Path old = path.resolve("index.scr");
        // If the existence of a file cannot be determined, reading it will tell why.
        return Files.notExists(index) && !Files.notExists(old) ? old : index;
    }

    /**
     * Returns the directory of the summary and the maps of a dataset.
     *
     * @param id number of the dataset
     * @return a directory that need not exist
     */
    public Path metadata(int id) {
        return scr().resolve("scr.dataset." + id);
    }

    /** Returns the existing directories of {@link #metadata}, with the numbers of their datasets. */
    public SortedMap<Path, Integer> metadataDirectories() throws IOException {
        SortedMap<Path, Integer> directories = new TreeMap<>();
        if (PathStatus.isDirectory(scr())) {
            for (Path each : PathStatus.entries(scr())) {
                Matcher matcher = METADATA.matcher(each.getFileName().toString());
                if (matcher.matches()) {
                    directories.put(each, Integer.parseInt(matcher.group(1)));
                }
            }
        }
        return directories;
    }

    /**
     * Returns the path of the halt file.
     *
     * @return a file that need not exist
     */
    public Path halt() {
        return scr().resolve("halt.scr");
    }

    /**
     * Returns the path of the flush file, which records the datasets that are in the cache only.
     *
     * @return a file that need not exist
     */
    public Path flush() {
        return scr().resolve("flush.scr");
    }

    /**
     * Returns the path of the parameters that the program of the last run set, as text.
     *
     * @return a file that need not exist
     */
    public Path applicationConfig() {
        return scr().resolve("app.conf");
    }

    /**
     * Returns the path of the file with the number of nodes of the last run.
     *
     * @return a file that need not exist
     */
    public Path nodes() {
        return scr().resolve("nodes.scr");
    }
}
