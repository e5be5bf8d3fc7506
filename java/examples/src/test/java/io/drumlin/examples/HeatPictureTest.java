package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeatPictureTest {

    @TempDir
    Path folder;

    private BufferedImage draw(int n, double low, double high) throws IOException {
        HeatPicture picture = new HeatPicture(n, low, high);
        for (int row = 0; row < n; row++) {
            double[] temperatures = new double[n];
            int level = row;
            Arrays.setAll(temperatures, column -> low + (high - low) * level / (n - 1));
            picture.row(row, temperatures);
        }
        Path file = folder.resolve("heat.png");
        picture.save(file);
        return ImageIO.read(file.toFile());
    }

    /** Relative luminance as sRGB defines it. */
    private static double luminance(int rgb) {
        double sum = 0;
        double[] weights = {0.2126, 0.7152, 0.0722};
        for (int channel = 0; channel < 3; channel++) {
            double value = (rgb >> (16 - 8 * channel) & 0xff) / 255.0;
            sum += weights[channel] * (value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4));
        }
        return sum;
    }

    @Test
    void warmerIsLighter() throws IOException {
        int n = 11 * 40 + 1;
        BufferedImage image = draw(n, -20, 80);
        double last = -1;
        // The middle of every band, away from the lines between the bands.
        for (int row = 20; row < n; row += 44) {
            double light = luminance(image.getRGB(3, row));
            assertThat(light).isGreaterThan(last);
            last = light;
        }
        assertThat(luminance(image.getRGB(3, 1))).isLessThan(0.02);
        assertThat(luminance(image.getRGB(3, n - 2))).isGreaterThan(0.75);
    }

    @Test
    void linesSeparateTheBands() throws IOException {
        BufferedImage image = draw(101, 0, 100);
        for (int row = 10; row < 100; row += 10) {
            assertThat(luminance(image.getRGB(50, row)))
                    .as("line at row %d", row)
                    .isLessThan(0.5 * luminance(image.getRGB(50, row - 2)));
        }
    }

    @Test
    void largeFieldsGiveSmallPictures() throws IOException {
        assertThat(draw(2048, 0, 1).getWidth()).isEqualTo(2048);
        assertThat(draw(2049, 0, 1).getHeight()).isEqualTo(1025);
    }
}
