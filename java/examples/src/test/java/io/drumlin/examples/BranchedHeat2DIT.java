package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A parameter study: runs that all begin with one checkpoint of Heat2D, each with another temperature of the rim. */
@Tag("native")
@Tag("exhaustive")
class BranchedHeat2DIT {

    private static final int SIZE = 192;
    private static final int EVERY = 50;
    private static final int FROM = 4;

    /** The rim has this temperature without the option. */
    private static final int LUKEWARM = 25;

    @TempDir
    private Path folder;

    private static void run(int iterations, String... more) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of(
                "--size",
                Integer.toString(SIZE),
                "--every",
                Integer.toString(EVERY),
                "--iterations",
                Integer.toString(iterations),
                "--level",
                "4"));
        options.addAll(List.of(more));
        Process process = new ProcessBuilder(
                        JavaCommand.mpirun(4, "io.drumlin.examples.Heat2D", options.toArray(String[]::new)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** A run that is complete, and has kept its checkpoints. */
    private RunFolder parent(int iterations) throws IOException, InterruptedException {
        RunFolder run = RunFolder.create(folder, 2, false);
        Files.writeString(run.config(), Files.readString(run.config()) + "\n[drumlin]\nkeep = 30\n");
        run(
                iterations,
                "--config",
                run.config().toString(),
                "--field",
                folder.resolve("parent.f64").toString());
        return run;
    }

    private Path branch(RunFolder run, int iterations, int rim) throws IOException, InterruptedException {
        Path config = folder.resolve("rim-" + rim + ".fti");
        Files.writeString(config, Files.readString(run.config()).replaceAll("failure +=.*", "failure = 1"));
        run(
                iterations,
                "--config",
                config.toString(),
                "--from",
                Integer.toString(FROM),
                "--branch",
                "rim-" + rim,
                "--rim",
                Integer.toString(rim),
                "--field",
                folder.resolve(rim + ".f64").toString(),
                "--picture",
                folder.resolve(rim + ".png").toString());
        return folder.resolve(rim + ".f64");
    }

    private byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    @Test
    void branchesFromOneCheckpointHaveResultsOfTheirOwn() throws IOException, InterruptedException {
        int iterations = 300;
        RunFolder run = parent(iterations);
        byte[] parent = bytes("parent.f64");
        assertThat(branch(run, iterations, LUKEWARM)).hasBinaryContent(parent);
        branch(run, iterations, 100);
        assertThat(bytes("100.f64")).isNotEqualTo(parent);
        assertThat(run.failure()).isZero();
    }

    /** Ten branches; their fields side by side are the picture in the guide. */
    @Tag("soak")
    @Test
    void tenBranchesSideBySide() throws IOException, InterruptedException {
        int iterations = 1500;
        RunFolder run = parent(iterations);
        Map<Integer, BufferedImage> pictures = new TreeMap<>();
        for (int rim = 0; rim < 100; rim += 10) {
            branch(run, iterations, rim);
            pictures.put(rim, ImageIO.read(folder.resolve(rim + ".png").toFile()));
        }
        BufferedImage sheet = new BufferedImage(5 * SIZE + 4, 2 * SIZE + 1, BufferedImage.TYPE_INT_RGB);
        int place = 0;
        for (BufferedImage picture : pictures.values()) {
            sheet.getRaster().setRect(place % 5 * (SIZE + 1), place / 5 * (SIZE + 1), picture.getRaster());
            place++;
        }
        Path file = Path.of(System.getProperty("drumlin.root"), "build", "branches.png");
        ImageIO.write(sheet, "png", file.toFile());
        assertThat(file).isNotEmptyFile();
    }
}
