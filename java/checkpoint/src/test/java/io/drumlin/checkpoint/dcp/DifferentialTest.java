package io.drumlin.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.DifferentialShare;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Differential checkpoints. */
class DifferentialTest {

    private static final int RANKS = 2;

    @TempDir
    Path directory;

    private RunFixture run(String ioMode, String... more) throws IOException {
        return new RunFixture(
                directory,
                RunFixture.settings(
                        "node_size=1, group_size=2, ckpt_io=" + ioMode
                                + ", enable_dcp=1, dcp_mode=1, dcp_block_size=512",
                        RunFixture.settings(more)));
    }

    /** Variables of a rank that change, grow and shrink at random; the same for the same seed. */
    private static final class Data {

        private final Random random;
        private final byte[][] variables = new byte[4][];

        Data(long seed, Communicator comm) {
            random = new Random(seed + comm.rank());
            for (int id = 0; id < variables.length; id++) {
                variables[id] = new byte[random.nextInt(20_000)];
                random.nextBytes(variables[id]);
            }
        }

        void change() {
            for (int id = 0; id < variables.length; id++) {
                switch (random.nextInt(5)) {
                    case 0 -> resize(id, random.nextInt(40_000));
                    // To a multiple of the block size, also to nothing.
                    case 1 -> resize(id, random.nextInt(60) * 512);
                    case 2 -> {}
                    default -> {
                        if (variables[id].length > 0) {
                            variables[id][random.nextInt(variables[id].length)]++;
                        }
                    }
                }
            }
        }

        private void resize(int id, int size) {
            byte[] resized = Arrays.copyOf(variables[id], size);
            if (size > variables[id].length && random.nextBoolean()) {
                resized[random.nextInt(size)] = 7;
            }
            variables[id] = resized;
        }

        void protect(Checkpoints checkpoints) {
            for (int id = 0; id < variables.length; id++) {
                checkpoints.protect(id, variables[id]);
            }
        }

        void compare(Checkpoints checkpoints) throws IOException {
            byte[][] found = new byte[variables.length][];
            for (int id = 0; id < variables.length; id++) {
                found[id] = new byte[variables[id].length];
                checkpoints.protect(id, found[id]);
            }
            checkpoints.recover();
            assertThat(found).isDeepEqualTo(variables);
            protect(checkpoints);
        }
    }

