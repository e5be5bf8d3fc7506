package io.drumlin.cli.diff;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts what a comparison finds, and passes it on. */
final class DiffSummary implements DiffReport {

    /** Most names whose errors are kept apart, and most labels that are kept. */
    private static final int MOST_NAMES = 1000;

    private static final String OTHERS = "others";

    private final DiffReport report;
    private final Map<String, ElementErrors> errors = new LinkedHashMap<>();
    private final List<String> unverified = new ArrayList<>();
    private long equal;
    private long different;
    private long onlyA;
    private long onlyB;
    private long unverifiedCount;

    DiffSummary(DiffReport report) {
        this.report = report;
    }

    @Override
    public void begin(ComparedSide a, ComparedSide b) throws IOException {
        report.begin(a, b);
    }

    @Override
    public void pair(ComparedPair pair) throws IOException {
        if (pair.isDifferent()) {
            different++;
        } else {
            equal++;
        }
        if (!pair.isVerified()) {
            unverifiedCount++;
            if (unverified.size() < MOST_NAMES) {
                unverified.add(pair.label());
            }
        }
        String name = pair.name().replaceAll(",frame=\\d+$", "");
        String key = errors.size() < MOST_NAMES || errors.containsKey(name) ? name : OTHERS;
        errors.computeIfAbsent(key, each -> pair.errors().none()).add(pair.errors());
        report.pair(pair);
    }

    @Override
    public void only(String side, String label) throws IOException {
        if (side.equals("A")) {
            onlyA++;
        } else {
            onlyB++;
        }
        report.only(side, label);
    }

    @Override
    public void end(DiffSummary summary) throws IOException {
        report.end(summary);
    }

    @Override
    public void close() throws IOException {
        report.close();
    }

    boolean isDifferent() {
        return different + onlyA + onlyB > 0;
    }

    long equal() {
        return equal;
    }

    long different() {
        return different;
    }

    long onlyA() {
        return onlyA;
    }

    long onlyB() {
        return onlyB;
    }

    /** Returns how many of the compared data have no digests. */
    long unverifiedCount() {
        return unverifiedCount;
    }

    /** Returns the first data without digests, for people. */
    List<String> unverified() {
        return unverified;
    }

    /** Returns the errors of all ranks and frames by the name of the data. */
    Map<String, ElementErrors> errors() {
        return errors;
    }
}
