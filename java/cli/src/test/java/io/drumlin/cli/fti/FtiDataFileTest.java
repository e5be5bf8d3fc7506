package io.drumlin.cli.fti;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.cli.DrumlinCommand;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.integrity.StripedMd5;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Files without a header, by their metadata. Checkpoint 7 of two nodes with two ranks each, in the directories of a run. */
class FtiDataFileTest {

    private static final int NODES = 2;
    private static final int GROUPS = 2;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void write() throws IOException {
        for (int rank = 0; rank < NODES * GROUPS; rank++) {
            Path local = Files.createDirectories(directory.resolve("Local/node" + rank / GROUPS + "/run/l2"));
            Files.write(local.resolve("Ckpt7-Rank" + rank + ".fti"), data(rank));
            Files.write(local.resolve("Ckpt7-Pcof" + rank + ".fti"), data((rank + GROUPS) % (NODES * GROUPS)));
        }
        Path meta = Files.createDirectories(directory.resolve("Meta/run/l2"));
        for (int group = 0; group < GROUPS; group++) {
            try (OutputStream target = Files.newOutputStream(meta.resolve(GroupMetadata.fileName(0, group)))) {
                metadata(group).write(target);
            }
        }
        Path global = Files.createDirectories(directory.resolve("Global/run/l2"));
        try (OutputStream target = Files.newOutputStream(global.resolve("Ckpt7-mpiio.fti"))) {
            for (int rank = 0; rank < NODES * GROUPS; rank++) {
                target.write(data(rank));
            }
        }
    }

