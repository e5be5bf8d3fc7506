package io.drumlin.scr.internal.redundancy;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The directories that hold the files of a dataset, for the redundancy files of a rank (docs/formats/scr.md, section
 * 11).
 */
public interface DatasetDirectory {

    /** Returns the directory of the maps and redundancy files. */
    Path metadata();

    /**
     * Returns the path of a file that SCR's files name.
     *
     * @throws DrumlinException the file does not belong to this dataset
     * @throws IOException the path cannot be determined
     */
    Path locate(String name) throws IOException;

    /** Returns these directories for files that are written again. */
    default DatasetDirectory forWriting() {
        return this;
    }
}
