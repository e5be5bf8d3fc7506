package io.drumlin.cli.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.cli.DrumlinCommand;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetFile;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexFormat;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code drumlin index} and {@code drumlin halt}, and what inspect and verify say about SCR's files. */
class ScrCommandTest {

    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 20, 12, 10, 5);

    /** One for all tests: to make it costs more than most of them. */
    private static final CommandLine COMMAND = DrumlinCommand.commandLine();

    @TempDir
    private Path directory;

    private StringWriter out;
    private StringWriter err;

    /** Checkpoints 1, 3 and 4, of which 4 failed, and the output 2; 3 is CURRENT. */
    @BeforeEach
    void write() throws IOException {
        dataset(1, "ckpt.1", true);
        dataset(2, "out.1", false);
        dataset(3, "ckpt.2", true);
        dataset(4, "ckpt.3", true);
        file().update(index -> {
            index.failed("ckpt.3", NOW);
            index.setCurrent("ckpt.2");
        });
    }

    private IndexFile file() {
        return new IndexFile(new ScrPrefix(directory), new NioEngine());
    }

    private void dataset(int id, String name, boolean checkpoint) throws IOException {
        byte[] bytes = name.repeat(10).getBytes(StandardCharsets.UTF_8);
        CRC32 crc = new CRC32();
        crc.update(bytes);
        Path path = Files.write(directory.resolve(name + ".dat"), bytes);
        DatasetDescriptor descriptor =
                DatasetDescriptor.started(id, name, checkpoint, !checkpoint, 1).completed(1, bytes.length, true);
        DatasetFile file = new DatasetFile(
                path.getFileName().toString(), OptionalLong.of(bytes.length), OptionalLong.of(crc.getValue()));
        DatasetMetadata.of(new ScrPrefix(directory), id, new NioEngine())
                .write(descriptor, new RankFiles(1, new TreeMap<>(Map.of(0, List.of(file)))));
        file().update(index -> index.complete(descriptor, NOW));
    }

    private int run(Object... arguments) {
        out = new StringWriter();
        err = new StringWriter();
        return COMMAND.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .execute(Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
    }

    private int index(String command, String... arguments) {
        Object[] all = new Object[4 + arguments.length];
        System.arraycopy(new Object[] {"index", command, "--prefix", directory}, 0, all, 0, 4);
        System.arraycopy(arguments, 0, all, 4, arguments.length);
        return run(all);
    }

    @Test
    void listsAsScrIndexDoes() {
        assertThat(index("list")).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "DSET VALID FLUSHED             CUR NAME",
                        "   4 NO    2026-11-20T12:10:05     ckpt.3",
                        "   3 YES   2026-11-20T12:10:05   * ckpt.2",
                        "   1 YES   2026-11-20T12:10:05     ckpt.1");
    }

    @Test
    void listsForPrograms() throws IOException {
        assertThat(index("list", "--json")).isZero();
        Map<String, Object> json = JSON.std.mapFrom(out.toString());
        assertThat(json).containsEntry("current", "ckpt.2").containsEntry("form", "FLAT");
        assertThat((List<?>) json.get("datasets")).hasSize(4);
        assertThat(json).containsEntry("restart_order", List.of("ckpt.2", "ckpt.1"));
    }

    @Test
    void saysWhatARestartTriesAndWhy() {
        assertThat(index("show", "--why")).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "A restart tries, until one can be fetched:",
                        "  1. ckpt.2  CURRENT",
                        "  2. ckpt.1  complete, not failed",
                        "It does not try:",
                        "  ckpt.3  a restart from it failed at 2026-11-20T12:10:05",
                        "  out.1  it is no checkpoint");
    }

    @Test
    void showsADataset() {
        assertThat(index("show", "out.1")).isZero();
        assertThat(out.toString().lines()).contains("dataset 2, out.1", "    FLAG_OUTPUT = 1");
        assertThat(index("show", "nosuch")).isEqualTo(2);
    }

    @Test
    void dropsAndAdds() throws IOException {
        assertThat(index("drop", "ckpt.2")).isZero();
        assertThat(file().read().current()).contains("ckpt.1");
        assertThat(index("add", "ckpt.2")).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "Found `ckpt.2' as dataset 3 at " + directory.resolve(".scr/scr.dataset.3"),
                        "Adding `ckpt.2' to index");
        assertThat(file().read().current()).as("not set by adding").contains("ckpt.1");
        assertThat(index("drop", "--after", "ckpt.1")).isZero();
        assertThat(file().read().records()).hasSize(1);
        assertThat(index("build", "4")).isZero();
        assertThat(file().read().record("ckpt.3").orElseThrow().isFailed())
                .as("forgotten by dropping")
                .isFalse();
    }

    @Test
    void setsAndClearsCurrent() throws IOException {
        assertThat(index("current", "ckpt.1")).isZero();
        assertThat(file().read().current()).contains("ckpt.1");
        assertThat(index("current", "--clear")).isZero();
        assertThat(file().read().current()).isEmpty();
    }

    @Test
    void whatIsNotThereIsToldOnStderrAndChangesNothing() throws IOException {
        byte[] before = Files.readAllBytes(file().path());
        for (String[] command : new String[][] {
            {"drop", "nosuch"},
            {"drop", "--after", "nosuch"},
            {"current", "nosuch"},
            {"current", "out.1"},
            {"add", "nosuch"},
            {"build", "9"}
        }) {
            assertThat(index(command[0], Arrays.copyOfRange(command, 1, command.length)))
                    .as(String.join(" ", command))
                    .isEqualTo(2);
            assertThat(out.toString()).isEmpty();
            assertThat(err.toString()).startsWith("drumlin: ");
        }
        assertThat(file().path()).hasBinaryContent(before);
        assertThat(index("current")).isEqualTo(64);
        Files.delete(file().path());
        assertThat(index("list")).isEqualTo(3);
        assertThat(err.toString()).contains("no such file");
    }

    @Test
    void inspectsAndVerifiesAPrefixDirectory() throws IOException {
        assertThat(run("inspect", directory)).isZero();
        assertThat(out.toString()).contains("index of form FLAT, 4 datasets").contains("out.1");
        assertThat(run("verify", directory)).isZero();
        byte[] bytes = Files.readAllBytes(directory.resolve("ckpt.2.dat"));
        bytes[7]++;
        Files.write(directory.resolve("ckpt.2.dat"), bytes);
        Files.write(directory.resolve("out.1.dat"), new byte[3]);
        assertThat(run("verify", directory)).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSize(2)
                .anyMatch(line -> line.contains("dataset 3, ckpt.2") && line.contains("CRC32"))
                .anyMatch(line -> line.contains("dataset 2, out.1") && line.contains("it has 3 bytes, but 50"));
    }

    @Test
    void inspectsAndVerifiesAKvTreeFile() throws IOException {
        Path path = file().path();
        assertThat(run("inspect", path)).isZero();
        assertThat(out.toString().lines()).contains(path + ": kvtree", "  CURRENT = ckpt.2", "  VERSION = 2");
        assertThat(run("inspect", "--json", path)).isZero();
        assertThat(JSON.std.mapFrom(out.toString())).containsEntry("format", "kvtree");
        assertThat(run("verify", path)).isZero();
        byte[] bytes = Files.readAllBytes(path);
        bytes[30]++;
        Files.write(path, bytes);
        assertThat(run("verify", path)).isEqualTo(1);
        assertThat(out.toString()).contains("CRC at offset");
        assertThat(index("list")).isEqualTo(1);
    }

    @Test
    void theSeedsForm() throws IOException {
        KvTree tree = ScrIndex.empty(IndexFormat.DIR).tree();
        tree.set("CURRENT", "scr.dataset.18");
        for (String id : List.of("18", "12")) {
            String name = "scr.dataset." + id;
            tree.addPath("DIR", name, "DSET", id);
            tree.addPath("DSET", id, "DIR", name).set("COMPLETE", "1");
            tree.addPath("DSET", id, "DIR", name).set("FLUSHED", "2011-08-08T18:31:47");
        }
        Path prefix = Files.createDirectories(directory.resolve("old"));
        Files.write(prefix.resolve("index.scr"), KvTreeFile.encode(tree).array());
        assertThat(run("index", "list", "-p", prefix)).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "   DSET VALID FLUSHED             DIRECTORY",
                        "*    18 YES   2011-08-08T18:31:47 scr.dataset.18",
                        "     12 YES   2011-08-08T18:31:47 scr.dataset.12");
        assertThat(run("index", "show", "--why", "-p", prefix)).isZero();
        assertThat(out.toString()).contains("1. scr.dataset.18  CURRENT").contains("2. scr.dataset.12");
    }

    @Test
    void haltsAndTakesBack() throws IOException {
        assertThat(run("halt", "-p", directory, "-c", 7, "--reason", "USER_REQUEST"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "Halt file settings for " + directory.resolve(".scr/halt.scr") + ":",
                        "  ExitReason:      USER_REQUEST",
                        "  CheckpointsLeft: 7");
        assertThat(run("halt", "-p", directory, "--unset", "reason", "--json")).isZero();
        assertThat(JSON.std.mapFrom(out.toString())).isEqualTo(Map.of("checkpoints_left", 7));
        assertThat(run("halt", "-p", directory, "-a", "yesterday")).isEqualTo(64);
    }

    /** SCR takes any bytes for names; in Java no path can be made of some. */
    @Test
    void namesThatAreNoUtf8AreToldInWords() throws IOException {
        Path map = new ScrPrefix(directory).metadata(1).resolve("rank2file.0.0");
        Files.write(map, mapOf("no\udcffutf8"));
        assertThat(run("verify", directory)).isEqualTo(ExitCode.DAMAGED);
        assertThat(out.toString())
                .contains("dataset 1, ckpt.1:")
                .contains("no\\xffutf8")
                .contains("cannot be the name of a file in this locale");
        assertThat(err.toString()).isEmpty();
    }

    private static byte[] mapOf(String file) {
        KvTree part = new KvTree();
        part.set("LEVEL", 0);
        part.set("RANKS", 1);
        part.addPath("RANK", "0", "FILE", file);
        ByteBuffer bytes = KvTreeFile.encode(part);
        byte[] encoded = new byte[bytes.remaining()];
        bytes.get(encoded);
        return encoded;
    }

    @Test
    void namesCannotSteerATerminal() throws IOException {
        String hostile = "ckpt\u001b[2J\n   9 YES";
        DatasetDescriptor descriptor =
                DatasetDescriptor.started(7, hostile, true, false, 1).completed(1, 1, true);
        file().update(index -> index.complete(descriptor, NOW));
        String shown = "ckpt\\x1b[2J\\x0a   9 YES";
        assertThat(index("list")).isZero();
        assertThat(out.toString().lines()).hasSize(5).anyMatch(line -> line.endsWith(shown));
        for (String[] command : new String[][] {{"show"}, {"show", "--why"}}) {
            assertThat(index(command[0], Arrays.copyOfRange(command, 1, command.length)))
                    .isZero();
            assertThat(out.toString()).contains(shown).doesNotContain("\u001b");
        }
        assertThat(run("inspect", directory)).isZero();
        assertThat(out.toString()).contains(shown).doesNotContain("\u001b");
        assertThat(run("verify", directory)).isEqualTo(ExitCode.DAMAGED);
        assertThat(out.toString()).contains(shown).doesNotContain("\u001b");
    }
}
