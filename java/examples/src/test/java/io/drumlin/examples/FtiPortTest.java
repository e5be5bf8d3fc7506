package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FtiPortTest {

    @TempDir
    Path folder;

    private static double[] expected(int steps) {
        double[] a = new double[100_000];
        for (int step = 0; step < steps; step++) {
            FtiPort.work(a, step);
        }
        return a;
    }

    @Test
    void computesTheSameAsWithoutCheckpoints() throws IOException {
        RunFolder run = RunFolder.create(folder, 1, false);
        assertThat(FtiPort.simulate(run.config().toString(), 50)).containsExactly(expected(50));
        assertThat(run.failure()).isZero();
    }

    @Test
    void goesOnFromTheKeptCheckpoint() throws IOException {
        RunFolder run = RunFolder.create(folder, 1, true);
        FtiPort.simulate(run.config().toString(), 35);
        assertThat(run.failure()).isEqualTo(2);

        assertThat(FtiPort.simulate(run.config().toString(), 50)).containsExactly(expected(50));
    }

    @Test
    void saysThatTheConfigurationIsWrong() throws IOException {
        Path config = Files.writeString(folder.resolve("config.fti"), "[basic]\nnode_size = 1\n");
        assertThatThrownBy(() -> FtiPort.simulate(config.toString(), 10)).hasMessageContaining(config.toString());
    }
}
