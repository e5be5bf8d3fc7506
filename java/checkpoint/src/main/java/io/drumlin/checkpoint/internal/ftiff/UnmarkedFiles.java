package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.DrumlinException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Tells whether files without a stamp were written by one checkpoint. */
final class UnmarkedFiles {

    /**
     * One in this many ranks may share its timestamp with another rank by chance, because C FTI keeps only 32 bits of
     * it.
     */
    private static final int RANKS_OF_CHANCE = 1000;

    private UnmarkedFiles() {}

    /**
     * Returns whether the files of all ranks may belong to one checkpoint.
     *
     * @param all for each rank the timestamp and the layout of its file, both {@link FtiFfReader#UNMARKED} if it has none
     */
    static boolean mayBeOfOneCheckpoint(ByteBuffer all) {
        Set<Long> times = new HashSet<>();
        Set<Long> layouts = new HashSet<>();
        int files = 0;
        while (all.hasRemaining()) {
            long time = all.getLong();
            long layout = all.getLong();
            if (layout != FtiFfReader.UNMARKED) {
                files++;
                times.add(time);
                layouts.add(layout);
            }
        }
        return layouts.size() <= 1 && files - times.size() <= files / RANKS_OF_CHANCE;
    }

    static DrumlinException mixed(Path directory, int ckptId) {
        return DrumlinException.during("restart from checkpoint " + ckptId)
                .path(directory)
                .problem("its files are of several layouts, or some have one timestamp: they were not written by one"
                        + " checkpoint")
                .advice("bring back the files that belong to it, or use another checkpoint")
                .exception();
    }
}
