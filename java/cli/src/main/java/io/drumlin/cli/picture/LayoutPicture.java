package io.drumlin.cli.picture;

import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.file.FileRange;
import io.drumlin.cli.file.FileRange.Matter;
import io.drumlin.cli.picture.PictureBoxes.Box;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A picture of a file as SVG: the whole file to scale, and below it every part at a readable width, in file order. It
 * knows no format; a format supplies the ranges of the file. Hovering over a range shows its fields.
 */
public final class LayoutPicture {

    /** Largest number of lines of the table and of the legend. */
    private static final int ROWS = 5000;

    private static final int OWNERS = 40;

    private static final int WIDTH = 1200;
    private static final int MARGIN = 24;
    private static final double RIGHT = WIDTH - (double) MARGIN;
    private static final int LANE = 26;
    private static final int LEGEND_COLUMNS = 4;
    private static final int LEGEND_LINE = 20;

    /** Colour of ranges without an owner. */
    private static final String NEUTRAL = "#c9ced6";

    private static final String INK = "#1f2933";

    private static final String STYLE =
            """
            text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: #1f2933; }
            text.title { font-size: 17px; font-weight: 600; }
            text.heading { font-size: 12px; font-weight: 600; stroke: #fff; stroke-width: 4px; paint-order: stroke; }
            text.note, text.tick { fill: #616e7c; }
            text.box { pointer-events: none; }
            g.range:hover rect { stroke: #111; stroke-width: 1.6; }
            """;

    private final String title;
    private final String subtitle;
    private final PictureBoxes picture;
    private final Palette palette = new Palette();

    /** Makes a picture of a file of {@code size} bytes with ranges that do not overlap. */
    LayoutPicture(String title, String subtitle, long size, List<FileRange> ranges) {
        this.title = title;
        this.subtitle = subtitle;
        this.picture = new PictureBoxes(size, ranges);
    }

    void writeSvg(PrintWriter out) {
        out.println("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        writeElement(out);
    }

    void writeHtml(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "<!DOCTYPE html>%n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>%n",
                xml(title));
        out.println(
                """
                <style>
                body { font: 14px system-ui, "DejaVu Sans", sans-serif; color: #1f2933; margin: 24px auto; max-width: 1240px; }
                svg { width: 100%; height: auto; }
                table { border-collapse: collapse; font-size: 12px; font-variant-numeric: tabular-nums; }
                th { position: sticky; top: 0; background: #fff; }
                th, td { padding: 3px 12px 3px 0; text-align: left; border-bottom: 1px solid #e4e7eb; vertical-align: top; }
                td:first-child { white-space: nowrap; }
                .number { text-align: right; }
                .swatch { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; }
                </style></head><body>""");
        writeElement(out);
        writeTable(out);
        out.println("</body></html>");
    }

