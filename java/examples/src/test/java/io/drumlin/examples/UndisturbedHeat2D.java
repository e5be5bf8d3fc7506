package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Heat2D with threads as ranks, without checkpoints and failures: what a job that came back must have computed. */
final class UndisturbedHeat2D {

    private UndisturbedHeat2D() {}

    /**
     * Runs it.
     *
     * @param field file for the field
     * @return the bytes of the field
     */
    static byte[] field(int ranks, int size, int iterations, int every, Path field)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(JavaCommand.of(
                        "io.drumlin.examples.Heat2D",
                        "--threads",
                        Integer.toString(ranks),
                        "--no-checkpoints",
                        "--config",
                        "none",
                        "--size",
                        Integer.toString(size),
                        "--iterations",
                        Integer.toString(iterations),
                        "--every",
                        Integer.toString(every),
                        "--field",
                        field.toString(),
                        "--no-progress"))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        return Files.readAllBytes(field);
    }
}
