/**
 * Ranks and files over native MPI, also for programs that use Open MPI's Java bindings. A program need not require this
 * module: {@link io.drumlin.comm.Communicators} finds it where it is on the module path.
 *
 * @provides io.drumlin.comm.internal.CommunicatorProvider native MPI
 */
module io.drumlin.mpi {
    requires transitive io.drumlin.core;
    requires static org.bytedeco.javacpp;
    requires static org.jspecify;

    exports io.drumlin.mpi;

    provides io.drumlin.comm.internal.CommunicatorProvider with
            io.drumlin.mpi.MpiProvider;
}
