package io.drumlin.bench;

import io.drumlin.bench.Call.Operation;

/**
 * Messages between a rank and others far from it in the job, one after the other. In a larger job there are more of them.
 *
 * @param operation {@code SEND} or {@code RECEIVE}
 * @param bytes in all of them
 * @param count of messages
 */
record FarMessages(Operation operation, long bytes, long count) implements Step {

    /** As many messages of a mean length. */
    FarMessages times(long newCount, double meanBytes) {
        return new FarMessages(operation, Math.round(newCount * meanBytes), newCount);
    }
}