    private void writeElement(PrintWriter out) {
        picture.boxes().forEach(box -> colour(box.range()));
        List<PictureRow> rows = PictureRow.readable(picture, MARGIN, RIGHT);
        int lanes = picture.depth() * LANE;
        int scaleTop = MARGIN + 74;
        int magnifiedTop = scaleTop + lanes + (rows.size() == 1 ? 70 : 62);
        int rowHeight = lanes + 30;
        int legendTop = magnifiedTop + rows.size() * rowHeight + 22;
        List<Swatch> legend = legend();
        int height = legendTop + legendHeight(legend) + MARGIN;
        out.printf(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">%n",
                WIDTH,
                height,
                WIDTH,
                height);
        out.printf(Locale.ROOT, "<title>%s</title>%n<style>%n%s</style>%n", xml(title), STYLE);
        writeHatching(out);
        out.printf(Locale.ROOT, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>%n", WIDTH, height);
        text(out, "title", MARGIN, MARGIN + 12, title);
        text(out, "note", MARGIN, MARGIN + 32, subtitle);
        text(out, "heading", MARGIN, scaleTop - 10, "To scale");
        PictureRow scale = PictureRow.toScale(picture, MARGIN, RIGHT);
        writeTicks(out, scaleTop + lanes);
        if (rows.size() == 1) {
            writeFunnels(out, scale, rows.get(0), scaleTop + lanes + 1, magnifiedTop - 1);
        }
        writeToScale(out, scale, scaleTop);
        text(out, "heading", MARGIN, magnifiedTop - 22, magnifiedHeading());
        for (int i = 0; i < rows.size(); i++) {
            writeRow(out, rows.get(i), magnifiedTop + i * rowHeight);
        }
        writeLegend(out, legend, legendTop);
        out.println("</svg>");
    }

    private String magnifiedHeading() {
        int more = picture.leaves().size() - PictureRow.LEAVES;
        return "Every part, not to scale" + (more > 0 ? "; " + more + " more parts are in the upper strip only" : "");
    }

    /** Writes a pattern for each colour, for reserved, unused space. */
    private void writeHatching(PrintWriter out) {
        out.println("<defs>");
        Stream.concat(
                        Stream.of(NEUTRAL),
                        picture.boxes().stream()
                                .filter(box -> box.range().matter() == Matter.UNUSED)
                                .map(box -> colour(box.range())))
                .distinct()
                .forEach(colour -> out.printf(
                        Locale.ROOT,
                        "<pattern id=\"unused-%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\""
                                + " patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fff\"/>"
                                + "<rect width=\"2\" height=\"6\" fill=\"%s\" fill-opacity=\".55\"/></pattern>%n",
                        colour.substring(1),
                        colour));
        out.println("</defs>");
    }

    /**
     * Draws the file to scale. A range that is narrower than half a pixel gets that width, and is drawn once if many
     * would overlap.
     */
    private void writeToScale(PrintWriter out, PictureRow row, int top) {
        double[] done = new double[picture.depth()];
        for (Box box : picture.boxes()) {
            double left = row.left(box);
            double right = Math.max(row.right(box), left + 0.5);
            if (right - done[box.depth()] >= 0.5) {
                done[box.depth()] = right;
                writeBox(out, box, left, right, top);
            }
        }
    }

    private void writeRow(PrintWriter out, PictureRow row, int top) {
        double free = 0;
        int bottom = top + picture.depth() * LANE;
        for (Box box : picture.boxes()) {
            if (row.has(box)) {
                writeBox(out, box, row.left(box), row.right(box), top);
                String offset = String.valueOf(box.start());
                double end = row.left(box) + PictureRow.LETTER * offset.length();
                if (box.isLeaf() && row.left(box) >= free && end <= WIDTH) {
                    text(out, "tick", row.left(box), bottom + 13, offset);
                    free = end + 8;
                }
            }
        }
    }

    /** Draws a range. Leaves extend to the bottom, where all bytes of the file are side by side. */
    private void writeBox(PrintWriter out, Box box, double left, double right, int top) {
        FileRange range = box.range();
        int y = top + box.depth() * LANE;
        int height = (box.isLeaf() ? picture.depth() - box.depth() : 1) * LANE - 2;
        double width = Math.max(right - left - (right - left > 4 ? 1 : 0), 0.4);
        String colour = colour(range);
        out.printf(Locale.ROOT, "<g class=\"range\"><title>%s</title>", xml(hover(box)));
        out.printf(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"%d\" fill=\"%s\"%s/>",
                left,
                y,
                width,
                height,
                width > 8 ? 2 : 0,
                fill(box, colour),
                isTint(box) ? " fill-opacity=\".3\"" : "");
        if (range.matter() == Matter.METADATA && !range.owner().isEmpty() && box.isLeaf()) {
            out.printf(
                    Locale.ROOT,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"5\" fill=\"%s\"/>",
                    left,
                    y + height - 5,
                    width,
                    palette.of(range.owner()));
        }
        String label = label(box, width - 6);
        if (!label.isEmpty()) {
            boolean plain = isTint(box) || range.matter() != Matter.DATA;
            out.printf(
                    Locale.ROOT,
                    "<text class=\"box\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" style=\"fill:%s\">%s</text>",
                    left + width / 2,
                    y + height / 2 + 4,
                    plain ? INK : Palette.textOn(colour),
                    xml(label));
        }
        out.println("</g>");
    }

    private static boolean isTint(Box box) {
        return !box.isLeaf();
    }

    private static String fill(Box box, String colour) {
        return box.isLeaf() && box.range().matter() == Matter.UNUSED ? hatching(colour) : colour;
    }

    private static String hatching(String colour) {
        return "url(#unused-" + colour.substring(1) + ")";
    }

    private String colour(FileRange range) {
        return range.matter() == Matter.METADATA || range.owner().isEmpty() ? NEUTRAL : palette.of(range.owner());
    }

    private static String label(Box box, double width) {
        FileRange range = box.range();
        if (range.matter() == Matter.UNUSED) {
            return fits(range.kind(), width) ? range.kind() : "";
        }
        String size = Sizes.brief(box.end() - box.start());
        for (String text : List.of(range.name() + " · " + size, range.name(), range.label())) {
            if (fits(text, width)) {
                return text;
            }
        }
        return "";
    }

    private static boolean fits(String text, double width) {
        return text.length() * PictureRow.LETTER <= width;
    }

    private static String hover(Box box) {
        StringBuilder text = new StringBuilder(box.range().name());
        text.append("\noffset ").append(box.start());
        text.append("\nlength ").append(Sizes.readable(box.end() - box.start()));
        box.range()
                .fields()
                .forEach((name, value) ->
                        text.append('\n').append(name).append(' ').append(value));
        return text.toString();
    }

    /** Connects each part of the lower strip to its position in the upper one. */
    private void writeFunnels(PrintWriter out, PictureRow scale, PictureRow row, int top, int bottom) {
        for (Box leaf : picture.leaves()) {
            out.printf(
                    Locale.ROOT,
                    "<path d=\"M%.1f %d L%.1f %d L%.1f %d L%.1f %d Z\" fill=\"%s\" fill-opacity=\".13\"/>%n",
                    scale.left(leaf),
                    top,
                    scale.right(leaf),
                    top,
                    row.right(leaf) - 1,
                    bottom,
                    row.left(leaf),
                    bottom,
                    colour(leaf.range()));
        }
    }

    /** Draws ticks at multiples of a power of two: at most 10, all in the same unit and none rounded. */
    private void writeTicks(PrintWriter out, int top) {
        long step = Math.max(1, Long.highestOneBit(picture.size() / 5));
        int unit = (Long.SIZE - 1 - Long.numberOfLeadingZeros(step)) / 10;
        for (long offset = 0; offset >= 0 && offset <= picture.size(); offset += step) {
            double x = PictureRow.scaled(picture, offset, MARGIN, RIGHT);
            out.printf(
                    Locale.ROOT,
                    "<path d=\"M%.1f %d v5\" stroke=\"#9aa5b1\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\""
                            + " text-anchor=\"middle\">%d %s</text>%n",
                    x,
                    top,
                    x,
                    top + 17,
                    offset >> (10 * unit),
                    unit == 0 ? "B" : Sizes.UNITS.get(unit - 1));
        }
    }

    /** A line of the legend. */
    private record Swatch(String text, String fill) {}

    /** Returns owners with their bytes in the order of the file, then metadata, then free space. */
    private List<Swatch> legend() {
        Map<String, Long> owners = new LinkedHashMap<>();
        Map<Matter, Long> others = new EnumMap<>(Matter.class);
        for (Box leaf : picture.leaves()) {
            FileRange range = leaf.range();
            if (range.matter() == Matter.DATA && !range.owner().isEmpty()) {
                owners.merge(range.owner(), leaf.end() - leaf.start(), Long::sum);
            } else {
                others.merge(range.matter(), leaf.end() - leaf.start(), Long::sum);
            }
        }
        List<Swatch> legend = new ArrayList<>();
        owners.entrySet().stream()
                .limit(OWNERS)
                .forEach(owner -> legend.add(swatch(owner.getKey(), owner.getValue(), palette.of(owner.getKey()))));
        if (owners.size() > OWNERS) {
            legend.add(new Swatch("and " + (owners.size() - OWNERS) + " more", "none"));
        }
        others.forEach((matter, bytes) -> legend.add(
                switch (matter) {
                    case DATA -> swatch("data", bytes, NEUTRAL);
                    case METADATA -> swatch("metadata", bytes, NEUTRAL);
                    case UNUSED -> swatch("unused, reserved or left free", bytes, hatching(NEUTRAL));
                }));
        return legend;
    }

    private static Swatch swatch(String name, long bytes, String fill) {
        return new Swatch(name + " · " + Sizes.brief(bytes), fill);
    }

    private static int legendHeight(List<Swatch> legend) {
        return (legend.size() + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS * LEGEND_LINE;
    }

    private static void writeLegend(PrintWriter out, List<Swatch> legend, int top) {
        for (int i = 0; i < legend.size(); i++) {
            int x = MARGIN + i % LEGEND_COLUMNS * (WIDTH - 2 * MARGIN) / LEGEND_COLUMNS;
            int y = top + i / LEGEND_COLUMNS * LEGEND_LINE;
            out.printf(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"12\" rx=\"2\" fill=\"%s\"/>",
                    x,
                    y,
                    legend.get(i).fill());
            text(out, "label", x + 20, y + 10, legend.get(i).text());
        }
    }

    private void writeTable(PrintWriter out) {
        out.println("<table><tr><th>part</th><th class=\"number\">offset</th><th"
                + " class=\"number\">length</th><th>fields</th></tr>");
        for (Box box : picture.boxes().subList(0, Math.min(ROWS, picture.boxes().size()))) {
            String fields = box.range().fields().entrySet().stream()
                    .map(field -> field.getKey() + " " + field.getValue())
                    .collect(Collectors.joining(", "));
            out.printf(
                    Locale.ROOT,
                    "<tr><td style=\"padding-left:%dpx\"><span class=\"swatch\" style=\"background:%s\"></span>%s</td>"
                            + "<td class=\"number\">%d</td><td class=\"number\">%d</td><td>%s</td></tr>%n",
                    box.depth() * 16,
                    colour(box.range()),
                    xml(box.range().name()),
                    box.start(),
                    box.end() - box.start(),
                    xml(fields));
        }
        out.println("</table>");
        int more = picture.boxes().size() - ROWS;
        if (more > 0) {
            out.println("<p>And " + more + " more parts.</p>");
        }
    }

    private static void text(PrintWriter out, String style, double x, int y, String text) {
        out.printf(Locale.ROOT, "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n", style, x, y, xml(text));
    }

    /** Escapes text for XML, and removes the control characters that XML does not allow. */
    public static String xml(String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\n]]", "?")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
