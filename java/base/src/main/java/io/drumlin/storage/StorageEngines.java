package io.drumlin.storage;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.LibcEngine;
import io.drumlin.storage.internal.NativeEngine;
import io.drumlin.storage.internal.NioEngine;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a {@link StorageEngine}. The program's choice comes first, then that of the system property
 * {@code drumlin.storage}, then the best available engine. With {@code -Ddrumlin.native=off} only {@code nio} is
 * available. Every choice and its reason is logged once, at {@code INFO} unless the best engine was chosen
 * automatically. Thread-safe.
 */
public final class StorageEngines {

    /** The system property that names the engine. */
    public static final String PROPERTY = "drumlin.storage";

    private static final System.Logger LOG = System.getLogger(StorageEngines.class.getName());
    private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

    private static final String BEST = "best available";

    /** The best engine comes first. */
    private static final List<Candidate> CANDIDATES = List.of(
            new Candidate("native", NativeEngine::unavailabilityCause, NativeEngine::new),
            new Candidate("libc", LibcEngine::unavailabilityCause, LibcEngine::new),
            new Candidate("nio", () -> null, NioEngine::new));

    private StorageEngines() {}

    /**
     * Returns the names of all engines, available or not.
     *
     * @return names, the best first
     */
    public static List<String> names() {
        return CANDIDATES.stream().map(Candidate::name).collect(Collectors.toUnmodifiableList());
    }

    /**
     * Returns the engine of a name.
     *
     * @param name one of {@link #names()}
     * @return the engine
     * @throws DrumlinException no engine has the name, or it is not available; the message says which engines exist,
     *     and why it is not
     */
    public static StorageEngine byName(String name) throws DrumlinException {
        return make(name, "asked for by the program");
    }

    /**
     * Returns the engine that the system property {@value #PROPERTY} names, or else the best that is available.
     *
     * @return the engine
     * @throws DrumlinException the engine that the property names is unknown or not available
     */
    public static StorageEngine best() throws DrumlinException {
        String named = System.getProperty(PROPERTY);
        if (named != null) {
            return make(named, "asked for by -D" + PROPERTY);
        }
        StringBuilder reason = new StringBuilder(BEST);
        for (Candidate candidate : CANDIDATES) {
            Throwable cause = candidate.unavailabilityCause().get();
            if (cause == null) {
                return make(candidate.name(), reason.toString());
            }
            reason.append("; ").append(candidate.problem(cause));
        }
        throw new AssertionError("nio is always available");
    }

    private static StorageEngine make(String name, String reason) throws DrumlinException {
        for (Candidate candidate : CANDIDATES) {
            if (candidate.name().equals(name)) {
                Throwable cause = candidate.unavailabilityCause().get();
                if (cause != null) {
                    throw refusal(name, reason, "it is not available: " + cause.getMessage())
                            .cause(cause)
                            .exception();
                }
                // The normal case is no news, least of all from every rank of a job.
                log(reason.equals(BEST) ? Level.DEBUG : Level.INFO, "storage engine " + name + ": " + reason);
                return candidate.constructor().get();
            }
        }
        throw refusal(name, reason, "there is none of that name").exception();
    }

    private static DrumlinException.Context refusal(String name, String reason, String problem) {
        String engines = CANDIDATES.stream().map(Candidate::state).collect(Collectors.joining("; "));
        return DrumlinException.during("choice of storage engine \"" + name + "\" (" + reason + ")")
                .problem(problem)
                .advice("engines are: " + engines);
    }

    private static void log(Level level, String choice) {
        if (LOGGED.add(choice)) {
            LOG.log(level, choice);
        }
    }

    private record Candidate(
            String name, Supplier<@Nullable Throwable> unavailabilityCause, Supplier<StorageEngine> constructor) {

        String state() {
            Throwable cause = unavailabilityCause.get();
            return cause == null ? name + " (available)" : problem(cause);
        }

        String problem(Throwable cause) {
            return name + " (not available: " + cause.getMessage() + ")";
        }
    }
}
