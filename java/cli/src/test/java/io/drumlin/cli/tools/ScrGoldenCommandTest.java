package io.drumlin.cli.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.GoldenCheckpoints;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drumlin index} beside what {@code scr_index} printed and returned. */
class ScrGoldenCommandTest {

    /** Of the runs that recorded a list, under different keys for different releases. */
    private static final List<String> LISTS =
            List.of("scr_index_list", "old_scr_index_list", "scr_1_1_8_scr_index_list");

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    private static Map<String, Object> manifest(Path folder) throws IOException {
        return JSON.std.mapFrom(Files.readString(folder.resolve("manifest.json")));
    }

    /** What was printed, byte for byte. */
    private static String stdout(Map<?, ?> run) {
        StringBuilder text = new StringBuilder();
        ((List<?>) run.get("stdout")).forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    @Test
    void listsEveryIndexByteForByte() throws IOException {
        int listed = 0;
        List<Path> folders;
        try (Stream<Path> paths = Files.list(GoldenCheckpoints.folder("scr"))) {
            folders = paths.filter(Files::isDirectory).sorted().toList();
        }
        for (Path folder : folders) {
            Map<String, Object> manifest = manifest(folder);
            for (String key : LISTS) {
                if (manifest.get(key) instanceof Map<?, ?> run) {
                    assertThat(command.run("index", "list", "--prefix", prefix(folder)))
                            .as(folder.toString())
                            .isEqualTo(run.get("rc"));
                    assertThat(command.out()).as(folder.toString()).isEqualTo(stdout(run));
                    listed++;
                }
            }
        }
        assertThat(listed).isGreaterThan(8);
    }

    /** The seed's index has no directory around it. */
    private Path prefix(Path folder) throws IOException {
        if (Files.isDirectory(folder.resolve("prefix"))) {
            return folder.resolve("prefix");
        }
        Path prefix =
                Files.createDirectories(directory.resolve(folder.getFileName().toString()));
        Files.write(prefix.resolve("index.scr"), Files.readAllBytes(folder.resolve("files/index.scr")));
        return prefix;
    }

    /** What scr_index refuses with 1 on stdout is refused here with 2 on stderr; see the help of both. */
    @Test
    void doesWhatScrIndexDid() throws IOException {
        Path folder = GoldenCheckpoints.folder("scr/cli_ops");
        copy(folder.resolve("start"), directory);
        int done = 0;
        for (Object each : (List<?>) manifest(folder).get("steps")) {
            Map<?, ?> step = (Map<?, ?>) each;
            String line = String.join(" ", ((List<?>) step.get("args")).toArray(new String[0]));
            if (!line.matches("-h|--bogus|-c .*")) {
                boolean succeeded = step.get("rc").equals(0);
                assertThat(command.run(ours(line)))
                        .as(line)
                        .isEqualTo(succeeded ? ExitCode.OK : ExitCode.NOT_RECOGNISED);
                assertThat(ofThisRun(command.out()))
                        .as(line)
                        .isEqualTo(
                                succeeded ? ofThisRun(stdout(step)).replace("/tmp/prefix", directory.toString()) : "");
                done++;
            }
        }
        assertThat(done).isEqualTo(23);
    }

    private Object[] ours(String line) {
        String[] words = line.split("[ =]");
        String name =
                switch (words[0]) {
                    case "", "-l", "--list" -> "list";
                    case "-a" -> "add";
                    case "-b" -> "build";
                    case "-d" -> "drop";
                    default -> words[0].substring(2);
                };
        if (words.length == 1) {
            return new Object[] {"index", name, "-p", directory};
        }
        return name.equals("drop-after")
                ? new Object[] {"index", "drop", "--after", words[1], "-p", directory}
                : new Object[] {"index", name, words[1], "-p", directory};
    }

    /** Times of adding are those of the run. */
    private static String ofThisRun(String text) {
        return text.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d", "TIME");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(path).toString());
                Files.createDirectories(copy.resolveSibling("."));
                Files.write(copy, Files.readAllBytes(path));
            }
        }
    }
}
