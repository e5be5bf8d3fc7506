package io.drumlin.format.internal;

import io.drumlin.format.Finding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The faults of a file, in the order in which they were found. Not thread-safe. */
public final class Findings implements FindingSink {

    /** Largest number of findings that are kept; a wrecked file could have millions. */
    public static final int LIMIT = 1000;

    private final List<Finding> kept = new ArrayList<>();
    private long count;

    /** Makes an empty collection. */
    public Findings() {}

    @Override
    public void add(Finding finding) {
        count++;
        if (kept.size() < LIMIT) {
            kept.add(finding);
        }
    }

    /**
     * Returns the findings.
     *
     * @return the first {@link #LIMIT} of them
     */
    public List<Finding> list() {
        return Collections.unmodifiableList(kept);
    }

    /**
     * Returns the number of findings.
     *
     * @return a number that may exceed the findings in {@link #list}
     */
    public long count() {
        return count;
    }

    /**
     * Returns whether the file has no faults.
     *
     * @return true without findings
     */
    public boolean isEmpty() {
        return count == 0;
    }
}