    @Test
    void aDirectoryWithTheNameOfTheSpareFileIsPutAside() throws IOException {
        RunFixture run = run("3");
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new byte[] {1, 2, 3});
            checkpoints.checkpoint(1, Level.L4_DCP);
            checkpoints.checkpoint(2, Level.L4_DCP);
        });
        Path global = run.directory().resolve("Global").resolve(run.restartValue("exec_id"));
        Path spare = global.resolve("drumlin-spare-dCP").resolve("dCPFile-Rank1.fti");
        Files.delete(spare);
        Files.createDirectories(spare.resolve("with something in it"));
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[3];
            checkpoints.protect(0, values);
            checkpoints.recover();
            values[0] = 9;
            checkpoints.checkpoint(3, Level.L4_DCP);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[3];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(9, 2, 3);
        });
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, 1, compact", "1, 2, compact", "3, 1, compact", "3, 2, compact", "3, 1, aligned", "3, 2, aligned"})
    void everyStateComesBack(String ioMode, String hash, String packing) throws IOException {
        RunFixture run = run(ioMode, "dcp_mode=" + hash + ", drumlin.packing=" + packing + ", dcp_stack_size=3");
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        List<Data> data = new ArrayList<>();
        for (int start = 0; start < 4; start++) {
            boolean first = start == 0;
            int id = 100 * start;
            run.run(RANKS, (checkpoints, comm) -> {
                Data own;
                synchronized (data) {
                    while (data.size() < RANKS) {
                        data.add(null);
                    }
                    if (first) {
                        data.set(comm.rank(), new Data(seed, comm));
                    }
                    own = data.get(comm.rank());
                }
                if (!first) {
                    assertThat(checkpoints.lastLevel()).map(Level::number).contains(4);
                    own.compare(checkpoints);
                }
                Random random = new Random(seed - id);
                for (int i = 1; i < 9; i++) {
                    own.change();
                    own.protect(checkpoints);
                    boolean ordinary = i < 8 && random.nextInt(4) == 0;
                    Level level = ordinary ? (random.nextBoolean() ? Level.L1 : Level.L2) : Level.L4_DCP;
                    CheckpointReport report = checkpoints.checkpoint(id + i, level);
                    assertThat(report.level()).isEqualTo(level);
                    own.compare(checkpoints);
                }
            });
        }
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(308);
            data.get(comm.rank()).compare(checkpoints);
            checkpoints.complete();
        });
        assertThat(run.files()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void variablesMayComeOneByOne(String ioMode) throws IOException {
        RunFixture run = run(ioMode);
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        run.run(RANKS, (checkpoints, comm) -> {
            Data own = new Data(seed, comm);
            for (int i = 1; i < 6; i++) {
                own.change();
                own.protect(checkpoints);
                try (IncrementalCheckpoint checkpoint = checkpoints.incremental(i, Level.L4_DCP)) {
                    for (int id : List.of(2, 0, 3, 1)) {
                        checkpoint.add(id);
                    }
                    checkpoint.commit();
                }
                own.compare(checkpoints);
                try (IncrementalCheckpoint given = checkpoints.incremental(99, Level.L4_DCP)) {
                    given.add(1);
                }
                own.compare(checkpoints);
            }
        });
        run.run(RANKS, (checkpoints, comm) -> {
            Data own = new Data(seed, comm);
            for (int i = 1; i < 6; i++) {
                own.change();
            }
            own.compare(checkpoints);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void onlyChangedBlocksCount(String ioMode) throws IOException {
        run(ioMode).run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[512 * 100];
            byte[] others = new byte[300];
            new Random(3).nextBytes(values);
            checkpoints.protect(0, values);
            checkpoints.protect(1, others);
            checkpoints.checkpoint(1, Level.L4_DCP);
            assertThat(checkpoints.differentialShare())
                    .contains(new DifferentialShare(51_500, 51_500, 103_000, 103_000));
            values[512 * 7 + 5]++;
            values[512 * 8 - 1]++;
            values[512 * 50]++;
            if (comm.rank() == 0) {
                others[299]++;
            }
            checkpoints.checkpoint(2, Level.L4_DCP);
            long own = 1024 + (comm.rank() == 0 ? 300 : 0);
            assertThat(checkpoints.differentialShare()).contains(new DifferentialShare(51_500, own, 103_000, 2348));
            checkpoints.checkpoint(3, Level.L4_DCP);
            assertThat(checkpoints.differentialShare()).contains(new DifferentialShare(51_500, 0, 103_000, 0));
            checkpoints.checkpoint(4, Level.L4);
            assertThat(checkpoints.differentialShare()).isEmpty();
        });
    }

    /** C FTI takes the older of the two here, or nothing. */
    @ParameterizedTest
    @CsvSource({"L1, L4_DCP", "L4_DCP, L1", "L4, L4_DCP", "L4_DCP, L4", "L2, L4_DCP", "L4_DCP, L3"})
    void theNewestWinsWhicheverItIs(Level older, Level newer) throws IOException {
        for (String ioMode : List.of("1", "3")) {
            RunFixture run = run(ioMode);
            run.run(RANKS, (checkpoints, comm) -> {
                int[] values = {1};
                checkpoints.protect(0, values);
                // Ids that come again.
                checkpoints.checkpoint(2, newer);
                checkpoints.checkpoint(1, older);
                values[0] = 2;
                checkpoints.checkpoint(2, newer);
            });
            RunReport report = RunSurvey.open(run.config(), directory).report(true);
            assertThat(report.restart().map(RunReport.Checkpoint::level)).contains(newer);
            run.run(RANKS, (checkpoints, comm) -> {
                int[] values = {0};
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values[0]).as("mode " + ioMode).isEqualTo(2);
                checkpoints.complete();
            });
            Files.delete(run.config());
        }
    }

    /** A restart without them leaves the last one where it is; from then on it gets older. */
    @ParameterizedTest
    @CsvSource({"1, L4", "3, L4", "3, L1"})
    void theNewestWinsAlsoWhenTheyWereSwitchedOff(String ioMode, Level newer) throws IOException {
        RunFixture run = run(ioMode);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {1});
            checkpoints.checkpoint(1, Level.L4_DCP);
        });
        String config = Files.readString(run.config());
        assertThat(config).containsPattern("enable_dcp += 1");
        Files.writeString(run.config(), config.replaceFirst("enable_dcp( +)= 1", "enable_dcp$1= 0"));
        for (int i = 2; i < 4; i++) {
            int step = i;
            run.run(RANKS, (checkpoints, comm) -> {
                int[] values = {0};
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values[0]).as("mode " + ioMode).isEqualTo(step - 1);
                values[0] = step;
                checkpoints.checkpoint(step, newer);
            });
        }
    }

    /** The last ordinary checkpoint is lost: an intact differential one beside it is taken. */
    @Test
    void anOlderDifferentialCheckpointIsAFallback() throws IOException {
        RunFixture run = run("3");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            take(checkpoints, values, 1, 1, Level.L4);
            take(checkpoints, values, 2, 2, Level.L4_DCP);
            take(checkpoints, values, 3, 3, Level.L1);
        });
        Files.delete(run.file("Ckpt3-Rank1.fti"));
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            assertThat(checkpoints.lastLevel()).contains(Level.L4_DCP);
            checkpoints.recover();
            assertThat(values[0]).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "3, 0, 1, 512",
        "3, 1, 3, 512",
        "3, 1, 1, 511",
        "3, 1, 2, 65536",
        "2, 1, 1, 512",
        "1, 0, 1, 512",
        "1, 1, 3, 512",
        "1, 1, 1, 0"
    })
    void withoutThemAnOrdinaryOneIsTaken(String ioMode, String enabled, String hash, String blockSize)
            throws IOException {
        RunFixture run = run(ioMode, "enable_dcp=" + enabled + ", dcp_mode=" + hash + ", dcp_block_size=" + blockSize);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[10]);
            assertThat(checkpoints.checkpoint(1, Level.L4_DCP).level()).isEqualTo(Level.L4);
        });
        assertThat(run.files()).anyMatch(file -> file.startsWith("Global/X/l4/"));
    }

    /** As C FTI lists it. The differential one before it stays, and is the older. */
    @ParameterizedTest
    @CsvSource({"3, 0, L1", "3, 1, L2", "3, 1, L3", "1, 1, L1"})
    void theLastIsListedWithTheLevelAtWhichItWasTaken(String ioMode, String archives, Level level) throws IOException {
        RunFixture run = run(ioMode, "keep_last_ckpt=1, keep_l4_ckpt=" + archives);
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            take(checkpoints, values, 1, 1, Level.L4);
            take(checkpoints, values, 2, 2, Level.L4_DCP);
            take(checkpoints, values, 3, 3, level);
            checkpoints.complete();
        });
        IniFile list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.get("checkpoint_id.3", "level")).contains(Integer.toString(level.number()));
        assertThat(list.sections()).endsWith("checkpoint_id.3");
        assertThat(RunSurvey.open(run.config(), directory)
                        .report(true)
                        .restart()
                        .orElseThrow()
                        .ckptId())
                .isEqualTo(3);
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(3);
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(3);
        });
    }

    /** The earlier one of level 4 with its id is listed before the differential one. */
    @Test
    void theLastIsTheNewestWhateverHasHadItsId() throws IOException {
        RunFixture run = run("3", "keep_last_ckpt=1");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            take(checkpoints, values, 1, 1, Level.L4);
            take(checkpoints, values, 2, 2, Level.L4_DCP);
            take(checkpoints, values, 3, 1, Level.L1);
            checkpoints.complete();
        });
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(3);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void theLastIsKeptWhereItIs(String ioMode) throws IOException {
        RunFixture run = run(ioMode, "keep_last_ckpt=1");
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {1, 2, 3});
            for (int i = 1; i < 4; i++) {
                checkpoints.checkpoint(i, Level.L4_DCP);
            }
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        assertThat(run.files()).noneMatch(file -> file.contains("drumlin-"));
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            int[] values = new int[3];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(1, 2, 3);
        });
    }

    /** The differential one stays, and is the older. */
    @ParameterizedTest
    @CsvSource({"1, L1", "3, L1", "3, L2", "3, L3"})
    void anOrdinaryOneThatIsKeptIsTheNewest(String ioMode, Level level) throws IOException {
        RunFixture run = run(ioMode, "keep_last_ckpt=1");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {1, 2, 3};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L4_DCP);
            values[0] = 4;
            checkpoints.checkpoint(2, level);
            checkpoints.complete();
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(2);
            int[] values = new int[3];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(4, 2, 3);
        });
    }

    /** As C FTI leaves it; failure is 0, so who wants to go on from it sets it. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void staysWhereItIsIfLevel4IsKept(String ioMode) throws IOException {
        RunFixture run = run(ioMode, "keep_l4_ckpt=1");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {1, 2, 3};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L4_DCP);
            values[1] = 7;
            checkpoints.checkpoint(3, Level.L4_DCP);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("0");
        assertThat(run.files())
                .contains("Global/X/l4_archive/Ckpt1-Rank0.fti", "Meta/X/Topology.fti")
                .noneMatch(file -> file.contains("drumlin-"));
        String config = Files.readString(run.config());
        Files.writeString(run.config(), config.replaceFirst("failure( +)= 0", "failure$1= 1"));
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(Level.L4_DCP);
            int[] values = new int[3];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(1, 7, 3);
        });
    }

    /** The second can be read, and could not be written again as it is. */
    @ParameterizedTest
    @ValueSource(strings = {"[checkpoint_id.1", "[checkpoint_id.1]\ntimestamp = Wed\0 11/25/26\nlevel = 1\n"})
    void aDamagedListIsPutAsideAndBegunAgain(String damaged) throws IOException {
        RunFixture run = run("3");
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {1});
            checkpoints.checkpoint(1, Level.L1);
        });
        Path list = run.file("Checkpoint.fti");
        Files.writeString(list, damaged);
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            values[0]++;
            checkpoints.checkpoint(2, Level.L1);
        });
        assertThat(list.resolveSibling("Checkpoint.fti.damaged")).hasContent(damaged);
        assertThat(list).content().contains("[checkpoint_id.2]").doesNotContain("checkpoint_id.1");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            assertThat(checkpoints.lastCheckpoint()).contains(2);
            checkpoints.recover();
            assertThat(values).containsExactly(2);
            checkpoints.complete();
        });
        assertThat(run.files()).isEmpty();
    }

    /** The list forgets the differential one, but not what is newer than it. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void theNewestThatIsLeftWinsWhenTheIdOfADifferentialOneComesAgain(int lastId) throws IOException {
        RunFixture run = run("3");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            take(checkpoints, values, 1, 1, Level.L4_DCP);
            take(checkpoints, values, 2, 1, Level.L4);
            take(checkpoints, values, 3, lastId, Level.L1);
        });
        recoverWithoutNode0(run, 2);
    }

    @Test
    void whatIsOlderThanADifferentialOneStaysOlderWhenItsIdComesAgain() throws IOException {
        RunFixture run = run("3");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            take(checkpoints, values, 1, 1, Level.L4);
            take(checkpoints, values, 2, 2, Level.L4_DCP);
            take(checkpoints, values, 3, 2, Level.L1);
        });
        recoverWithoutNode0(run, 2);
    }

    private static void take(Checkpoints checkpoints, int[] values, int value, int id, Level level) throws IOException {
        values[0] = value;
        checkpoints.checkpoint(id, level);
    }

    private void recoverWithoutNode0(RunFixture run, int expected) throws IOException {
        DirectoryTree.delete(directory.resolve("Local/node0"), new NioEngine());
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(expected);
        });
    }
}
