package io.drumlin.golden.base;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The cases of one system. {@code GoldenRunner} has the list of all formats. */
public interface GoldenCases {

    /**
     * Returns whether a manifest is of this system, by its content, because cases may lie anywhere.
     *
     * @param manifest the parsed file
     * @return true if {@link #run} can take it
     */
    boolean understands(Map<String, Object> manifest);

    /**
     * Compares everything the manifest says.
     *
     * @param directory the directory of the manifest; nothing is written below it
     * @param manifest the parsed file
     * @return what was compared
     * @throws IOException a file of the case cannot be read
     */
    Outcome run(Path directory, Map<String, Object> manifest) throws IOException;
}
