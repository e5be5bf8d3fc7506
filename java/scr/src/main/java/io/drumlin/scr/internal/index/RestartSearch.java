package io.drumlin.scr.internal.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The order in which a restart tries datasets (docs/formats/scr.md, section 6). CURRENT comes first, whatever its
 * state. After it come checkpoints that are complete and have not failed, from the newest to the oldest.
 *
 * <p>The search reads the index at each step. The caller must record its progress there: {@link ScrIndex#fetching}
 * before it fetches a dataset, {@link ScrIndex#fetched} or {@link ScrIndex#failed} afterwards. Not thread-safe.
 */
public final class RestartSearch {

    /** SCR's id for names that the index does not list; it bounds nothing. */
    private static final int UNKNOWN = -1;

    private final ScrIndex index;
    private OptionalInt last = OptionalInt.empty();

    /**
     * Begins a search.
     *
     * @param index the index; it may change during the search
     */
    public RestartSearch(ScrIndex index) {
        this.index = index;
    }

    /**
     * Returns the next dataset to try.
     *
     * @return its name; empty if there is none left
     */
    public Optional<String> next() {
        Optional<String> current = index.current();
        if (current.isPresent()) {
            last = OptionalInt.of(index.id(current.get()).orElse(UNKNOWN));
            return current;
        }
        Optional<IndexRecord> newest = index.newestRestartable(this::isLeft);
        newest.ifPresent(record -> last = OptionalInt.of(record.id()));
        return newest.map(IndexRecord::name);
    }

    /**
     * Returns the datasets that a restart would try if none could be fetched.
     *
     * @param index the index; it is not changed
     * @return names in order
     */
    public static List<String> order(ScrIndex index) {
        List<String> names = new ArrayList<>();
        index.current().ifPresent(names::add);
        int bound = index.current().map(name -> index.id(name).orElse(UNKNOWN)).orElse(UNKNOWN);
        for (IndexRecord record : index.records()) {
            boolean tried = names.size() == 1
                    && index.current().filter(record.name()::equals).isPresent();
            if (record.isRestartable()
                    && !tried
                    && isLeft(index, record, bound)
                    && !record.name().isEmpty()) {
                names.add(record.name());
            }
        }
        return names;
    }

    private boolean isLeft(IndexRecord record) {
        return isLeft(index, record, last.orElse(UNKNOWN));
    }

    private static boolean isLeft(ScrIndex index, IndexRecord record, int last) {
        // Older forms may have several names for one id. A name that failed is no longer restartable.
        return last == UNKNOWN || record.id() < last || (record.id() == last && index.format() != IndexFormat.FLAT);
    }
}
