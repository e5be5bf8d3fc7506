package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DrumlinCommandTest {

    /** Ends with what is no answer to a question about a file. */
    @CommandLine.Command(name = "fail")
    private static final class Failing implements Runnable {
        @Override
        public void run() {
            throw new StackOverflowError("of a test");
        }
    }

    @TempDir
    private Path directory;

    private Path file;
    private byte[] whole;
    private int dataSize;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Variables 1 and 7; 7 grew and shrank, so that it has two containers and the second is half used. */
    @BeforeEach
    void write() throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, 3000), new VariableSize(7, 500)))
                .next(List.of(new VariableSize(1, 3000), new VariableSize(7, 2500)))
                .next(List.of(new VariableSize(1, 3000), new VariableSize(7, 1500)));
        whole = bytes(plan);
        dataSize = (int) plan.dataSize();
        file = directory.resolve("no-name-to-go-by");
        Files.write(file, whole);
    }

    /** A script that asks whether a file is whole must not take a mistake of the program for damage of the file. */
    @Test
    void aMistakeOfTheProgramIsNoDamageOfTheFile() {
        CommandLine commands = DrumlinCommand.commandLine();
        assertThat(codesOfMistakes(commands)).hasSizeGreaterThan(20).containsOnly(70);
        commands.addSubcommand(new Failing()).setErr(new PrintWriter(err, true));
        assertThat(DrumlinCommand.execute(commands, "fail")).isEqualTo(70);
        assertThat(err.toString()).contains("StackOverflowError: of a test", "Failing.run");
    }

    private static Stream<Integer> codesOfMistakes(CommandLine command) {
        return Stream.concat(
                Stream.of(command.getCommandSpec().exitCodeOnExecutionException()),
                command.getSubcommands().values().stream().flatMap(DrumlinCommandTest::codesOfMistakes));
    }

    private static byte[] bytes(ContainerPlan plan) {
        byte[] bytes = new byte[(int) (plan.dataSize() + plan.metaSize())];
        for (int i = 0; i < plan.dataSize(); i++) {
            bytes[i] = (byte) (i * 7);
        }
        List<byte[]> digests = new ArrayList<>();
        for (VariableMeta chunk : plan.chunks()) {
            int start = (int) chunk.fptr();
            digests.add(md5(Arrays.copyOfRange(bytes, start, start + (int) chunk.chunkSize())));
        }
        ContainerPlan hashed = plan.withHashes(digests);
        ByteBuffer target = ByteBuffer.wrap(bytes).position((int) plan.dataSize());
        Layout.F.put(target, hashed.blocks(), Layout.F.seal(hashed.blocks(), 12, 99, -1, -1));
        return bytes;
    }

    private static byte[] md5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
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

    @Test
    void inspectShowsRecordsInAlignedColumns() {
        assertThat(run("inspect", file)).isZero();
        assertThat(out.toString().lines())
                .contains(
                        file + ": FTI-FF layout F, checkpoint file",
                        "  checkpoint id  12",
                        "  data           5500 bytes (5.4 KiB)",
                        "  variable  size           containers",
                        "         1  3000  2.9 KiB           1",
                        "         7  1500  1.5 KiB           2")
                .anyMatch(line -> line.matches(
                        "      1         7          1    3500          500  1000      2000  [0-9a-f]{32}"));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void inspectWritesJson() throws IOException {
        assertThat(run("inspect", "--json", file)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(out.toString());
        assertThat(json)
                .containsEntry("format", "FTI-FF")
                .containsEntry("layout", "F")
                .containsEntry("kind", "plain")
                .containsEntry("size", whole.length)
                .containsEntry("checksum_rule", "content")
                .containsEntry("finding_count", 0);
        assertThat(json.get("variables"))
                .asString()
                .isEqualTo("[{id=1, size=3000, containers=1}, {id=7, size=1500, containers=2}]");
        assertThat(json.get("file_meta")).asString().contains("ckptId=12", "timestamp=99", "maxFs=-1");
        assertThat(json.get("blocks")).asString().contains("numvars=2, dbsize=3500", "containerid=1, hascontent=true");
    }

    @Test
    void inspectShowsWhatItCanOfADamagedFileAndItsFindings() throws IOException {
        damage(dataSize + 12 + 58 + 18, 1); // fptr of variable 7
        assertThat(run("inspect", file)).isEqualTo(1);
        assertThat(out.toString()).contains("checkpoint id  12");
        assertThat(err.toString()).contains(file + ": fptr at offset " + (dataSize + 12 + 58 + 18) + ": is ");
        assertThat(run("inspect", file, "--json")).isEqualTo(1);
        assertThat(out.toString()).contains("\"field\" : \"fptr\"");
    }

    @Test
    void verifyTellsWholeFilesFromDamagedOnes() throws IOException {
        assertThat(run("verify", file)).isZero();
        assertThat(out.toString())
                .isEqualTo(file + ": FTI-FF layout F, checkpoint file: whole" + System.lineSeparator());
        for (int position :
                new int[] {0, 2999, 3000, 4499, dataSize, dataSize + 4, dataSize + 16, dataSize + 42 + 12}) {
            Files.write(file, whole);
            damage(position, 1);
            out.getBuffer().setLength(0);
            assertThat(run("verify", file)).as("byte %d", position).isEqualTo(1);
            assertThat(out.toString().lines())
                    .as("byte %d", position)
                    .isNotEmpty()
                    .allMatch(line -> line.matches("\\Q" + file + "\\E: [A-Za-z]+ at offset \\d+: .+"));
        }
        // Space that no chunk uses is covered by nothing, and nothing depends on it.
        Files.write(file, whole);
        damage(4600, 1);
        assertThat(run("verify", file)).isZero();
    }

    private void damage(int position, int by) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[position] += (byte) by;
        Files.write(file, bytes);
    }

    @Test
    void whatIsNoCheckpointIsNotRecognised() throws IOException {
        for (byte[] other : List.of(new byte[0], new byte[5000], Arrays.copyOf(whole, whole.length - 1))) {
            Files.write(file, other);
            for (String command : List.of("inspect", "verify")) {
                assertThat(run(command, file)).isEqualTo(2);
            }
            assertThat(run("extract", file, "--select", "var=1", "-o", directory.resolve("x")))
                    .isEqualTo(2);
        }
        assertThat(err.toString()).contains(file + ": not recognised");
        assertThat(run("verify", directory)).isEqualTo(2);
        assertThat(err.toString()).contains(directory + " is a directory");
        assertThat(run("verify", directory.resolve("missing"))).isEqualTo(3);
        assertThat(err.toString()).contains("missing: no such file or directory");
        assertThat(out.toString()).isEmpty();
    }

    /** Lists of commands show the first part only. */
    @Test
    void everyPartOfADescriptionIsASentence() {
        assertSentences(DrumlinCommand.commandLine());
    }

    private static void assertSentences(CommandLine command) {
        assertThat(command.getCommandSpec().usageMessage().description())
                .as(command.getCommandSpec().qualifiedName(" "))
                .isNotEmpty()
                .allMatch(part -> part.matches("(?s)[A-Z].*[.:]"));
        command.getSubcommands().values().forEach(DrumlinCommandTest::assertSentences);
    }

    @Test
    void aFolderThatIsNotThereIsNamed() {
        assertThat(run("extract", file, "--select", "var=1", "-o", directory.resolve("nodir/x.bin")))
                .isEqualTo(ExitCode.IO_ERROR);
        assertThat(err.toString())
                .contains("there is no directory " + directory.resolve("nodir"))
                .doesNotContain(".part");
    }

    @Test
    void extractPutsTheContainersOfAVariableTogether() throws IOException {
        Path target = directory.resolve("variable");
        Files.writeString(target, "old");
        assertThat(run("extract", file, "--select", "var=7", "-o", target)).isZero();
        byte[] expected = new byte[1500];
        System.arraycopy(whole, 3000, expected, 0, 500);
        System.arraycopy(whole, 3500, expected, 500, 1000);
        assertThat(target).hasBinaryContent(expected);
        assertThat(entries()).containsExactly("no-name-to-go-by", "variable");
    }

    @Test
    void extractNeverReplacesAFileByDamagedData() throws IOException {
        Path target = directory.resolve("variable");
        Files.writeString(target, "old");
        damage(3600, 1);
        assertThat(run("extract", file, "--select", "var=7", "-o", target)).isEqualTo(1);
        assertThat(target).hasContent("old");
        assertThat(err.toString()).contains("hash", "1000 bytes at 3500", file.toString());
        assertThat(run("extract", file, "--select", "var=1", "-o", target))
                .as("another variable")
                .isZero();
        assertThat(target).hasBinaryContent(Arrays.copyOf(whole, 3000));
        assertThat(entries()).containsExactly("no-name-to-go-by", "variable");
    }

    private List<String> entries() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void extractSaysWhatThereIsToSelect() {
        Path target = directory.resolve("variable");
        assertThat(run("extract", file, "--select", "var=3", "-o", target)).isEqualTo(2);
        assertThat(err.toString()).contains("has no variable 3; it has 1, 7");
        for (String selection : List.of("var=x", "var=-1", "var=99999999999", "frame=1", "var")) {
            assertThat(run("extract", file, "--select", selection, "-o", target))
                    .as(selection)
                    .isEqualTo(64);
        }
        assertThat(target).doesNotExist();
    }

    @Test
    void wrongCommandLinesEndWith64() {
        assertThat(run()).isEqualTo(64);
        assertThat(run("inspect")).isEqualTo(64);
        assertThat(run("verify", file, "--no-such-option")).isEqualTo(64);
        assertThat(run("extract", file)).isEqualTo(64);
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("Exit codes:", "64");
    }

    /** Files of the releases of C FTI; the values are those of the C program that wrote them. */
    @ParameterizedTest
    @CsvSource({
        "v1.1-levels,A,A,C FTI v1.1 or Drumlin",
        "v1.2-levels,B,B,C FTI v1.2",
        "v1.3-levels,C,C or D,C FTI v1.3",
        "v1.4-levels,D,C or D,C FTI v1.4.0",
        "v1.6-levels,E,E,C FTI v1.4.1 to v1.6 or Drumlin"
    })
    void filesOfAllReleasesAreRead(String name, String layout, String encodedLayout, String writer) throws IOException {
        Path plain = golden(name, "Ckpt4-Rank2.fti");
        assertThat(run("inspect", plain)).as("%s", err).isZero();
        assertThat(out.toString().lines())
                .contains(
                        plain + ": FTI-FF layout " + layout + ", checkpoint file",
                        "  written by     " + writer,
                        "  variable  size    containers",
                        "         2   640             1");
        assertThat(out.toString().contains("checkpoint id")).isEqualTo(layout.compareTo("C") >= 0);
        out.getBuffer().setLength(0);
        assertThat(run("inspect", "--json", plain)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(out.toString());
        assertThat(json).containsEntry("layout", layout).containsEntry("finding_count", 0);
        assertThat(json.get("checksum_rule")).isEqualTo(layout.compareTo("C") >= 0 ? "content" : "bytes");
        assertThat(String.valueOf(json.get("blocks")).contains("idx=3")).isEqualTo(layout.compareTo("C") <= 0);
        assertThat(String.valueOf(json.get("blocks")).contains("hasCkpt=")).isEqualTo(!layout.equals("A"));

        Path target = directory.resolve("variable");
        assertThat(run("extract", plain, "--select", "var=2", "-o", target)).isZero();
        ByteBuffer values = ByteBuffer.allocate(80 * 8).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 80; i++) {
            values.putDouble((2_000_000 + 2_000 + i) * 0.125);
        }
        assertThat(target).hasBinaryContent(values.array());

        Path encoded = golden(name, "Ckpt3-RSed1.fti");
        for (Path whole : List.of(plain, golden(name, "Ckpt2-Pcof1.fti"), encoded)) {
            out.getBuffer().setLength(0);
            assertThat(run("verify", whole)).isZero();
            assertThat(out.toString())
                    .contains("FTI-FF layout " + (whole == encoded ? encodedLayout + ", Reed-Solomon" : layout + ", "));
        }

        byte[] bytes = Files.readAllBytes(plain);
        bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf(chunkOf(target)) + 100]++;
        Path damaged = Files.write(directory.resolve("damaged"), bytes);
        out.getBuffer().setLength(0);
        assertThat(run("verify", damaged)).isEqualTo(1);
        assertThat(out.toString()).contains(": hash at offset ", "variable 2, container 0");
        assertThat(run("extract", damaged, "--select", "var=2", "-o", target)).isEqualTo(1);
        assertThat(target).hasBinaryContent(values.array());
    }

    private static String chunkOf(Path variable) throws IOException {
        return Files.readString(variable, StandardCharsets.ISO_8859_1);
    }

    private static Path golden(String name, String file) throws IOException {
        try (Stream<Path> paths = Files.walk(Golden.path("fti-ff", name))) {
            return paths.filter(path -> path.endsWith(file)).findFirst().orElseThrow();
        }
    }

    /** A file of 6 GiB, most of it a hole. */
    @Test
    void offsetsBeyondFourGiBAreRight() throws IOException {
        long large = 6L << 30;
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, large), new VariableSize(2, 5)))
                .next(List.of(new VariableSize(1, 0), new VariableSize(2, 5)));
        ContainerPlan hashed = plan.withHashes(List.of(md5(new byte[0]), md5(new byte[] {1, 2, 3, 4, 5})));
        ByteBuffer area = ByteBuffer.allocate((int) plan.metaSize());
        Layout.F.put(area, hashed.blocks(), Layout.F.seal(hashed.blocks(), 1, 0, -1, -1));
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.seek(large);
            sparse.write(new byte[] {1, 2, 3, 4, 5});
            sparse.write(area.array());
        }
        assertThat(run("verify", file)).isZero();
        Path target = directory.resolve("variable");
        assertThat(run("extract", file, "--select", "var=2", "-o", target)).isZero();
        assertThat(target).hasBinaryContent(new byte[] {1, 2, 3, 4, 5});
        assertThat(run("inspect", file)).isZero();
        assertThat(out.toString()).contains("6.0 GiB");
    }

    /** The JVM refuses such a path as it refuses one with letters that its locale lacks. */
    @Test
    void aPathThatCannotBeOneGetsALine() {
        CommandRun command = new CommandRun();
        assertThat(command.run("verify", "a\0b")).isEqualTo(ExitCode.USAGE);
        assertThat(command.err()).contains("C.UTF-8").hasLineCount(1);
    }
}
