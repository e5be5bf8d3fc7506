package io.drumlin.cli.diff;

import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.diff.ElementErrors.Tolerance;
import io.drumlin.cli.picture.LayoutPicture;
import io.drumlin.cli.picture.Palette;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The errors between two checkpoints as SVG: a lane for each name of data that differ, in which a bar stands for each
 * decade of errors. Heights go with the logarithm of the number. Hovering over a bar shows the number.
 */
final class ErrorPicture {

    private static final int WIDTH = 1200;
    private static final int MARGIN = 24;
    private static final int LEFT = 250;
    private static final double RIGHT = WIDTH - (double) MARGIN;
    private static final int TOP = 104;
    private static final int LANE = 96;
    private static final int BAR = 66;
    private static final int MOST_LANES = 40;
    private static final int WIDEST = 60;
    private static final double GAP = 2;
    private static final double LABELLED = 26;
    private static final int NAME_CHARACTERS = 30;
    private static final int PATH_CHARACTERS = 90;

    private static final String TOLERATED = "#a8bdd6";
    private static final String ERROR = "#4e79a7";
    private static final String UNBOUNDED = "#e15759";

    private final DiffSummary summary;
    private final Tolerance tolerance;
    private final List<Map.Entry<String, ElementErrors>> lanes;
    private final int least;
    private final int most;
    private final double column;

    ErrorPicture(DiffSummary summary, Tolerance tolerance) {
        this.summary = summary;
        this.tolerance = tolerance;
        lanes = summary.errors().entrySet().stream()
                .filter(each -> isShown(each.getValue()))
                .limit(MOST_LANES)
                .toList();
        least = lanes.stream()
                .flatMap(lane -> lane.getValue().decades().keySet().stream())
                .mapToInt(each -> each)
                .min()
                .orElse(0);
        most = lanes.stream()
                .flatMap(lane -> lane.getValue().decades().keySet().stream())
                .mapToInt(each -> each)
                .max()
                .orElse(0);
        // One more decade for what is infinite or NaN.
        column = Math.min(WIDEST, (RIGHT - LEFT) / (most - least + 2));
    }

    private static boolean isShown(ElementErrors errors) {
        return errors.different() > 0 || errors.tolerated() > 0;
    }

    void write(Path svg, Path a, Path b) throws IOException {
        StringWriter text = new StringWriter();
        write(
                new PrintWriter(text),
                "Differences of " + a.getFileName() + " and " + b.getFileName(),
                end(a) + " and " + end(b));
        try (ReplacedFile target = ReplacedFile.create(svg)) {
            target.stream().write(text.toString().getBytes(StandardCharsets.UTF_8));
            target.commit();
        }
    }

    /** Returns the end of a path, which tells more than its beginning. */
    private static String end(Path path) {
        String text = path.toString();
        int cut = text.length() - PATH_CHARACTERS;
        return cut > 0 ? "…" + text.substring(cut) : text;
    }

