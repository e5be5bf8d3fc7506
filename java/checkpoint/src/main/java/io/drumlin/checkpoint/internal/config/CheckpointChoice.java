package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The checkpoint with which a new branch of a run begins: the keys {@code from} and {@code branch} of {@code
 * [drumlin]}.
 *
 * @param asked the value of {@code from}
 * @param ckptId the id of the checkpoint; empty for the latest before a time
 * @param before the time
 * @param name the name of the branch; empty for one that is made from the run's
 */
public record CheckpointChoice(String asked, OptionalInt ckptId, Optional<Instant> before, Optional<String> name) {

    /** What a name of a directory may be: letters, digits, dots, hyphens and underscores, but not only dots. */
    static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*");

    private static final int MOST_LETTERS = 200;

    static Optional<CheckpointChoice> read(ConfigValues values) throws DrumlinException {
        Optional<String> asked = values.text("drumlin", "from").map(String::strip);
        Optional<String> name = values.text("drumlin", "branch").map(String::strip);
        if (name.isPresent() && (asked.isEmpty() || !isName(name.get()))) {
            throw values.refused(
                    "drumlin", "branch", "a name of letters, digits, ., - and _ for the branch that from begins");
        }
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(of(asked.get(), name));
        } catch (DateTimeParseException e) {
            throw values.refused(
                    "drumlin", "from", "the id of a checkpoint, or a time such as 2027-03-01T12:00:00Z (UTC)");
        }
    }

    private static CheckpointChoice of(String asked, Optional<String> name) {
        return asked.matches("\\d{1,9}")
                ? new CheckpointChoice(asked, OptionalInt.of(Integer.parseInt(asked)), Optional.empty(), name)
                : new CheckpointChoice(asked, OptionalInt.empty(), Optional.of(Instant.parse(asked)), name);
    }

    /** Returns a line from which {@link #parse} makes the same choice. */
    public String words() {
        return asked + " " + name.orElse("");
    }

    /** Returns the choice of a line of {@link #words}. */
    public static CheckpointChoice parse(String words) {
        int end = words.indexOf(' ');
        return of(words.substring(0, end), Optional.of(words.substring(end + 1)).filter(name -> !name.isEmpty()));
    }

    /** Returns whether a run may have a name. */
    public static boolean isName(String name) {
        // Such names stand for runs that were not made or not deleted to the end.
        return NAME.matcher(name).matches() && name.length() <= MOST_LETTERS && !name.contains(".drumlin-");
    }

    /** Checks the name of a branch. */
    public static String requireName(String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "a branch is named by letters, digits, ., - and _, and not \"" + name + "\"");
        }
        return name;
    }

    /** Returns the choice of a checkpoint by its id. */
    public static CheckpointChoice of(int ckptId) {
        if (ckptId < 0) {
            throw new IllegalArgumentException("checkpoint id " + ckptId + " is below 0");
        }
        return new CheckpointChoice(
                Integer.toString(ckptId), OptionalInt.of(ckptId), Optional.empty(), Optional.empty());
    }

    /** Returns the choice of the latest checkpoint before a time. */
    public static CheckpointChoice latestBefore(Instant time) {
        return new CheckpointChoice(time.toString(), OptionalInt.empty(), Optional.of(time), Optional.empty());
    }

    /** Returns the same choice for a branch of this name; if empty, with the name that it has. */
    public CheckpointChoice named(Optional<String> other) {
        return new CheckpointChoice(asked, ckptId, before, other.or(() -> name));
    }
}
