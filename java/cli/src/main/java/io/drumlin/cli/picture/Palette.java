package io.drumlin.cli.picture;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Colours for the owners of ranges, in the order in which they occur. Everybody can distinguish the first ones. */
public final class Palette {

    /** The style of pictures with lanes. */
    public static final String LANES =
            """
            text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: #1f2933; }
            text.title { font-size: 17px; font-weight: 600; }
            text.lane { font-size: 13px; font-weight: 600; }
            text.note { fill: #616e7c; }
            line { stroke: #e4e7eb; }
            g.bar:hover rect { stroke: #111; stroke-width: 1; }
            """;

    /** After Tableau's palette of ten, without its grey, which stands for metadata. */
    private static final String[] FIRST = {
        "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7", "#9c755f"
    };

    /** Steps of the golden angle keep further hues apart. */
    private static final double GOLDEN_ANGLE = 137.508;

    private final Map<String, String> colours = new LinkedHashMap<>();

    /** Returns the colour of an owner as {@code #rrggbb}. */
    String of(String owner) {
        return colours.computeIfAbsent(owner, next -> colour(colours.size()));
    }

    private static String colour(int index) {
        if (index < FIRST.length) {
            return FIRST[index];
        }
        double hue = index * GOLDEN_ANGLE % 360;
        double lightness = index % 2 == 0 ? 0.45 : 0.62;
        return String.format(
                Locale.ROOT,
                "#%02x%02x%02x",
                channel(hue, lightness, 0),
                channel(hue, lightness, 8),
                channel(hue, lightness, 4));
    }

    /** Converts hue and lightness to one of red, green and blue, at half saturation; CSS Color 4, section 7. */
    private static int channel(double hue, double lightness, int shift) {
        double position = (shift + hue / 30) % 12;
        double chroma = 0.5 * Math.min(lightness, 1 - lightness);
        return (int) Math.round(
                255 * (lightness - chroma * Math.max(-1, Math.min(Math.min(position - 3, 9 - position), 1))));
    }

    /** Returns black or white, whichever is easier to read on a colour. */
    static String textOn(String colour) {
        int rgb = Integer.parseInt(colour.substring(1), 16);
        double luminance = 0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255);
        return luminance > 150 ? "#111" : "#fff";
    }
}
