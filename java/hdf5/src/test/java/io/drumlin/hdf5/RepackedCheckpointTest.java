package io.drumlin.hdf5;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.fti.Hdf5Program;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints in kinds of HDF5 that only the library reads: written again by h5repack, they come back. */
@Tag("native")
class RepackedCheckpointTest {

    private static final String LATEST = "--latest -f GZIP=6";

    @TempDir
    private Path directory;

    @BeforeAll
    static void loadLibrary() throws IOException {
        Repacked.requireLibrary();
    }

    /** All types, groups and shapes of a rank, as a program of FTI protects them. */
    private RunFixture repacked(String options, boolean digested) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, ckpt_io=5, keep_last_ckpt=1");
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        new Hdf5Program(7).fill();
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        Repacked.repack(run.directory(), options, digested);
        assertThatThrownBy(() -> readWithoutLibrary(run.file("Ckpt1-Rank0.h5"))).isInstanceOf(FormatException.class);
        return run;
    }

    private void comesBack(String options, boolean digested) throws IOException {
        RunFixture run = repacked(options, digested);
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        Hdf5Program program = new Hdf5Program(7);
        assertThat(FTI_Status()).isEqualTo(2);
        assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
        program.assertFilled();
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    private static void readWithoutLibrary(Path path) throws IOException {
        try (BlockFile file = new NioEngine().open(path, EnumSet.of(OpenMode.READ))) {
            Hdf5File.read(new BlockFileSource(file));
        }
    }

    @Test
    void compressedInTheNewestFormat() throws IOException {
        comesBack(LATEST, false);
    }

    /** The library gets the bytes that were compared with the digest. */
    @Test
    void compressedWithADigestOfTheFile() throws IOException {
        comesBack(LATEST, true);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--latest",
                "-f GZIP=6",
                "-f SHUF -f GZIP=1",
                "--latest -f SHUF",
                "--latest -f SHUF -f GZIP=9 -f FLET",
                "--latest -f NONE -l COMPA",
                "-f NONE -l COMPA",
                "--latest -l CONTI",
                "-l outer/inner/cube:CHUNK=1x2x3 -f outer/inner/cube:GZIP=2",
                "--latest -l outer/inner/cube:CHUNK=2x2x2 -l outer/matrix:CHUNK=2x1"
            })
    void inOtherKinds(String options) throws IOException {
        comesBack(options, false);
    }

    /**
     * n-bit keeps the bits that a type describes, and an opaque type of C FTI describes 8 of all. The build of the library
     * has no SZIP. Neither makes the file a lost one: the run does not begin afresh.
     */
    @ParameterizedTest
    @CsvSource({
        "--latest -f NBIT, filter 5",
        "--latest -f outer/matrix:SOFF=31;IN, filter 6",
        "--latest -f outer/inner/cube:SZIP=8;NN, filter 4"
    })
    void otherFiltersEndTheRestart(String options, String filter) throws IOException {
        RunFixture run = repacked(options.replace(';', ','), false);
        List<String> files = run.files();
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_NSCS);
        assertThatThrownBy(() -> run.run(1, (checkpoints, comm) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Ckpt1-Rank0.h5")
                .hasMessageContaining(filter)
                .hasMessageContaining("the file may be whole")
                .hasMessageNotContaining("may pass");
        assertThat(run.files()).isEqualTo(files);
    }

    /** Several ranks decode at the same time, and at level 3 a lost file is made again first. */
    @Test
    void ranksDecodeAtTheSameTime() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.group_size", "4", "basic.ckpt_io", "5"));
        run.run(8, (checkpoints, comm) -> {
            double[] values = protect(checkpoints, comm);
            IntStream.range(0, values.length).forEach(i -> values[i] = i * (comm.rank() + 1));
            checkpoints.checkpoint(1, Level.L1);
        });
        Repacked.repack(run.directory(), LATEST, false);
        run.run(8, (checkpoints, comm) -> {
            double[] values = protect(checkpoints, comm);
            assertThat(checkpoints.lastLevel()).contains(Level.L1);
            checkpoints.recover();
            assertThat(values)
                    .isEqualTo(IntStream.range(0, values.length)
                            .mapToDouble(i -> i * (comm.rank() + 1))
                            .toArray());
        });
    }

    private static double[] protect(Checkpoints checkpoints, Communicator comm) {
        double[] values = new double[200_000 + comm.rank()];
        checkpoints.protect(0, values);
        return values;
    }

    @Test
    void theSharedFile() throws IOException {
        RunFixture run = new RunFixture(directory, "ckpt_io=5, node_size=1, h5_single_file_enable=1");
        run.run(2, (checkpoints, comm) -> {
            int[] rows = columns(checkpoints, comm);
            IntStream.range(0, rows.length).forEach(i -> rows[i] = 100 * comm.rank() + i);
            checkpoints.singleFile().checkpoint(4);
        });
        Path file = run.file("VPR-h5-ID00000004.h5");
        Repacked.repack(file, LATEST + " -l CHUNK=5x3");
        run.setRestart("3", "none");
        run.run(2, (checkpoints, comm) -> {
            int[] rows = columns(checkpoints, comm);
            checkpoints.recover();
            assertThat(rows)
                    .isEqualTo(IntStream.range(0, rows.length)
                            .map(i -> 100 * comm.rank() + i)
                            .toArray());
        });
    }

    /** Half of the columns of a matrix. */
    private static int[] columns(Checkpoints checkpoints, Communicator comm) throws IOException {
        GlobalDataset matrix = checkpoints.singleFile().globalDataset("matrix", List.of(12L, 8L), ElementType.INTG);
        int[] values = new int[48];
        checkpoints.protect(0, values);
        checkpoints.singleFile().subset(0, matrix, List.of(0L, 4L * comm.rank()), List.of(12L, 4L));
        return values;
    }

    /** A program of one process that cannot load the library goes on to no older checkpoint. */
    @Test
    void whereTheLibraryCannotBeUsedTheErrorSaysWhy() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        run.run(1, (checkpoints, comm) -> {
            double[] values = protect(checkpoints, comm);
            checkpoints.checkpoint(1, Level.L4);
            values[0] = 5;
            checkpoints.checkpoint(2, Level.L1);
        });
        for (String place : List.of("Ckpt2-Rank0.h5", "Ckpt1-Rank0.h5")) {
            assertThat(run.file(place)).exists();
        }
        Repacked.repack(run.directory(), LATEST, false);
        String before = String.valueOf(System.getProperty("drumlin.native"));
        System.setProperty("drumlin.native", "off");
        try {
            assertThatThrownBy(() -> run.run(1, (checkpoints, comm) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Ckpt2-Rank0.h5")
                    .hasMessageContaining("the HDF5 library cannot be used")
                    .hasMessageContaining("-Ddrumlin.native=off");
        } finally {
            System.setProperty("drumlin.native", before);
        }
        run.run(1, (checkpoints, comm) -> {
            double[] values = protect(checkpoints, comm);
            assertThat(checkpoints.lastCheckpoint()).contains(2);
            checkpoints.recover();
            assertThat(values[0]).isEqualTo(5);
        });
    }

    /** Checksums and the ends of compressed streams find what the digest of the file would. */
    @Tag("exhaustive")
    @Test
    void aChangedByteIsFoundOrHarmless() throws IOException {
        comesBack("--latest -f GZIP=6 -f FLET", false);
        Path file;
        try (Stream<Path> found = Files.walk(directory)) {
            file = found.filter(each -> each.endsWith("Ckpt1-Rank0.h5"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] whole = Files.readAllBytes(file);
        Map<String, List<Byte>> expected = Contents.of(file);
        assertThat(expected).hasSize(14);
        Random random = new Random(29);
        int found = 0;
        // Each look is a process of the library.
        for (int i = 0; i < 20; i++) {
            byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            Path copy = Files.write(directory.resolve("damaged.h5"), damaged);
            try {
                assertThat(Contents.of(copy)).isEqualTo(expected);
            } catch (IOException e) {
                found++;
            }
        }
        assertThat(found).isGreaterThan(5);
    }
}
