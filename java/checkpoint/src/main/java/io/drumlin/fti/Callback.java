package io.drumlin.fti;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.comm.Communicator;
import org.jspecify.annotations.Nullable;

/** Calls the function given to {@code FTIX_CALLBACK} on heads. The function finds the instance of its head. */
final class Callback implements HeadCallback {

    /** A global variable in C. Here each thread may be a rank. */
    private static final ThreadLocal<@Nullable Runnable> GIVEN = new ThreadLocal<>();

    private final Communicator given;
    private FTI.@Nullable Instance instance;

    private Callback(Communicator given) {
        this.given = given;
    }

    /** Sets the function for the runs that this thread opens from now on; null for none. */
    static void set(@Nullable Runnable func) {
        if (func == null) {
            GIVEN.remove();
        } else {
            GIVEN.set(func);
        }
    }

    /**
     * Makes the heads of a run call the function that this thread has set.
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
            instance = FTI.Instance.of((FtiCheckpoints) head, given);
        }
        // The thread may have set another function since, or none.
        Runnable func = GIVEN.get();
        if (func != null) {
            FTI.runWith(instance, func);
        }
    }
}
