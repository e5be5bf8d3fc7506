package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the bytes that a deletion frees. A file that keeps another name, as in a branch, frees none. */
final class FreedSpace {

    /** A file of which names are to be deleted. */
    private record Shared(long bytes, int names, int deleted) {}

    private final Map<List<Long>, Shared> files = new HashMap<>();

    /** Adds a file, or all files below a directory. Does nothing if there is none. */
    void add(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : PathStatus.entries(path)) {
                add(entry);
            }
        } else {
            addFile(path);
        }
    }

    private void addFile(Path path) throws IOException {
        Map<String, Object> found;
        try {
            found = Files.readAttributes(path, "unix:dev,ino,nlink,size", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException gone) {
            return;
        } catch (IOException e) {
            throw IoFailures.explain("stat", path, e);
        }
        List<Long> file = List.of(number(found, "dev"), number(found, "ino"));
        int names = (int) number(found, "nlink");
        long bytes = number(found, "size");
        files.merge(file, new Shared(bytes, names, 1), (one, other) -> new Shared(bytes, names, one.deleted() + 1));
    }

    private static long number(Map<String, Object> found, String attribute) {
        return found.get(attribute) instanceof Number number ? number.longValue() : 0;
    }

    long bytes() {
        return files.values().stream()
                .filter(file -> file.deleted() >= file.names())
                .mapToLong(Shared::bytes)
                .sum();
    }
}
