package io.drumlin.checkpoint.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of a run, each with variables and checkpoints of its own. All have the same ids. */
class GroupsTest {

    private static final int RANKS = 4;

    private static final int LENGTH = 3_000;

    private static final String SOLVER = "solver";

    private static final String TRACER = "tracer";

    @TempDir(factory = InMemory.class)
    Path directory;

    /** What the program has of a run or a group on a rank. */
    private static final class State implements AutoCloseable {
        private final Checkpoints checkpoints;
        private final int[] values = new int[LENGTH];
        private final int library;
        private final int rank;

        State(Checkpoints checkpoints, int library) {
            this.checkpoints = checkpoints;
            this.library = library;
            rank = checkpoints.communicator().rank();
            checkpoints.protect(1, values);
        }

        private int value(int step, int i) {
            return 1_000_000 * library + 100_000 * step + 10_000 * rank + i;
        }

        void take(int step, Level level) throws IOException {
            set(step);
            checkpoints.checkpoint(step, level);
        }

        void set(int step) {
            for (int i = 0; i < LENGTH; i++) {
                values[i] = value(step, i);
            }
        }

        /** Expects the data of a step; 0 for a fresh start. */
        void recovers(int step) throws IOException {
            assertThat(checkpoints.isRestart()).as("library " + library).isEqualTo(step != 0);
            if (step == 0) {
                return;
            }
            assertThat(checkpoints.lastCheckpoint()).contains(step);
            checkpoints.recover();
            int[] expected = new int[LENGTH];
            for (int i = 0; i < LENGTH; i++) {
                expected[i] = value(step, i);
            }
            assertThat(values).isEqualTo(expected);
        }

        @Override
        public void close() throws IOException {
            checkpoints.close();
        }
    }

    /** What the program does on a rank. */
    @FunctionalInterface
    private interface Body {
        void run(State run, State solver, State tracer) throws IOException;
    }

    private static Map<String, String> settings(Map<String, String> changes) {
        return RunFixture.settings("node_size=1, group_size=2, enable_dcp=1, dcp_mode=1, dcp_block_size=512", changes);
    }

    private RunFixture fixture(Map<String, String> changes) throws IOException {
        return new RunFixture(directory, settings(changes));
    }

    private RunFixture fixture(int ioMode) throws IOException {
        return fixture(Map.of("basic.ckpt_io", String.valueOf(ioMode)));
    }

    private static void program(RunFixture run, int ranks, Body body) throws IOException {
        ThreadCommunicator.run(ranks, comm -> {
            try (State main = new State(Checkpoints.open(run.config(), comm), 1);
                    State solver = new State(main.checkpoints.group(SOLVER), 2);
                    State tracer = new State(main.checkpoints.group(TRACER), 3)) {
                body.run(main, solver, tracer);
            }
        });
    }

    private static void program(RunFixture run, Body body) throws IOException {
        program(run, RANKS, body);
    }

    private static void recover(RunFixture run, int main, int solver, int tracer) throws IOException {
        program(run, (own, one, other) -> {
            own.recovers(main);
            one.recovers(solver);
            other.recovers(tracer);
        });
    }

    /** All but the run, which has taken no checkpoint. */
    private RunFixture onlyGroups(int ioMode) throws IOException {
        RunFixture run = fixture(ioMode);
        program(run, (own, one, other) -> {
            one.take(1, Level.L1);
            other.take(2, Level.L4);
        });
        return run;
    }

    private static Path none(RunFixture run) throws IOException {
        return meta(run).resolve("drumlin-groups-only");
    }

    private static Path begun(RunFixture run) throws IOException {
        return meta(run).resolve("drumlin-groups-only-begun");
    }

    private static IniFile ini(Path file) throws IOException {
        return IniFile.parse(Files.readString(file), file.toString());
    }

    private static Path meta(RunFixture run) throws IOException {
        return run.directory().resolve("Meta").resolve(run.restartValue("exec_id"));
    }

    private static Path groupFile(RunFixture run, String name) throws IOException {
        return meta(run).resolve("drumlin-group-" + name + ".fti");
    }

