package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file system that all nodes should share is not mounted on one of them, whose mount point is an ordinary directory. */
@Tag("native")
class UnmountedIT {

    @TempDir
    Path directory;

    @BeforeEach
    void assumeNameSpaces() throws IOException, InterruptedException {
        NamedHosts.assumePossible();
    }

    @ParameterizedTest
    @ValueSource(strings = {"glbl_dir", "meta_dir"})
    void isFoundAtTheStart(String key) throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        RunFixture run =
                run(nodes, "3", Map.of("basic." + key, nodes.resolve("here").toString()));
        Mpirun.Outcome outcome = start(nodes, "L1", run, "none");
        assertThat(outcome.exitStatus()).as(outcome.output()).isNotZero();
        assertThat(outcome.output())
                .contains("node 1, b, does not see", "rank 0", "mount the same file system there", key);
        // Each rank is on a node of its own, which has the first one's files or none.
        try (Stream<Path> left = Files.list(nodes.resolve("b"))) {
            assertThat(left).allMatch(path -> path.endsWith("Local"));
        }
    }

    /** And the checkpoint before is still there: at level 1, which one of level 4 would supersede. */
    @Test
    void isFoundBeforeACheckpointReplacesAnother() throws IOException, InterruptedException {
        replace("3", "L4", "Global");
    }

    @Tag("exhaustive")
    @Test
    void metadataElsewhereIsFoundBeforeACheckpointReplacesAnother() throws IOException, InterruptedException {
        replace("1", "L1", "Meta");
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, L4, Global",
        "2, L4, Global",
        "4, L4, Global",
        "5, L4, Global",
        "1, L4_DCP, Global",
        "3, L4_DCP, Global",
        "1, L4, Meta",
        "2, L4, Meta",
        "4, L4, Meta",
        "5, L2, Meta",
        "1, L4_DCP, Meta"
    })
    void isFoundInEveryMode(String ioMode, String level, String unmounted) throws IOException, InterruptedException {
        replace(ioMode, level, unmounted);
    }

    /** Each file of a set is made by a rank of its own. */
    @Test
    void isFoundWhenASetOfSionFilesIsMade() throws IOException, InterruptedException {
        NamedHosts hosts = new NamedHosts(Files.createDirectory(directory.resolve("nodes")));
        Mpirun.Outcome outcome = hosts.run(
                "a b", SionProgram.class, hosts.here().resolve("set.sion").toString());
        assertThat(outcome.output()).contains("set.sion.000001", "another rank has made this file");
    }

    /** At the end of a run that keeps its last checkpoint, in one file of all ranks, and at level 4 with an archive. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, END, basic.keep_last_ckpt", "5, SINGLE, basic.h5_single_file_enable"})
    void isFoundBeforeAKeptCheckpointIsLost(String ioMode, String step, String key)
            throws IOException, InterruptedException {
        keep(ioMode, step, key);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, L4, basic.keep_l4_ckpt",
        "3, L4, basic.keep_l4_ckpt",
        "2, L4, drumlin.keep",
        "4, L4, basic.keep_l4_ckpt",
        "5, L4, drumlin.keep",
        "2, END, basic.keep_last_ckpt",
        "3, END, basic.keep_last_ckpt",
        "4, END, basic.keep_last_ckpt",
        "5, END, basic.keep_last_ckpt"
    })
    void isFoundBeforeAKeptCheckpointIsLostInEveryMode(String ioMode, String step, String key)
            throws IOException, InterruptedException {
        keep(ioMode, step, key);
    }

    private void keep(String ioMode, String step, String key) throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        RunFixture run = run(nodes, ioMode, Map.of(key, "1"));
        Mpirun.Outcome outcome = start(nodes, KeepingProgram.class, step, run, "Global");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("refused");
        if (step.equals("SINGLE")) {
            run.setRestart("3", run.restartValue("exec_id"));
        }
        Mpirun.Outcome again = start(nodes, KeepingProgram.class, step, run, "none");
        assertThat(again.exitStatus()).as(again.output()).isZero();
        assertThat(again.output()).contains("recovered the first");
    }

    private void replace(String ioMode, String level, String unmounted) throws IOException, InterruptedException {
        Path nodes = Files.createDirectory(directory.resolve("nodes"));
        Map<String, String> more = level.equals("L4_DCP")
                ? Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "1024")
                : Map.of();
        RunFixture run = run(nodes, ioMode, more);
        Mpirun.Outcome outcome = start(nodes, level, run, unmounted);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("refused");
        Mpirun.Outcome again = start(nodes, level, run, "none");
        assertThat(again.exitStatus()).as(again.output()).isZero();
        assertThat(again.output()).contains("recovered checkpoint 1");
    }

    private RunFixture run(Path nodes, String ioMode, Map<String, String> more) throws IOException {
        Map<String, String> changes = new HashMap<>(Map.of(
                "basic.ckpt_io",
                ioMode,
                "basic.group_size",
                "2",
                "basic.node_size",
                "1",
                "basic.ckpt_dir",
                new NamedHosts(nodes).here().resolve("Local").toString(),
                "advanced.local_test",
                "0"));
        changes.putAll(more);
        return new RunFixture(directory, changes);
    }

    private Mpirun.Outcome start(Path nodes, String level, RunFixture run, String unmounted)
            throws IOException, InterruptedException {
        return start(nodes, Program.class, level, run, unmounted);
    }

    private Mpirun.Outcome start(Path nodes, Class<?> program, String step, RunFixture run, String unmounted)
            throws IOException, InterruptedException {
        Path other = directory.resolve(unmounted);
        return new NamedHosts(nodes).run("a b c d", program, run.config().toString(), step, other.toString());
    }

    /** Makes a set of two files. */
    static final class SionProgram {

        private SionProgram() {}

        public static void main(String[] arguments) throws IOException {
            Communicators.run(world -> {
                SionFile.create(
                                Path.of(arguments[0]),
                                world,
                                100,
                                SionOptions.defaults().files(2))
                        .close();
            });
        }
    }

    /** Takes a checkpoint, and lets a second one, or the end of the run, fail; or recovers the first. */
    static final class KeepingProgram {

        private static final int ELEMENTS = 1000;

        private KeepingProgram() {}

        public static void main(String[] arguments) throws Exception {
            String step = arguments[1];
            Communicators.<Exception>run(world -> {
                try (Checkpoints checkpoints = Checkpoints.open(Path.of(arguments[0]), world)) {
                    int[] values = new int[ELEMENTS];
                    checkpoints.protect(0, values);
                    if (step.equals("SINGLE")) {
                        GlobalDataset all = checkpoints
                                .singleFile()
                                .globalDataset("all", List.of((long) world.size() * ELEMENTS), ElementType.INTG);
                        long offset = (long) world.rank() * ELEMENTS;
                        checkpoints.singleFile().subset(0, all, List.of(offset), List.of((long) ELEMENTS));
                    }
                    if (checkpoints.isRestart()) {
                        checkpoints.recover();
                        assertThat(values).containsOnly(100 + world.rank());
                        if (world.rank() == 0) {
                            System.out.println("recovered the first");
                        }
                        return;
                    }
                    Arrays.fill(values, 100 + world.rank());
                    take(checkpoints, step, 1);
                    world.barrier();
                    if (world.rank() == 2) {
                        Program.unmount(Path.of(arguments[2]));
                    }
                    world.barrier();
                    Arrays.fill(values, 200);
                    Throwable thrown = catchThrowable(() -> {
                        if (step.equals("END")) {
                            checkpoints.complete();
                        } else {
                            take(checkpoints, step, 2);
                        }
                    });
                    assertThat(thrown).isInstanceOf(IOException.class);
                    if (world.rank() == 0) {
                        System.out.println("refused: " + thrown.getMessage());
                    }
                }
            });
        }

        private static void take(Checkpoints checkpoints, String step, int id) throws IOException {
            if (step.equals("SINGLE")) {
                checkpoints.singleFile().checkpoint(id);
            } else {
                checkpoints.checkpoint(id, step.equals("END") ? Level.L1 : Level.L4);
                checkpoints.await();
            }
        }
    }

    /** Takes a checkpoint, and a second one for which a directory of rank 2 is another one; or recovers the first. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            Level level = Level.valueOf(arguments[1]);
            Communicators.<Exception>run(world -> {
                try (Checkpoints checkpoints = Checkpoints.open(Path.of(arguments[0]), world)) {
                    int[] values = new int[1000];
                    checkpoints.protect(0, values);
                    if (checkpoints.isRestart()) {
                        checkpoints.recover();
                        int[] expected = new int[values.length];
                        Arrays.fill(expected, 100 + world.rank());
                        assertThat(values).isEqualTo(expected);
                        if (world.rank() == 0) {
                            System.out.println("recovered checkpoint "
                                    + checkpoints.lastCheckpoint().orElseThrow());
                        }
                        return;
                    }
                    Arrays.fill(values, 100 + world.rank());
                    checkpoints.checkpoint(1, Level.L1);
                    checkpoints.await();
                    world.barrier();
                    if (world.rank() == 2) {
                        unmount(Path.of(arguments[2]));
                    }
                    world.barrier();
                    Arrays.fill(values, 200);
                    Throwable thrown = catchThrowable(() -> checkpoints.checkpoint(2, level));
                    assertThat(thrown).isInstanceOf(IOException.class);
                    if (world.rank() == 0) {
                        System.out.println("refused: " + thrown.getMessage());
                    }
                }
            });
        }

        /** Puts a directory with the same run in it, and nothing else, over a shared one. */
        private static void unmount(Path shared) throws IOException, InterruptedException {
            Path other = Files.createDirectories(shared.resolveSibling("other"));
            try (Stream<Path> runs = Files.list(shared)) {
                for (Path run : runs.toList()) {
                    Files.createDirectories(other.resolve(run.getFileName()));
                }
            }
            Process mount = new ProcessBuilder("mount", "--bind", other.toString(), shared.toString())
                    .inheritIO()
                    .start();
            assertThat(mount.waitFor()).isZero();
        }
    }
}
