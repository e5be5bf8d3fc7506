package io.drumlin.cli.diff;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a comparison has found, for people. */
final class DiffText implements DiffReport {

    private static final int BAR = 40;
    private static final int MOST_LABELS = 10;

    private final PrintWriter out;
    private final boolean brief;

    /** @param brief whether to print only what differs */
    DiffText(PrintWriter out, boolean brief) {
        this.out = out;
        this.brief = brief;
    }

    @Override
    public void begin(ComparedSide a, ComparedSide b) {
        out.println("A: " + a.title());
        out.println("B: " + b.title());
    }

    @Override
    public void pair(ComparedPair pair) {
        if (brief && !pair.isDifferent()) {
            return;
        }
        ElementErrors errors = pair.errors();
        List<String> facts = new ArrayList<>(pair.otherwise());
        if (errors.different() > 0) {
            facts.add(errors.different() + " of " + errors.elements() + " differ, first at " + pair.first() + ": "
                    + errors.firstA() + " and " + errors.firstB());
        } else if (pair.isDifferent()) {
            facts.add("the first " + errors.elements() + " are equal");
        } else {
            facts.add("equal, " + errors.elements() + (errors.elements() == 1 ? " element" : " elements"));
        }
        addErrors(errors, facts);
        if (!pair.isVerified()) {
            facts.add("not verified");
        }
        out.println(pair.label() + " (" + errors.type() + "): " + String.join("; ", facts));
        histogram(errors);
    }

    private static void addErrors(ElementErrors errors, List<String> facts) {
        if (errors.tolerated() > 0) {
            facts.add(errors.tolerated() + " differ within the tolerance");
        }
        if (errors.onlyBits() > 0) {
            facts.add(errors.onlyBits() + " differ only in the sign of zero or in the bits of NaN");
        }
        if (!errors.decades().isEmpty()) {
            facts.add(String.format(
                    Locale.ROOT, "largest error %.6g, relative %.6g", errors.mostAbsolute(), errors.mostRelative()));
        }
    }

    private void histogram(ElementErrors errors) {
        long most = Math.max(
                errors.unbounded(),
                errors.decades().values().stream().mapToLong(each -> each).max().orElse(0));
        errors.decades().forEach((decade, count) -> bar("1e" + decade, count, most));
        if (errors.unbounded() > 0) {
            bar("inf, NaN", errors.unbounded(), most);
        }
    }

    private void bar(String name, long count, long most) {
        int length = (int) Math.max(1, Math.round((double) BAR * count / most));
        out.printf(Locale.ROOT, "    %-8s %12d  %s%n", name, count, "#".repeat(length));
    }

    @Override
    public void only(String side, String label) {
        out.println(label + ": only in " + side);
    }

    @Override
    public void end(DiffSummary summary) {
        if (summary.unverifiedCount() > 0) {
            String first = summary.unverified().stream().limit(MOST_LABELS).collect(Collectors.joining(", "));
            long more = summary.unverifiedCount() - Math.min(summary.unverifiedCount(), MOST_LABELS);
            out.println("not verified, because there are no digests of them: " + first
                    + (more > 0 ? " and " + more + " more" : ""));
        }
        out.println((summary.isDifferent() ? "different: " : "equal: ") + summary.equal() + " equal, "
                + summary.different() + " different"
                + (summary.onlyA() > 0 ? ", " + summary.onlyA() + " only in A" : "")
                + (summary.onlyB() > 0 ? ", " + summary.onlyB() + " only in B" : ""));
    }

    @Override
    public void close() {
        out.flush();
    }
}
