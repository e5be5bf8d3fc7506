package io.drumlin.cli.stat;

import io.drumlin.cli.picture.LayoutPicture;
import io.drumlin.cli.picture.Palette;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints over time as SVG: a lane for the run, and one for each level, in which a bar is as high as the checkpoint
 * was long. Of several checkpoints in a column of the picture the longest is drawn, so the memory is bounded. Hovering
 * over a bar shows its times.
 */
final class TimelinePicture {

    private static final int WIDTH = 1200;
    private static final int MARGIN = 24;
    private static final int LEFT = 150;
    private static final double RIGHT = WIDTH - (double) MARGIN;
    private static final int TOP = 104;
    private static final int RUN = 34;
    private static final int LANE = 96;
    private static final int BAR = 70;
    private static final int COLUMN = 4;
    private static final int COLUMNS = (int) ((RIGHT - LEFT) / COLUMN);
    private static final int TICKS = 8;
    private static final double FINEST = 0.5;
    private static final double MARK = RUN - 16.0;
    private static final int MOST_SPANS = 10_000;

    private static final Map<String, String> COLOURS = new LinkedHashMap<>();

    static {
        COLOURS.put("wait", "#c9ced6");
        COLOURS.put("write", "#4e79a7");
        COLOURS.put("exchange", "#f28e2b");
        COLOURS.put("commit", "#59a14f");
        COLOURS.put("other", "#e4e7eb");
    }

    private static final String RUNNING = "#d6e4f0";

    /** The kinds of events in the lane of the run, in the order in which they are drawn. */
    private static final Map<String, String> MARKS = new LinkedHashMap<>();

    static {
        MARKS.put("recovery", "#59a14f");
        MARKS.put("rebuild", "#f28e2b");
        MARKS.put("start", "#4e79a7");
        MARKS.put("failure", "#e15759");
        MARKS.put("end", "#616e7c");
    }

    private final double first;
    private final double length;
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Map<String, Map<Integer, StatEvent>> marks = new LinkedHashMap<>();
    private final List<double[]> spans = new ArrayList<>();

    /** The checkpoints of a level. */
    private static final class Lane {
        private final @Nullable StatEvent[] longest = new StatEvent[COLUMNS];
        private final long[] count = new long[COLUMNS];
        private double most;
    }

    TimelinePicture(double first, double last, Set<String> levels) {
        this.first = first;
        length = Math.max(last - first, 1e-3);
        levels.forEach(name -> lanes.put(name, new Lane()));
        MARKS.keySet().forEach(kind -> marks.put(kind, new TreeMap<>()));
    }

    void add(StatEvent event) {
        int column = (int) Math.min(COLUMNS - 1.0, (event.begin() - first) / length * COLUMNS);
        Lane lane = lanes.get(event.levelName());
        if (event.isCheckpoint() && lane != null) {
            StatEvent before = lane.longest[column];
            if (before == null || before.seconds() < event.seconds()) {
                lane.longest[column] = event;
            }
            lane.count[column]++;
            lane.most = Math.max(lane.most, event.seconds());
        }
        Map<Integer, StatEvent> ofKind = marks.get(event.kind());
        if (ofKind != null) {
            ofKind.merge(column, event, (old, next) -> next.seconds() > old.seconds() ? next : old);
        }
        extend(event);
    }

    /** Records from when to when the program ran: after a kill there is no end in the log. */
    private void extend(StatEvent event) {
        if (event.kind().equals("start") && spans.size() < MOST_SPANS) {
            spans.add(new double[] {event.begin(), event.end()});
        } else if (!spans.isEmpty()
                && !event.kind().equals("recovery")
                && !event.kind().equals("rebuild")) {
            double[] last = spans.get(spans.size() - 1);
            last[1] = Math.max(last[1], event.end());
        }
    }

    private double x(double seconds) {
        return LEFT + (RIGHT - LEFT) * (seconds - first) / length;
    }

    void writeSvg(PrintWriter out, String title, String subtitle) {
        int bottom = TOP + RUN + lanes.size() * LANE;
        int height = bottom + 78;
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
        text(out, "title", MARGIN, MARGIN + 12, "start", title);
        text(out, "note", MARGIN, MARGIN + 32, "start", subtitle);
        text(
                out,
                "note",
                MARGIN,
                MARGIN + 50,
                "start",
                "A bar is as high as its checkpoint was long; the line above it is the longest of its level.");
        writeTicks(out, bottom);
        writeMarks(out, bottom);
        int y = TOP + RUN;
        for (Map.Entry<String, Lane> lane : lanes.entrySet()) {
            writeLane(out, lane.getKey(), lane.getValue(), y);
            y += LANE;
        }
        writeLegend(out, bottom + 54);
        out.println("</svg>");
    }

