package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.format.StoredNames;
import io.drumlin.storage.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where things are in a prefix directory; docs/formats/scr.md, section 1. Thread-safe.
 *
 * @param path the prefix directory
 */
public record ScrPrefix(Path path) {

    private static final Pattern METADATA = Pattern.compile("scr\\.dataset\\.(\\d{1,9})");

    /**
     * Names a prefix directory.
     *
     * @param path the prefix directory; made absolute, without {@code .} and {@code ..}, so that what lies below it is seen to
     */
    public ScrPrefix {
        path = path.toAbsolutePath().normalize();
    }

    /**
     * Where SCR keeps its own files.
     *
     * @return a directory that need not exist
     */
    public Path scr() {
        return path.resolve(".scr");
    }

    /**
     * Where a file or a directory is whose name stands in a file of SCR.
     *
     * @param name below the prefix directory
     * @return its path
     * @throws DrumlinException it is outside, among SCR's own files, or has bytes of which no path can be made
     */
    Path locate(String name) throws DrumlinException {
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
     * The index: in the oldest development versions beside {@link #scr}, later in it.
     *
     * @return a file that need not exist
     */
    public Path index() {
        Path index = scr().resolve("index.scr");
        Path old = path.resolve("index.scr");
        // Where it cannot be told whether one is there, who reads that is told why.
        return Files.notExists(index) && !Files.notExists(old) ? old : index;
    }

    /**
     * Where the summary and the maps of a dataset are.
     *
     * @param id number of the dataset
     * @return a directory that need not exist
     */
    public Path metadata(int id) {
        return scr().resolve("scr.dataset." + id);
    }

    /** The directories that {@link #metadata} names and that are there, with the numbers of their datasets. */
    SortedMap<Path, Integer> metadataDirectories() throws IOException {
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
     * When the job is to halt.
     *
     * @return a file that need not exist
     */
    public Path halt() {
        return scr().resolve("halt.scr");
    }

    /**
     * Which datasets are in the cache only.
     *
     * @return a file that need not exist
     */
    public Path flush() {
        return scr().resolve("flush.scr");
    }

    /**
     * The parameters that the program of the last run set, as text.
     *
     * @return a file that need not exist
     */
    public Path applicationConfig() {
        return scr().resolve("app.conf");
    }

    /**
     * How many nodes the last run had.
     *
     * @return a file that need not exist
     */
    public Path nodes() {
        return scr().resolve("nodes.scr");
    }
}
