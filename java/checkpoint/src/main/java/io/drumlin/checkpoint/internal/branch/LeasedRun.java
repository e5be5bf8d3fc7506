package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.lease.LeaseHolder;
import java.io.IOException;
import java.util.Optional;

/** Does what changes a run, while no job has it open. */
public final class LeasedRun {

    private LeasedRun() {}

    /** Work that changes a run. */
    @FunctionalInterface
    public interface Work<T> {
        /** Does the work. */
        T run() throws IOException;
    }

    /**
     * Does the work while this process has the lease of the run.
     *
     * @throws IOException a job has the run open and nothing was done, or the work has failed
     */
    public static <T> T call(FtiConfig config, String execId, Work<T> work) throws IOException {
        Optional<Lease> lease = take(config, execId);
        try {
            return work.run();
        } finally {
            lease.ifPresent(Lease::close);
        }
    }

    /**
     * Takes the lease of a run.
     *
     * @return the lease, which the caller closes; empty if the configuration wants none
     * @throws IOException a job has the run open
     */
    static Optional<Lease> take(FtiConfig config, String execId) throws IOException {
        if (config.lease().isZero()) {
            return Optional.empty();
        }
        RunDirectory run = new RunDirectory(config, execId, 0);
        return Lease.take(run.lease(), LeaseHolder.here(System::getenv), config.lease(), Lease.GRACE);
    }
}
