package io.drumlin.cli.file;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The types of {@code --type [NAME:]TYPE}: of the data with a name, or of all others. */
public final class GivenTypes {

    private final Map<String, ValueType> named = new HashMap<>();
    private Optional<ValueType> otherwise = Optional.empty();
    private final Set<String> met = new HashSet<>();

    /**
     * Parses options.
     *
     * @param options null if there is none
     * @throws CommandException there is no such type
     */
    public static GivenTypes of(@Nullable List<String> options) {
        GivenTypes made = new GivenTypes();
        for (String text : options == null ? List.<String>of() : options) {
            int colon = text.lastIndexOf(':');
            Optional<ValueType> type = ValueType.parsed(text.substring(colon + 1));
            if (colon < 0) {
                made.otherwise = type;
            } else {
                made.named.put(text.substring(0, colon), type.orElseThrow());
            }
        }
        return made;
    }

    public boolean isEmpty() {
        return named.isEmpty() && otherwise.isEmpty();
    }

    /** Returns whether a type was given for the name of data, and remembers that it has met some. */
    public boolean names(StoredData data) {
        if (!named.containsKey(data.name())) {
            return false;
        }
        met.add(data.name());
        return true;
    }

    /** Returns the type that was given for data. */
    public Optional<ValueType> type(StoredData data) {
        return names(data) ? Optional.ofNullable(named.get(data.name())) : otherwise;
    }

    /**
     * Checks that there were data for each name.
     *
     * @param problem what is wrong if there are none, before the name
     * @throws CommandException there are none
     */
    public void requireMet(String problem) {
        for (String name : named.keySet()) {
            if (!met.contains(name)) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        "--type " + name + ":" + named.get(name) + ": " + problem + " " + name);
            }
        }
    }
}
