package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What programs do with {@code FTI_InitICP}, {@code FTI_AddVarICP} and {@code FTI_FinalizeICP}. */
class IncrementalCallsTest {

    @TempDir
    Path directory;

    /** What a rank of the application does between {@code FTI_Init} and its end. */
    @FunctionalInterface
    private interface Program {
        void run(int rank, int[] one, double[] other) throws IOException;
    }

    private RunFixture run(Map<String, String> changes) throws IOException {
        return new RunFixture(directory, RunFixture.settings("node_size=1, group_size=2", changes));
    }

    private static void start(RunFixture run, int ranks, Program program) throws IOException {
        ThreadCommunicator.run(ranks, comm -> start(run, comm, program));
    }

    private static void start(RunFixture run, Communicator comm, Program program) throws IOException {
        int begun = FTI_Init(run.config().toString(), comm);
        if (begun == FTI_HEAD) {
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
            return;
        }
        assertThat(begun).isEqualTo(FTI_SCES);
        int[] one = new int[1000];
        double[] other = new double[300];
        assertThat(FTI_Protect(1, one)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(2, other)).isEqualTo(FTI_SCES);
        program.run(FTI_COMM_WORLD().rank(), one, other);
    }

    private static void fill(int[] one, double[] other, int step) {
        Arrays.fill(one, step);
        Arrays.fill(other, step / 2.0);
    }

    private static void assertFilled(int[] one, double[] other, int step) {
        assertThat(one).containsOnly(step);
        assertThat(other).containsOnly(step / 2.0);
    }