    private static byte[] data(int rank) {
        byte[] data = new byte[100 + rank];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (rank * 50 + i);
        }
        return data;
    }

    private static GroupMetadata metadata(int group) {
        List<FileEntry> files = new ArrayList<>();
        for (int rank = group; rank < NODES * GROUPS; rank += GROUPS) {
            byte[] data = data(rank);
            files.add(new FileEntry(
                    "Ckpt7-Rank" + rank + ".fti",
                    data.length,
                    data.length + GROUPS,
                    md5(data),
                    List.of(
                            new VariableEntry(1, 0, 1, 60 + rank, 40, "", "tail", List.of()),
                            new VariableEntry(2, -1, 20, 40, 0, "Head", "", List.of(2L, 1L))),
                    List.of(),
                    null));
        }
        return new GroupMetadata(CkptType.FULL, 7, files);
    }

    private static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private int run(Object... arguments) {
        CommandLine command = DrumlinCommand.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return command.execute(Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
    }

    private Path dataFile(String kind, int rank) {
        return directory.resolve("Local/node" + rank / GROUPS + "/run/l2/Ckpt7-" + kind + rank + ".fti");
    }

    @Test
    void inspectShowsTheVariablesOfARank() {
        assertThat(run("inspect", dataFile("Rank", 3))).isZero();
        assertThat(out.toString().lines())
                .contains(
                        dataFile("Rank", 3) + ": FTI checkpoint file",
                        "  checkpoint id  7",
                        "  checksum       " + md5(data(3)),
                        "  rank  variable  type      size    offset  name  attribute  dimensions",
                        "     3         1  FTI_CHAR    63        40  tail",
                        "     3         2  20 bytes    40         0        Head       2x1");
    }

    @Test
    void inspectWritesJson() throws IOException {
        assertThat(run("inspect", "--json", dataFile("Rank", 3))).isZero();
        Map<String, Object> json = JSON.std.mapFrom(out.toString());
        assertThat(json).containsEntry("format", "FTI").containsEntry("ckpt_id", 7);
        assertThat(json.get("variables").toString()).contains("idchar=tail", "length=63");
    }

    @Test
    void verifyTellsWholeFilesFromDamagedOnes() throws IOException {
        for (String kind : List.of("Rank", "Pcof")) {
            for (int rank = 0; rank < NODES * GROUPS; rank++) {
                assertThat(run("verify", dataFile(kind, rank))).isZero();
            }
        }
        assertThat(out.toString()).contains("FTI partner copy of Ckpt7-Rank0.fti: whole");
        byte[] changed = data(1);
        changed[50]++;
        Files.write(dataFile("Rank", 1), changed);
        assertThat(run("verify", dataFile("Rank", 1))).isEqualTo(ExitCode.DAMAGED);
        assertThat(out.toString())
                .contains(dataFile("Rank", 1) + ": ckpt_checksum at offset 0: is " + md5(data(1)))
                .contains(md5(changed));
        Files.write(dataFile("Pcof", 1), Arrays.copyOf(data(3), 102));
        assertThat(run("verify", dataFile("Pcof", 1))).isEqualTo(ExitCode.DAMAGED);
        assertThat(out.toString()).contains("ckpt_file_size at offset 102: the file has 102 bytes");
    }

    @Test
    void extractGivesTheBytesOfAVariable() throws IOException {
        Path target = directory.resolve("tail");
        assertThat(run("extract", "--select", "var=1", "-o", target, dataFile("Rank", 2)))
                .isZero();
        assertThat(Files.readAllBytes(target)).isEqualTo(Arrays.copyOfRange(data(2), 40, 102));
        assertThat(run("extract", "--select", "var=9", "-o", target, dataFile("Rank", 2)))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        Files.write(dataFile("Rank", 2), new byte[102]);
        assertThat(run("extract", "--select", "var=1", "-o", target, dataFile("Rank", 2)))
                .isEqualTo(ExitCode.DAMAGED);
        assertThat(Files.readAllBytes(target)).isEqualTo(Arrays.copyOfRange(data(2), 40, 102));
    }

    @Test
    void extractFindsTheBlockOfARankInASharedFile() throws IOException {
        Path shared = directory.resolve("Global/run/l2/Ckpt7-mpiio.fti");
        Path target = directory.resolve("tail");
        assertThat(run("extract", "--select", "var=1@2", "-o", target, shared)).isZero();
        assertThat(Files.readAllBytes(target)).isEqualTo(Arrays.copyOfRange(data(2), 40, 102));
        assertThat(run("extract", "--select", "var=1", "-o", target, shared)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("var=ID@RANK");
        Path oneGroup = directory.resolve("Meta/run/l2/sector0-group0.fti");
        assertThat(run("verify", "--meta", oneGroup, shared)).isEqualTo(ExitCode.DAMAGED);
    }

    /** Drumlin writes them for the file of all ranks and for its copies on the nodes. */
    @Test
    void stripedDigestsAreComparedToo() throws IOException {
        for (int group = 0; group < GROUPS; group++) {
            List<FileEntry> files = metadata(group).files().stream()
                    .map(file -> file.withStripedChecksum(striped(data(rank(file)))))
                    .toList();
            Path path = directory.resolve("Meta/run/l2/" + GroupMetadata.fileName(0, group));
            try (OutputStream target = Files.newOutputStream(path)) {
                metadata(group).withFiles(files).write(target);
            }
        }
        Path shared = directory.resolve("Global/run/l2/Ckpt7-mpiio.fti");
        for (Path file : List.of(shared, dataFile("Rank", 1), dataFile("Pcof", 1))) {
            assertThat(run("verify", file)).isZero();
        }
        assertThat(run("inspect", dataFile("Rank", 3))).isZero();
        assertThat(out.toString()).contains("  checksum       " + striped(data(3)));
        for (Path file : List.of(shared, dataFile("Rank", 1))) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length - 3] ^= 1;
            Files.write(file, bytes);
            assertThat(run("verify", file)).isEqualTo(ExitCode.DAMAGED);
            assertThat(run("show", "--select", "var=1@1", file)).isEqualTo(ExitCode.DAMAGED);
            assertThat(run("extract", "--select", "var=1@1", "-o", directory.resolve("x"), file))
                    .isEqualTo(ExitCode.DAMAGED);
        }
        assertThat(out.toString())
                .contains(shared + ": drumlin_striped_checksum at offset 303: is " + striped(data(3)))
                .contains(dataFile("Rank", 1) + ": drumlin_striped_checksum at offset 0: is " + striped(data(1)));
    }

    private static int rank(FileEntry file) {
        return Integer.parseInt(file.name().replaceAll("\\D+\\d+\\D+(\\d+)\\.fti", "$1"));
    }

    private static String striped(byte[] bytes) {
        try (StripedMd5 md5 = new StripedMd5()) {
            md5.update(ByteBuffer.wrap(bytes));
            return HexFormat.of().formatHex(md5.digest());
        }
    }

    @Test
    void metadataMayBeGiven() throws IOException {
        Path elsewhere = Files.createDirectories(directory.resolve("a/b/c/d/e"));
        Path moved = Files.move(dataFile("Rank", 0), elsewhere.resolve("Ckpt7-Rank0.fti"));
        assertThat(run("verify", moved)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(err.toString()).contains("--meta");
        Path metadata = directory.resolve("Meta/run/l2/sector0-group0.fti");
        assertThat(run("verify", "--meta", metadata, moved)).isZero();
        assertThat(run("verify", "--meta", metadata.getParent(), moved)).isZero();
        assertThat(run("verify", "--meta", metadata, dataFile("Rank", 1))).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(run("verify", "--meta", directory, moved)).isEqualTo(ExitCode.IO_ERROR);
    }

    @Test
    void damagedMetadataAreNamed() throws IOException {
        Path metadata = directory.resolve("Meta/run/l2/sector0-group0.fti");
        Files.writeString(metadata, Files.readString(metadata).replaceFirst("(var0_pos +=) 40", "$1 -1"));
        assertThat(run("inspect", dataFile("Rank", 0))).isEqualTo(ExitCode.DAMAGED);
        assertThat(err.toString()).contains("field [0] var0_pos at offset", "in " + metadata, "is \"-1\"");
        assertThat(run("verify", metadata)).isEqualTo(ExitCode.DAMAGED);
        assertThat(out.toString()).contains(metadata + ": [0] var0_pos at offset");
    }

    @Test
    void metadataFilesAreRecognisedByContent() throws IOException {
        Path copy = Files.copy(directory.resolve("Meta/run/l2/sector0-group1.fti"), directory.resolve("copy"));
        assertThat(run("inspect", copy)).isZero();
        assertThat(out.toString().lines())
                .contains(copy + ": FTI metadata file of a group of 2")
                .anyMatch(line -> line.startsWith("           1  Ckpt7-Rank3.fti   103"));
        assertThat(run("extract", "--select", "var=1", "-o", directory.resolve("x"), copy))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
    }

    @Test
    @Tag("exhaustive")
    void goldenFilesAreWhole() throws IOException {
        verifyGoldenFiles(4);
    }

    @Test
    @Tag("soak")
    void everyGoldenFileIsWhole() throws IOException {
        verifyGoldenFiles(1);
    }

    /** One of {@code stride} files. */
    private void verifyGoldenFiles(int stride) throws IOException {
        Path root = Golden.path("fti-posix");
        List<Path> files;
        try (Stream<Path> paths = Files.walk(root)) {
            // Without metadata are the remains of a head.
            files = paths.filter(path -> path.getFileName().toString().matches("(Ckpt|dcp-id|sector).*"))
                    .filter(path ->
                            Files.isRegularFile(path) && !path.toString().matches(".*/heads-l4-8r/data/Local/.*"))
                    .toList();
        }
        assertThat(files).hasSizeGreaterThan(200);
        for (int i = new Random().nextInt(stride); i < files.size(); i += stride) {
            assertThat(run("verify", files.get(i))).as(files.get(i).toString()).isEqualTo(ExitCode.OK);
        }
    }
}
