package io.drumlin.checkpoint.internal.config;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An I/O mode, {@code ckpt_io} of C FTI: how the data of ranks are written to files. Its number is that in the
 * configuration file.
 *
 * <p>A new mode has a constant here, its files in a class that implements {@link
 * io.drumlin.checkpoint.internal.mode.IoMode}, and a case in {@link io.drumlin.checkpoint.internal.engine.IoModes},
 * which creates that.
 */
public enum Mode {
    POSIX(1, "POSIX"),
    MPI_IO(2, "MPI-IO"),
    FTI_FF(3, "FTI-FF"),
    SIONLIB(4, "SIONlib"),
    HDF5(5, "HDF5");

    private static final Set<Mode> BARE = EnumSet.of(POSIX, MPI_IO, SIONLIB);

    private final int number;
    private final String word;

    Mode(int number, String word) {
        this.number = number;
        this.word = word;
    }

    /** Returns the mode of a number in a configuration file. */
    public static Optional<Mode> of(int number) {
        return Stream.of(values()).filter(mode -> mode.number == number).findFirst();
    }

    public int number() {
        return number;
    }

    /** Returns the name alone. */
    public String word() {
        return word;
    }

    /** Returns the name and the key that asks for the mode. */
    @Override
    public String toString() {
        return describe(number());
    }

    /** Returns what {@link #toString} returns for a number that may be of no mode. */
    public static String describe(int number) {
        return of(number).map(Mode::word).orElse("unknown") + " (ckpt_io = " + number + ")";
    }

    /** Returns the suffix of the files of ranks. */
    public String suffix() {
        return this == HDF5 ? FileNames.HDF5 : FileNames.FTI;
    }

    /** Returns whether the metadata of a group of ranks are in a file of their own. */
    public boolean metadataApart() {
        return this != FTI_FF;
    }

    /** Returns whether the file of a rank has bare data, and so is alike in all modes that say so. */
    public boolean bare() {
        return BARE.contains(this);
    }

    /** Returns whether there are differential checkpoints. */
    public boolean differential() {
        return this == FTI_FF || this == POSIX;
    }

    /** Returns the smallest id of a checkpoint: in the mode FTI-FF, a restart of C FTI from id 0 crashes. */
    public int leastId() {
        return this == FTI_FF ? 1 : 0;
    }

    /** Returns whether the files from which heads make level 4 then are level 1, as in C FTI. */
    public boolean replicaIsLevel1() {
        return this == POSIX;
    }
}
