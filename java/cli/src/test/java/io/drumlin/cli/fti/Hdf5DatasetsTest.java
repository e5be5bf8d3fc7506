package io.drumlin.cli.fti;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.RunConfig;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on files of the mode HDF5: those of three ranks on a node each, and one of all ranks. */
class Hdf5DatasetsTest {

    private static final int RANKS = 3;
    private static final int COLUMNS = 4;

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    @BeforeEach
    void write() throws IOException {
        Path config = RunConfig.write(directory, 5, 3, "h5_single_file_enable = 1");
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                checkpoints.protect(1, new double[] {comm.rank(), 1, 2, 3});
                DatasetGroup group = ((FtiCheckpoints) checkpoints).datasets().group("fields");
                ((FtiCheckpoints) checkpoints).defineDataset(1, "matrix", List.of(2L, 2L), group);
                checkpoints.protect(2, new byte[0]);
                GlobalDataset all = checkpoints
                        .singleFile()
                        .globalDataset("all", List.of((long) RANKS, (long) COLUMNS), ElementType.DBLE);
                checkpoints.singleFile().subset(1, all, List.of((long) comm.rank(), 0L), List.of(1L, (long) COLUMNS));
                checkpoints.checkpoint(5, Level.L3);
                checkpoints.checkpoint(6, Level.L2);
                checkpoints.singleFile().checkpoint(7);
            }
        });
    }

    private Path file(String name) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private static void flip(Path path, long offset) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(offset);
            int old = file.read();
            file.seek(offset);
            file.write(old ^ 1);
        }
    }

    private byte[] row(int rank) {
        ByteBuffer row = ByteBuffer.allocate(COLUMNS * 8).order(ByteOrder.LITTLE_ENDIAN);
        return row.putDouble(rank).putDouble(1).putDouble(2).putDouble(3).array();
    }

    private long offset(Path file, String dataset) throws IOException {
        command.run("inspect", file);
        String line = command.out()
                .lines()
                .filter(each -> each.startsWith("  " + dataset + " "))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.strip().split(" +")[5]);
    }

    @Test
    void inspectShowsTheDatasets() throws IOException {
        Path file = file("Ckpt6-Rank1.h5");
        assertThat(command.run("inspect", file)).isZero();
        assertThat(command.out()).startsWith(file + ": FTI checkpoint file, HDF5\n");
        assertThat(command.out().lines().map(line -> line.replaceAll(" +", " ").replaceAll(" \\d{4,}", " N")))
                .contains(
                        " dataset dimensions bytes each size chunks offset checksums",
                        " /Dataset_2 0 1 0 0 - none",
                        " /fields/matrix 2x2 8 32 1 N Fletcher-32");
        assertThat(command.run("inspect", "--json", file)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json).containsEntry("format", "HDF5").containsEntry("finding_count", 0);
        assertThat(json.get("datasets").toString())
                .contains("path=/fields/matrix, dimensions=[2, 2]", "fletcher32=true");
    }

    @Test
    void verifyTellsWholeFilesFromDamagedOnes() throws IOException {
        for (String name : List.of("Ckpt6-Rank0.h5", "Ckpt6-Pcof1.h5", "Ckpt5-RSed2.h5", "VPR-h5-ID00000007.h5")) {
            assertThat(command.run("verify", file(name))).as(name).isZero();
        }
        Path element = file("Ckpt6-Rank0.h5");
        flip(element, offset(element, "/fields/matrix"));
        assertThat(command.run("verify", element)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).contains(": checksum of /fields/matrix at offset ");
        Path tree = file("Ckpt6-Pcof1.h5");
        flip(tree, 0);
        assertThat(command.run("verify", tree)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).contains(": signature at offset 0");
        Path unused = file("Ckpt6-Rank1.h5");
        flip(unused, 20);
        assertThat(command.run("inspect", unused)).isZero();
        assertThat(command.run("verify", unused)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).contains(": ckpt_checksum at offset 0");
        Path encoded = file("Ckpt5-RSed2.h5");
        flip(encoded, 100);
        assertThat(command.run("verify", encoded)).isEqualTo(ExitCode.DAMAGED);
    }

    @Test
    void metadataAreTakenFromWhereTheUserSays() throws IOException {
        Path moved = Files.move(file("Ckpt6-Rank1.h5"), directory.resolve("Ckpt6-Rank1.h5"));
        flip(moved, 20);
        assertThat(command.run("verify", moved)).isZero();
        assertThat(command.run("verify", moved, "--meta", file("l2/sector0-group0.fti")))
                .isEqualTo(ExitCode.DAMAGED);
    }

    @Test
    void extractTakesADataset() throws IOException {
        Path target = directory.resolve("extracted");
        for (String path : List.of("/fields/matrix", "fields/matrix")) {
            assertThat(command.run("extract", file("Ckpt6-Rank2.h5"), "--select", "dataset=" + path, "-o", target))
                    .isZero();
            assertThat(target).hasBinaryContent(row(2));
        }
        Path shared = file("VPR-h5-ID00000007.h5");
        assertThat(command.run("extract", shared, "--select", "dataset=all", "-o", target))
                .isZero();
        assertThat(Files.readAllBytes(target)).hasSize(RANKS * COLUMNS * 8).endsWith(row(2));
        assertThat(command.run("extract", shared, "--select", "dataset=none", "-o", target))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("extract", shared, "--select", "var=1", "-o", target))
                .isEqualTo(ExitCode.USAGE);
        Path damaged = file("Ckpt6-Rank2.h5");
        flip(damaged, offset(damaged, "/fields/matrix") + 9);
        assertThat(command.run("extract", damaged, "--select", "dataset=fields/matrix", "-o", target))
                .isEqualTo(ExitCode.DAMAGED);
    }

    /** Makes a file as the library leaves it when a dataset was made, but never written. */
    private static void forget(Path path, ByteBuffer beforeAddress, ByteBuffer behind) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (!bytes.slice(at, beforeAddress.remaining()).equals(beforeAddress)
                || !bytes.slice(at + beforeAddress.remaining() + 8, behind.remaining())
                        .equals(behind)) {
            at++;
        }
        Files.write(path, bytes.putLong(at + beforeAddress.remaining(), -1).array());
    }

    private static ByteBuffer layout(int... bytes) {
        ByteBuffer made = ByteBuffer.allocate(bytes.length);
        for (int each : bytes) {
            made.put((byte) each);
        }
        return made.flip();
    }

    private void assertNeverWritten(Path file, String dataset, int bytes) throws IOException {
        assertThat(command.run("verify", file)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err())
                .contains(
                        "elements of " + dataset,
                        "the dataset was made but never written: 0 of its " + bytes + " bytes are in the file");
        Path target = directory.resolve("extracted");
        assertThat(command.run("extract", file, "--select", "dataset=" + dataset, "-o", target))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains(file.toString(), dataset, "never written");
        assertThat(target).doesNotExist();
        assertThat(command.run("inspect", file)).isZero();
        assertThat(command.out().lines().filter(line -> line.startsWith("  " + dataset + " ")))
                .singleElement()
                .asString()
                .endsWith("never written");
        assertThat(command.run("inspect", "--json", file)).isZero();
        assertThat(command.out()).containsPattern("\"stored_size\" ?: ?0");
    }

    @Test
    void aContiguousDatasetThatWasNeverWrittenIsNotTakenForZeros() throws IOException {
        Path shared = file("VPR-h5-ID00000007.h5");
        forget(shared, layout(3, 1), layout(RANKS * COLUMNS * 8, 0, 0, 0, 0, 0, 0, 0));
        assertNeverWritten(shared, "/all", RANKS * COLUMNS * 8);
    }

    @Test
    void aDatasetInChunksThatWasNeverWrittenIsNotTakenForZeros() throws IOException {
        // Away from its metadata, which have a digest.
        Path file = Files.move(file("Ckpt6-Rank1.h5"), directory.resolve("Ckpt6-Rank1.h5"));
        forget(file, layout(3, 2, 3), layout(2, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0));
        assertNeverWritten(file, "/fields/matrix", 32);
        Path target = directory.resolve("extracted");
        assertThat(command.run("extract", file, "--select", "dataset=/Dataset_2", "-o", target))
                .isZero();
        assertThat(target).isEmptyFile();
    }
}
