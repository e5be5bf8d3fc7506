package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another user was faster, or has put a link into a directory that all may write to. */
class ForeignDirectoryTest {

    private static final int STRANGER = 54321;

    @TempDir
    Path directory;

    @BeforeEach
    void assumeThatOwnersCanBeChanged() {
        assumeThat(System.getProperty("user.name"))
                .as("only root may give files away")
                .isEqualTo("root");
    }

    private static void giveAway(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
    }

    /** Run after a checkpoint was taken that a restart would find. */
    private RunFixture run() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(1, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
        });
        return run;
    }

    private void assertRefused(RunFixture run, Path path, String problem) throws IOException {
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                .withMessageContaining(path.toString())
                .withMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Local/node0/ID", "Local/node0", "Local/node0/ID/l1"})
    void aDirectoryOnTheNodeThatBelongsToAnotherUserIsRefused(String place) throws IOException {
        RunFixture run = run();
        Path path = directory.resolve(place.replace("ID", run.restartValue("exec_id")));
        giveAway(path);
        assertRefused(run, path, "belongs to another user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Local/node0/ID", "Local/node0", "Local/node0/ID/l1", "Global/ID", "Meta/ID"})
    void aLinkOfAnotherUserIsRefused(String place) throws IOException {
        RunFixture run = run();
        Path path = directory.resolve(place.replace("ID", run.restartValue("exec_id")));
        Path elsewhere = directory.resolve("elsewhere");
        Files.move(path, elsewhere);
        Files.createSymbolicLink(path, elsewhere);
        // This user's own links are good.
        run.run(2, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .contains(1));
        giveAway(path);
        List<Path> before = PathStatus.entries(elsewhere);
        assertRefused(run, path, "is a symbolic link of another user");
        assertThat(PathStatus.entries(elsewhere)).isEqualTo(before);
    }

    /** Those who work on a project may restart each other's runs. */
    @Test
    void theParallelFileSystemMayBeShared() throws IOException {
        RunFixture run = run();
        String execId = run.restartValue("exec_id");
        giveAway(directory.resolve("Global").resolve(execId));
        giveAway(directory.resolve("Meta").resolve(execId));
        giveAway(directory.resolve("Local"));
        run.run(2, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .contains(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cache/me", "cache/me/scr.7", "control/me", "control/me/scr.7"})
    void cachesOfScrMustBeOwn(String place) throws IOException {
        Path prefix = Files.createDirectory(directory.resolve("prefix"));
        Path path = Files.createDirectories(directory.resolve(place));
        giveAway(path);
        ScrConfig config = new ScrConfig(Map.of())
                .set("SCR_PREFIX", prefix.toString())
                .set("SCR_CACHE_BASE", directory.resolve("cache").toString())
                .set("SCR_CNTL_BASE", directory.resolve("control").toString())
                .set("SCR_USER_NAME", "me")
                .set("SCR_JOB_ID", "7");
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> ThreadCommunicator.run(2, comm -> ScrDatasets.open(config, comm, new NioEngine())
                        .close()))
                .withMessageContaining(path.toString())
                .withMessageContaining("belongs to another user");
    }
}
