package io.drumlin.mpi;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.CommunicatorProvider;
import io.drumlin.comm.internal.Launcher;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.files.SharedFile;
import io.drumlin.storage.internal.files.SharedFile.Access;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Provides {@link io.drumlin.comm.Communicators} with native MPI and the adapter for Open MPI's Java bindings.
 * Thread-safe.
 */
public final class MpiProvider implements CommunicatorProvider {

    /** For {@link java.util.ServiceLoader}. */
    public MpiProvider() {}

    /**
     * Returns native MPI if it can be used, also in a process without a launcher, because only MPI knows all launchers.
     * Collective.
     *
     * @return empty if native MPI cannot be used and no launcher started this process
     * @throws IOException a launcher started this process as one of several, and native MPI cannot be used
     */
    @Override
    public Optional<Communicator> world() throws IOException {
        Throwable cause = NativeMpi.unavailabilityCause();
        if (cause == null) {
            return Optional.of(NativeMpi.world());
        }
        requireNoLauncher(System.getenv(), cause);
        return Optional.empty();
    }

    /**
     * Throws if a launcher started this process. Several programs of one rank each that all write the same files are
     * worse than an error.
     */
    static void requireNoLauncher(Map<String, String> environment, Throwable cause) throws IOException {
        Optional<String> job = Launcher.parallelJob(environment);
        if (job.isPresent()) {
            throw DrumlinException.during("joining the parallel job")
                    .problem("the launcher started several processes (" + job.get()
                            + ") but native MPI cannot be used: " + cause.getMessage())
                    .cause(cause)
                    .exception();
        }
    }

    @Override
    public Optional<Communicator> wrap(Object foreign) throws IOException {
        return OpenMpiJava.isComm(foreign) ? Optional.of(OpenMpiJava.of(foreign)) : Optional.empty();
    }

    /** Uses MPI-IO, if MPI carries the messages and accepts the path. Collective. */
    @Override
    public Optional<SharedFile> create(Communicator ranks, Path path, Map<String, String> hints) throws IOException {
        Set<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE);
        return carries(ranks, path) ? Optional.of(MpiFile.open(ranks, path, modes, hints)) : Optional.empty();
    }

    /** Uses MPI-IO, if MPI carries the messages and accepts the path. */
    @Override
    public Optional<SharedFile> openAlone(Communicator ranks, Path path, Access access, Map<String, String> hints)
            throws IOException {
        Set<OpenMode> modes =
                switch (access) {
                    case READ -> EnumSet.of(OpenMode.READ);
                    case WRITE -> EnumSet.of(OpenMode.WRITE);
                    case CREATE -> EnumSet.of(OpenMode.WRITE, OpenMode.CREATE);
                };
        return carries(ranks, path) ? Optional.of(MpiFile.openAlone(ranks, path, modes, hints)) : Optional.empty();
    }

    private static boolean carries(Communicator ranks, Path path) {
        return ranks.nativeHandle().isPresent() && MpiFile.takes(path);
    }

    @Override
    public void finish() throws IOException {
        NativeMpi.finish();
    }
}
