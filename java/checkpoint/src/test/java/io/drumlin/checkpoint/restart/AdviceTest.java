package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each message that advises to set {@code failure = 0}. Who follows the advice, takes checkpoints at all levels and comes to the end of the
 * program has lost nothing: all files of the run before are there, and the run goes on when what was wrong has been undone.
 */
@Tag("exhaustive")
class AdviceTest {

    private static final int RANKS = 4;
    private static final String ADVICE = "failure = 0";

    @TempDir(factory = InMemory.class)
    Path directory;

    @Test
    void eachMessageWithTheAdviceIsTriedHere() throws IOException {
        Pattern advice = Pattern.compile("(afresh|fresh start)[^\\n]*(\\n[^;\\n]*)?" + ADVICE);
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> sources =
                Files.walk(Path.of(System.getProperty("drumlin.root"), "java/checkpoint/src/main/java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                long messages =
                        advice.matcher(Files.readString(source)).results().count();
                if (messages > 0) {
                    found.put(source.getFileName().toString(), messages);
                }
            }
        }
        assertThat(found)
                .as("messages that advise to set failure = 0")
                .isEqualTo(Map.of(
                        "RunRestart.java", 1L,
                        "RunOpening.java", 1L,
                        "SharedHdf5File.java", 1L,
                        "CheckpointCoordinator.java", 1L));
    }

    private RunFixture checkpointed(Level level, Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(changes);
        all.put("basic.group_size", "2");
        all.put("basic.node_size", "2");
        RunFixture run = new RunFixture(directory, all);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {1, comm.rank()});
            checkpoints.checkpoint(1, level);
        });
        return run;
    }

    /** The files of a level are away for a while: a file system that is not mounted, a node that is not there. */
    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"L1", "L2", "L3", "L4"})
    void nothingIsFound(Level level) throws IOException {
        RunFixture run = checkpointed(level, Map.of());
        List<Path> roots = List.of(directory.resolve("Local"), directory.resolve("Global"));
        for (Path root : roots) {
            Files.move(root, root.resolveSibling(root.getFileName() + "-away"));
        }
        refusedWithAdvice(run);
        follow(run, () -> {
            for (Path root : roots) {
                bringBack(root.resolveSibling(root.getFileName() + "-away"), root);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void allFilesAreRefused(String ioMode) throws IOException {
        RunFixture run = checkpointed(Level.L4, Map.of("basic.ckpt_io", ioMode));
        Map<Path, byte[]> before = new HashMap<>();
        for (Path file : list(directory.resolve("Global"))) {
            before.put(file, Files.readAllBytes(file));
            Files.write(file, new byte[10]);
        }
        refusedWithAdvice(run);
        follow(run, () -> {
            for (Map.Entry<Path, byte[]> each : before.entrySet()) {
                Files.write(each.getKey(), each.getValue());
            }
        });
    }

    @Test
    void theRunIsNotInTheDirectoryOfMetadata() throws IOException {
        RunFixture run = checkpointed(Level.L4, Map.of());
        Path away = directory.resolve("Meta-away");
        Files.move(directory.resolve("Meta"), away);
        refusedWithAdvice(run);
        follow(run, () -> bringBack(away, directory.resolve("Meta")));
    }

    /** The variables of the restart were not recovered before the next checkpoint. */
    @Test
    void aCheckpointWithoutRecovery() throws IOException {
        RunFixture run = checkpointed(Level.L4, Map.of());
        DrumlinException refused = catchThrowableOfType(
                DrumlinException.class,
                () -> run.run(RANKS, (checkpoints, comm) -> checkpoints.checkpoint(2, Level.L4)));
        assertThat(refused).hasMessageContaining(ADVICE);
        follow(run, () -> {});
    }

    /** Restarts from a shared file that is not there find those of the levels only by another value. */
    @Test
    void thereIsNoSharedFile() throws IOException {
        RunFixture run = checkpointed(
                Level.L4,
                Map.of(
                        "basic.ckpt_io", "5",
                        "basic.h5_single_file_enable", "1",
                        "basic.h5_single_file_dir", directory.resolve("single").toString(),
                        "basic.h5_single_file_prefix", "shared"));
        run.setRestart("3", run.restartValue("exec_id"));
        refusedWithAdvice(run);
        follow(run, () -> {});
    }

    private void refusedWithAdvice(RunFixture run) {
        DrumlinException refused =
                catchThrowableOfType(DrumlinException.class, () -> run.run(RANKS, (checkpoints, comm) -> {}));
        assertThat(refused).hasMessageContaining("to start afresh set " + ADVICE);
    }

    @FunctionalInterface
    private interface Undoing {
        void run() throws IOException;
    }

    private void follow(RunFixture run, Undoing undoing) throws IOException {
        String execId = run.restartValue("exec_id");
        Map<Path, List<Byte>> before = filesOf(execId);
        run.setRestart("0", execId);
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.FRESH);
            for (Level level : List.of(Level.L1, Level.L2, Level.L3, Level.L4)) {
                checkpoints.protect(0, new int[] {100, comm.rank()});
                checkpoints.checkpoint(level.number(), level);
            }
            checkpoints.complete();
        });
        assertThat(run.restartValue("exec_id")).isNotEqualTo(execId);
        assertThat(filesOf(execId)).isEqualTo(before);
        undoing.run();
        run.setRestart("1", execId);
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0, 0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(1, comm.rank());
        });
    }

    private Map<Path, List<Byte>> filesOf(String execId) throws IOException {
        Map<Path, List<Byte>> files = new TreeMap<>();
        for (Path file : list(directory)) {
            if (file.toString().contains(execId) && !file.endsWith("drumlin-lease")) {
                byte[] bytes = Files.readAllBytes(file);
                files.put(
                        file,
                        IntStream.range(0, bytes.length).mapToObj(i -> bytes[i]).toList());
            }
        }
        return files;
    }

    private static List<Path> list(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    /** Puts what was away beside what has been made since. */
    private static void bringBack(Path away, Path root) throws IOException {
        for (Path file : list(away)) {
            Path place = root.resolve(away.relativize(file));
            Files.createDirectories(place.getParent());
            Files.move(file, place);
        }
    }
}
