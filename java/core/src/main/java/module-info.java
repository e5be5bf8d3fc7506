/**
 * Checkpoints, parallel files and their formats; everything that needs no MPI. {@link io.drumlin.checkpoint} and
 * {@link io.drumlin.fti} are the packages to begin with.
 *
 * <p>The packages that are not exported are not API and may change in any release. {@code org.jspecify} and {@code
 * org.bytedeco.javacpp} are needed to compile Drumlin, but not to run it. {@code com.sun.jna} is needed only by the
 * storage engine {@code libc}; nothing resolves it unless the program requires it or is started with {@code
 * --add-modules com.sun.jna}. {@code jdk.jfr} and {@code jdk.unsupported}
 * (events, and signals that announce the end of a job) are required, because the JVM would leave them out of programs on
 * the module path that do not ask for them. On the class path Drumlin does without them.
 *
 * @uses io.drumlin.checkpoint.CheckpointsProvider there is only one, in this module
 * @uses io.drumlin.comm.CommunicatorProvider the module {@code io.drumlin.mpi} has one
 * @uses io.drumlin.format.hdf5.Hdf5Library the module {@code io.drumlin.hdf5} has one
 * @uses io.drumlin.nativecore.BundledLibraries each jar with native libraries has one
 * @provides io.drumlin.checkpoint.CheckpointsProvider the checkpoint engine
 */
// requires-automatic: JNA has no descriptor; its name is in the manifest and so does not change.
// module: the others are compiled after this one.
@SuppressWarnings({"requires-automatic", "module"})
module io.drumlin.core {
    requires jdk.jfr;
    requires jdk.unsupported;
    requires static com.sun.jna;
    requires static org.bytedeco.javacpp;
    requires static org.jspecify;

    exports io.drumlin;
    exports io.drumlin.checkpoint;
    exports io.drumlin.comm;
    exports io.drumlin.format;
    exports io.drumlin.format.fti;
    exports io.drumlin.format.ftiff;
    exports io.drumlin.format.gsd;
    exports io.drumlin.format.hdf5;
    exports io.drumlin.format.kvtree;
    exports io.drumlin.format.sion;
    exports io.drumlin.fti;
    exports io.drumlin.gsd;
    exports io.drumlin.integrity;
    exports io.drumlin.scr;
    exports io.drumlin.sion;
    exports io.drumlin.storage;
    exports io.drumlin.nativecore to
            io.drumlin.core.natives.linux.arm64,
            io.drumlin.core.natives.linux.x86_64,
            io.drumlin.hdf5,
            io.drumlin.mpi,
            io.drumlin.mpi.natives.linux.arm64,
            io.drumlin.mpi.natives.linux.x86_64;

    uses io.drumlin.checkpoint.CheckpointsProvider;
    uses io.drumlin.comm.CommunicatorProvider;
    uses io.drumlin.format.hdf5.Hdf5Library;
    uses io.drumlin.nativecore.BundledLibraries;

    provides io.drumlin.checkpoint.CheckpointsProvider with
            io.drumlin.checkpoint.internal.run.EngineProvider;
}
