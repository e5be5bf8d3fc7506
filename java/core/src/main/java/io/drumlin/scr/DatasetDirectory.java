package io.drumlin.scr;

import io.drumlin.DrumlinException;
import java.nio.file.Path;

/** Where the files of a dataset are of which a rank's redundancy files speak (docs/formats/scr.md, section 11). */
interface DatasetDirectory {

    /** Where maps and redundancy files are. */
    Path metadata();

    /**
     * Where a file is that SCR's files name.
     *
     * @throws DrumlinException it is none of this dataset
     */
    Path locate(String name) throws DrumlinException;
}
