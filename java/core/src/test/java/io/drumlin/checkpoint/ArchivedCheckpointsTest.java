package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.NioEngine;
import io.drumlin.storage.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts that find nothing at any level, of runs that have put checkpoints aside. */
class ArchivedCheckpointsTest {

    @TempDir
    Path directory;

    private static void open(RunFixture run, RunFixture.Body body) throws IOException {
        ThreadCommunicator.run(2, comm -> {
            try (Checkpoints checkpoints = new EngineBuilder(run.config())
                    .communicator(comm)
                    .freshStartIfUnrecoverable()
                    .open()) {
                body.run(checkpoints, comm);
            }
        });
    }

    /** The advice is followed by a shell. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aCheckpointOfTheArchiveIsNamedAndCanBeMovedBack(String ioMode) throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "basic.keep_l4_ckpt", "1"));
        run.run(2, (checkpoints, comm) -> {
            for (int id = 1; id <= 3; id++) {
                checkpoints.protect(0, new int[] {id, comm.rank()});
                checkpoints.checkpoint(id, Level.L4);
                ((EngineCheckpoints) checkpoints).awaitDeletion();
            }
        });
        String execId = run.restartValue("exec_id");
        Path level = directory.resolve("Global/" + execId + "/l4");
        for (Path file : PathStatus.entries(level)) {
            Files.write(file, new byte[10]);
        }
        var files = run.files();
        DrumlinException refused = catchThrowableOfType(
                DrumlinException.class, () -> open(run, (checkpoints, comm) -> checkpoints.checkpoint(1, Level.L4)));
        assertThat(refused)
                .hasMessageContaining("has checkpoints [1, 2]")
                .hasMessageContaining("the newest is 2")
                .hasMessageNotContaining("afresh");
        assertThat(run.files()).isEqualTo(files);
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {})).hasMessage(refused.getMessage());
        String message = refused.getMessage();
        String commands = message.substring(message.indexOf("start again: ") + 13);
        assertThat(new ProcessBuilder("sh", "-c", commands).inheritIO().start().waitFor())
                .isZero();
        run.run(2, (checkpoints, comm) -> {
            int[] values = {0, 0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(2, comm.rank());
        });
    }

    @Test
    void stashesAreNamedAndCanBeLoaded() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.stash().put(1, 5);
        });
        String execId = run.restartValue("exec_id");
        DirectoryTree.delete(directory.resolve("Local/node0/" + execId + "/l1"), new NioEngine());
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                .hasMessageContaining("there are stashes")
                .hasMessageContaining("[5] in")
                .hasMessageNotContaining("afresh set");
        open(run, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.stash().load(5);
            assertThat(values).containsExactly(7);
        });
    }
}
