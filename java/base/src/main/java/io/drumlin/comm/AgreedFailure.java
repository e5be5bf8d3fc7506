package io.drumlin.comm;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says on which ranks a step failed that all ranks have agreed on. It is suppressed in the exception that each rank
 * throws, so that one rank can report the failure for all.
 */
public final class AgreedFailure extends Exception {

    private static final long serialVersionUID = 1L;

    /** Time for the rank that reports to do so, before others end the job. */
    private static final long PATIENCE_MILLIS = 2000;

    /** Whether this rank reports the failure. */
    private final boolean reporter;

    private AgreedFailure(String ranks, int size, boolean reporter) {
        super("failed on " + ranks + " of " + size, null, false, false);
        this.reporter = reporter;
    }

    /**
     * Marks an exception, unless it is marked already. Drumlin does this where its ranks agree on a failure, and a program
     * may where its own do.
     *
     * @param failure what this rank throws
     * @param failed the numbers of the ranks on which the step failed, in ascending order
     * @param comm the ranks that agreed
     */
    public static void mark(Throwable failure, List<Integer> failed, Communicator comm) {
        if (of(failure).isEmpty()) {
            boolean first = !failed.isEmpty() && failed.get(0) == comm.rank();
            failure.addSuppressed(new AgreedFailure(ranks(failed), comm.size(), first));
        }
    }

    /**
     * Finds out whether all ranks have agreed on a failure.
     *
     * @param thrown an exception
     * @return empty if this rank threw the exception alone
     */
    public static Optional<AgreedFailure> of(Throwable thrown) {
        for (@Nullable Throwable each = thrown; each != null; each = each.getCause()) {
            for (Throwable suppressed : each.getSuppressed()) {
                if (suppressed instanceof AgreedFailure found) {
                    return Optional.of(found);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether this rank reports the failure: the first rank on which it happened, whose exception has the trace.
     *
     * @return true on one rank
     */
    public boolean isReporter() {
        return reporter;
    }

    /** Waits on the other ranks until the reporter has ended the job, but not for long. */
    public void awaitReporter() {
        try {
            Thread.sleep(reporter ? 0 : PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns ranks for people.
     *
     * @param ranks numbers of ranks, in ascending order
     * @return for example {@code rank 3} or {@code ranks 0-2,5}
     */
    public static String ranks(List<Integer> ranks) {
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            int first = ranks.get(i);
            while (i + 1 < ranks.size() && ranks.get(i + 1) == ranks.get(i) + 1) {
                i++;
            }
            ranges.add(first == ranks.get(i) ? "" + first : first + "-" + ranks.get(i));
        }
        return (ranks.size() == 1 ? "rank " : "ranks ") + String.join(",", ranges);
    }
}
