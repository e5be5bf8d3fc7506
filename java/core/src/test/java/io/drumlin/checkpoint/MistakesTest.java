package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person reads who made a usual mistake: what is wrong, and what to do. */
class MistakesTest {

    @TempDir
    private Path directory;

    private RunFixture checkpointed(Map<String, String> changes, Level level) throws IOException {
        RunFixture run = new RunFixture(directory, changes);
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[8]);
            checkpoints.checkpoint(1, level);
        });
        return run;
    }

    private static void change(RunFixture run, String key, String value) throws IOException {
        Files.writeString(
                run.config(), Files.readString(run.config()).replaceAll("(?m)^(" + key + " *= *).*$", "$1" + value));
    }

    @Test
    void anotherNumberOfNodesIsToldWhatGoesOn() throws IOException {
        RunFixture run = checkpointed(Map.of(), Level.L4);
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("written on 2 nodes, this run has 1")
                .hasMessageContaining("restart with the number of ranks of the run that wrote them")
                .hasMessageContaining("level 4")
                .hasMessageContaining("anyNumberOfRanks()");
    }

    @Test
    void anotherNumberOfRanksOnAsManyNodesIsToo() throws IOException {
        RunFixture run = checkpointed(Map.of(), Level.L4);
        change(run, "node_size", "4");
        assertThatThrownBy(() -> run.run(8, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("files of all 8 ranks")
                .hasMessageContaining("the number of ranks of the run before?");
    }

    @Test
    void aWrongExecIdIsToldWhichRunsThereAre() throws IOException {
        RunFixture run = checkpointed(Map.of(), Level.L1);
        String execId = run.restartValue("exec_id");
        change(run, "exec_id", "2026-01-01_12-00-00");
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("there is no run 2026-01-01_12-00-00")
                .hasMessageContaining("exec_id")
                .hasMessageContaining("runs there: " + execId)
                .hasMessageContaining("failure = 0");
        assertThat(directory.resolve("Meta/2026-01-01_12-00-00")).doesNotExist();
    }

    /** Nobody can see a warning that there was not. */
    @Test
    void whereNoFileIsThereNoneWasRefused() throws IOException {
        RunFixture run = checkpointed(Map.of(), Level.L1);
        delete(directory.resolve("Local"));
        Files.createDirectory(directory.resolve("Local"));
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("at no level there are files of all 4 ranks")
                .hasMessageContaining("ckpt_dir = " + directory.resolve("Local"))
                .hasMessageContaining("glbl_dir = " + directory.resolve("Global"))
                .hasMessageContaining("failure = 0")
                .message()
                .doesNotContain("warnings above");
    }

    @Test
    void whereFilesWereRefusedTheWarningsAreNamed() throws IOException {
        RunFixture run = checkpointed(Map.of(), Level.L1);
        for (int rank = 0; rank < 4; rank++) {
            Files.write(run.file("Ckpt1-Rank" + rank + ".fti"), new byte[4096]);
        }
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("see the warnings above");
    }

    @Test
    void whereNoSharedFileIsThereNoneWasRefused() throws IOException {
        RunFixture run = new RunFixture(
                directory,
                Map.of(
                        "basic.ckpt_io", "5",
                        "basic.h5_single_file_enable", "1",
                        "basic.node_size", "1",
                        "restart.failure", "3"));
        assertThatThrownBy(() -> run.run(1, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("there is no file VPR-h5-ID########.h5")
                .hasMessageContaining("h5_single_file_dir")
                .message()
                .doesNotContain("warnings above");
    }

    @Test
    void aClosedRunSaysSo() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator());
        checkpoints.protect(0, new int[1]);
        checkpoints.checkpoint(1, Level.L1);
        checkpoints.close();
        assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).hasMessageContaining("this run is closed");
        assertThatThrownBy(checkpoints::recover).hasMessageContaining("this run is closed");
        assertThatThrownBy(() -> checkpoints.recover(0)).hasMessageContaining("this run is closed");
        assertThatThrownBy(checkpoints::snapshot).hasMessageContaining("this run is closed");
        assertThatThrownBy(checkpoints::complete).hasMessageContaining("this run is closed");
        assertThatThrownBy(() -> checkpoints.incremental(2, Level.L1)).hasMessageContaining("this run is closed");
    }

    @Test
    void nullIsNoVariable() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            String words = "cannot protect null: give a primitive array, a java.nio buffer or a Scalar";
            assertThatThrownBy(() -> checkpoints.protect(1, none()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(words);
            assertThatThrownBy(() -> checkpoints.protect(1, none(), 3))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(words);
            assertThatThrownBy(() -> checkpoints.protect(1, none(), 3, ElementType.INTG))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(words);
        }
    }

    /** As a program that the compiler does not check for null. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals", "unchecked"})
    private static <T> T none() {
        return (T) null;
    }

    private static void delete(Path path) throws IOException {
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, java.io.IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
