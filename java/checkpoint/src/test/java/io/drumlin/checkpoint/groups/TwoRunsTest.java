package io.drumlin.checkpoint.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two libraries in one program have a run each, in the same directories. Ids of variables and of checkpoints are the same in
 * both, and nothing else is: one is recovered without the other.
 */
class TwoRunsTest {

    private static final int RANKS = 4;

    private static final int LENGTH = 5_000;

    private static final int SOLVER = 1_000_000;

    private static final int TRACER = 2_000_000;

    @TempDir
    Path directory;

    private RunFixture solver;
    private RunFixture tracer;

    @BeforeEach
    void openBoth() throws IOException {
        configure(3, "0");
    }

    private void configure(int ioMode, String async) throws IOException {
        Map<String, String> changes = RunFixture.settings("ckpt_io=" + ioMode
                + ", node_size=1, group_size=2, enable_dcp=1, dcp_block_size=512, drumlin.async=" + async);
        solver = new RunFixture(directory, changes);
        changes.put("basic.ckpt_dir", directory.resolve("Local").toString());
        changes.put("basic.glbl_dir", directory.resolve("Global").toString());
        changes.put("basic.meta_dir", directory.resolve("Meta").toString());
        tracer = new RunFixture(Files.createDirectories(directory.resolve("tracer")), changes);
    }

    /** What a library has on a rank. */
    private static int[] values(int library, int step, int rank) {
        int[] values = new int[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            values[i] = library + 100_000 * step + 10_000 * rank + i;
        }
        return values;
    }

    private static void set(int[] values, int library, int step, int rank) {
        System.arraycopy(values(library, step, rank), 0, values, 0, LENGTH);
    }

    private static Checkpoints open(RunFixture run, Communicator comm, int[] values) throws IOException {
        Checkpoints checkpoints = Checkpoints.open(run.config(), comm);
        checkpoints.protect(1, values);
        return checkpoints;
    }

    private void begin(Level level) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            int[] one = new int[LENGTH];
            int[] other = new int[LENGTH];
            try (Checkpoints first = open(solver, comm, one);
                    Checkpoints second = open(tracer, comm, other)) {
                assertThat(first.execId()).isNotEqualTo(second.execId());
                for (int step = 1; step <= 3; step++) {
                    set(one, SOLVER, step, comm.rank());
                    set(other, TRACER, step, comm.rank());
                    first.checkpoint(step, level);
                    // At the same time, if they are finished in the background.
                    second.checkpoint(step, level);
                }
                first.await();
                set(one, 0, 0, 0);
                first.recover();
                assertThat(one).isEqualTo(values(SOLVER, 3, comm.rank()));
                assertThat(other).isEqualTo(values(TRACER, 3, comm.rank()));
                set(other, TRACER, 4, comm.rank());
                second.checkpoint(4, level);
            }
        });
    }

    private static void goOn(RunFixture run, int library, int step, Level level, boolean complete) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            int[] values = new int[LENGTH];
            try (Checkpoints checkpoints = open(run, comm, values)) {
                assertThat(checkpoints.lastCheckpoint()).hasValue(step);
                checkpoints.recover();
                assertThat(values).isEqualTo(values(library, step, comm.rank()));
                set(values, library, step + 1, comm.rank());
                checkpoints.checkpoint(step + 1, level);
                if (complete) {
                    checkpoints.complete();
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, L4", "3, L1"})
    void oneIsRecoveredWithoutTheOther(int ioMode, Level level) throws IOException {
        configure(ioMode, "0");
        oneIsRecoveredWithoutTheOther(level);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, L2, 1", "2, L4, 0", "3, L4_DCP, 0", "4, L4, 1", "5, L3, 0"})
    void inOtherModes(int ioMode, Level level, String async) throws IOException {
        configure(ioMode, async);
        oneIsRecoveredWithoutTheOther(level);
    }

    @Tag("soak")
    @Test
    void inAllModesAndLevels() throws IOException {
        Path all = directory;
        for (int ioMode = 1; ioMode <= 5; ioMode++) {
            for (Level level : Level.values()) {
                for (String async : List.of("0", "1")) {
                    directory = Files.createDirectory(all.resolve(ioMode + "-" + level + "-" + async));
                    configure(ioMode, async);
                    oneIsRecoveredWithoutTheOther(level);
                }
            }
        }
    }

    private void oneIsRecoveredWithoutTheOther(Level level) throws IOException {
        begin(level);
        if (level == Level.L2 || level == Level.L3) {
            solver.loseNode(1);
        }
        Map<Path, String> before = filesOf(solver);
        assertThat(before).isNotEmpty();
        goOn(tracer, TRACER, 4, level, false);
        goOn(tracer, TRACER, 5, level, true);
        assertThat(filesOf(tracer)).isEmpty();
        assertThat(filesOf(solver)).isEqualTo(before);
        goOn(solver, SOLVER, 3, level, false);
        goOn(solver, SOLVER, 4, level, true);
        assertThat(filesOf(solver)).isEmpty();
    }

    /** Size and time of all files whose path has the id of a run. */
    private Map<Path, String> filesOf(RunFixture run) throws IOException {
        String execId = run.restartValue("exec_id");
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path file : found.filter(Files::isRegularFile)
                    .filter(path -> path.toString().contains(execId))
                    .toList()) {
                files.put(file, Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return files;
    }

    /** Two libraries that open the same file would take each other's place in it. */
    @Test
    void bothNeedFilesOfTheirOwn() throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints first = open(solver, comm, new int[LENGTH]);
                    Checkpoints second = open(solver, comm, new int[LENGTH])) {
                second.checkpoint(1, Level.L1);
                assertThatThrownBy(() -> first.checkpoint(1, Level.L1))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("it names run " + second.execId())
                        .hasMessageContaining("configuration file of its own");
            }
        });
    }
}
