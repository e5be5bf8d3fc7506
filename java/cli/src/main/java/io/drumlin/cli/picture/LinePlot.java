package io.drumlin.cli.picture;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Curves over a common axis as SVG. Hovering over a curve shows its name. */
public final class LinePlot {

    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;
    private static final int LEFT = 90;
    private static final int RIGHT = WIDTH - 24;
    private static final int TOP = 60;
    private static final int BOTTOM = HEIGHT - 56;
    private static final int TICKS = 6;

    private static final String STYLE =
            """
            text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: #1f2933; }
            text.title { font-size: 17px; font-weight: 600; }
            line { stroke: #e4e7eb; }
            path { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
            """;

    private final String title;
    private final String axis;
    private final double[] x;
    private final Map<String, double[]> curves = new LinkedHashMap<>();
    private final Palette palette = new Palette();

    public LinePlot(String title, String axis, double[] x) {
        this.title = title;
        this.axis = axis;
        this.x = x.clone();
    }

    /** Adds a curve with a value for each position on the axis. Values that are not finite are left out. */
    public void add(String name, double[] y) {
        curves.put(name, y.clone());
    }

    /** The positions of the numbers on one axis. */
    private record Scale(double least, double most, double start, double end) {

        static Scale of(DoubleStream values, double start, double end) {
            double[] finite = values.filter(Double::isFinite).toArray();
            double least = Arrays.stream(finite).min().orElse(0);
            double most = Arrays.stream(finite).max().orElse(1);
            if (least == most) {
                double margin = least == 0 ? 1 : Math.abs(least) / 10;
                return new Scale(least - margin, most + margin, start, end);
            }
            return new Scale(least, most, start, end);
        }

        double place(double value) {
            // The numbers are halved because the difference of two large ones may overflow.
            double part = (value / 2 - least / 2) / (most / 2 - least / 2);
            return start + part * (end - start);
        }

        /** Returns the distance between ticks: 1, 2 or 5 times a power of ten. */
        double step() {
            double rough = (most / 2 - least / 2) / TICKS * 2;
            double power = Math.pow(10, Math.floor(Math.log10(rough)));
            for (int factor : new int[] {1, 2, 5}) {
                if (factor * power >= rough) {
                    return factor * power;
                }
            }
            return 10 * power;
        }

        double[] ticks() {
            double first = Math.ceil(least / step()) * step();
            return IntStream.rangeClosed(0, TICKS)
                    .mapToDouble(i -> first + i * step())
                    .filter(tick -> tick <= most)
                    .toArray();
        }
    }

    public void write(PrintWriter out) {
        Scale across = Scale.of(Arrays.stream(x), LEFT, RIGHT);
        Scale up = Scale.of(curves.values().stream().flatMapToDouble(Arrays::stream), BOTTOM, TOP);
        out.println("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        out.printf(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT);
        out.printf(Locale.ROOT, "<title>%s</title>%n<style>%n%s</style>%n", LayoutPicture.xml(title), STYLE);
        out.printf(Locale.ROOT, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>%n", WIDTH, HEIGHT);
        text(out, "title", "start", 24, 34, title);
        for (double tick : across.ticks()) {
            double place = across.place(tick);
            line(out, place, TOP, place, BOTTOM);
            text(out, "tick", "middle", place, BOTTOM + 18, number(tick, across.step()));
        }
        for (double tick : up.ticks()) {
            double place = up.place(tick);
            line(out, LEFT, place, RIGHT, place);
            text(out, "tick", "end", LEFT - 8, place + 4, number(tick, up.step()));
        }
        text(out, "axis", "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 38, axis);
        int legend = LEFT;
        for (Map.Entry<String, double[]> curve : curves.entrySet()) {
            String colour = palette.of(curve.getKey());
            out.printf(
                    Locale.ROOT,
                    "<g><title>%s</title><path stroke=\"%s\" d=\"",
                    LayoutPicture.xml(curve.getKey()),
                    colour);
            writePath(out, across, up, curve.getValue());
            out.println("\"/></g>");
            if (curves.size() > 1) {
                out.printf(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>%n",
                        legend,
                        TOP - 12,
                        colour);
                text(out, "label", "start", legend + 20, TOP - 7, curve.getKey());
                legend += 40 + 7 * curve.getKey().length();
            }
        }
        out.println("</svg>");
    }

    /** Writes a curve. It has a gap where a number is missing. A single point becomes a short line. */
    private void writePath(PrintWriter out, Scale across, Scale up, double[] y) {
        boolean drawing = false;
        for (int i = 0; i < y.length; i++) {
            if (!Double.isFinite(y[i])) {
                drawing = false;
                continue;
            }
            String place = String.format(Locale.ROOT, "%.1f %.1f", across.place(x[i]), up.place(y[i]));
            out.print((drawing ? "L" : "M") + place);
            if (!drawing && (i + 1 == y.length || !Double.isFinite(y[i + 1]))) {
                out.print("h1.6");
            }
            drawing = true;
        }
    }

    /** Formats with as many digits as distinguish the ticks. */
    private static String number(double value, double step) {
        double rounded = Math.rint(value / step) * step;
        double size = Math.max(Math.abs(rounded), step);
        if (size >= 1e6 || size < 1e-3) {
            return String.format(Locale.ROOT, "%.3g", rounded);
        }
        int digits = (int) Math.max(0, -Math.floor(Math.log10(step)));
        return String.format(Locale.ROOT, "%." + digits + "f", rounded);
    }

    private static void line(PrintWriter out, double x1, double y1, double x2, double y2) {
        out.printf(Locale.ROOT, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", x1, y1, x2, y2);
    }

    private static void text(PrintWriter out, String style, String anchor, double x, double y, String text) {
        out.printf(
                Locale.ROOT,
                "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n",
                style,
                anchor,
                x,
                y,
                LayoutPicture.xml(text));
    }
}
