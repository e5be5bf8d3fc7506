package io.drumlin.examples;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import javax.imageio.ImageIO;

/**
 * A temperature field as a PNG with lines of equal temperature. The lightness of the colours grows evenly with the
 * temperature, from a dark blue through magenta and orange to a light yellow.
 *
 * <p>The picture receives the field row by row and keeps only the pixels. Not thread-safe.
 */
final class HeatPicture {

    private static final int LARGEST_EDGE = 2048;
    private static final int BANDS = 10;
    private static final int SHADES = 1024;

    private final double low;
    private final double high;
    private final int stride;
    private final BufferedImage image;
    private final int[] palette = new int[SHADES];
    private final int[] bandsAbove;

    /**
     * Starts a picture.
     *
     * @param n number of cells along an edge; above 2048 the picture leaves cells out
     * @param low the temperature of the darkest colour
     * @param high the temperature of the lightest colour
     */
    HeatPicture(int n, double low, double high) {
        this.low = low;
        this.high = high;
        stride = 1 + (n - 1) / LARGEST_EDGE;
        int edge = 1 + (n - 1) / stride;
        image = new BufferedImage(edge, edge, BufferedImage.TYPE_INT_RGB);
        bandsAbove = new int[edge];
        for (int shade = 0; shade < SHADES; shade++) {
            palette[shade] = colour((double) shade / (SHADES - 1));
        }
    }

    /**
     * Draws a row of the field. The rows must come in order, each once.
     *
     * @param row number of the row
     * @param temperatures the temperatures of all its cells
     */
    void row(int row, double[] temperatures) {
        if (row % stride != 0) {
            return;
        }
        int y = row / stride;
        int bandLeft = -1;
        for (int x = 0; x < image.getWidth(); x++) {
            double warmth = Math.min(1, Math.max(0, (temperatures[x * stride] - low) / (high - low)));
            int band = (int) (warmth * BANDS);
            boolean line = (x > 0 && band != bandLeft) || (y > 0 && band != bandsAbove[x]);
            int colour = palette[(int) Math.round(warmth * (SHADES - 1))];
            image.setRGB(x, y, line ? darker(colour) : colour);
            bandLeft = band;
            bandsAbove[x] = band;
        }
    }

    /**
     * Writes the picture.
     *
     * @param file the file to write
     * @throws IOException the file could not be written
     */
    void save(Path file) throws IOException {
        if (!ImageIO.write(image, "png", file.toFile())) {
            throw new IOException("this Java runtime cannot write PNG files; it needs the module java.desktop");
        }
    }

    private static int darker(int colour) {
        return (colour >> 1) & 0x7f7f7f;
    }

    /**
     * Returns a colour on a path through the colour space OKLCh (Ottosson 2020), in which equal steps of lightness look
     * equal.
     */
    private static int colour(double warmth) {
        double lightness = 0.16 + 0.80 * warmth;
        double hue = Math.toRadians(275 + 195 * warmth);
        double chroma = 0.06 + 0.17 * Math.sin(Math.PI * warmth) + 0.05 * warmth;
        double[] rgb = linearRgb(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
        // Screens cannot show every colour. Colours are made paler until they can, so that the lightness stays right.
        while (Arrays.stream(rgb).anyMatch(light -> light < 0 || light > 1)) {
            chroma *= 0.98;
            rgb = linearRgb(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
        }
        return encode(rgb[0]) << 16 | encode(rgb[1]) << 8 | encode(rgb[2]);
    }

    private static double[] linearRgb(double lightness, double a, double b) {
        double l = Math.pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
        double m = Math.pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
        double s = Math.pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
        return new double[] {
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s
        };
    }

    /** Applies the transfer curve of sRGB. */
    private static int encode(double light) {
        double encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * Math.pow(light, 1 / 2.4) - 0.055;
        return (int) Math.round(255 * encoded);
    }
}
