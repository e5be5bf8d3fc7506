package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.scr.internal.store.ScrPrefix;
import java.nio.file.Path;
import java.util.Map;

/**
 * A checkpoint from which the next restart can read.
 *
 * @param id number of the dataset
 * @param name the name of the dataset
 * @param cached whether it is in the caches; if not, its files are read from the prefix directory
 * @param files the files of this rank: the path of each below the prefix directory, mapped to its current path
 */
public record RestartCandidate(int id, String name, boolean cached, Map<Path, Path> files) {

    public RestartCandidate {
        files = Map.copyOf(files);
    }

    /**
     * Finds a file.
     *
     * @param file the path to which the program wrote it, or the last name of that path
     * @param rank this rank, for a message
     * @return the current path of the file
     */
    public Path locate(Path file, ScrPrefix prefix, int rank) throws DrumlinException {
        Path wanted = file.toAbsolutePath().normalize();
        for (Map.Entry<Path, Path> each : files.entrySet()) {
            if (prefix.path().resolve(each.getKey()).equals(wanted)) {
                return each.getValue();
            }
        }
        return files.entrySet().stream()
                .filter(each -> file.getNameCount() == 1 && each.getKey().endsWith(file))
                .min(Map.Entry.comparingByKey())
                .orElseThrow(() -> DrumlinException.during("routing a file")
                        .path(file)
                        .rank(rank)
                        .problem("dataset " + name + " has no such file of this rank")
                        .exception())
                .getValue();
    }
}
