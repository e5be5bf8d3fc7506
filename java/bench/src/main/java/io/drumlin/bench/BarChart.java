package io.drumlin.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Horizontal bars with a name on the left and a text on the right, as SVG. */
final class BarChart {

    /** More than a letter of 12 pixels takes on average, in any of the fonts. */
    private static final double LETTER = 6.8;

    private static final int BARS = 340;
    private static final int TEXTS = 255;
    private static final int LEFT = 16;
    private static final int TOP = 96;
    private static final int PITCH = 30;
    private static final int THICKNESS = 16;

    private static final String GOOD = "#2a7f9e";
    private static final String MISSED = "#d9822b";
    private static final String LIMIT = "#dde3e8";
    private static final String DARK = "#22303c";
    private static final String GREY = "#66737f";

    /**
     * A bar.
     *
     * @param back length of a wider, pale bar behind it
     * @param mark where a line crosses it
     * @param missed whether it is drawn in the colour of what is not as it should be
     */
    record Bar(String name, double length, OptionalDouble back, OptionalDouble mark, boolean missed, String text) {}

    private final String title;
    private final String subtitle;
    private final String backMeaning;
    private final double scale;

    /** The width of the names on the left. */
    private final int labels;

    private final int width;
    private final List<Bar> bars;

    /**
     * @param backMeaning what the pale bars are, for the legend; empty if there are none
     * @param longest what fills the width; longer bars are cut
     */
    BarChart(String title, String subtitle, String backMeaning, double longest, List<Bar> bars) {
        this.title = title;
        this.subtitle = subtitle;
        this.backMeaning = backMeaning;
        this.scale = BARS / longest;
        this.bars = List.copyOf(bars);
        int longestName = bars.stream().mapToInt(bar -> bar.name.length()).max().orElse(0);
        this.labels = (int) Math.ceil(LETTER * longestName) + 10;
        this.width = LEFT + labels + BARS + TEXTS;
    }

    String svg() {
        int height = TOP + PITCH * bars.size() + 16;
        List<String> lines = new ArrayList<>();
        lines.add(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"%s\">",
                width, height, width, height, "Helvetica, Arial, 'DejaVu Sans', sans-serif"));
        lines.add(format("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height));
        lines.add(text(LEFT, 30, 18, DARK, "font-weight=\"bold\"", title));
        lines.add(text(LEFT, 50, 12, GREY, "", subtitle));
        legend(lines);
        for (int i = 0; i < bars.size(); i++) {
            bar(lines, bars.get(i), TOP + PITCH * i);
        }
        lines.add("</svg>");
        return String.join("\n", lines) + "\n";
    }

    private void legend(List<String> lines) {
        int x = LEFT;
        int y = 76;
        x = entry(lines, x, y, rect(x, y - 9, 14, 10, GOOD), "goal met, or none");
        x = entry(lines, x, y, rect(x, y - 9, 14, 10, MISSED), "goal missed");
        if (!backMeaning.isEmpty()) {
            x = entry(lines, x, y, rect(x, y - 9, 14, 10, LIMIT), backMeaning);
        }
        entry(lines, x, y, rect(x + 6, y - 11, 2, 14, DARK), "goal");
    }

    private static int entry(List<String> lines, int x, int y, String sign, String meaning) {
        lines.add(sign);
        lines.add(text(x + 20, y, 12, GREY, "", meaning));
        return x + 44 + 6 * meaning.length();
    }

    private void bar(List<String> lines, Bar bar, int top) {
        int x = LEFT + labels;
        int baseline = top + THICKNESS - 4;
        lines.add(text(x - 10, baseline, 12, DARK, "text-anchor=\"end\"", bar.name));
        bar.back.ifPresent(length -> lines.add(rect(x, top - 3, shown(length), THICKNESS + 6, LIMIT)));
        lines.add(rect(x, top, shown(bar.length), THICKNESS, bar.missed ? MISSED : GOOD));
        bar.mark.ifPresent(place -> lines.add(rect(x + shown(place) - 1, top - 5, 2, THICKNESS + 10, DARK)));
        lines.add(text(x + BARS + 12, baseline, 12, DARK, "", bar.text));
    }

    private double shown(double length) {
        return Math.min(length * scale, BARS);
    }

    private static String rect(double x, double y, double width, double height, String color) {
        return format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y, width, height, color);
    }

    private static String text(int x, int y, int size, String color, String more, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        return format(
                "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\" %s>%s</text>", x, y, size, color, more, escaped);
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
