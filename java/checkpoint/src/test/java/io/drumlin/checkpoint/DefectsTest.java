package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What C FTI does and no other test is about: each test is named after what must not happen. */
class DefectsTest {

    @TempDir
    private Path directory;

    @Test
    void pathsOfMoreThan256BytesAreNotCut() throws IOException {
        Path deep = directory;
        for (int i = 0; i < 4; i++) {
            deep = deep.resolve("d".repeat(100));
        }
        RunFixture run = new RunFixture(Files.createDirectories(deep), Map.of("basic.group_size", "2"));
        for (Level level : List.of(Level.L1, Level.L2, Level.L3, Level.L4)) {
            run.run(4, (checkpoints, comm) -> {
                long[] values = {checkpoints.isRestart() ? 0 : level.number() - 1L};
                checkpoints.protect(0, values);
                if (checkpoints.isRestart()) {
                    checkpoints.recover();
                }
                assertThat(values[0]).isEqualTo(level.number() - 1L);
                values[0] = level.number();
                checkpoints.checkpoint(level.number(), level);
            });
        }
        assertThat(run.files()).allMatch(file -> file.matches("(Local|Global|Meta)/.*"));
    }

    @Test
    void runsThatStartInTheSameSecondDoNotShareADirectory() throws IOException {
        Path one = Files.createDirectory(directory.resolve("one"));
        RunFixture first = new RunFixture(one, Map.of());
        RunFixture second = new RunFixture(
                Files.createDirectory(directory.resolve("two")),
                Map.of(
                        "basic.ckpt_dir", one.resolve("Local").toString(),
                        "basic.glbl_dir", one.resolve("Global").toString(),
                        "basic.meta_dir", one.resolve("Meta").toString()));
        for (RunFixture run : new RunFixture[] {first, second}) {
            run.run(2, (checkpoints, comm) -> {
                checkpoints.protect(0, new int[] {run == first ? 1 : 2});
                checkpoints.checkpoint(1, Level.L1);
            });
        }
        assertThat(first.restartValue("exec_id")).isNotEqualTo(second.restartValue("exec_id"));
        for (RunFixture run : new RunFixture[] {first, second}) {
            run.run(2, (checkpoints, comm) -> {
                int[] values = {0};
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values).containsExactly(run == first ? 1 : 2);
                checkpoints.complete();
            });
        }
    }

    @Test
    void commentsAndUnknownKeysOfTheConfigurationAreNotLost() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("mine.key", "value"));
        String text = Files.readString(run.config());
        Files.writeString(run.config(), "# why these values\n" + text.replace("[basic]", "; two nodes\n[basic]"));
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L1);
        });
        assertThat(Files.readString(run.config())).contains("# why these values\n", "; two nodes\n", "[mine]");
        assertThat(run.restartValue("failure")).isEqualTo("1");
        run.run(2, (checkpoints, comm) -> checkpoints.complete());
        assertThat(Files.readString(run.config())).contains("# why these values\n", "; two nodes\n");
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    /** C FTI rewrites the file in place, so that a reader or a second writer meets half of it. */
    @Test
    void twoJobsThatShareAConfigurationDoNotWriteOverEachOthersRestart() throws IOException {
        RunFixture shared = new RunFixture(directory, Map.of());
        String[] ids = new String[2];
        shared.run(2, (earlier, comm) -> {
            earlier.protect(0, new int[] {1});
            try (Checkpoints later = Checkpoints.open(shared.config(), comm)) {
                ids[0] = earlier.execId();
                ids[1] = later.execId();
                int[] values = {2};
                later.protect(0, values);
                later.checkpoint(1, Level.L1);
                for (Executable writes : List.<Executable>of(
                        () -> earlier.checkpoint(1, Level.L1),
                        earlier::complete,
                        () -> earlier.checkpoint(2, Level.L4))) {
                    assertThatThrownBy(writes::execute)
                            .hasMessageContaining("names run " + ids[1])
                            .hasMessageContaining("a configuration file of its own");
                }
            }
        });
        assertThat(shared.restartValue("exec_id")).isEqualTo(ids[1]).isNotEqualTo(ids[0]);
        assertThat(shared.restartValue("failure")).isEqualTo("1");
        shared.run(2, (restarted, comm) -> {
            int[] values = {0};
            restarted.protect(0, values);
            restarted.recover();
            assertThat(values).containsExactly(2);
        });
    }

    @Test
    void jobsThatStartAtTheSameTimeDoNotDamageTheConfigurationTheyShare() throws IOException, InterruptedException {
        RunFixture shared = new RunFixture(directory, Map.of("basic.node_size", "1"));
        String start = Files.readString(shared.config());
        Files.writeString(shared.config(), "; why\n" + start);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        Set<String> ids = ConcurrentHashMap.newKeySet();
        List<Thread> jobs = new ArrayList<>();
        for (int job = 0; job < 4; job++) {
            jobs.add(new Thread(() -> {
                for (int i = 0; i < 25; i++) {
                    try (Checkpoints checkpoints = Checkpoints.open(shared.config(), new SingleCommunicator())) {
                        ids.add(checkpoints.execId());
                        String text = Files.readString(shared.config());
                        assertThat(text.replaceAll("exec_id .*\n", ""))
                                .isEqualTo("; why\n" + start.replaceAll("exec_id .*\n", ""));
                    } catch (IOException | AssertionError e) {
                        failures.add(e);
                    }
                }
            }));
        }
        jobs.forEach(Thread::start);
        for (Thread job : jobs) {
            job.join();
        }
        assertThat(failures).isEmpty();
        assertThat(ids).hasSize(100).contains(shared.restartValue("exec_id"));
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("config.fti", "Local", "Global", "Meta");
        }
    }
}
