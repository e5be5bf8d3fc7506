package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The state that the thread ranks of one {@link ThreadCommunicator#call} share: the monitor that guards all their
 * mailboxes and collectives, and the record of failed ranks. Ranks here are those of the whole job.
 */
final class ThreadJob {

    private final boolean[] returned;
    private boolean anyReturned;
    private int failedRank = -1;
    private @Nullable Throwable failure;

    ThreadJob(int size) {
        returned = new boolean[size];
    }

    /** Tells the others that a rank's body has ended normally. */
    synchronized void rankReturned(int rank) {
        returned[rank] = true;
        anyReturned = true;
        notifyAll();
    }

    /** Keeps the first failure and releases waiting ranks; later failures are stored beside it. */
    synchronized void rankFailed(int rank, Throwable thrown) {
        if (failure == null) {
            failure = thrown;
            failedRank = rank;
            notifyAll();
        } else if (!isConsequence(thrown, failure)) {
            failure.addSuppressed(thrown);
        }
    }

    private static boolean isConsequence(Throwable thrown, Throwable first) {
        for (Throwable link = thrown; link != null; link = link.getCause()) {
            if (link == first) {
                return true;
            }
        }
        return false;
    }

    synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Throws if a rank has failed. Must be called under this monitor. */
    void checkAlive(String operation, int rank) throws MeetingException {
        Throwable first = failure;
        if (first != null) {
            throw new MeetingException(DrumlinException.during(operation)
                    .rank(rank)
                    .problem("rank " + failedRank + " of the job failed: " + first)
                    .cause(first));
        }
    }

    /** Throws if one of the {@code missing} ranks has returned. Must be called under this monitor. */
    void checkPresent(String operation, int rank, Supplier<IntStream> missing) throws MeetingException {
        // Checking all ranks each time would cost the square of their number.
        OptionalInt gone =
                anyReturned ? missing.get().filter(other -> returned[other]).findFirst() : OptionalInt.empty();
        if (gone.isPresent()) {
            throw new MeetingException(DrumlinException.during(operation)
                    .rank(rank)
                    .problem("rank " + gone.getAsInt() + " of the job has returned without taking part"));
        }
    }

    /**
     * Waits until {@code done}. Throws if that can never happen because a rank has failed or one of the {@code missing}
     * ranks has returned. Must be called under this monitor.
     */
    void await(String operation, int rank, BooleanSupplier done, Supplier<IntStream> missing) throws MeetingException {
        while (!done.getAsBoolean()) {
            checkAlive(operation, rank);
            checkPresent(operation, rank, missing);
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MeetingException(DrumlinException.during(operation)
                        .rank(rank)
                        .problem("the thread was interrupted")
                        .cause(e));
            }
        }
    }
}