    /** All files whose path has a word, with size and time. */
    private Map<Path, String> files(String word) throws IOException {
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path file : found.filter(Files::isRegularFile)
                    .filter(path -> directory.relativize(path).toString().contains(word))
                    .filter(path -> !path.endsWith("drumlin-lease"))
                    .toList()) {
                files.put(file, Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return files;
    }

    private static void refused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(IOException.class).satisfies(refusal -> assertThat(refusal.getMessage())
                .contains(words));
    }

    /** Warnings during a call. */
    private static List<String> warnings(EngineLog.Work<IOException> call) throws IOException {
        return EngineLog.during(call).stream()
                .filter(line -> line.getLevel().equals(java.util.logging.Level.WARNING))
                .map(new SimpleFormatter()::formatMessage)
                // Not of groups: a mode in which there are none.
                .filter(line -> !line.contains("no differential checkpoints"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"1, L4, 0", "3, L1, 0", "3, L2, 1"})
    void eachIsRecoveredByItself(int ioMode, Level level, String async) throws IOException {
        RunFixture run = fixture(Map.of("basic.ckpt_io", String.valueOf(ioMode), "drumlin.async", async));
        program(run, (own, one, other) -> {
            for (int step = 1; step <= 3; step++) {
                own.take(step, level);
                // At the same time, if they are finished in the background.
                one.take(step, level);
                other.take(step, level);
            }
            other.take(4, level);
        });
        if (level == Level.L2 || level == Level.L3) {
            run.loseNode(1);
        }
        String tracer = run.restartValue("exec_id") + "." + TRACER;
        Map<Path, String> before = files(tracer);
        assertThat(before).isNotEmpty();
        ThreadCommunicator.run(RANKS, comm -> {
            try (State own = new State(Checkpoints.open(run.config(), comm), 1);
                    State one = new State(own.checkpoints.group(SOLVER), 2)) {
                assertThat(one.checkpoints.execId()).isEqualTo(own.checkpoints.execId() + "." + SOLVER);
                one.recovers(3);
                one.take(4, level);
                own.recovers(3);
                own.take(4, level);
            }
        });
        assertThat(files(tracer)).isEqualTo(before);
        recover(run, 4, 4, 4);
        program(run, (own, one, other) -> {
            own.recovers(4);
            one.recovers(4);
            other.recovers(4);
            own.checkpoints.complete();
        });
        assertThat(files(run.restartValue("exec_id"))).isEmpty();
        assertThat(run.restartValue("failure")).isEqualTo("0");
        recover(run, 0, 0, 0);
    }

    @Tag("soak")
    @Test
    void inAllModesAndLevels() throws IOException {
        Path all = directory;
        for (int ioMode = 1; ioMode <= 5; ioMode++) {
            for (Level level : Level.values()) {
                for (String async : List.of("0", "1")) {
                    directory = Files.createDirectory(all.resolve(ioMode + "-" + level + "-" + async));
                    eachIsRecoveredByItself(ioMode, level, async);
                }
            }
        }
    }

    /** A kill must not lose the state of a library because the program has not taken a checkpoint yet. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void onlyGroupsHaveCheckpoints(int ioMode) throws IOException {
        RunFixture run = onlyGroups(ioMode);
        String execId = run.restartValue("exec_id");
        for (int start = 0; start < 2; start++) {
            assertThat(run.restartValue("failure")).isEqualTo("1");
            assertThat(none(run)).exists();
            assertThat(warnings(() -> program(run, (own, one, other) -> {
                        assertThat(own.checkpoints.status()).isEqualTo(Status.FRESH);
                        assertThat(own.checkpoints.recoveryFailure()).isEmpty();
                        assertThat(own.checkpoints.execId()).isEqualTo(execId);
                        own.recovers(0);
                        one.recovers(1);
                        other.recovers(2);
                    })))
                    .isEmpty();
        }
        program(run, (own, one, other) -> {
            own.take(1, Level.L1);
            assertThat(run.restartValue("exec_id")).isEqualTo(execId);
            assertThat(none(run)).doesNotExist();
            one.recovers(1);
            one.take(5, Level.L4);
        });
        recover(run, 1, 5, 2);
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 5})
    void onlyGroupsHaveCheckpointsInOtherModes(int ioMode) throws IOException {
        onlyGroupsHaveCheckpoints(ioMode);
    }

    /** The files of the first checkpoint are away, or it was killed: nobody but the user can tell. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFirstCheckpointThatMayBeLostIsRefusedWithWords(boolean wasTaken) throws IOException {
        RunFixture run = onlyGroups(3);
        String execId = run.restartValue("exec_id");
        Map<Path, Path> away = new HashMap<>();
        if (wasTaken) {
            program(run, (own, one, other) -> own.take(1, Level.L1));
            for (int node = 0; node < RANKS; node++) {
                Path local = directory.resolve("Local/node" + node).resolve(execId);
                away.put(local, directory.resolve("away" + node));
                Files.move(local, directory.resolve("away" + node));
            }
        }
        Files.deleteIfExists(none(run));
        Files.createFile(begun(run));
        for (int start = 0; start < 2; start++) {
            refused(
                    () -> recover(run, 0, 1, 2),
                    "its own first one was begun",
                    "rename " + begun(run) + " to drumlin-groups-only",
                    "bring it back");
        }
        if (wasTaken) {
            for (Map.Entry<Path, Path> each : away.entrySet()) {
                DirectoryTree.delete(each.getKey(), new NioEngine());
                Files.move(each.getValue(), each.getKey());
            }
            recover(run, 1, 1, 2);
            assertThat(none(run)).doesNotExist();
        } else {
            Files.move(begun(run), none(run));
            recover(run, 0, 1, 2);
        }
    }

    /** Who writes that a run has no checkpoint does not lose one that is there. */
    @Test
    void aCheckpointThatIsThereIsTaken() throws IOException {
        RunFixture run = onlyGroups(3);
        program(run, (own, one, other) -> own.take(1, Level.L1));
        Files.createFile(none(run));
        recover(run, 1, 1, 2);
        assertThat(none(run)).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aFirstCheckpointThatFailsLeavesTheGroups(int ioMode) throws IOException {
        RunFixture run = onlyGroups(ioMode);
        String execId = run.restartValue("exec_id");
        List<FaultyEngine> engines = Stream.generate(() -> new FaultyEngine(new NioEngine(), false))
                .limit(RANKS)
                .toList();
        run.run(RANKS, (builder, rank) -> builder.storage(engines.get(rank)), (checkpoints, comm) -> {
            checkpoints.protect(1, new int[LENGTH]);
            // The second file that rank 0 renames is the directory that becomes level 1.
            checkpoints.communicator().barrier();
            if (comm.rank() == 2) {
                engines.get(2).fail(Operation.RENAME, 1, "EIO");
            }
            assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L1)).isInstanceOf(IOException.class);
        });
        assertThat(none(run)).exists();
        assertThat(run.restartValue("failure")).isEqualTo("1");
        recover(run, 0, 1, 2);
    }

