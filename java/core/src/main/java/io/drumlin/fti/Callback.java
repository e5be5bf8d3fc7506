package io.drumlin.fti;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.comm.Communicator;
import org.jspecify.annotations.Nullable;

/** Calls what {@code FTIX_CALLBACK} was given on heads, whose instance it finds there. */
final class Callback implements HeadCallback {

    /** A global variable in C; here each thread may be a rank. */
    private static final ThreadLocal<@Nullable Runnable> GIVEN = new ThreadLocal<>();

    private final Communicator given;
    private FTI.@Nullable Instance instance;

    private Callback(Communicator given) {
        this.given = given;
    }

    /** What the runs that this thread opens from now on call; null for nothing. */
    static void set(@Nullable Runnable func) {
        if (func == null) {
            GIVEN.remove();
        } else {
            GIVEN.set(func);
        }
    }

    /**
     * Lets the heads of a run call what this thread has set.
     *
     * @param given the ranks of the run
     */
    static void addTo(Checkpoints.Builder run, Communicator given) {
        if (GIVEN.get() != null) {
            run.headCallback(new Callback(given));
        }
    }

    @Override
    public void call(Checkpoints head) {
        if (instance == null) {
            instance = FTI.Instance.of(head, given);
        }
        // Perhaps another one since, or none.
        Runnable func = GIVEN.get();
        if (func != null) {
            FTI.runWith(instance, func);
        }
    }
}
