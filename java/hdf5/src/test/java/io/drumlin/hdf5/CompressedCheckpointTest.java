package io.drumlin.hdf5;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.hdf5.Hdf5Tools;
import io.drumlin.fti.Hdf5Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Checkpoints that are written with {@code h5_compression}: the library and its commands read them. */
@Tag("native")
class CompressedCheckpointTest {

    private static final int RANKS = 4;

    @TempDir
    private Path directory;

    @BeforeAll
    static void loadLibrary() throws IOException {
        Repacked.requireLibrary();
    }

    private RunFixture make(Map<String, String> changes) throws IOException {
        return new RunFixture(
                directory,
                RunFixture.settings("node_size=1, group_size=4, ckpt_io=5, drumlin.h5_compression=gzip:4", changes));
    }

    /** All types, groups and shapes of a rank, as a program of FTI protects them. */
    @Test
    void allTypesComeBack() throws IOException {
        RunFixture run = make(Map.of("basic.keep_last_ckpt", "1", "basic.group_size", "1"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        new Hdf5Program(7).fill();
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        Hdf5Program program = new Hdf5Program(7);
        assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
        program.assertFilled();
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        assertThat(Hdf5Tools.run("h5dump", run.file("Ckpt1-Rank0.h5").toString()))
                .contains("DATASET");
    }

    /** Some MiB in many chunks, of which the last one is not full, two dimensions, noise, and nothing. */
    private static final class Data {
        private final double[][] matrix;
        private final byte[] noise = new byte[3_000_001];
        private final int[] nothing = new int[0];

        Data(Checkpoints checkpoints, Communicator comm) {
            matrix = new double[1000 + comm.rank()][701];
            checkpoints.protect(1, matrix);
            checkpoints.protect(2, noise);
            checkpoints.protect(3, nothing);
        }

        void fill(int seed) {
            for (int i = 0; i < matrix.length; i++) {
                for (int j = 0; j < matrix[i].length; j++) {
                    matrix[i][j] = seed + i + j / 16;
                }
            }
            new Random(seed).nextBytes(noise);
        }

        void assertFilled(int seed) {
            double[][] found = matrix.clone();
            byte[] bytes = noise.clone();
            for (int i = 0; i < matrix.length; i++) {
                found[i] = matrix[i].clone();
            }
            fill(seed);
            // Quicker than AssertJ, which looks at each element through reflection.
            assertThat(Arrays.deepEquals(found, matrix)).isTrue();
            assertThat(bytes).isEqualTo(noise);
        }
    }

    private static void take(RunFixture run, Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            data.fill(comm.rank());
            checkpoints.checkpoint(1, level);
        });
    }

    private static void recover(RunFixture run, Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            assertThat(checkpoints.lastLevel()).contains(level);
            checkpoints.recover();
            data.assertFilled(comm.rank());
        });
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    void allLevels(Level level) throws IOException {
        RunFixture run = make(Map.of());
        take(run, level);
        String described =
                Hdf5Tools.run("h5dump", "-pH", run.file("Ckpt1-Rank1.h5").toString());
        assertThat(described.replaceAll("\\s+", " "))
                .contains("FILTERS { PREPROCESSING SHUFFLE COMPRESSION DEFLATE { LEVEL 4 } CHECKSUM FLETCHER32 }");
        assertThat(Files.size(run.file("Ckpt1-Rank1.h5"))).isBetween(3_000_000L, 4_000_000L);
        if (level != Level.L1) {
            run.loseNode(1);
        }
        recover(run, level);
    }

    @ParameterizedTest
    @CsvSource({"drumlin.async, 1", "basic.head, 1"})
    void takenByOthers(String key, String value) throws IOException {
        Map<String, String> changes = new HashMap<>(Map.of(key, value));
        int ranks = RANKS;
        if (key.equals("basic.head")) {
            changes.put("basic.node_size", "2");
            changes.put("basic.inline_l2", "0");
            ranks *= 2;
        }
        RunFixture run = make(changes);
        run.run(ranks, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            data.fill(comm.rank());
            checkpoints.checkpoint(1, Level.L2);
        });
        run.loseNode(2);
        run.run(ranks, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            checkpoints.recover();
            data.assertFilled(comm.rank());
        });
    }

    /** The variables are added one by one, so the file is not compressed. */
    @Test
    void incremental() throws IOException {
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints, comm);
            data.fill(comm.rank());
            try (IncrementalCheckpoint begun = checkpoints.incremental(1, Level.L1)) {
                begun.add(1);
                begun.add(2);
                begun.add(3);
                begun.commit();
            }
        });
        recover(run, Level.L1);
    }

    /** A checkpoint that no restart could read would be worth nothing. */
    @Test
    void withoutTheLibraryARunDoesNotStart() throws IOException {
        RunFixture run = make(Map.of());
        List<String> before = run.files();
        String given = String.valueOf(System.getProperty("drumlin.native"));
        System.setProperty("drumlin.native", "off");
        try {
            assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("h5_compression")
                    .hasMessageContaining("the HDF5 library cannot be used")
                    .hasMessageContaining("-Ddrumlin.native=off");
        } finally {
            System.setProperty("drumlin.native", given);
        }
        assertThat(run.files()).isEqualTo(before);
    }
}
