package io.drumlin;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the files that the C originals wrote: {@code java/golden/cases}, or the folder that {@code -Ddrumlin.golden} names. */
public final class Golden {

    private Golden() {}

    /**
     * A file or folder of the golden cases.
     *
     * @param names the way to it, for example {@code "sion"} or {@code "gsd", "v10_names", "file.gsd"}
     * @return its path
     * @throws AssertionError it is not there: a test never does without
     */
    public static Path path(String... names) {
        Path path = Path.of(root().toString(), names);
        if (!Files.exists(path)) {
            throw new AssertionError(
                    "There is no golden file " + path + ". The golden cases are in java/golden/cases of a"
                            + " whole clone; -Ddrumlin.golden=DIR names another folder with them.");
        }
        return path;
    }

    /** Also for tests that an IDE starts, in whatever folder of the repository. */
    private static Path root() {
        String named = System.getProperty("drumlin.golden");
        if (named != null) {
            return Path.of(named);
        }
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = here; folder != null; folder = folder.getParent()) {
            Path cases = folder.resolve("java/golden/cases");
            if (Files.isDirectory(cases)) {
                return cases;
            }
        }
        return here.resolve("java/golden/cases");
    }
}
