package io.drumlin.scr;

import io.drumlin.DrumlinException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A checkpoint from which the next restart can read.
 *
 * @param id number of the dataset
 * @param name of the dataset
 * @param cached whether it is in the caches; otherwise its files are read in the prefix directory
 * @param files of this rank: where each belongs below the prefix directory, and where it is
 */
record RestartOffer(int id, String name, boolean cached, Map<Path, Path> files) {

    RestartOffer {
        files = Map.copyOf(files);
    }

    /**
     * Where a file is.
     *
     * @param file where the program wrote it, or its last name
     * @param rank this one, for a message
     */
    Path locate(Path file, ScrPrefix prefix, int rank) throws DrumlinException {
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