    /** Variables may change once they are added. */
    private static int take(int ckptId, int level, int[] one, double[] other) {
        assertThat(FTI_InitICP(ckptId, level, true)).isEqualTo(FTI_SCES);
        assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_SCES);
        Arrays.fill(other, -1);
        assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
        Arrays.fill(one, -1);
        return FTI_FinalizeICP();
    }

    /** Levels 5 to 7 are 1 to 3, and 8 is 4 where there are no differential checkpoints. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"2, 1", "2, 3", "4, 2", "5, 2", "1, 5", "3, 6", "1, 7", "2, 8", "4, 8", "5, 8"})
    void takesACheckpoint(String ioMode, int level) throws IOException {
        takeTwoAndRestart(2, Map.of("basic.ckpt_io", ioMode), level);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, 1, 8", "1, 2, 8", "3, 1, 8", "3, 2, 8", "1, 1, 1", "1, 2, 4", "3, 1, 2", "3, 2, 3"})
    void takesOneBesideDifferentialOnes(String ioMode, String digest, int level) throws IOException {
        Map<String, String> differential = RunFixture.settings(
                "ckpt_io=" + ioMode + ", enable_dcp=1, dcp_mode=" + digest + ", dcp_block_size=512");
        takeTwoAndRestart(2, differential, level);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 4", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4", "4, 4", "5, 3", "5, 4"})
    void takesOneThatHeadsFinish(String ioMode, int level) throws IOException {
        Map<String, String> heads = new HashMap<>(Map.of("basic.head", "1", "basic.node_size", "2"));
        for (int inline = 2; inline <= 4; inline++) {
            heads.put("basic.inline_l" + inline, "0");
        }
        heads.put("basic.ckpt_io", ioMode);
        takeTwoAndRestart(4, heads, level);
    }

    private void takeTwoAndRestart(int ranks, Map<String, String> changes, int level) throws IOException {
        RunFixture run = run(changes);
        start(run, ranks, (rank, one, other) -> {
            for (int step = 1; step <= 2; step++) {
                fill(one, other, step);
                assertThat(take(step, level, one, other)).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_GetStoredSize(1)).isIn(0L, 4000L);
            Crash.now();
        });
        start(run, ranks, (rank, one, other) -> {
            assertThat(FTI_Status()).isEqualTo(1);
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertFilled(one, other, 2);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    @Test
    void whatWasNotBegunNeedsNoEnd() throws IOException {
        RunFixture run = run(Map.of());
        start(run, 2, (rank, one, other) -> {
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            assertThat(take(1, FTI_L1, one, other)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    /** On one rank; the others have given up theirs, and wait for this one in the next. */
    @Test
    void whatCannotBeGivenUpDoesNotKeepARankFromTheNext() throws IOException {
        RunFixture run = run(Map.of());
        start(run, 2, (rank, one, other) -> {
            fill(one, other, 1);
            assertThat(take(1, FTI_L1, one, other)).isEqualTo(FTI_SCES);
            assertThat(FTI_InitICP(2, FTI_L1, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            Path inTheWay = directory
                    .resolve("Local/node1")
                    .resolve(run.restartValue("exec_id"))
                    .resolve("drumlin-incremental-Rank1.fti");
            if (rank == 1) {
                Files.delete(inTheWay);
                Files.createDirectories(inTheWay.resolve("sub"));
            }
            assertThat(FTI_InitICP(3, FTI_L1, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(1)).isEqualTo(rank == 1 ? FTI_NSCS : FTI_SCES);
            assertThat(FTI_AddVarICP(2)).isEqualTo(rank == 1 ? FTI_NSCS : FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_NSCS);
            if (rank == 1) {
                Files.delete(inTheWay.resolve("sub"));
                Files.delete(inTheWay);
            }
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertFilled(one, other, 1);
            assertThat(take(4, FTI_L1, one, other)).isEqualTo(FTI_SCES);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 0", "3, 4, 1"})
    void theEndOfARunGivesUpWhatWasBegun(String ioMode, int level, String keepLast) throws IOException {
        RunFixture run = run(Map.of("basic.ckpt_io", ioMode, "basic.keep_last_ckpt", keepLast));
        start(run, 2, (rank, one, other) -> {
            fill(one, other, 1);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTI_InitICP(2, level, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_SCES);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_NSCS);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_NSCS);
        });
        assertThat(run.files()).noneMatch(file -> file.contains("drumlin-incremental"));
        if (keepLast.equals("0")) {
            assertThat(run.files()).isEmpty();
            return;
        }
        start(run, 2, (rank, one, other) -> {
            assertThat(FTI_Status()).isEqualTo(2);
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertFilled(one, other, 1);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    /** The variables are protected again, and grow, between one checkpoint and the next, and in the midst of one. */
    @ParameterizedTest
    @CsvSource({"1, 8", "3, 8", "5, 1"})
    void variablesGrow(String ioMode, int level) throws IOException {
        RunFixture run =
                run(RunFixture.settings("ckpt_io=" + ioMode + ", enable_dcp=1, dcp_mode=1, dcp_block_size=512"));
        start(run, 2, (rank, one, other) -> {
            assertThat(take(1, level, one, other)).isEqualTo(FTI_SCES);
            int[] larger = new int[2000];
            FTI_Protect(1, larger);
            FTI_Protect(3, new int[] {rank});
            assertThat(FTI_InitICP(2, level, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(3)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_SCES);
            Arrays.fill(larger, 7);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            assertThat(FTI_GetStoredSize(1)).isEqualTo(8000);
            Crash.now();
        });
        start(run, 2, (rank, one, other) -> {
            int[] third = {-1};
            int[] larger = new int[2000];
            assertThat(FTI_GetStoredSize(1)).isEqualTo(8000);
            FTI_Protect(1, larger);
            FTI_Protect(3, third);
            assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
            for (int id : List.of(3, 1, 2)) {
                assertThat(FTI_RecoverVar(id)).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
            assertThat(larger).containsOnly(7);
            assertThat(third).containsOnly(rank);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    /** Calls that do something else between the first and the last: what C FTI lets a program do there. */
    @Test
    void otherCallsMayComeBetween() throws IOException {
        RunFixture run = run(Map.of());
        start(run, 2, (rank, one, other) -> {
            fill(one, other, 1);
            assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
            assertThat(FTI_InitICP(2, FTI_L2, true)).isEqualTo(FTI_SCES);
            fill(one, other, 2);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isZero();
            assertThat(FTI_GetStoredSize(2)).isEqualTo(2400);
            assertThat(FTI_Checkpoint(3, FTI_L1)).isEqualTo(FTI_NSCS);
            assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            fill(one, other, 9);
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertFilled(one, other, 2);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }
}
