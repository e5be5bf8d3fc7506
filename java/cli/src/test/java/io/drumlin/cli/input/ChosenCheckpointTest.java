package io.drumlin.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.RunConfig;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on checkpoints of a run that are not the newest: of two nodes with a rank each. */
class ChosenCheckpointTest {

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    /** Element 5 of variable 2 is 10 times the id of the checkpoint, and the rank. */
    private void take(Path config, Map<Integer, Level> checkpoints) throws IOException {
        ThreadCommunicator.run(2, comm -> {
            try (Checkpoints run = Checkpoints.open(config, comm)) {
                double[] values = new double[20];
                run.protect(1, new int[] {comm.rank(), 7});
                run.protect(2, values);
                if (run.isRestart()) {
                    run.recover();
                }
                for (Map.Entry<Integer, Level> each : checkpoints.entrySet()) {
                    values[5] = 10.0 * each.getKey() + comm.rank();
                    run.checkpoint(each.getKey(), each.getValue());
                }
            }
        });
    }

    private Path run(int ioMode) throws IOException {
        Path config = RunConfig.write(directory, ioMode, 2);
        Files.writeString(config, "[drumlin]\nkeep = 3\nkeep_l2 = 2\n", StandardOpenOption.APPEND);
        take(config, new TreeMap<>(Map.of(1, Level.L4, 2, Level.L4, 3, Level.L2, 4, Level.L2)));
        return config;
    }

    private void assertRun(int exitCode, Object... words) throws IOException {
        assertThat(command.run(words))
                .as(Arrays.toString(words) + command.err() + command.out())
                .isEqualTo(exitCode);
    }

    private void loseNode1() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("Local/node1"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 5})
    void eachModeHasThem(int ioMode) throws IOException {
        theCheckpointIsChosen(ioMode);
    }

    @Test
    void theArchiveAndTheNodesHaveThem() throws IOException {
        theCheckpointIsChosen(3);
    }

    private void theCheckpointIsChosen(int ioMode) throws IOException {
        Path config = run(ioMode);
        loseNode1();
        String variable = ioMode == 5 ? "dataset=/Dataset_2" : "var=2";
        Object[] types = ioMode == 3 ? new Object[] {"--type", variable + ":double"} : new Object[0];
        for (int id = 1; id <= 4; id++) {
            for (int rank = 0; rank < 2; rank++) {
                assertRun(0, words(types, "show", config, "--checkpoint", id, "--select", variable + ",rank=" + rank));
                assertThat(command.out()).contains("[5] " + (10.0 * id + rank) + "\n");
            }
        }
        assertRun(1, words(types, "diff", config, directory, "--checkpoint-a", 1, "--checkpoint-b", 3));
        assertThat(command.out())
                .contains(
                        ", checkpoint 1 of level 4, 2 ranks",
                        ", checkpoint 3 of level 2, 2 ranks",
                        variable + " of rank 1 (double): 1 of 20 differ, first at [5]: 11.0 and 31.0")
                .contains("2 equal, 2 different");
        assertRun(0, words(types, "diff", config, config, "--checkpoint-a", 2, "--checkpoint-b", 2));
        assertRun(1, words(types, "diff", config, config, "--checkpoint-a", 3));
        assertThat(command.out()).contains("31.0 and 41.0");
        Path all = directory.resolve("all");
        assertRun(0, "extract", config, "--checkpoint", 1, "--all", "-o", all);
        String name = "rank1-" + variable.replace("=/", "=").replace('=', '-') + ".bin";
        ByteBuffer bytes =
                ByteBuffer.wrap(Files.readAllBytes(all.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.getDouble(5 * Double.BYTES)).isEqualTo(11);
        Path hdf5 = directory.resolve("chosen.h5");
        assertRun(0, "convert", config, hdf5, "--checkpoint", 1);
        String dataset = "dataset=/rank1/" + (ioMode == 5 ? "Dataset_2" : "var2");
        assertRun(0, "show", hdf5, "--select", dataset, "--type", "double");
        assertThat(command.out()).contains("[5] 11.0\n");
    }

    @Test
    void oneThatIsNotThereIsRefused() throws IOException {
        Path config = run(3);
        assertRun(2, "show", config, "--checkpoint", 9, "--select", "var=2,rank=0");
        assertThat(command.err()).contains("there is no checkpoint 9 that can be recovered", "drumlin run list");
        assertRun(2, "diff", config, config, "--checkpoint-b", 9);
        Path file;
        try (Stream<Path> files = Files.walk(directory.resolve("Global"))) {
            file = files.filter(each -> each.endsWith("Ckpt1-Rank0.fti"))
                    .findFirst()
                    .orElseThrow();
        }
        assertRun(64, "show", file, "--checkpoint", 1, "--select", "var=2");
        assertThat(command.err()).contains("--checkpoint is for runs");
        assertRun(2, "diff", file, file, "--checkpoint-a", 1);
        assertRun(64, "convert", file, directory.resolve("out.h5"), "--checkpoint", 1);
        Files.write(file, new byte[10]);
        assertRun(2, "show", config, "--checkpoint", 1, "--select", "var=2,rank=1");
        assertThat(command.err()).contains("there is no checkpoint 1 that can be recovered");
    }

    /** Ids come again after a restart. */
    @Test
    void twoOfOneIdAtTwoPlacesAreRefused() throws IOException {
        Path config = run(3);
        take(config, Map.of(1, Level.L4));
        assertRun(2, "show", config, "--checkpoint", 1, "--select", "var=2,rank=0", "--type", "double");
        assertThat(command.err()).contains("there are several checkpoints 1", "l4_archive");
        assertRun(0, "show", config, "--checkpoint", 2, "--select", "var=2,rank=0", "--type", "double");
    }

    private static Object[] words(Object[] last, Object... first) {
        return Stream.of(first, last).flatMap(Arrays::stream).toArray();
    }

    /** Files of FTI-FF do not have the types of variables. */
    @Test
    void eachVariableIsExtractedAsItsType() throws IOException {
        Path config = run(3);
        Path all = directory.resolve("all");
        Object[] extract = {"extract", config, "--all", "--format", "csv", "-o", all};
        assertRun(2, words(new Object[] {"--type", "double", "--type", "var=3:int"}, extract));
        assertThat(command.err()).contains("has no var=3");
        assertThat(all).doesNotExist();
        assertRun(0, words(new Object[] {"--type", "var=1:int", "--type", "double"}, extract));
        assertThat(all.resolve("rank1-var-1.csv")).hasContent("1\n7");
        assertThat(Files.readAllLines(all.resolve("rank1-var-2.csv")))
                .hasSize(20)
                .contains("41.0");
        assertRun(0, "show", config, "--select", "var=1,rank=1", "--type", "var=1:short");
        assertThat(command.out()).contains("[2] 7");
        assertRun(2, "show", config, "--select", "var=1,rank=1", "--type", "var=2:double");
        assertThat(command.err()).contains("what is selected is not var=2");
    }
}
