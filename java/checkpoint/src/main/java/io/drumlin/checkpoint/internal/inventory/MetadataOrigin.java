package io.drumlin.checkpoint.internal.inventory;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.Origin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Checks whether metadata belong to a group, and to a mode whose files this mode reads. */
public final class MetadataOrigin {

    private MetadataOrigin() {}

    /**
     * Refuses metadata of another group or mode. Metadata of C FTI do not say where they belong; HDF5 files are known
     * by their names.
     *
     * @param level level at which the metadata lie
     * @param mode mode of this run
     */
    public static void require(Path path, GroupMetadata metadata, Level level, Mode mode, int sector, int group)
            throws IOException {
        if (isOfAnotherMode(metadata, level, mode)) {
            int written = mode(metadata);
            int known = written != 0 ? written : (isHdf5(metadata) ? Mode.HDF5 : Mode.POSIX).number();
            throw refused(
                    path,
                    "the checkpoint was written in the mode " + Mode.describe(known) + ", and this run has " + mode,
                    "restart with the ckpt_io of the run that wrote it");
        }
        boolean here = metadata.origin()
                .map(origin -> origin.sector() == sector && origin.group() == group)
                .orElse(true);
        if (!here) {
            throw refused(
                    path,
                    "these are the metadata of group "
                            + metadata.origin().orElseThrow().group() + " of sector "
                            + metadata.origin().orElseThrow().sector(),
                    "the files of two groups were exchanged: give them their names");
        }
    }

    /** Returns whether only a run with another {@code ckpt_io} can read the checkpoint. */
    public static boolean isOfAnotherMode(GroupMetadata metadata, Level level, Mode mode) {
        int written = mode(metadata);
        boolean alike = mode.bare() && Mode.of(written).filter(Mode::bare).isPresent();
        boolean readable = written == 0 || written == mode.number() || (alike && !mayBeShared(level, metadata));
        return !readable || (mode == Mode.HDF5) != isHdf5(metadata);
    }

    /** Returns {@code ckpt_io} of the run that wrote the metadata; 0 if not recorded. */
    public static int mode(GroupMetadata metadata) {
        return metadata.origin().map(origin -> origin.ioMode()).orElse(0);
    }

    public static boolean isHdf5(GroupMetadata metadata) {
        return metadata.files().stream().map(FileEntry::name).allMatch(name -> name.endsWith("." + FileNames.HDF5));
    }

    /** Returns whether the data of all ranks are in one file in some modes. */
    private static boolean mayBeShared(Level level, GroupMetadata metadata) {
        return level == Level.L4 && metadata.type() == CkptType.FULL;
    }

    /** Returns when the checkpoint was taken; below 0 if C FTI has written the metadata. */
    public static long time(GroupMetadata metadata) {
        return metadata.origin().map(Origin::time).orElse(-1L);
    }

    public static OptionalLong identity(GroupMetadata metadata) {
        return metadata.origin().map(from -> OptionalLong.of(from.time())).orElse(OptionalLong.empty());
    }

    /** Returns an exception that says why metadata or files at a path are not used. */
    public static DrumlinException refused(Path path, String problem, String advice) {
        return DrumlinException.during("restart")
                .path(path)
                .problem(problem)
                .advice(advice)
                .exception();
    }
}
