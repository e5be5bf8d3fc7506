package io.drumlin.golden.fti;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.golden.base.Json;
import java.io.IOException;
import java.nio.DoubleBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in Java can have as rows what C FTI has as one array. */
class MatrixTest {

    private static final int ROWS = 3;
    private static final int COLUMNS = 4;

    @TempDir
    Path directory;

    @Test
    void anArrayOfTheReferenceIsRecoveredIntoAMatrix() throws IOException {
        Path golden = Golden.path("fti-posix", "names-4r");
        Manifest manifest = Manifest.of(
                Json.root(JSON.std.mapFrom(golden.resolve("manifest.json").toFile())));
        copy(golden.resolve("data"));
        Path config = directory.resolve("config.fti");
        Files.createDirectories(directory.resolve("Global"));
        Files.writeString(
                config, Files.readString(golden.resolve("config.after.ini")).replace("= ./", "= " + directory + "/"));
        Checkpoint stored = manifest.checkpoints().get(0);
        ThreadCommunicator.run(manifest.ranks(), comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                double[][] temperature = new double[ROWS][COLUMNS];
                float[][] pressure = new float[1][7];
                checkpoints.protect(0, temperature);
                checkpoints.protect(1, pressure);
                checkpoints.recover();
                DoubleBuffer expected = stored.variable(0).values(comm.rank()).asDoubleBuffer();
                for (double[] row : temperature) {
                    double[] ofC = new double[COLUMNS];
                    expected.get(ofC);
                    assertThat(row).isEqualTo(ofC);
                }
                float[] ofC = new float[7];
                stored.variable(1).values(comm.rank()).asFloatBuffer().get(ofC);
                assertThat(pressure[0]).isEqualTo(ofC);
            }
        });
    }

    private void copy(Path data) throws IOException {
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path : paths.toList()) {
                Files.copy(
                        path, directory.resolve(data.relativize(path).toString()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
