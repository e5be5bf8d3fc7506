package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Ranks that have host names and storage of their own, and are dealt out to the nodes in turn. After the crash the nodes come in
 * another order and one is replaced: each rank gets the data it had. (C FTI gives the program another rank's data at level 4,
 * refuses level 3, and finds nothing at the others.)
 */
@Tag("native")
class ClusterIT {

    @TempDir
    Path directory;

    @BeforeEach
    void assumeNameSpaces() throws IOException, InterruptedException {
        NamedHosts.assumePossible();
    }

    @ParameterizedTest
    @CsvSource({"3, 4"})
    void ranksKeepTheirData(String ioMode, int level) throws IOException, InterruptedException {
        loseAndReorder(ioMode, level);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "2, 3", "2, 4", "3, 1", "3, 2", "3, 3"})
    void ranksKeepTheirDataAtEveryLevel(String ioMode, int level) throws IOException, InterruptedException {
        loseAndReorder(ioMode, level);
    }

    /** Names and sizes of the files fit; a rank would get the data of another one. */
    @Tag("exhaustive")
    @Test
    void ranksMayBeDealtOutInAnotherWay() throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        RunFixture run = run(nodes, "3");
        start(nodes, "a b a b", "write", run, 4);
        start(nodes, "b b a a", "read", run, 4);
    }

    /** Its host is still in the job, and a rank there sees that it has ended. */
    @Test
    void aKilledProcessOnAnotherHostIsNotWaitedFor() throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        RunFixture run = run(nodes, "3");
        assertThat(tryToStart(nodes, "a b a b", "kill", run, 2).exitStatus()).isNotZero();
        assertThat(Files.readString(run.file("Topology.fti").resolveSibling("drumlin-lease")))
                .containsPattern("host += a\n");
        Mpirun.Outcome outcome = tryToStart(nodes, "b a b a", "read", run, 2);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("taking over").doesNotContain("to see whether that renews");
    }

    /** Its folders go with the next starts on its nodes, whichever of them comes first. */
    @Test
    void nothingIsLeftOfARunThatWasKilledBeforeItsFirstCheckpoint() throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        RunFixture run = run(nodes, "3");
        assertThat(tryToStart(nodes, "a b a b", "die", run, 1).exitStatus()).isNotZero();
        assertThat(nodes.resolve("a")).isNotEmptyDirectory();
        start(nodes, "c a c a", "look", run, 1);
        assertThat(nodes.resolve("a")).isEmptyDirectory();
        assertThat(nodes.resolve("b")).isNotEmptyDirectory();
        start(nodes, "b c b c", "look", run, 1);
        assertThat(nodes.resolve("b")).isEmptyDirectory();

        assertThat(tryToStart(nodes, "a b a b", "end", run, 1).exitStatus()).isNotZero();
        start(nodes, "b a b a", "look", run, 1);
        for (String folder : List.of("nodes/a", "nodes/b", "Global", "Meta")) {
            try (Stream<Path> left = Files.list(directory.resolve(folder))) {
                assertThat(left).as(folder).isEmpty();
            }
        }
    }

    private void loseAndReorder(String ioMode, int level) throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        RunFixture run = run(nodes, ioMode);
        start(nodes, "a b a b", "write", run, level);
        assertThat(Files.readString(run.file("Topology.fti"))).containsPattern("0 += a\n1 += b\n");
        assertThat(nodes.resolve("here"))
                .as("what each host has at its own place")
                .isEmptyDirectory();
        // Node b is lost where the level stands that.
        start(nodes, level == 1 ? "b a b a" : "c a c a", "read", run, level);
    }

    private RunFixture run(Path nodes, String ioMode) throws IOException {
        return new RunFixture(
                directory,
                Map.of(
                        "basic.ckpt_io",
                        ioMode,
                        "basic.group_size",
                        "2",
                        "basic.ckpt_dir",
                        new NamedHosts(nodes).here().toString(),
                        "advanced.local_test",
                        "0"));
    }

    private static void start(Path nodes, String hosts, String what, RunFixture run, int level)
            throws IOException, InterruptedException {
        Mpirun.Outcome outcome = tryToStart(nodes, hosts, what, run, level);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    private static Mpirun.Outcome tryToStart(Path nodes, String hosts, String what, RunFixture run, int level)
            throws IOException, InterruptedException {
        return new NamedHosts(nodes)
                .run(hosts, Program.class, what, run.config().toString(), Integer.toString(level));
    }

    /** Writes a checkpoint, or recovers it. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws IOException {
            Level level = Level.of(Integer.parseInt(arguments[2]));
            Communicators.run(world -> {
                try (Checkpoints checkpoints = Checkpoints.open(Path.of(arguments[1]), world)) {
                    int place = world.rank();
                    // Not the same size on all.
                    int[] values = new int[10_000 + place];
                    checkpoints.protect(0, values);
                    if (arguments[0].equals("look")) {
                        checkpoints.complete();
                    } else if (arguments[0].equals("die") || arguments[0].equals("end")) {
                        if (place == 0) {
                            String signal = arguments[0].equals("die") ? "-KILL" : "-TERM";
                            String own = Long.toString(ProcessHandle.current().pid());
                            new ProcessBuilder("kill", signal, own)
                                    .start()
                                    .onExit()
                                    .join();
                            new CompletableFuture<>().join();
                        }
                        world.barrier();
                    } else if (!arguments[0].equals("read")) {
                        Arrays.setAll(values, i -> 100_000 * place + i);
                        checkpoints.checkpoint(1, level);
                        if (arguments[0].equals("kill")) {
                            world.barrier();
                            Runtime.getRuntime().halt(9);
                        }
                    } else {
                        assertThat(checkpoints.lastLevel()).contains(level);
                        checkpoints.recover();
                        int[] expected = new int[values.length];
                        Arrays.setAll(expected, i -> 100_000 * place + i);
                        assertThat(values).isEqualTo(expected);
                        checkpoints.complete();
                    }
                }
            });
        }
    }
}
