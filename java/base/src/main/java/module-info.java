/**
 * What the other modules of Drumlin stand on: files, ranks, digests and codes, the C core. A program meets {@link
 * io.drumlin.DrumlinException} and {@link io.drumlin.comm}.
 *
 * <p>The packages that are exported to Drumlin's own modules are not API and may change in any release. {@code org.jspecify}
 * and {@code org.bytedeco.javacpp} are needed to compile Drumlin, but not to run it. {@code com.sun.jna} is needed only by
 * the storage engine {@code libc}; nothing resolves it unless the program requires it or is started with {@code
 * --add-modules com.sun.jna}.
 *
 * @uses io.drumlin.comm.internal.CommunicatorProvider the module {@code io.drumlin.mpi} has one
 * @uses io.drumlin.nativecore.BundledLibraries each jar with native libraries has one
 */
// requires-automatic: JNA has no descriptor; its name is in the manifest and so does not change.
// module: the others are compiled after this one.
@SuppressWarnings({"requires-automatic", "module"})
module io.drumlin.base {
    requires static com.sun.jna;
    requires static org.bytedeco.javacpp;
    requires static org.jspecify;

    exports io.drumlin;
    exports io.drumlin.comm;
    exports io.drumlin.format;
    exports io.drumlin.storage;
    exports io.drumlin.comm.internal to
            io.drumlin.checkpoint,
            io.drumlin.cli,
            io.drumlin.gsd,
            io.drumlin.mpi,
            io.drumlin.scr,
            io.drumlin.sion;
    exports io.drumlin.format.internal to
            io.drumlin.checkpoint,
            io.drumlin.cli,
            io.drumlin.formats,
            io.drumlin.scr;
    exports io.drumlin.integrity to
            io.drumlin.checkpoint,
            io.drumlin.cli,
            io.drumlin.scr;
    exports io.drumlin.internal to
            io.drumlin.checkpoint,
            io.drumlin.cli,
            io.drumlin.formats,
            io.drumlin.gsd,
            io.drumlin.mpi,
            io.drumlin.scr,
            io.drumlin.sion;
    exports io.drumlin.nativecore to
            io.drumlin.base.natives.linux.arm64,
            io.drumlin.base.natives.linux.x86_64,
            io.drumlin.hdf5,
            io.drumlin.mpi,
            io.drumlin.mpi.natives.linux.arm64,
            io.drumlin.mpi.natives.linux.x86_64;
    exports io.drumlin.storage.internal to
            io.drumlin.checkpoint,
            io.drumlin.cli,
            io.drumlin.gsd,
            io.drumlin.mpi,
            io.drumlin.scr,
            io.drumlin.sion;
    exports io.drumlin.storage.internal.files to
            io.drumlin.checkpoint,
            io.drumlin.gsd,
            io.drumlin.mpi,
            io.drumlin.scr,
            io.drumlin.sion;

    uses io.drumlin.comm.internal.CommunicatorProvider;
    uses io.drumlin.nativecore.BundledLibraries;
}
