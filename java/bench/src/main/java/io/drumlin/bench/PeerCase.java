package io.drumlin.bench;

import java.util.List;
import java.util.Map;

/**
 * A row of the comparison with C FTI.
 *
 * @param mode what {@code ckpt_io} says
 * @param arrays how many there are
 * @param levels of the checkpoints of a round; the last one is measured
 * @param checkpointGoal how many times as fast as C FTI a checkpoint shall be
 */
record PeerCase(int ranks, int mode, int arrays, String levels, double checkpointGoal) {

    private static final int POSIX = 1;
    private static final int MPI_IO = 2;
    private static final int FTI_FF = 3;
    private static final int SIONLIB = 4;
    private static final int HDF5 = 5;
    private static final int MANY = 20;

    private static final Map<Integer, String> MODES =
            Map.of(POSIX, "POSIX", MPI_IO, "MPI-IO", FTI_FF, "FTI-FF", SIONLIB, "SIONlib", HDF5, "HDF5");

    /** The names of the files of level 4 in modes that have one file for all ranks. */
    private static final Map<Integer, String> SHARED_FILES =
            Map.of(MPI_IO, "-mpiio.fti", SIONLIB, "-sionlib.fti", HDF5, ".h5");

    static final List<PeerCase> ALL = List.of(
            of(2, FTI_FF, "1", 1),
            new PeerCase(2, FTI_FF, MANY, "1", 1),
            of(2, FTI_FF, "2", 1),
            of(4, FTI_FF, "3", 3),
            of(2, FTI_FF, "4", 1),
            of(2, POSIX, "1", 3),
            of(2, POSIX, "2", 1),
            of(4, POSIX, "3", 3),
            of(2, POSIX, "4", 1),
            of(2, POSIX, "12", 1),
            of(2, POSIX, "14", 1),
            of(2, MPI_IO, "1", 1),
            of(2, MPI_IO, "4", 1),
            of(2, SIONLIB, "1", 1),
            of(2, SIONLIB, "4", 1),
            of(2, HDF5, "1", 1),
            of(2, HDF5, "4", 1));

    private static PeerCase of(int ranks, int mode, String levels, double checkpointGoal) {
        return new PeerCase(ranks, mode, 1, levels, checkpointGoal);
    }

    /** Returns a case by which the benchmark finds out what a library can do. */
    PeerCase probe() {
        return of(2, mode, "4", checkpointGoal);
    }

    /** Returns the end of the name of a file of level 4. */
    String endOfFiles() {
        return SHARED_FILES.getOrDefault(mode, ".fti");
    }

    String modeName() {
        return MODES.getOrDefault(mode, "mode " + mode);
    }

    String name() {
        String change = levels.length() == 1 ? "" : " after L" + levels.charAt(0);
        return modeName() + ", L" + lastLevel() + change + (arrays == 1 ? "" : ", " + arrays + " arrays");
    }

    char lastLevel() {
        return levels.charAt(levels.length() - 1);
    }

    /** Returns whether the checkpoint survives the loss of a node, so that a restart after it is measured, too. */
    boolean losesNode() {
        return levels.length() == 1 && (lastLevel() == '2' || lastLevel() == '3');
    }

    /** Returns whether a restart is measured. One after a change of levels is like that without. */
    boolean restarts() {
        return levels.length() == 1;
    }

    /** MiB of each rank, where two ranks have so many: four have a quarter. */
    int share(int mib) {
        return ranks == 2 ? mib : Math.max(1, mib / ranks);
    }
}
