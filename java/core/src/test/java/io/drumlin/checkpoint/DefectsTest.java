package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
        for (Level level : Level.values()) {
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
}
