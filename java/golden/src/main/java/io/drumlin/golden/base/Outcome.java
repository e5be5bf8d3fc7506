package io.drumlin.golden.base;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The outcome of a case: the files that were compared, and their differences. Not thread-safe. */
public final class Outcome {

    /** Differences that are told of one case; the others are counted. */
    private static final int TOLD = 20;

    private final List<String> compared = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();
    private int count;
    private boolean skipped;

    /** Nothing compared yet. */
    public Outcome() {}

    /**
     * A case that nothing was done with.
     *
     * @param reason why
     * @return an outcome that counts as skipped
     */
    public static Outcome skipped(String reason) {
        Outcome outcome = new Outcome();
        outcome.skipped = true;
        outcome.compared.add(reason);
        return outcome;
    }

    /**
     * Adds to the line of the case.
     *
     * @param what what was compared, or why something was not
     */
    public void compared(String what) {
        compared.add(what);
    }

    /**
     * Makes the case fail.
     *
     * @param difference what is not as the manifest says, and where
     */
    public void differs(String difference) {
        count++;
        if (differences.size() < TOLD) {
            differences.add(difference);
        }
    }

    /**
     * Makes the case fail if two values are not equal.
     *
     * @param where what is compared
     * @param expected of the manifest
     * @param found of the file
     */
    public void same(String where, Object expected, Object found) {
        if (!expected.equals(found)) {
            differs(where + ": expected " + expected + ", found " + found);
        }
    }

    /**
     * Makes the case fail if two sets are not equal; tells only what one of them lacks.
     *
     * @param where what is compared
     * @param expected of the manifest
     * @param found on disk
     */
    public void sameSets(String where, Set<String> expected, Set<String> found) {
        Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(found);
        Set<String> unexpected = new TreeSet<>(found);
        unexpected.removeAll(expected);
        if (!missing.isEmpty() || !unexpected.isEmpty()) {
            differs(where + ": missing " + missing + ", unexpected " + unexpected);
        }
    }

    /**
     * Returns whether nothing was done.
     *
     * @return true for a skipped case
     */
    public boolean isSkipped() {
        return skipped;
    }

    /**
     * Returns whether something differed.
     *
     * @return true for a failed case
     */
    public boolean isFailed() {
        return count > 0;
    }

    /**
     * Says what was compared, or why the case was skipped.
     *
     * @return one line
     */
    public String summary() {
        return String.join("; ", compared);
    }

    /**
     * Returns the differences.
     *
     * @return a line each; of many only the first, and how many there are
     */
    public List<String> differences() {
        List<String> told = new ArrayList<>(differences);
        if (count > told.size()) {
            told.add("and " + (count - told.size()) + " more");
        }
        return told;
    }
}
