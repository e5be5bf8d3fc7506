package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.internal.directory.MetadataFiles;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bit of a metadata file of the modes that keep metadata apart is wrong: the data come back, or an exception. */
class DamagedMetadataTest {

    /** Of one size, so that one could be taken for another. */
    private static final int SIZE = 24;

    private static final Logger LOG = Logger.getLogger("io.drumlin.checkpoint");

    @TempDir(factory = FaultTest.InMemory.class)
    private Path directory;

    @BeforeEach
    void silence() {
        LOG.setLevel(java.util.logging.Level.OFF);
    }

    @AfterEach
    void speak() {
        LOG.setLevel(null);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "4, true", "5, true"})
    void someBits(String mode, boolean likeC) throws IOException {
        flip(mode, likeC, 37);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "2, true", "4, true", "5, true"})
    void everyBit(String mode, boolean likeC) throws IOException {
        flip(mode, likeC, 1);
    }

    private void flip(String mode, boolean likeC, int step) throws IOException {
        long seed = System.nanoTime();
        RunFixture run = new RunFixture(
                directory, Map.of("basic.node_size", "1", "basic.ckpt_io", mode, "basic.group_size", "1"));
        run.run(1, (checkpoints, comm) -> {
            for (int id = 1; id <= 3; id++) {
                checkpoints.protect(id, values(id));
            }
            checkpoints.checkpoint(1, Level.L1);
        });
        Path file = run.file("sector0-group0.fti");
        if (likeC) {
            GroupMetadata metadata = MetadataFiles.read(file, new NioEngine());
            MetadataFiles.write(
                    file, new GroupMetadata(metadata.type(), metadata.ckptId(), metadata.files()), new NioEngine());
        }
        byte[] whole = Files.readAllBytes(file);
        Path local = directory.resolve("Local");
        String config = Files.readString(run.config());
        for (int bit = new Random(seed).nextInt(step); bit < whole.length * Byte.SIZE; bit += step) {
            byte[] damaged = whole.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            Path directoryOfFile = file.getParent();
            Files.createDirectories(directoryOfFile);
            Files.write(file, damaged);
            Files.writeString(run.config(), config);
            requireDataOrRefusal(run, "bit " + bit);
            assertThat(Files.exists(local)).isTrue();
        }
    }

    private static void requireDataOrRefusal(RunFixture run, String what) {
        byte[][] arrays = new byte[4][SIZE];
        try {
            run.run(1, (checkpoints, comm) -> {
                for (int id = 1; id <= 3; id++) {
                    checkpoints.protect(id, arrays[id]);
                }
                checkpoints.recover();
            });
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        for (int id = 1; id <= 3; id++) {
            assertThat(Arrays.equals(arrays[id], values(id))).as(what).isTrue();
        }
    }

    private static byte[] values(int seed) {
        byte[] values = new byte[SIZE];
        new Random(seed).nextBytes(values);
        return values;
    }
}
