package io.drumlin.cli.diff;

import io.drumlin.cli.file.GivenTypes;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What of two checkpoints is compared, and as which types. */
final class DiffSelection {

    private final List<Selection> selections = new ArrayList<>();
    private final GivenTypes types;
    private final Set<Selection> met = new HashSet<>();

    private DiffSelection(GivenTypes types) {
        this.types = types;
    }

    /**
     * Parses options.
     *
     * @throws CommandException they are wrong
     */
    static DiffSelection of(@Nullable List<String> selections, @Nullable List<String> types) {
        DiffSelection made = new DiffSelection(GivenTypes.of(types));
        for (String text : selections == null ? List.<String>of() : selections) {
            Selection selection = Selection.parse(text);
            if (selection.rows().isPresent()) {
                throw selection.wrong("all rows are compared");
            }
            made.selections.add(selection.splitRank());
        }
        return made;
    }

    boolean isEmpty() {
        return selections.isEmpty() && types.isEmpty();
    }

    /** Returns whether data are to be compared, and remembers which options they have met. */
    boolean takes(StoredData data, OptionalInt ofFile) {
        types.names(data);
        boolean taken = selections.isEmpty();
        for (Selection selection : selections) {
            if (names(selection, data) && hasRank(selection, data, ofFile)) {
                met.add(selection);
                taken = true;
            }
        }
        return taken;
    }

    private static boolean names(Selection selection, StoredData data) {
        String value = selection.value();
        boolean rooted = selection.key().equals("dataset") && !value.startsWith("/");
        return data.name().equals(selection.key() + "=" + (rooted ? "/" : "") + value);
    }

    private static boolean hasRank(Selection selection, StoredData data, OptionalInt ofFile) {
        OptionalInt rank = data.rank().isPresent() ? data.rank() : ofFile;
        return selection.rank().isEmpty() || selection.rank().equals(rank);
    }

    /** Returns the type that the user has given for data. */
    Optional<ValueType> type(StoredData data) {
        return types.type(data);
    }

    /** @throws CommandException an option has met nothing */
    void requireMet() {
        for (Selection selection : selections) {
            if (!met.contains(selection)) {
                throw selection.missing("neither A nor B has this");
            }
        }
        types.requireMet("neither A nor B has");
    }
}