    private void write(PrintWriter out, String title, String paths) {
        int bottom = TOP + Math.max(lanes.size(), 1) * LANE;
        int height = bottom + 60;
        out.println("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        out.printf(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">%n",
                WIDTH,
                height,
                WIDTH,
                height);
        out.printf(Locale.ROOT, "<title>%s</title>%n<style>%n%s</style>%n", LayoutPicture.xml(title), Palette.LANES);
        out.printf(Locale.ROOT, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>%n", WIDTH, height);
        text(out, "title", MARGIN, MARGIN + 12.0, "start", title);
        text(out, "note", MARGIN, MARGIN + 32.0, "start", paths);
        String what = lanes.isEmpty()
                ? "no elements differ"
                : "elements by the decade of their error, heights go with the logarithm of their number";
        text(out, "note", MARGIN, MARGIN + 50.0, "start", counts() + ": " + what);
        writeAxis(out, bottom);
        int y = TOP;
        for (Map.Entry<String, ElementErrors> lane : lanes) {
            writeLane(out, lane.getKey(), lane.getValue(), y + LANE - 8);
            y += LANE;
        }
        out.println("</svg>");
    }

    private String counts() {
        long more =
                summary.errors().values().stream().filter(ErrorPicture::isShown).count() - lanes.size();
        return summary.equal() + " equal, " + summary.different() + " different"
                + (summary.onlyA() > 0 ? ", " + summary.onlyA() + " only in A" : "")
                + (summary.onlyB() > 0 ? ", " + summary.onlyB() + " only in B" : "")
                + (more > 0 ? "; " + more + " more names with differences are not drawn" : "");
    }

    private double x(double decade) {
        return LEFT + (decade - least) * column;
    }

    private void writeAxis(PrintWriter out, int bottom) {
        boolean any = lanes.stream().anyMatch(lane -> !lane.getValue().decades().isEmpty());
        int step = (int) Math.max(1, Math.ceil(LABELLED * 1.6 / column));
        for (int decade = least; any && decade <= most + 1; decade += step) {
            line(out, x(decade), TOP, x(decade), bottom, "");
            text(out, "note", x(decade), bottom + 18.0, "middle", "1e" + decade);
        }
        boolean unbounded = lanes.stream().anyMatch(lane -> lane.getValue().unbounded() > 0);
        if (unbounded) {
            text(out, "note", x(most + 1.5), bottom + 36.0, "middle", "inf, NaN");
        }
        double absolute = Math.log10(tolerance.absolute());
        if (any && absolute >= least && absolute <= most + 1.0) {
            line(out, x(absolute), TOP, x(absolute), bottom, " style=\"stroke:#616e7c;stroke-dasharray:3 3\"");
            text(out, "note", x(absolute), TOP - 6.0, "middle", "tolerance");
        }
    }

    private void writeLane(PrintWriter out, String name, ElementErrors errors, int base) {
        String shown = name.length() > NAME_CHARACTERS ? name.substring(0, NAME_CHARACTERS - 1) + "…" : name;
        text(out, "lane", MARGIN, base - 46.0, "start", shown);
        text(out, "note", MARGIN, base - 29.0, "start", errors.different() + " of " + errors.elements() + " differ");
        String largest = errors.decades().isEmpty()
                ? errors.type().toString()
                : String.format(Locale.ROOT, "%s, largest error %.3g", errors.type(), errors.mostAbsolute());
        text(out, "note", MARGIN, base - 13.0, "start", largest);
        line(out, LEFT, base, RIGHT, base, "");
        long top = Math.max(
                errors.unbounded(),
                errors.decades().values().stream().mapToLong(each -> each).max().orElse(0));
        double scale = BAR / Math.log10(1.0 + Math.max(top, 1));
        errors.decades().forEach((decade, count) -> {
            boolean covered = errors.different() == 0 || Math.pow(10, decade + 1.0) <= tolerance.absolute();
            String told = "1e" + decade + " to 1e" + (decade + 1);
            bar(out, decade, base, count, scale, covered ? TOLERATED : ERROR, told);
        });
        if (errors.unbounded() > 0) {
            bar(out, most + 1, base, errors.unbounded(), scale, UNBOUNDED, "infinite or NaN");
        }
    }

    private void bar(PrintWriter out, int decade, int base, long count, double scale, String colour, String told) {
        double height = Math.log10(1.0 + count) * scale;
        double width = Math.max(column - GAP, 1);
        out.printf(Locale.ROOT, "<g class=\"bar\"><title>%s: %d elements</title>%n", told, count);
        out.printf(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                x(decade) + GAP / 2,
                base - height,
                width,
                height,
                colour);
        if (column >= LABELLED) {
            text(out, "note", x(decade + 0.5), base - height - 4, "middle", brief(count));
        }
        out.println("</g>");
    }

    private static String brief(long count) {
        return count < 10_000 ? String.valueOf(count) : String.format(Locale.ROOT, "%.0e", (double) count);
    }

    private static void line(PrintWriter out, double x1, double y1, double x2, double y2, String style) {
        out.printf(Locale.ROOT, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>%n", x1, y1, x2, y2, style);
    }

    private static void text(PrintWriter out, String style, double x, double y, String anchor, String text) {
        out.printf(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                style,
                x,
                y,
                anchor,
                LayoutPicture.xml(text));
    }
}
