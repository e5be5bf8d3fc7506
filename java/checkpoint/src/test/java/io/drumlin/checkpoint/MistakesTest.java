package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4"})
    void anotherNumberOfRanksOnAsManyNodesIsToo(String ioMode) throws IOException {
        RunFixture run = checkpointed(Map.of("basic.ckpt_io", ioMode), Level.L4);
        change(run, "node_size", "4");
        assertThatThrownBy(() -> run.run(8, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("at no level")
                .hasMessageContaining("level 4")
                .hasMessageContaining("anyNumberOfRanks()");
    }

    /** Real nodes: how many ranks there were is in Topology.fti. */
    @ParameterizedTest
    @CsvSource({
        "1, 3, 2, 'were written by 4 ranks, this run has 6', anyNumberOfRanks()",
        "2, 3, 2, 'were written by 4 ranks, this run has 6', anyNumberOfRanks()",
        "3, 3, 2, 'were written by 4 ranks, this run has 6', anyNumberOfRanks()",
        "3, 3, 1, 'were written by 4 ranks, this run has 6', anyNumberOfRanks()",
        "3, 2, 2, 'has 3 ranks and not node_size = 2', anyNumberOfRanks()",
        "4, 3, 2, 'were written by 4 ranks, this run has 6', anyNumberOfRanks()",
        "5, 3, 2, 'were written by 4 ranks, this run has 6', failure = 3"
    })
    void anotherNumberOfRanksOnTheSameNodesIsToldWhatGoesOn(
            String ioMode, String nodeSize, String groupSize, String problem, String way) throws IOException {
        RunFixture run = new RunFixture(directory, "advanced.local_test=0, group_size=2, ckpt_io=" + ioMode);
        run.runOn(List.of("a", "a", "b", "b"), (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        change(run, "node_size", nodeSize);
        change(run, "group_size", groupSize);
        assertThatThrownBy(() -> run.runOn(List.of("a", "a", "a", "b", "b", "b"), (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining(problem)
                .hasMessageContaining(way.startsWith("any") ? "level 4" : "level 9")
                .hasMessageContaining(way);
    }

    /** The groups were those of the number of ranks before: other groups are no mistake of a program that allows another number. */
    @Test
    void anotherGroupSizeWithAnotherNumberOfRanksIsNone() throws Throwable {
        RunFixture run = new RunFixture(directory, Map.of("advanced.local_test", "0", "basic.group_size", "2"));
        run.runOn(List.of("a", "a", "b", "b"), (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L2);
        });
        change(run, "node_size", "1");
        change(run, "group_size", "1");
        // Levels 2 and 3 are lost with it, which the program learns before it asks for them.
        assertThat(EngineLog.messages(() -> run.runOn(
                        List.of("b", "a"), builder -> builder.anyNumberOfRanks().open(), (checkpoints, comm) -> {})))
                .filteredOn(line -> line.contains("level 2 or 3, which fail now, with group_size = 1"))
                .hasSize(1);
        run.runOn(List.of("b", "a"), builder -> builder.anyNumberOfRanks().open(), (checkpoints, comm) -> {
            int[] values = new int[2];
            checkpoints.protect(0, values);
            checkpoints.distribute(0, Distribution.block(4));
            assertThat(checkpoints.formerRanks()).hasValue(4);
            checkpoints.recover();
            assertThat(values).containsExactly(2 * comm.rank(), 2 * comm.rank() + 1);
            checkpoints.checkpoint(3, Level.L1);
        });
        run.runOn(List.of("b", "a"), (checkpoints, comm) -> {
            int[] values = new int[2];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(2 * comm.rank(), 2 * comm.rank() + 1);
        });
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
                .hasMessageNotContaining("failure = 0");
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
        RunFixture run =
                new RunFixture(directory, "ckpt_io=5, h5_single_file_enable=1, node_size=1, restart.failure=3");
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

    /** A rank may have nothing; if none has anything, the program has forgotten it. */
    @Test
    void aCheckpointOfNothingIsTold() throws Throwable {
        RunFixture run = new RunFixture(directory, Map.of());
        List<String> said = EngineLog.messages(() -> run.run(2, (checkpoints, comm) -> {
            checkpoints.checkpoint(1, Level.L1);
            if (comm.rank() == 1) {
                checkpoints.protect(0, new int[1]);
            }
            checkpoints.checkpoint(2, Level.L1);
        }));
        assertThat(said)
                .filteredOn(line -> line.contains("has no data"))
                .singleElement()
                .asString()
                .contains("checkpoint 1 has no data: no rank has protected a variable");
    }

    /** A checkpoint after it would replace the data of the others by what the variables hold; a program may want that. */
    @ParameterizedTest
    @CsvSource({"1, 2", "2, 2", "3, 2", "4, 2", "5, 2", "3, 1", "1, 1"})
    void variablesThatWereNotRecoveredAreNamedOnce(String ioMode, int ranks) throws Throwable {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "basic.node_size", "1"));
        run.run(2, (checkpoints, comm) -> {
            protectThree(checkpoints);
            checkpoints.checkpoint(1, Level.L4);
        });
        List<String> said = EngineLog.messages(() -> ThreadCommunicator.run(ranks, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .anyNumberOfRanks()
                    .open()) {
                protectThree(checkpoints);
                checkpoints.recover(1);
                checkpoints.checkpoint(2, Level.L1);
                checkpoints.checkpoint(3, Level.L1);
            }
        }));
        assertThat(said)
                .filteredOn(line -> line.contains("not recovered"))
                .singleElement()
                .asString()
                .contains("rank " + (ranks - 1), "variables [0, 2]", "checkpoint 2");
    }

    private static void protectThree(Checkpoints checkpoints) {
        for (int id = 0; id < 3; id++) {
            checkpoints.protect(id, new int[1]);
            checkpoints.distribute(id, Distribution.replicated());
        }
    }

    /** Whether the data are in the variables since the start, or come later. */
    @ParameterizedTest
    @ValueSource(strings = {"early", "one by one", "all in the end", "given up", "stash"})
    void whoRecoversAllIsToldNothing(String how) throws Throwable {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        run.run(1, (checkpoints, comm) -> {
            protectThree(checkpoints);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.stash().put(1, 1);
        });
        assertThat(EngineLog.messages(() -> {
                    Checkpoints.Builder builder =
                            Checkpoints.builder(run.config()).communicator(new SingleCommunicator());
                    if (how.equals("early")) {
                        builder.protect(0, new int[1]).protect(1, new int[1]).protect(2, new int[1]);
                    }
                    try (Checkpoints checkpoints = builder.open()) {
                        if (!how.equals("early")) {
                            protectThree(checkpoints);
                        }
                        checkpoints.recover(1);
                        switch (how) {
                            case "one by one" -> {
                                checkpoints.recover(0);
                                checkpoints.recover(2);
                            }
                            case "all in the end" -> checkpoints.recover();
                            case "given up" -> checkpoints.discardRestart();
                            case "stash" -> checkpoints.stash().load(1);
                            default -> {}
                        }
                        checkpoints.checkpoint(2, Level.L1);
                    }
                }))
                .noneMatch(line -> line.contains("not recovered"));
    }

    /** Not after hours of computing, at the first checkpoint in such a file. */
    @Test
    void aDirectoryOfSharedFilesThatCannotBeMadeIsFoundAtTheStart() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        RunFixture run = new RunFixture(
                directory,
                Map.of(
                        "basic.ckpt_io",
                        "5",
                        "basic.h5_single_file_enable",
                        "1",
                        "basic.h5_single_file_dir",
                        file.resolve("h5").toString()));
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining(file.resolve("h5").toString());
    }

    @Test
    void noVariableLeavesAnIncrementalCheckpoint() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(0, new int[1]);
            try (IncrementalCheckpoint begun = checkpoints.incremental(1, Level.L1)) {
                begun.add(0);
                assertThatThrownBy(() -> checkpoints.unprotect(0))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("neither committed nor closed");
                begun.commit();
            }
        }
    }

    @Test
    void nullIsNoVariable() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            String words = "cannot protect null: give an array of primitives, an array of such arrays";
            assertThatThrownBy(() -> checkpoints.protect(1, none()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(words);
            assertThatThrownBy(() -> checkpoints.protect(1, none(), 3))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(words);
            assertThatThrownBy(() -> checkpoints.protect(1, none(), 3, ElementType.INTG))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(words);
            String more = "one of them is null";
            Codec<String> codec = Codec.of(String.class);
            requireRefused(() -> checkpoints.protect(1, none(), text -> {}, codec), more);
            requireRefused(() -> checkpoints.protect(1, () -> "", none(), codec), more);
            requireRefused(() -> checkpoints.protect(1, () -> "", text -> {}, none()), more);
            requireRefused(() -> checkpoints.protect(1, List.of("")), "an object needs a Codec");
        }
    }

    @Test
    void whatIsNoArrayOfCIsRefused() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            requireRefused(() -> checkpoints.protect(1, new int[2][]), "the array at index 0 is null");
            requireRefused(() -> checkpoints.protect(1, new int[][] {{1}, {2, 3}}), "differ in length");
            requireRefused(() -> checkpoints.protect(1, new String[2][3]), "cannot protect a java.lang.String[][]");
            requireRefused(
                    () -> checkpoints.protect(1, new Object[] {new int[1]}), "cannot protect a java.lang.Object[]");
            requireRefused(() -> checkpoints.protect(1, new int[2][3], 3), "protected whole");
            requireRefused(() -> checkpoints.protect(1, new byte[2][8], 2, ElementType.DBLE), "elements of 1 bytes");
            checkpoints.protect(1, new int[2][3], 6, ElementType.UINT);
            requireRefused(
                    () -> ((FtiCheckpoints) checkpoints).setAttribute(1, List.of(6L)), "has the dimensions [2, 3]");
            ((FtiCheckpoints) checkpoints).setAttribute(1, List.of(2L, 3L));
        }
    }

    private static void requireRefused(ThrowingCallable call, String words) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words);
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
