package io.drumlin.checkpoint.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts that find nothing at any level, of runs that have put checkpoints aside. */
@Tag("exhaustive")
class ArchivedCheckpointsTest {

    @TempDir
    Path directory;

    /** Takes three checkpoints of level 4 and destroys the last, which is not in the archive. */
    private RunFixture lostLevel4(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "basic.keep_l4_ckpt", "1"));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4, 1, 2, 3);
        });
        destroy(global(run).resolve("l4"), "Ckpt3-");
        return run;
    }

    private Path global(RunFixture run) throws IOException {
        return directory.resolve("Global/" + run.restartValue("exec_id"));
    }

    private static void destroy(Path directory, String prefix) throws IOException {
        for (Path file : PathStatus.entries(directory)) {
            if (file.getFileName().toString().startsWith(prefix)) {
                Files.write(file, new byte[10]);
            }
        }
    }

    /** Returns the id of the checkpoint from which {@code drumlin extract} takes the data of rank 1. */
    private int fetchedId(RunFixture run) throws IOException {
        RunSurvey survey = RunSurvey.open(run.config(), directory);
        int id = survey.fetch(1, directory.resolve("scratch")).orElseThrow().ckptId();
        assertThat(survey.report(true).restart().orElseThrow().ckptId()).isEqualTo(id);
        return id;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theNewestWholeCheckpointOfTheArchiveIsRecovered(String ioMode) throws IOException {
        RunFixture run = lostLevel4(ioMode);
        var files = run.files();
        RunFixture.Body look = (checkpoints, comm) -> {
            Pair.recovers(checkpoints, 2, 2);
            throw new IOException("the program ends here");
        };
        assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.freshStartIfUnrecoverable(), look))
                .hasMessageContaining("the program ends here");
        assertThat(run.files())
                .filteredOn(name -> !name.endsWith("/drumlin-passed-over"))
                .as("but for the mark of the damaged one")
                .isEqualTo(files);
        assertThat(fetchedId(run)).isEqualTo(2);
        destroy(global(run).resolve("l4_archive"), "Ckpt2-");
        assertThat(fetchedId(run)).isEqualTo(1);
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {
                    Pair.recovers(checkpoints, 1, 1);
                    checkpoints.protect(0, new int[] {2, comm.rank()});
                    checkpoints.checkpoint(2, Level.L1);
                    throw new IOException("the program ends here");
                }))
                .hasMessageContaining("the program ends here");
        run.run(2, (checkpoints, comm) -> Pair.recovers(checkpoints, 2, 2));
    }

    /** Nothing but the archive is left, and nothing is made beside it before there is another checkpoint. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theArchiveAloneIsEnough(String ioMode) throws IOException {
        RunFixture run = lostLevel4(ioMode);
        String execId = run.restartValue("exec_id");
        for (String each : List.of("Global", "Meta")) {
            DirectoryTree.delete(directory.resolve(each).resolve(execId).resolve("l4"), new NioEngine());
        }
        var files = run.files();
        RunFixture.Body look = (checkpoints, comm) -> {
            Pair.recovers(checkpoints, 2, 2);
            throw new IOException("the program ends here");
        };
        assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.freshStartIfUnrecoverable(), look))
                .hasMessageContaining("the program ends here");
        assertThat(run.files()).isEqualTo(files);
    }

    /** Ids come again after a restart from the archive, and the archive takes no directory in the place of a file. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void whatIsLeftOfANewerCheckpointDoesNotStopLaterOnes(String ioMode) throws IOException {
        RunFixture run = lostLevel4(ioMode);
        for (Path file : PathStatus.entries(global(run).resolve("l4"))) {
            if (file.getFileName().toString().startsWith("Ckpt3-")) {
                Files.delete(file);
                Files.createDirectories(file.resolve("inside"));
            }
        }
        run.run(2, (checkpoints, comm) -> {
            Pair.recovers(checkpoints, 2, 2);
            for (int id = 3; id <= 6; id++) {
                checkpoints.protect(0, new int[] {id, comm.rank()});
                checkpoints.checkpoint(id, Level.L4);
                ((EngineCheckpoints) checkpoints).awaitDeletion();
            }
        });
        destroy(global(run).resolve("l4"), "Ckpt6-");
        run.run(2, (checkpoints, comm) -> Pair.recovers(checkpoints, 5, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void anArchiveWithoutAWholeCheckpointIsNotOverwritten(String ioMode) throws IOException {
        RunFixture run = lostLevel4(ioMode);
        destroy(global(run).resolve("l4_archive"), "Ckpt");
        var files = run.files();
        DrumlinException refused = catchThrowableOfType(
                DrumlinException.class,
                () -> run.run(
                        2,
                        (builder, rank) -> builder.freshStartIfUnrecoverable(),
                        (checkpoints, comm) -> checkpoints.checkpoint(1, Level.L4)));
        assertThat(refused)
                .hasMessageContaining("has checkpoints [1, 2], of which none is whole")
                .hasMessageNotContaining("afresh");
        assertThat(run.files()).isEqualTo(files);
    }

    /** The advice is followed by a shell. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void onOtherNodesACheckpointOfTheArchiveIsNamedAndCanBeMovedBack(String ioMode)
            throws IOException, InterruptedException {
        RunFixture run = lostLevel4(ioMode);
        var files = run.files();
        DrumlinException refused = catchThrowableOfType(
                DrumlinException.class,
                () -> ThreadCommunicator.run(4, comm -> new EngineBuilder(run.config())
                        .communicator(comm)
                        .anyNumberOfRanks()
                        .freshStartIfUnrecoverable()
                        .open()
                        .close()));
        assertThat(refused)
                .hasMessageContaining("has checkpoints [1, 2]")
                .hasMessageContaining("the newest, 2")
                .hasMessageNotContaining("afresh");
        assertThat(run.files()).isEqualTo(files);
        String message = refused.getMessage();
        String commands = message.substring(message.indexOf("start again: ") + 13);
        assertThat(new ProcessBuilder("sh", "-c", commands).inheritIO().start().waitFor())
                .isZero();
        run.run(2, (checkpoints, comm) -> Pair.recovers(checkpoints, 2, 2));
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
        run.run(2, (builder, rank) -> builder.freshStartIfUnrecoverable(), (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.stash().load(5);
            assertThat(values).containsExactly(7);
        });
    }
}
