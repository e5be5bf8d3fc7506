package io.drumlin.golden.fti;

import io.drumlin.checkpoint.internal.config.Mode;
import java.nio.file.Path;
import java.util.Locale;

/** The places of the files of a run, relative to the case; docs/formats/fti-posix.md, section 2. */
final class RunDirectories {

    private static final int PARALLEL_LEVEL = 4;

    private final Manifest manifest;

    RunDirectories(Manifest manifest) {
        this.manifest = manifest;
    }

    private String below(String directoryKey, String path) {
        Path base = Path.of("data", manifest.config().get("basic." + directoryKey));
        return base.resolve(path).normalize().toString();
    }

    String metadata(String path) {
        return below("meta_dir", manifest.execId() + "/" + path);
    }

    private String global(String path) {
        return below("glbl_dir", manifest.execId() + "/" + path);
    }

    private String local(int mpiRank, String path) {
        String node = manifest.config("advanced.local_test") == 1
                ? "node" + mpiRank / manifest.config("basic.node_size") + "/"
                : "";
        return below("ckpt_dir", node + manifest.execId() + "/" + path);
    }

    /**
     * The path of a data file.
     *
     * @param level 1 to 4
     * @param archived whether it is in the archive of level 4
     * @param mpiRank whose it is
     */
    String data(int level, boolean archived, int mpiRank, String name) {
        if (level < PARALLEL_LEVEL) {
            return local(mpiRank, "l" + level + "/" + name);
        }
        return global((archived ? "l4_archive" : "l4") + "/" + name);
    }

    String differential(String name) {
        return global("dCP/" + name);
    }

    static String dataName(int ckptId, int mpiRank) {
        return name(ckptId, "Rank", mpiRank);
    }

    static String name(int ckptId, String kind, int mpiRank) {
        return String.format(Locale.ROOT, "Ckpt%d-%s%d.fti", ckptId, kind, mpiRank);
    }

    static String sharedName(int ckptId) {
        return "Ckpt" + ckptId + "-mpiio.fti";
    }

    /** Returns whether the data of all ranks are in one file. */
    boolean isShared(int level) {
        return level == PARALLEL_LEVEL && manifest.mode() == Mode.MPI_IO;
    }
}