    /** The user gives up the run: it begins afresh, with groups of its own. */
    @Test
    void aFreshStartNamesTheGroupsThatItLeaves() throws IOException {
        RunFixture run = onlyGroups(3);
        String execId = run.restartValue("exec_id");
        run.setRestart("0", execId);
        Map<Path, String> before = files(execId);
        assertThat(warnings(() -> recover(run, 0, 0, 0)))
                .singleElement()
                .asString()
                .contains("run " + execId + " begins afresh")
                .contains(execId + "." + SOLVER + ", " + execId + "." + TRACER)
                .contains("exec_id");
        assertThat(run.restartValue("exec_id")).isNotEqualTo(execId);
        assertThat(none(run)).doesNotExist();
        assertThat(files(execId)).isEqualTo(before);
        assertThat(warnings(() -> recover(run, 0, 0, 0))).isEmpty();

        // A file that cannot be read is no reason not to begin afresh.
        Path file = directory.resolve("Meta").resolve(execId).resolve("drumlin-group-" + SOLVER + ".fti");
        String text = Files.readString(file);
        Files.writeString(file, "garbage");
        run.setRestart("0", execId);
        assertThat(warnings(() -> recover(run, 0, 0, 0)))
                .singleElement()
                .asString()
                .contains("which of its groups have checkpoints is not known", file.toString());
        Files.writeString(file, text);

        // It was a mistake.
        run.setRestart("1", execId);
        recover(run, 0, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void aCompleteRunNamesTheGroupsThatAreNotOpen(String keepLast) throws IOException {
        RunFixture run = fixture(Map.of("basic.keep_last_ckpt", keepLast));
        program(run, (own, one, other) -> {
            own.take(1, Level.L1);
            one.take(1, Level.L1);
            other.take(2, Level.L4);
        });
        String execId = run.restartValue("exec_id");
        Map<Path, String> before = files(execId + "." + TRACER);
        List<String> told = warnings(() -> ThreadCommunicator.run(RANKS, comm -> {
            try (State own = new State(Checkpoints.open(run.config(), comm), 1);
                    State one = new State(own.checkpoints.group(SOLVER), 2)) {
                own.recovers(1);
                one.recovers(1);
                own.checkpoints.complete();
            }
        }));
        assertThat(files(execId + "." + TRACER)).isEqualTo(before);
        if (keepLast.equals("1")) {
            assertThat(told).isEmpty();
            recover(run, 1, 1, 2);
            return;
        }
        assertThat(told)
                .singleElement()
                .asString()
                .contains("run " + execId + " is complete")
                .contains(execId + "." + TRACER)
                .doesNotContain(SOLVER);
        assertThat(files(execId + "." + SOLVER)).isEmpty();
        // As the warning says.
        run.setRestart("1", execId + "." + TRACER);
        run.run(RANKS, (checkpoints, comm) -> new State(checkpoints, 3).recovers(2));
    }

    /** The last checkpoints are kept, also if the run has none itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keptCheckpointsOfGroups(boolean ofTheRun) throws IOException {
        RunFixture run = fixture(Map.of("basic.keep_last_ckpt", "1"));
        program(run, (own, one, other) -> {
            one.take(1, Level.L1);
            other.take(2, Level.L2);
            if (ofTheRun) {
                own.take(3, Level.L1);
            }
            own.checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        program(run, (own, one, other) -> {
            assertThat(one.checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            own.recovers(ofTheRun ? 3 : 0);
            one.recovers(1);
            other.recovers(2);
        });
        program(run, (own, one, other) -> {
            own.recovers(ofTheRun ? 3 : 0);
            own.take(4, Level.L1);
        });
        recover(run, 4, 1, 2);
    }

    @Test
    void closingTheRunClosesItsGroups() throws IOException {
        RunFixture run = fixture(3);
        ThreadCommunicator.run(RANKS, comm -> {
            Checkpoints checkpoints = Checkpoints.open(run.config(), comm);
            State one = new State(checkpoints.group(SOLVER), 2);
            one.take(1, Level.L1);
            checkpoints.close();
            assertThatThrownBy(() -> one.checkpoints.checkpoint(2, Level.L1)).hasMessageContaining("closed");
            one.close();
        });
        recover(run, 0, 1, 0);
        ThreadCommunicator.run(RANKS, comm -> {
            Checkpoints checkpoints = Checkpoints.open(run.config(), comm);
            Checkpoints solver = checkpoints.group(SOLVER);
            comm.barrier();
            checkpoints.abandon();
            assertThatThrownBy(() -> solver.checkpoint(2, Level.L1)).hasMessageContaining("closed");
        });
        recover(run, 0, 1, 0);
    }

    /** It begins afresh under another id: what is left of it on a node that was away is not taken for its own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aCompletedGroupBeginsAfresh(int ioMode) throws IOException {
        RunFixture run = fixture(ioMode);
        program(run, (own, one, other) -> own.take(1, Level.L1));
        String execId = run.restartValue("exec_id");
        Path local = directory.resolve("Local/node1").resolve(execId + ".solver.2");
        program(run, (own, one, other) -> {
            assertThat(one.checkpoints.execId()).isEqualTo(execId + ".solver.2");
            own.recovers(1);
            one.take(1, Level.L4);
            one.take(2, Level.L1);
            if (one.rank == 0) {
                DirectoryTree.make(directory.resolve("away"), new NioEngine());
                Tamper.copy(local, directory.resolve("away"));
            }
            one.checkpoints.communicator().barrier();
            one.checkpoints.complete();
        });
        Tamper.copy(directory.resolve("away"), local);
        assertThat(warnings(() -> program(run, (own, one, other) -> {
                    assertThat(one.checkpoints.execId()).isEqualTo(execId + ".solver.3");
                    one.recovers(0);
                    own.recovers(1);
                    one.take(7, Level.L4);
                })))
                .anySatisfy(line -> assertThat(line)
                        .contains("its group solver begins afresh")
                        .contains("completed"));
        recover(run, 1, 7, 0);
    }

    @Test
    void aLostOrUnreadableFileOfAGroupIsRefused() throws IOException {
        RunFixture run = onlyGroups(3);
        String execId = run.restartValue("exec_id");
        Path file = groupFile(run, SOLVER);
        String text = Files.readString(file);
        assertThat(ini(file).get("restart", "exec_id")).contains(execId + "." + SOLVER);

        Files.delete(file);
        for (int start = 0; start < 2; start++) {
            refused(() -> recover(run, 0, 1, 2), execId + "." + SOLVER + " is there", "bring back the file");
        }
        // As the message says.
        Files.writeString(
                file,
                ini(run.config())
                        .with("restart", "exec_id", execId + "." + SOLVER)
                        .text());
        recover(run, 0, 1, 2);

        Files.writeString(file, text.substring(0, text.length() / 2) + "\ngarbage\n");
        refused(() -> recover(run, 0, 1, 2), file.toString());
        Files.writeString(file, "");
        refused(() -> recover(run, 0, 1, 2), file.toString());
        Files.writeString(file, text.replace(execId, "another"));
        refused(() -> recover(run, 0, 1, 2), "it names run another." + SOLVER);
        Files.writeString(file, text);
        recover(run, 0, 1, 2);

        // An old copy, from before a checkpoint.
        Files.writeString(file, text.replaceAll("(?m)^failure .*", "failure = 0"));
        recover(run, 0, 0, 2);
        assertThat(ini(file).get("restart", "exec_id")).contains(execId + "." + SOLVER + ".2");
        Files.writeString(file, text.replaceAll("(?m)^failure .*", "failure = 0"));
        refused(() -> recover(run, 0, 1, 2), SOLVER + ".2 is there, and this file does not name it");
        Files.writeString(file, text);
        recover(run, 0, 1, 2);
    }

    /** Its directories on the parallel file system are gone, but not its checkpoint on the nodes. */
    @Test
    void aNodeThatHasFilesOfTheNameIsRefused() throws IOException {
        RunFixture run = onlyGroups(3);
        Files.delete(groupFile(run, SOLVER));
        String id = run.restartValue("exec_id") + "." + SOLVER;
        DirectoryTree.delete(directory.resolve("Meta").resolve(id), new NioEngine());
        DirectoryTree.delete(directory.resolve("Global").resolve(id), new NioEngine());
        refused(() -> recover(run, 0, 0, 2), id + " is there, and this file does not name it");
    }

    /** The record of the run is written by one thread at a time: that of its first checkpoint in the background comes first. */
    @Test
    void aGroupWaitsForTheFirstCheckpointOfTheRun() throws IOException {
        RunFixture run = fixture(Map.of("drumlin.async", "1"));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm);
                    State solver = new State(checkpoints.group(SOLVER), 2)) {
                checkpoints.protect(0, new int[2_000_000]);
                checkpoints.checkpoint(1, Level.L3);
                solver.take(1, Level.L1);
                assertThat(checkpoints.isUnderway()).isFalse();
                assertThat(run.restartValue("failure")).isEqualTo("1");
                assertThat(none(run)).doesNotExist();
            }
        });
    }

    @Test
    void aGroupWhoseDirectoryIsGoneIsRefused() throws IOException {
        RunFixture run = onlyGroups(3);
        Path meta = directory.resolve("Meta").resolve(run.restartValue("exec_id") + "." + SOLVER);
        Files.move(meta, directory.resolve("away"));
        refused(() -> recover(run, 0, 1, 2), "its directory is gone", "bring the directory back", "set failure = 0 in");
        Files.move(directory.resolve("away"), meta);
        recover(run, 0, 1, 2);
        DirectoryTree.delete(meta, new NioEngine());
        Path file = groupFile(run, SOLVER);
        Files.writeString(file, ini(file).with("restart", "failure", "0").text());
        recover(run, 0, 0, 2);
    }

    /** The group's file is the configuration of a run. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aGroupIsOpenedByItself(int ioMode) throws IOException {
        RunFixture run = onlyGroups(ioMode);
        ThreadCommunicator.run(RANKS, comm -> {
            try (State tracer = new State(Checkpoints.open(groupFile(run, TRACER), comm), 3)) {
                tracer.recovers(2);
                tracer.take(3, Level.L1);
            }
        });
        recover(run, 0, 1, 3);
    }

    @Test
    void aGroupThatFindsNothingNamesItsFile() throws IOException {
        RunFixture run = onlyGroups(3);
        for (int node = 0; node < RANKS; node++) {
            Path local = directory.resolve("Local/node" + node);
            DirectoryTree.delete(local.resolve(run.restartValue("exec_id") + "." + SOLVER), new NioEngine());
        }
        refused(() -> recover(run, 0, 1, 2), "set failure = 0 in " + groupFile(run, SOLVER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.b", "a/b", "a b", "\u00e4", "123456789012345678901234567890123"})
    void otherNamesAreRefused(String name) throws IOException {
        RunFixture run = fixture(3);
        run.run(2, (checkpoints, comm) -> {
            refused(() -> checkpoints.group(name), "1 to 32 letters");
            checkpoints.group("A-z_0").close();
        });
    }

    @Test
    void groupsThatCannotBeAreRefused() throws IOException {
        RunFixture run = fixture(3);
        run.run(2, (checkpoints, comm) -> {
            Checkpoints solver = checkpoints.group(SOLVER);
            refused(() -> checkpoints.group(SOLVER), "the group is open");
            refused(() -> solver.group(TRACER), "is a group itself");
            refused(
                    () -> checkpoints.group(comm.rank() == 0 ? "a" : "b"),
                    comm.rank() == 0 ? "rank 1" : "opens group a");
            assertThatThrownBy(() -> solver.singleFile().checkpoint(1)).isInstanceOf(Exception.class);
            solver.close();
            checkpoints.group(SOLVER);
            checkpoints.close();
            assertThatThrownBy(() -> checkpoints.group(TRACER)).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void runsWithHeadsHaveNoGroups() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.head", "1", "basic.node_size", "2"));
        run.run(RANKS, (checkpoints, comm) -> refused(() -> checkpoints.group(SOLVER), "head = 1", "async = 1"));
    }

    @Test
    void runsFromASharedFileHaveNoGroups() throws IOException {
        Map<String, String> shared = Map.of("basic.ckpt_io", "5", "basic.h5_single_file_enable", "1");
        RunFixture run = fixture(shared);
        run.run(2, (checkpoints, comm) -> {
            Checkpoints solver = checkpoints.group(SOLVER);
            // Its files would have the names of the run's.
            assertThat(ini(groupFile(run, SOLVER)).get("basic", "h5_single_file_enable"))
                    .contains("0");
            solver.close();
        });
        Map<String, String> from = new HashMap<>(shared);
        from.put("restart.failure", "3");
        RunFixture next = fixture(from);
        next.run(2, (builder, rank) -> builder.freshStartIfUnrecoverable(), (checkpoints, comm) -> {
            refused(() -> checkpoints.group(SOLVER), "failure = 3");
        });
    }

    @Test
    void branchesHaveNoGroups() throws IOException {
        RunFixture run = fixture(3);
        program(run, (own, one, other) -> {
            own.take(1, Level.L4);
            one.take(1, Level.L4);
            own.take(2, Level.L4);
        });
        String execId = run.restartValue("exec_id");
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints =
                    Checkpoints.builder(run.config()).communicator(comm).from(2).open()) {
                refused(() -> checkpoints.group(SOLVER), "is a branch of run " + execId, "go on with run " + execId);
            }
        });
        run.setRestart("1", execId);
        recover(run, 2, 1, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anotherNumberOfRanks(int ioMode) throws IOException {
        RunFixture run = fixture(Map.of("basic.ckpt_io", String.valueOf(ioMode), "basic.group_size", "1"));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm);
                    Checkpoints solver = checkpoints.group(SOLVER)) {
                solver.protect(1, new int[] {comm.rank()});
                solver.checkpoint(1, Level.L4);
            }
        });
        for (int ranks : new int[] {2, RANKS}) {
            ThreadCommunicator.run(ranks, comm -> {
                try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                                .communicator(comm)
                                .anyNumberOfRanks()
                                .open();
                        Checkpoints solver = checkpoints.group(SOLVER)) {
                    assertThat(checkpoints.isRestart()).isFalse();
                    int[] values = new int[RANKS / ranks];
                    solver.protect(1, values);
                    solver.distribute(1, Distribution.block(RANKS));
                    solver.recover();
                    assertThat(values[0]).isEqualTo(comm.rank() * RANKS / ranks);
                    solver.checkpoint(2, Level.L4);
                }
            });
        }
    }

    /** Nothing that the groups need is on the first node alone. */
    @Test
    void theFirstNodeIsReplaced() throws IOException {
        RunFixture run = fixture(Map.of("advanced.local_test", "0"));
        run.runOn(List.of("a", "b", "c", "d"), (checkpoints, comm) -> {
            State one = new State(checkpoints.group(SOLVER), 2);
            one.take(1, Level.L2);
        });
        run.loseDisk("a");
        List<String> nodes = List.of("e", "b", "c", "d");
        run.runOn(nodes, (checkpoints, comm) -> {
            assertThat(checkpoints.isRestart()).isFalse();
            State own = new State(checkpoints, 1);
            new State(checkpoints.group(SOLVER), 2).recovers(1);
            own.take(1, Level.L2);
        });
        run.loseDisk("e");
        run.runOn(List.of("f", "d", "c", "b"), (checkpoints, comm) -> {
            new State(checkpoints, 1).recovers(1);
            new State(checkpoints.group(SOLVER), 2).recovers(1);
        });
    }

    @Test
    void theCatalogueKnowsGroups() throws IOException {
        RunFixture run = onlyGroups(3);
        program(run, (own, one, other) -> own.take(1, Level.L4));
        String execId = run.restartValue("exec_id");
        String solver = execId + "." + SOLVER;
        String tracer = execId + "." + TRACER;
        RunCatalogue catalogue = RunCatalogue.open(run.config(), directory);
        assertThat(catalogue.runs(true)).extracting(RunCatalogue.Run::execId).containsExactly(execId, solver, tracer);
        refused(() -> catalogue.deleteRun(tracer, false, false), "run " + execId + " goes on with it", "--force");
        refused(() -> catalogue.restore(tracer, 2, null), "is a group of run " + execId);
        recover(run, 1, 1, 2);
        run.setRestart("0", execId);
        RunCatalogue after = RunCatalogue.open(run.config(), directory);
        refused(() -> after.deleteRun(execId, false, false), "its groups have checkpoints: " + solver + ", " + tracer);
        run.setRestart("1", execId);
        recover(run, 1, 1, 2);

        // By force, and then as the messages say.
        catalogue.deleteRun(tracer, true, false);
        refused(() -> recover(run, 1, 1, 2), "its directory is gone");
        Path file = groupFile(run, TRACER);
        Files.writeString(file, ini(file).with("restart", "failure", "0").text());
        recover(run, 1, 1, 0);
        catalogue.deleteRun(execId, true, false);
        run.setRestart("1", solver);
        run.run(RANKS, (checkpoints, comm) -> new State(checkpoints, 2).recovers(1));
    }

    /** A library that stops the job, and the run that is queued again by its own section only. */
    @Test
    void whatEndsTheJobIsLeftToTheRun() throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, drumlin.stop=exit, drumlin.requeue=yes");
        run.run(1, (checkpoints, comm) -> {
            checkpoints.group(SOLVER).close();
            IniFile file = ini(groupFile(run, SOLVER));
            assertThat(file.get("drumlin", "stop")).contains("asked");
            assertThat(file.get("drumlin", "requeue")).contains("0");
            assertThat(file.get("drumlin", "halt_file")).contains(run.config() + ".halt");
        });
    }
}
