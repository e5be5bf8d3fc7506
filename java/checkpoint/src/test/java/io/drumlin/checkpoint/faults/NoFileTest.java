package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipes and devices in place of the files of a run: nothing waits for a writer or reads without end. */
@EnabledOnOs(OS.LINUX)
class NoFileTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    private static void replace(Path file, String by) throws IOException, InterruptedException {
        Files.delete(file);
        if (by.startsWith("/")) {
            Files.createSymbolicLink(file, Path.of(by));
        } else {
            assertThat(new ProcessBuilder(by, file.toString()).start().waitFor())
                    .isZero();
        }
    }

    private static List<Path> files(Path place) throws IOException {
        try (Stream<Path> all = Files.walk(place)) {
            return all.filter(path -> !Files.isDirectory(path)).sorted().toList();
        }
    }

    private static boolean isData(Path file) {
        return file.getFileName().toString().startsWith("Ckpt1-Rank");
    }

    /** Each file but those of data, which other tests have, in turn. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void aRestartEnds(int mode) throws Exception {
        Set<String> names = new TreeSet<>();
        int count = 1;
        for (int i = 0; i < count; i++) {
            for (String by : List.of("mkfifo", "/dev/zero")) {
                Path place = Files.createDirectories(directory.resolve(i + by.substring(1, 3)));
                RunFixture run = new RunFixture(place, Map.of("basic.ckpt_io", String.valueOf(mode)));
                run.run(2, (checkpoints, comm) -> {
                    checkpoints.protect(1, new double[] {comm.rank()});
                    checkpoints.checkpoint(1, Level.L1);
                });
                List<Path> files =
                        files(place).stream().filter(file -> !isData(file)).toList();
                count = files.size();
                Path replaced = files.get(i);
                names.add(replaced.getFileName().toString());
                replace(replaced, by);
                Assertions.assertTimeoutPreemptively(LIMIT, () -> start(run), replaced + " by " + by);
                assertThat(files(place).stream().filter(NoFileTest::isData))
                        .as("%s by %s", replaced, by)
                        .hasSize(2);
            }
        }
        assertThat(names).contains("drumlin-commits", "drumlin-starts", "config.fti", "Topology.fti");
    }

    /** A closed run has no lease. */
    @ParameterizedTest
    @ValueSource(strings = {"mkfifo", "/dev/zero"})
    void aStartEndsWithoutALeaseThatIsAFile(String by) throws Exception {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(1, new double[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L1);
        });
        Path lease = directory.resolve("Meta/" + run.restartValue("exec_id") + "/drumlin-lease");
        replace(Files.createFile(lease), by);
        Assertions.assertTimeoutPreemptively(LIMIT, () -> start(run));
    }

    /** It may recover what there is, or refuse with words, but a failure is no mistake of the program. */
    private static void start(RunFixture run) {
        try {
            run.run(2, (checkpoints, comm) -> checkpoints.protect(1, new double[] {comm.rank()}));
        } catch (IOException e) {
            assertThat(e).isInstanceOf(DrumlinException.class);
        }
    }
}
