package io.drumlin.checkpoint.internal.stop;

import io.drumlin.checkpoint.internal.config.StopConfig;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.internal.BatchSystem;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets all ranks stop in the same iteration. A rank that has seen a sign says so in a sum that all ranks form. Such a sum
 * is formed about once a second of the program; if the ranks add something else anyway, it takes the place of one. Not
 * thread-safe.
 */
public final class StopAgreement implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** The reasons from the weakest to the strongest. */
    private static final List<StopReason> REASONS = List.of(StopReason.values());

    private static final double NANOS = 1e9;

    /** Sums are this far apart. */
    private static final double SECONDS_BETWEEN_SUMS = 1;

    private final StopSigns signs;
    private final int mostCalls;
    private final LongSupplier nanoTime;
    private long calls;
    private long callsBetweenSums = 1;
    private long lastSum;
    private @Nullable StopReason agreed;

    /**
     * Starts to look for signs. Not collective.
     *
     * @param haltFile file that stops the run, unless the configuration names another
     * @param mostCalls most calls of {@link #look} from one sum to the next
     * @param checkpointSeconds what the last checkpoint is likely to take
     * @param onTerm what is done after SIGTERM, on a thread of its own
     */
    public static StopAgreement of(
            int rank,
            StopConfig config,
            Path haltFile,
            int mostCalls,
            DoubleSupplier checkpointSeconds,
            Runnable onTerm) {
        BatchSystem batch = new BatchSystem(System.getenv());
        return new StopAgreement(
                new SignWatch(rank, config, haltFile, batch, checkpointSeconds, onTerm), mostCalls, System::nanoTime);
    }

    StopAgreement(StopSigns signs, int mostCalls, LongSupplier nanoTime) {
        this.signs = signs;
        this.mostCalls = mostCalls;
        this.nanoTime = nanoTime;
        lastSum = nanoTime.getAsLong();
    }

    /** Returns the sum of a value over all ranks, and agrees with the same message. Collective. */
    public long sum(Communicator comm, long value) throws IOException {
        Optional<StopReason> seen = agreed == null ? signs.seen() : Optional.empty();
        long[] sums = {value, seen.isPresent() ? 1 : 0};
        comm.allreduce(sums, Op.SUM);
        calls = 0;
        lastSum = nanoTime.getAsLong();
        if (sums[1] > 0) {
            agree(comm, seen);
        }
        return sums[0];
    }

    /** Counts an iteration of the program, and agrees when it is time to. Collective. */
    public void look(Communicator comm) throws IOException {
        calls++;
        if (agreed != null || calls < callsBetweenSums) {
            return;
        }
        long counted = calls;
        double mean = sum(comm, nanoTime.getAsLong() - lastSum) / NANOS / comm.size() / counted;
        double wanted = Math.min(SECONDS_BETWEEN_SUMS / Math.max(mean, 1 / NANOS), 2.0 * callsBetweenSums);
        callsBetweenSums = Math.max(1, Math.min(Math.round(wanted), mostCalls));
    }

    /** The ranks agree on the strongest sign, and on the first rank that has seen it. */
    private void agree(Communicator comm, Optional<StopReason> seen) throws IOException {
        long size = comm.size();
        long strongest = Agreement.max(
                comm,
                seen.map(reason -> (REASONS.indexOf(reason) + 1) * size - comm.rank())
                        .orElse(0L));
        int index = (int) ((strongest - 1) / size);
        long rank = (index + 1) * size - strongest;
        StopReason reason = REASONS.get(index);
        agreed = reason;
        signs.obeyed();
        if (comm.rank() == 0) {
            LOG.log(Logger.Level.INFO, "this job stops after a last checkpoint: rank {0} {1}", rank, reason.happened());
        }
    }

    /** Returns why all ranks are to stop, if they are. */
    public Optional<StopReason> agreed() {
        return Optional.ofNullable(agreed);
    }

    @Override
    public void close() {
        signs.close();
    }
}
