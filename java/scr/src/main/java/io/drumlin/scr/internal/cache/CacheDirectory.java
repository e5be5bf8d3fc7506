package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.scr.internal.redundancy.DatasetDirectory;
import io.drumlin.scr.internal.redundancy.RedundancySet;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of a dataset in a node (docs/formats/scr.md, section 10).
 *
 * @param path the path of the directory
 * @param recorded the path that its files record, which differs if the directory was moved
 */
public record CacheDirectory(Path path, Path recorded) implements DatasetDirectory {

    private static final Pattern FILEMAP = Pattern.compile("filemap_(\\d{1,9})");

    @Override
    public Path metadata() {
        return path.resolve(".scr");
    }

    public Path filemap(int rank) {
        return metadata().resolve("filemap_" + rank);
    }

    /** Returns the ranks whose filemaps are here, wherever these ranks run. */
    public SortedSet<Integer> ranks() throws IOException {
        SortedSet<Integer> ranks = new TreeSet<>();
        for (Path each : entries()) {
            Matcher matcher = FILEMAP.matcher(each.getFileName().toString());
            if (matcher.matches()) {
                ranks.add(Integer.parseInt(matcher.group(1)));
            }
        }
        return ranks;
    }

    /**
     * Returns the files that protect the files of a rank: first the file that names its set, then the redundancy data.
     */
    public List<Path> redundancyFiles(String family, int rank) throws IOException {
        String start = family + ".er." + rank + ".";
        String membership = RedundancySet.membershipName(family, rank);
        Stream<String> names = entries().stream()
                .map(each -> each.getFileName().toString())
                .filter(each -> each.startsWith(start) && each.endsWith(".redset") && !each.equals(membership));
        List<Path> files = new ArrayList<>();
        for (String name : Stream.concat(Stream.of(membership), names).toList()) {
            if (PathStatus.isRegularFile(metadata().resolve(name))) {
                files.add(metadata().resolve(name));
            }
        }
        return files;
    }

    private List<Path> entries() throws IOException {
        return PathStatus.isDirectory(metadata()) ? PathStatus.entries(metadata()) : List.of();
    }

    /** Returns the path that SCR's files record for a file in here. */
    String recorded(Path file) {
        return recorded.resolve(path.relativize(file).toString()).toString();
    }

    @Override
    public Path locate(String name) throws DrumlinException {
        return find(name).orElseThrow(() -> DrumlinException.during("locating a file of a cached dataset")
                .path(path)
                .problem("'" + name + "' is not below " + recorded)
                .advice("do not trust this cache")
                .exception());
    }

    /**
     * Finds a file. Nodes may have their caches in different directories, so only the directory of the dataset counts.
     */
    Optional<Path> find(String name) {
        Path file;
        try {
            file = StoredNames.path(name).normalize();
        } catch (DrumlinException e) {
            return Optional.empty();
        }
        if (file.startsWith(recorded)) {
            return below(recorded.relativize(file));
        }
        for (int i = 0; i < file.getNameCount() - 1; i++) {
            if (file.getName(i).equals(recorded.getFileName())) {
                return below(file.subpath(i + 1, file.getNameCount()));
            }
        }
        return Optional.empty();
    }

    private Optional<Path> below(Path rest) {
        return rest.toString().isEmpty() ? Optional.empty() : Optional.of(path.resolve(rest.toString()));
    }
}
