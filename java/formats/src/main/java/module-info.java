/**
 * Bytes: readers and writers of the formats of C FTI, SIONlib, SCR, GSD and HDF5. A program
 * reads HDF5 files with {@link io.drumlin.format.hdf5}, and meets those types of GSD and SIONlib that the modules
 * {@code io.drumlin.gsd} and {@code io.drumlin.sion} show; the rest is for Drumlin's own modules.
 *
 * @uses io.drumlin.format.hdf5.internal.Hdf5Library the module {@code io.drumlin.hdf5} has one
 */
@SuppressWarnings("module") // the others are compiled after this one
module io.drumlin.formats {
    requires transitive io.drumlin.base;
    requires static org.jspecify;

    exports io.drumlin.format.gsd;
    exports io.drumlin.format.hdf5;
    exports io.drumlin.format.sion;
    exports io.drumlin.format.fti to
            io.drumlin.checkpoint,
            io.drumlin.cli;
    exports io.drumlin.format.ftiff to
            io.drumlin.checkpoint,
            io.drumlin.cli;
    exports io.drumlin.format.gsd.internal to
            io.drumlin.cli,
            io.drumlin.gsd;
    exports io.drumlin.format.hdf5.internal to
            io.drumlin.checkpoint,
            io.drumlin.cli,
            io.drumlin.hdf5;
    exports io.drumlin.format.kvtree to
            io.drumlin.cli,
            io.drumlin.scr;
    exports io.drumlin.format.sion.internal to
            io.drumlin.cli,
            io.drumlin.sion;

    uses io.drumlin.format.hdf5.internal.Hdf5Library;
}
