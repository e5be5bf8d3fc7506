package io.drumlin.checkpoint.internal.stop;

/** Why a run is to stop; the last one that applies counts. */
public enum StopReason {
    /** SIGTERM: Slurm sends it at the time limit, but also for scancel and for another job that takes the nodes. */
    SIGTERM("got SIGTERM", false),
    /** SIGUSR1, for which a job script asks. */
    SIGUSR1("got SIGUSR1", true),
    /** SIGUSR2, for which a job script asks. */
    SIGUSR2("got SIGUSR2", true),
    /** The allocation is about to end. */
    TIME_LIMIT("sees the end of the allocation near", true),
    /** Someone made the halt file. */
    HALT_FILE("found the halt file", false);

    private final String happened;
    private final boolean comesAgain;

    StopReason(String happened, boolean comesAgain) {
        this.happened = happened;
        this.comesAgain = comesAgain;
    }

    /** Returns what happened to a rank, after its name in a sentence. */
    String happened() {
        return happened;
    }

    /** Returns whether the job may be queued again. If someone has ended it, it may not. */
    public boolean comesAgain() {
        return comesAgain;
    }
}
