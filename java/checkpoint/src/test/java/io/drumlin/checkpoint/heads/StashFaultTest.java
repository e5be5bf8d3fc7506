package io.drumlin.checkpoint.heads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Stash;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stashes that cannot be made on one of two nodes. */
@Tag("exhaustive")
class StashFaultTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    /** Runs with an engine that fails on the second node. */
    private void run(RunFixture run, Body body) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine engine = new FaultyEngine(new NioEngine());
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(engine)
                    .open()) {
                body.run(checkpoints, comm.rank() == 2 ? Optional.of(engine) : Optional.empty());
            }
        });
    }

    /** What a rank does; it has the engine if that is to fail. */
    private interface Body {
        void run(Checkpoints checkpoints, Optional<FaultyEngine> failing) throws IOException;
    }

    /** With the same id nothing in the mode POSIX tells the old file of one node from the new one of another. */
    @ParameterizedTest
    @CsvSource({
        "1, RENAME, 1",
        "1, RENAME, 2",
        "3, RENAME, 1",
        "3, RENAME, 2",
        "1, SYNC_DIRECTORY, 1",
        "1, SYNC_DIRECTORY, 2",
        "1, SYNC_DIRECTORY, 3"
    })
    void theOldOneStaysOnAllNodes(String ioMode, Operation operation, int nth) throws IOException {
        run(new RunFixture(directory, Map.of("basic.ckpt_io", ioMode)), (checkpoints, failing) -> {
            int[] values = {1};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.stash().put(1, 5);
            values[0] = 2;
            checkpoints.checkpoint(1, Level.L1);
            failing.ifPresent(engine -> engine.fail(operation, nth, "EIO"));
            assertThatThrownBy(() -> checkpoints.stash().put(1, 5)).isInstanceOf(IOException.class);
            failing.ifPresent(FaultyEngine::heal);
            values[0] = 0;
            assertThat(checkpoints.stash().load(5)).isEqualTo(1);
            assertThat(values).containsExactly(1);
            checkpoints.stash().put(1, 5);
            checkpoints.stash().load(5);
            assertThat(values).containsExactly(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aNewOneIsOnNoNode(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode));
        run(run, (checkpoints, failing) -> {
            int[] values = {1};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L1);
            failing.ifPresent(engine -> engine.fail(Operation.RENAME, 1, "EIO"));
            assertThatThrownBy(() -> checkpoints.stash().put(1, 5)).isInstanceOf(IOException.class);
            assertThat(run.files()).noneMatch(file -> file.contains("/stash/5/"));
            checkpoints.communicator().barrier();
            assertThatThrownBy(() -> checkpoints.stash().load(5)).isInstanceOf(IOException.class);
            checkpoints.stash().put(1, 5);
            values[0] = 0;
            checkpoints.stash().load(5);
            assertThat(values).containsExactly(1);
            checkpoints.stash().drop(5, Stash.Layer.LOCAL);
            assertThat(run.files()).noneMatch(file -> file.contains("/stash/"));
        });
    }

    /** What the file system does not tell of is neither missing nor left out: a stash without its metadata could not be loaded. */
    @ParameterizedTest
    @CsvSource({"1, stat path=/sector0-group0.fti", "1, open path=/sector0-group0.fti", "3, list path=/l1 path=/stash/"
    })
    void whatCannotBeSeenIsNotTakenForMissing(String ioMode, String call) throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "basic.node_size", "1"));
        Path now = directory.resolve("now");
        String rules = Stream.of(call.split(" path="))
                .skip(1)
                .map(path -> call.split(" ")[0] + " path=" + path + " when=" + now + " from=1 error=EIO")
                .collect(Collectors.joining(";"));
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .faults(rules)
                .run(Program.class, run.config().toString(), now.toString());
        // Whether the JDK asks for the status of a file before it reads it depends on its release.
        String read = call.startsWith("stat") ? "load (failed: .*EIO|succeeded)" : "load failed: .*EIO";
        assertThat(outcome.output())
                .containsPattern("put failed: .*EIO")
                .containsPattern(read)
                .contains("then loaded 1")
                .doesNotContain("no file of it");
    }

    /** What the other JVM runs. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws IOException {
            Path now = Path.of(args[1]);
            try (Checkpoints checkpoints = Checkpoints.builder(Path.of(args[0]))
                    .communicator(new SingleCommunicator())
                    .storage(new NioEngine())
                    .open()) {
                checkpoints.protect(0, new int[] {1});
                checkpoints.checkpoint(1, Level.L1);
                whileCallsFail(now, "put", () -> checkpoints.stash().put(1, 5));
                checkpoints.stash().put(1, 6);
                whileCallsFail(now, "load", () -> checkpoints.stash().load(6));
                System.out.println("then loaded " + checkpoints.stash().load(6));
            }
        }

        private static void whileCallsFail(Path now, String what, Agreement.Step step) throws IOException {
            Files.createFile(now);
            try {
                step.run();
                System.out.println(what + " succeeded");
            } catch (IOException e) {
                System.out.println(what + " failed: " + e.getMessage());
            }
            Files.delete(now);
        }
    }
}
