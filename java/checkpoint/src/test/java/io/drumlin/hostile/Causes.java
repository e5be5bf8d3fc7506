package io.drumlin.hostile;

import io.drumlin.comm.AgreedFailure;
import io.drumlin.hostile.Program.Killed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;

/** Tells a failure with words from an error of the library. */
final class Causes {

    private Causes() {}

    /** What is wrong with a failure: it has no message, or comes from an exception that nobody expected. */
    static Optional<String> requireWords(Throwable failure) {
        return requireWords(failure, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static Optional<String> requireWords(Throwable failure, Set<Throwable> seen) {
        // AgreedFailure only tells which ranks have failed.
        if (failure == null || failure instanceof AgreedFailure || !seen.add(failure)) {
            return Optional.empty();
        }
        boolean expected = failure instanceof IOException || failure instanceof UncheckedIOException;
        boolean silent = failure.getMessage() == null && !(failure instanceof Killed);
        if (!expected || silent) {
            StackTraceElement[] trace = failure.getStackTrace();
            StringBuilder words = new StringBuilder("uncaught " + failure);
            for (int i = 0; i < Math.min(12, trace.length); i++) {
                words.append("\n      at ").append(trace[i]);
            }
            return Optional.of(words.toString());
        }
        Optional<String> found = requireWords(failure.getCause(), seen);
        for (Throwable suppressed : failure.getSuppressed()) {
            found = found.or(() -> requireWords(suppressed, seen));
        }
        return found;
    }
}