    private void writeTicks(PrintWriter out, int bottom) {
        double step = step(length / TICKS);
        for (int i = 0; i * step <= length; i++) {
            double x = x(first + i * step);
            out.printf(Locale.ROOT, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n", x, TOP, x, bottom);
            text(out, "note", x, bottom + 18, "middle", duration(i * step));
        }
    }

    /** Returns the next round number: 1, 2 or 5 times a power of ten. */
    private static double step(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= least) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private static String duration(double seconds) {
        return seconds == 0 || seconds >= 1
                ? String.format(Locale.ROOT, "%.4g s", seconds)
                        .replaceAll("(\\.\\d*?)0+ s", "$1 s")
                        .replace(". s", " s")
                : String.format(Locale.ROOT, "%.3g ms", seconds * 1e3);
    }

    private void writeMarks(PrintWriter out, int bottom) {
        text(out, "lane", MARGIN, TOP + 16, "start", "run");
        for (double[] span : spans) {
            rect(out, x(span[0]), TOP + 4.0, x(span[1]) - x(span[0]), MARK, RUNNING);
        }
        marks.forEach((kind, events) -> events.values().forEach(event -> writeMark(out, kind, event, bottom)));
    }

    private static String nameOfMark(String kind) {
        return kind.equals("rebuild") ? "lost files rebuilt" : kind;
    }

    private void writeMark(PrintWriter out, String kind, StatEvent event, int bottom) {
        String told = nameOfMark(kind)
                + (event.level() > 0 ? ", checkpoint " + event.id() : "")
                + (event.text().isEmpty() ? "" : ": " + event.text());
        double x = x(event.begin());
        String colour = MARKS.getOrDefault(kind, RUNNING);
        out.printf(Locale.ROOT, "<g class=\"bar\"><title>%s</title>%n", LayoutPicture.xml(told));
        if (kind.equals("start") || kind.equals("failure")) {
            out.printf(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" style=\"stroke:%s;stroke-dasharray:3 3\"/>%n",
                    x,
                    TOP,
                    x,
                    bottom,
                    colour);
        }
        // Lost files are rebuilt within a recovery.
        boolean within = kind.equals("rebuild");
        rect(out, x, TOP + (within ? 10.0 : 4.0), Math.max(3, x(event.end()) - x), within ? MARK - 12 : MARK, colour);
        out.println("</g>");
    }

    private void writeLane(PrintWriter out, String name, Lane lane, int y) {
        int base = y + LANE - 6;
        text(out, "lane", MARGIN, base - BAR / 2, "start", name);
        text(out, "note", LEFT - 8.0, base - BAR + 4, "end", duration(lane.most));
        text(out, "note", LEFT - 8.0, base, "end", "0");
        hairline(out, base - BAR);
        hairline(out, base);
        for (int column = 0; column < COLUMNS; column++) {
            StatEvent event = lane.longest[column];
            if (event != null) {
                writeBar(out, event, lane.count[column], base, BAR / lane.most);
            }
        }
    }

    private static void hairline(PrintWriter out, int y) {
        out.printf(Locale.ROOT, "<line x1=\"%d\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n", LEFT, y, RIGHT, y);
    }

    private void writeBar(PrintWriter out, StatEvent event, long count, int base, double scale) {
        StringBuilder told = new StringBuilder(String.format(
                Locale.ROOT,
                "checkpoint %d: %s, stall %s",
                event.id(),
                duration(event.seconds()),
                duration(event.stall())));
        event.steps()
                .forEach(step ->
                        told.append(String.format(Locale.ROOT, ", %s %s", step.name(), duration(step.seconds()))));
        if (count > 1) {
            told.append("; the longest of ").append(count).append(" here");
        }
        out.printf(Locale.ROOT, "<g class=\"bar\"><title>%s</title>%n", LayoutPicture.xml(told.toString()));
        double x = x(event.begin());
        double width = Math.max(COLUMN - 1.0, x(event.end()) - x);
        double y = base;
        double left = event.seconds();
        for (StatEvent.Step step : event.steps()) {
            double seconds = Math.min(step.seconds(), left);
            left -= seconds;
            y = stack(out, x, y, width, seconds * scale, step.name());
        }
        stack(out, x, y, width, left * scale, "other");
        out.println("</g>");
    }

    private static double stack(PrintWriter out, double x, double y, double width, double height, String step) {
        if (height < FINEST) {
            return y;
        }
        rect(out, x, y - height, width, height, COLOURS.getOrDefault(step, "#b07aa1"));
        return y - height;
    }

    private void writeLegend(PrintWriter out, int y) {
        double x = MARGIN;
        for (Map.Entry<String, String> each : COLOURS.entrySet()) {
            x = swatch(
                    out, x, y, each.getValue(), each.getKey().equals("other") ? "preparing, deleting" : each.getKey());
        }
        x += 30;
        x = swatch(out, x, y, RUNNING, "running");
        for (Map.Entry<String, String> each : MARKS.entrySet()) {
            if (!marks.getOrDefault(each.getKey(), Map.of()).isEmpty()) {
                x = swatch(out, x, y, each.getValue(), nameOfMark(each.getKey()));
            }
        }
    }

    private static double swatch(PrintWriter out, double x, int y, String colour, String name) {
        rect(out, x, y - 9.0, 10, 10, colour);
        text(out, "note", x + 15, y, "start", name);
        return x + 34 + 6.4 * name.length();
    }

    private static void rect(PrintWriter out, double x, double y, double width, double height, String colour) {
        out.printf(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                x,
                y,
                width,
                height,
                colour);
    }

    private static void text(PrintWriter out, String style, double x, int y, String anchor, String text) {
        out.printf(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                style,
                x,
                y,
                anchor,
                LayoutPicture.xml(text));
    }
}
