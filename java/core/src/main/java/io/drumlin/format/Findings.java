package io.drumlin.format;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is wrong with a file, in the order in which it was found. Not thread-safe. */
public final class Findings implements FindingSink {

    /** Findings that are kept; a wrecked file could have millions. */
    public static final int LIMIT = 1000;

    private final List<Finding> kept = new ArrayList<>();
    private long count;

    /** Nothing found yet. */
    public Findings() {}

    @Override
    public void add(Finding finding) {
        count++;
        if (kept.size() < LIMIT) {
            kept.add(finding);
        }
    }

    /**
     * The findings.
     *
     * @return the first {@link #LIMIT} of them
     */
    public List<Finding> list() {
        return Collections.unmodifiableList(kept);
    }

    /**
     * How many there are.
     *
     * @return may be more than {@link #list} holds
     */
    public long count() {
        return count;
    }

    /**
     * Whether nothing is wrong.
     *
     * @return true without findings
     */
    public boolean isEmpty() {
        return count == 0;
    }
}
