package io.drumlin.cli.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SionCommandTest {

    @TempDir
    private Path folder;

    private final CommandRun command = new CommandRun();
    private final byte[] data = new byte[3000];
    private Path file;

    @BeforeEach
    void write() throws IOException {
        new Random(5).nextBytes(data);
        file = folder.resolve("no-name-to-go-by");
        try (SionOutput output = SionFile.create(
                file,
                new long[] {1000, 500},
                new long[] {30, 40},
                SionOptions.defaults().fsBlockSize(512))) {
            for (int part = 0; part < 3; part++) {
                output.writer(0).write(ByteBuffer.wrap(data, 1000 * part, 1000));
            }
            output.writer(1).write(ByteBuffer.wrap(data, 7, 8));
        }
    }

    @Test
    void inspectVerifyExtractAndMap() throws Exception {
        assertThat(command.run("inspect", file)).isZero();
        assertThat(command.out()).contains("SION, format 5", "tasks             2");
        assertThat(command.run("inspect", "--json", file)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json).containsEntry("format", "SION").containsEntry("maxchunks", 3);
        assertThat(command.run("verify", file)).isZero();
        assertThat(command.run("extract", file, "--select", "task=0", "-o", folder.resolve("out")))
                .isZero();
        assertThat(Files.readAllBytes(folder.resolve("out"))).isEqualTo(data);
        assertThat(command.run("map", file, "-o", folder.resolve("m.svg"))).isZero();
        assertThat(folder.resolve("m.svg")).content().contains("META2", "chunk 0.2");
    }

    @Test
    void whatIsNotThereIsSaid() {
        Path out = folder.resolve("out");
        assertThat(command.run("extract", file, "--select", "task=2", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("has no task 2");
        assertThat(command.run("extract", file, "--select", "task=0,key=1", "-o", out))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("extract", file, "--select", "var=0", "-o", out)).isEqualTo(ExitCode.USAGE);
        assertThat(command.run("sion", "cat", "-t", 9, file)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("sion", "dump", "-k", file)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("sion")).isEqualTo(ExitCode.USAGE);
        assertThat(command.run("sion", "defrag", file, file)).isEqualTo(ExitCode.USAGE);
        assertThat(out).doesNotExist();
    }

    @Test
    void splitCatAndDefragGiveTheBytesOfTheTasks() throws IOException {
        assertThat(command.run("sion", "split", file, folder.resolve("part"))).isZero();
        assertThat(Files.readAllBytes(folder.resolve("part00000"))).isEqualTo(data);
        assertThat(command.run("sion", "split", "-g", "-d", 3, file, folder.resolve("g")))
                .isZero();
        assertThat(Files.readAllBytes(folder.resolve("g040"))).isEqualTo(Arrays.copyOfRange(data, 7, 15));
        Path out = folder.resolve("cat");
        assertThat(command.run("sion", "cat", "-t", 0, "-b", 1, "-o", out, file))
                .isZero();
        assertThat(Files.readAllBytes(out)).isEqualTo(Arrays.copyOfRange(data, 1000, 2000));
        assertThat(command.run("sion", "cat", "-o", out, file)).isZero();
        assertThat(Files.size(out)).isEqualTo(3008);
        Path packed = folder.resolve("packed");
        assertThat(command.run("sion", "defrag", "-q", 1, file, packed)).isZero();
        assertThat(command.run("verify", packed)).isZero();
        assertThat(Files.size(packed)).isEqualTo(1088 + 32 + 3008 + 32 + 4);
        assertThat(command.run("sion", "cat", "-t", 0, "-o", out, packed)).isZero();
        assertThat(Files.readAllBytes(out)).isEqualTo(data);
    }

    @Test
    void aFileThatWasNeverClosedIsToldAndRepaired() throws IOException {
        Path unclosed = folder.resolve("unclosed");
        SionOutput output = SionFile.create(unclosed, new long[] {100}, SionOptions.defaults());
        output.writer().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        output.writer().flush();
        output.abandon();
        assertThat(command.run("verify", unclosed)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).contains("never written");
        assertThat(command.run("sion", "repair", "--dry-run", unclosed)).isZero();
        assertThat(command.run("verify", unclosed)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.run("sion", "repair", unclosed)).isZero();
        assertThat(command.out()).contains("task 0: 3 bytes in 1 block", "repaired");
        assertThat(command.run("verify", unclosed)).isZero();
        assertThat(command.run("sion", "repair", unclosed)).isZero();
        assertThat(command.out()).contains("needs no repair");
    }

    @Test
    void aMissingFileOfASetIsAFinding() throws Exception {
        Path set = folder.resolve("set");
        io.drumlin.comm.ThreadCommunicator.run(2, world -> {
            SionFile.create(set, world, 10, SionOptions.defaults().files(2)).close();
        });
        assertThat(command.run("verify", set)).isZero();
        Files.delete(folder.resolve("set.000001"));
        assertThat(command.run("verify", set)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).contains("set.000001");
    }

    /** The number of files stands in each; nothing of the others is known where one is taken alone. */
    @Test
    void aDamagedNumberOfFilesIsNotCountedOut() throws Exception {
        Path set = folder.resolve("set");
        io.drumlin.comm.ThreadCommunicator.run(2, world -> {
            SionFile.create(set, world, 10, SionOptions.defaults().files(2)).close();
        });
        Path member = folder.resolve("set.000001");
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(member)).order(ByteOrder.nativeOrder());
        int at = 0;
        while (bytes.getInt(at) != 1 || bytes.getInt(at + 4) != 2 || bytes.getInt(at + 8) != 1) {
            at++;
        }
        Files.write(member, bytes.putInt(at + 4, Integer.MAX_VALUE).array());
        assertThat(command.run("sion", "dump", "-a", "-m", "-M", member)).isZero();
        assertThat(command.out())
                .contains("number of files:           2147483647")
                .contains("and 2147473647 more files");
        assertThat(command.out().lines()).hasSizeLessThan(11_000);
    }

    static Stream<Path> dumps() throws IOException {
        try (Stream<Path> paths = Files.walk(Golden.path("sion"))) {
            List<Path> found = paths.filter(path -> path.endsWith("siondump.txt"))
                    .filter(path -> !Files.exists(path.resolveSibling("files.tar.xz")))
                    .sorted()
                    .toList();
            return found.stream();
        }
    }

    /** The sums that siondump printed of the files of C SIONlib. */
    @ParameterizedTest
    @MethodSource("dumps")
    void theSumsAreThoseOfSiondump(Path dump) throws IOException {
        String text = Files.readString(dump);
        String name = find(text, "filename: +(\\S+)");
        assertThat(command.run("sion", "dump", "--json", dump.resolveSibling(name)))
                .isZero();
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        same(json, "ntasks", text, "number of tasks: +(\\d+)");
        same(json, "blocks", text, "number of blocks: +(\\d+)");
        same(json, "size_of_chunks", text, "size of chunks: +(\\d+)");
        same(json, "datasize", text, "datasize in file \\(aggr\\.\\): +(\\d+)");
        for (String kind : List.of("full", "partly filled", "empty")) {
            String key = kind.replace(' ', '_') + "_chunks";
            same(json, "size_of_" + key, text, "size of " + kind + " chunks: +(\\d+)");
            same(json, "number_of_" + key, text, "size of " + kind + " chunks:.*# +(\\d+)");
        }
        same(json, "overhead", text, "overhead compared to task-local file: +(-?\\d+)");
        same(json, "used_fs_blocks", text, "size of used blocks:.*, (\\d+) blocks");
        same(json, "full_fs_blocks", text, "size of fully used blocks:.*, (\\d+) blocks");
    }

    /** All that siondump printed of the files of C SIONlib. */
    @ParameterizedTest
    @MethodSource("dumps")
    void theTextIsThatOfSiondump(Path dump) throws IOException {
        String text = Files.readString(dump);
        String name = find(text, "filename: +(\\S+)");
        List<Object> arguments = new ArrayList<>(List.of("sion", "dump", "-a", "-l", "-m", "-M"));
        Path records = dump.resolveSibling("siondump_K.txt");
        if (Files.exists(records)) {
            arguments.add("-k");
        }
        arguments.add(dump.resolveSibling(name));
        assertThat(command.run(arguments.toArray())).isZero();
        assertThat(named(command.out(), name)).isEqualTo(text);
        if (Files.exists(records)) {
            assertThat(command.run("sion", "dump", "-K", dump.resolveSibling(name)))
                    .isZero();
            assertThat(named(command.out(), name)).isEqualTo(Files.readString(records));
        }
    }

    private static String named(String output, String name) {
        return output.replaceFirst("(filename: +).*", "$1" + String.format("%-30s", name));
    }

    /** 128 KiB are exactly 0.125 MB; in a table of ten columns. */
    @Test
    void megabytesAreRoundedAsInC() throws IOException {
        Path half = folder.resolve("half");
        try (SionOutput output = SionFile.create(
                half, new long[] {131_072}, SionOptions.defaults().fsBlockSize(131_072))) {
            for (int block = 0; block < 12; block++) {
                output.writer().write(ByteBuffer.allocate(131_072));
            }
        }
        assertThat(command.run("sion", "dump", "-a", half)).isZero();
        assertThat(command.out())
                .contains("filesystem blocksize:      131072 bytes (  0.12 MB)")
                .contains("Task 00: size=    1.50 MB glblrnk=   0 #blks=12 lsz=    0.12 MB:     0.12 MB    0.12 MB ")
                .contains(" ".repeat(70) + "BLK010    BLK011    \n");
    }

    /** In a set of files C has -1 in memory for a block that a task does not have. */
    @Test
    void aBlockThatATaskDoesNotHaveIsPrintedAsInC() throws IOException {
        Path several = folder.resolve("several");
        ThreadCommunicator.run(2, world -> {
            SionOptions options = SionOptions.defaults().fsBlockSize(512).files(2);
            try (SionOutput output = SionFile.create(several, world, 512, options)) {
                output.writer().write(ByteBuffer.allocate(world.rank() == 0 ? 1024 : 100));
            }
        });
        assertThat(command.run("sion", "dump", "-a", several)).isZero();
        assertThat(command.out()).contains("lsz=    0.00 MB:     0.00 MB   -0.00 MB ");
    }

    private static void same(Map<String, Object> json, String key, String text, String pattern) {
        assertThat(String.valueOf(json.get(key))).as(key).isEqualTo(find(text, pattern));
    }

    private static String find(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }
}
