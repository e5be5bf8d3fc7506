package io.drumlin.bench;

import io.drumlin.bench.Call.Operation;

/**
 * Messages between a rank and others far from it in the job, one after the other. In a larger job there are more of them.
 *
 * @param operation {@code SEND} or {@code RECEIVE}
 * @param bytes of the longest
 * @param count of messages
 */
record FarMessages(Operation operation, long bytes, long count) implements Step {}
