package io.drumlin.cli.diff;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.RunConfig;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code drumlin diff} on runs of three nodes with a rank each. */
class DiffRunTest {

    private static final int RANKS = 3;

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    /** Writes a checkpoint, of which element 5 of variable 2 of rank 1 is {@code value}. */
    private Path run(String name, int ioMode, Level level, double value) throws IOException {
        Path folder = Files.createDirectory(directory.resolve(name));
        Path config = RunConfig.write(folder, ioMode, 3);
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                double[] values = new double[2000];
                values[5] = comm.rank() == 1 ? value : 0;
                checkpoints.protect(1, new int[] {comm.rank(), 7});
                checkpoints.protect(2, values);
                checkpoints.checkpoint(4, level);
            }
        });
        return folder;
    }

    private void lose(Path folder, int node) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("Local/node" + node))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1,L4", "1,L3", "2,L4", "3,L2", "3,L3", "4,L4", "5,L3"})
    void runsAreComparedRankByRank(int ioMode, Level level) throws IOException {
        Path a = run("a", ioMode, level, 1.5);
        Path same = run("same", ioMode, level, 1.5);
        Path other = run("other", ioMode, level, 1.25);
        if (level != Level.L4) {
            lose(a, 1);
        }
        String key = ioMode == 5 ? "dataset=/Dataset_" : "var=";
        assertThat(command.run("diff", a, same))
                .as(command.err() + command.out())
                .isZero();
        assertThat(command.out())
                .contains(key + "1 of rank 2 (", "equal: 6 equal, 0 different")
                .doesNotContain("not verified");
        assertThat(command.run("diff", a, other.resolve("config.fti"), "--brief", "--type", key + "2:double"))
                .isEqualTo(1);
        assertThat(command.out().lines().skip(2))
                .containsExactly(
                        key + "2 of rank 1 (double): 1 of 2000 differ, first at [5]: 1.5 and 1.25; largest error"
                                + " 0.250000, relative 0.166667",
                        "    1e-1                1  ########################################",
                        "different: 5 equal, 1 different");
        String select = key + "2,rank=";
        assertThat(command.run("diff", a, other, "--select", select + "0")).isZero();
        assertThat(command.run("diff", a, other, "--select", select + "1")).isEqualTo(1);
        assertThat(command.run("diff", a, other, "--select", select + "3")).isEqualTo(2);
    }

    @Test
    void modesMayBeOthersIfTheirDataHaveTheSameNames() throws IOException {
        Path posix = run("posix", 1, Level.L4, 1.5);
        Path ftiFf = run("ftiff", 3, Level.L4, 1.5);
        Path hdf5 = run("hdf5", 5, Level.L4, 1.5);
        assertThat(command.run("diff", posix, ftiFf)).as(command.out()).isZero();
        assertThat(command.out()).contains("run in the mode POSIX", "run in the mode FTI-FF", "(double): equal");
        assertThat(command.run("diff", posix, hdf5)).isEqualTo(2);
        assertThat(command.err()).contains("they cannot be compared");
        Path file;
        try (Stream<Path> files = Files.walk(posix)) {
            file = files.filter(each -> each.endsWith("Ckpt4-Rank0.fti"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(command.run("diff", posix, file)).isEqualTo(2);
        assertThat(command.err()).contains("one is a file and the other one a run");
    }
}
