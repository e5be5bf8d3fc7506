package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Scalar;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Return codes and status transitions of docs/formats/fti-run-directory.md as C programs see them. */
class FtiTest {

    @TempDir
    Path directory;

    @Test
    void aPortedProgramRunsFailsAndContinues() throws IOException {
        // The first program ends without its last call, in a process that goes on.
        RunFixture run = new RunFixture(directory, Map.of("drumlin.lease", "0"));
        String config = run.config().toString();
        ThreadCommunicator.run(4, comm -> {
            assertThat(FTI_Init(config, comm)).isEqualTo(FTI_SCES);
            assertThat(FTI_COMM_WORLD().size()).isEqualTo(4);
            assertThat(FTI_Status()).isZero();
            Scalar.OfInt i = new Scalar.OfInt(5);
            double[] grid = {1, 2, 3 + comm.rank()};
            assertThat(FTI_Protect(0, i, 1, FTI_INTG)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(1, grid, 3, FTI_DBLE)).isEqualTo(FTI_SCES);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTI_GetStoredSize(1)).isEqualTo(24);
            // The last checkpoint can be read back in the running job.
            grid[0] = 9;
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertThat(grid[0]).isEqualTo(1);
        });
        ThreadCommunicator.run(4, comm -> {
            assertThat(FTI_Init(config, comm)).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isEqualTo(1);
            Scalar.OfInt i = new Scalar.OfInt(0);
            double[] grid = {};
            FTI_Protect(0, i, 1, FTI_INTG);
            FTI_Protect(1, grid, 0, FTI_DBLE);
            assertThat(FTI_Recover()).isEqualTo(FTI_NREC);
            assertThat(FTI_Status()).isEqualTo(1);
            grid = FTI_Realloc(1, grid);
            assertThat(grid).hasSize(3);
            assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
            assertThat(FTI_RecoverVar(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_RecoverVar(77)).isEqualTo(FTI_NREC);
            assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isEqualTo(1);
            assertThat(grid[2]).isEqualTo(3 + comm.rank());
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isZero();
            assertThat(i.value).isEqualTo(5);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(run.files()).isEmpty();
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    @Test
    void typesOfTheProgramCountFromEleven() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        int[] opaque = new int[1];
        assertThat(FTI_InitType(opaque, 12)).isEqualTo(FTI_SCES);
        assertThat(opaque[0]).isEqualTo(11);
        assertThat(FTI_InitType(opaque, 0)).isEqualTo(FTI_NSCS);
        assertThat(FTI_InitType(new int[0], 12)).isEqualTo(FTI_NSCS);
        int point = FTI_InitCompositeType(null, 24, null);
        assertThat(point).isEqualTo(12);
        assertThat(FTI_AddScalarField(point, "x", FTI_DBLE, 0)).isEqualTo(FTI_SCES);
        assertThat(FTI_AddScalarField(point, "", 11, 8)).isEqualTo(FTI_SCES);
        assertThat(FTI_AddScalarField(11, "x", FTI_DBLE, 0)).isEqualTo(FTI_NSCS);
        assertThat(FTI_AddScalarField(point, "x", 13, 0)).isEqualTo(FTI_NSCS);
        assertThat(FTI_AddVectorField(point, "v", FTI_SHRT, 20, 1, new long[] {2}))
                .isEqualTo(FTI_SCES);
        assertThat(FTI_AddVectorField(point, "v", FTI_SHRT, 20, 0, new long[] {2}))
                .isEqualTo(FTI_NSCS);
        assertThat(FTI_AddVectorField(point, "v", FTI_SHRT, 20, 2, new long[] {1}))
                .isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(1, new byte[48], 2, point)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(2, new byte[48], 2, 13)).isEqualTo(FTI_NSCS);
        for (int id = 13; id < 64; id++) {
            assertThat(FTI_InitCompositeType("type", 1, null)).isEqualTo(id);
        }
        assertThat(FTI_InitCompositeType("type", 1, null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
        assertThat(FTI_GetStoredSize(1)).isEqualTo(48);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void nothingIsDoneBeforeInitialisation() {
        assertThat(FTI_Status()).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 1, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_InitType(new int[1], 4)).isEqualTo(FTI_NSCS);
        assertThat(FTI_InitType(new int[0], 4)).isEqualTo(FTI_NSCS);
        assertThat(FTI_InitCompositeType("point", 4, null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_NSCS);
        assertThat(FTI_InitICP(1, FTI_L1, true)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Recover()).isEqualTo(FTI_NSCS);
        assertThat(FTI_Snapshot()).isEqualTo(FTI_NSCS);
        assertThat(FTI_Finalize()).isEqualTo(FTI_NSCS);
        assertThat(FTI_GetStoredSize(0)).isZero();
    }

    @Test
    void aRefusedConfigurationIsNoSuccess() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("advanced.block_size", "4096"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_NSCS);
        assertThat(FTI_Init(directory.resolve("none").toString(), new SingleCommunicator()))
                .isEqualTo(FTI_NSCS);
    }

    @Test
    void aRestartThatFindsNothingGoesOnAsAFreshRun() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        String config = run.config().toString();
        assertThat(FTI_Init(config, new SingleCommunicator())).isEqualTo(FTI_SCES);
        int[] value = {7};
        FTI_Protect(0, value, 1, FTI_INTG);
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        Files.delete(run.file("Ckpt1-Rank0.fti"));
        assertThat(FTI_Init(config, new SingleCommunicator())).isEqualTo(FTI_NREC);
        assertThat(FTI_Status()).isZero();
        assertThat(FTI_Recover()).isEqualTo(FTI_NREC);
        FTI_Protect(0, value, 1, FTI_INTG);
        assertThat(FTI_Checkpoint(2, FTI_L1)).isEqualTo(FTI_DONE);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void anIncrementalCheckpointThatFailsIsNoSuccess() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        ThreadCommunicator.run(2, comm -> {
            assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
            int[] one = {1, 2};
            int[] other = {3};
            FTI_Protect(1, one);
            FTI_Protect(2, other);
            assertThat(FTI_InitICP(1, FTI_L1, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_NSCS);
            assertThat(FTI_AddVarICP(3)).isEqualTo(FTI_NSCS);
            // One rank leaves a variable out.
            if (comm.rank() == 0) {
                assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_NSCS);
            assertThat(FTI_GetStoredSize(1)).isZero();
            assertThat(FTI_InitICP(2, 77, true)).isEqualTo(FTI_NSCS);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_NSCS);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_NSCS);
            // Over with its end, as in C FTI.
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            assertThat(FTI_InitICP(3, FTI_L1, false)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(3)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            assertThat(FTI_GetStoredSize(1)).isZero();
            assertThat(FTI_InitICP(4, FTI_L1, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            // Given up by the next one.
            assertThat(FTI_InitICP(5, FTI_L1, true)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(2)).isEqualTo(FTI_SCES);
            assertThat(FTI_AddVarICP(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
            assertThat(FTI_GetStoredSize(1)).isEqualTo(8);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    @Test
    void badArgumentsChangeNothing() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.max_var_id", "10"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(-1, new int[1], 1, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(11, new int[1], 1, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 2, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 1, FTI_DBLE)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 1, 11)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, "text", 1, FTI_CHAR)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(10, ByteBuffer.allocateDirect(32), 2, FTI_LDBE)).isEqualTo(FTI_SCES);
        for (int level : new int[] {0, -1, 10, FTI_L4_H5_SINGLE, FTI_L2, FTI_L3}) {
            assertThat(FTI_Checkpoint(1, level)).as("level %d", level).isEqualTo(FTI_NSCS);
        }
        assertThat(FTI_Checkpoint(0, FTI_L1)).isEqualTo(FTI_NSCS);
        assertThat(run.restartValue("failure")).isEqualTo("0");
        assertThat(FTI_Checkpoint(1, FTI_L1_DCP)).isEqualTo(FTI_DONE);
        assertThat(FTI_Checkpoint(1, FTI_L4_DCP)).isEqualTo(FTI_DONE);
        assertThat(FTI_GetStoredSize(10)).isEqualTo(32);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void threadRanksLeaveTheRunOfTheProcessAlone() throws IOException {
        RunFixture process =
                new RunFixture(Files.createDirectories(directory.resolve("process")), Map.of("basic.node_size", "1"));
        RunFixture threads =
                new RunFixture(Files.createDirectories(directory.resolve("threads")), Map.of("basic.node_size", "2"));
        assertThat(FTI_Init(process.config().toString(), new SingleCommunicator()))
                .isEqualTo(FTI_SCES);
        ThreadCommunicator.run(2, comm -> {
            assertThat(FTI_Init(threads.config().toString(), comm)).isEqualTo(FTI_SCES);
            FTI_Protect(0, new int[] {comm.rank()});
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(FTI_Status()).isZero();
        assertThat(FTI_COMM_WORLD().size()).isEqualTo(1);
        FTI_Protect(0, new int[1]);
        assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
        // Init after init, and after finalize.
        assertThat(FTI_Init(process.config().toString(), new SingleCommunicator()))
                .isEqualTo(FTI_SCES);
        assertThat(FTI_Status()).isEqualTo(1);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        assertThat(FTI_Init(process.config().toString(), new SingleCommunicator()))
                .isEqualTo(FTI_SCES);
        assertThat(FTI_Status()).isZero();
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void reallocGivesTheStoredSizeEvenOfNothing() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        String config = run.config().toString();
        FTI_Init(config, new SingleCommunicator());
        FTI_Protect(0, new double[0]);
        FTI_Protect(1, new int[5]);
        double[] fresh = new double[3];
        assertThat(FTI_Realloc(0, fresh)).isSameAs(fresh);
        assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
        FTI_Init(config, new SingleCommunicator());
        double[] particles = new double[3];
        long[] odd = new long[1];
        FTI_Protect(0, particles);
        FTI_Protect(1, new int[5]);
        assertThat(FTI_Realloc(1, odd)).isSameAs(odd);
        assertThat(FTI_Realloc(7, odd)).isSameAs(odd);
        particles = FTI_Realloc(0, particles);
        assertThat(particles).isEmpty();
        assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void reallocKeepsTheType() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "1"));
        String config = run.config().toString();
        List<String> types = new ArrayList<>();
        for (int start = 0; start < 2; start++) {
            FTI_Init(config, new SingleCommunicator());
            FTI_Protect(0, new int[5], 5, FTI_UINT);
            if (start == 1) {
                FTI_Realloc(0, new int[5]);
                assertThat(FTI_Checkpoint(1, FTI_L1))
                        .as("not before the recovery")
                        .isEqualTo(FTI_NSCS);
                assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            try (Stream<Path> files = Files.walk(directory.resolve("Meta"))) {
                Path metadata = files.filter(file -> file.endsWith("sector0-group0.fti"))
                        .findFirst()
                        .orElseThrow();
                types.add(Files.readAllLines(metadata).stream()
                        .filter(line -> line.contains("type"))
                        .toList()
                        .toString());
            }
        }
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        assertThat(types.get(0)).contains("typeid");
        assertThat(types.get(1)).isEqualTo(types.get(0));
    }

    @Test
    void printsTheLinesThatUsersSearchFor() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.verbosity", "1"));
        String config = run.config().toString();
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            FTI_Init(config, new SingleCommunicator());
            FTI_Protect(4, new double[1 << 17]);
            FTI_Protect(5, new double[1 << 17], 1 << 17, FTI_DBLE);
            FTI_Snapshot();
            FTI_Snapshot();
            FTI_Checkpoint(3, FTI_L4);
            FTI_Init(config, new SingleCommunicator());
            FTI_Finalize();
        } finally {
            System.setOut(console);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("[ FTI  Information ] : Variable ID 4 to protect. Current ckpt. size per rank is 1.00MB.")
                .contains("[ FTI  Information ] : Variable ID 5 to protect. Current ckpt. size per rank is 2.00MB.")
                .containsPattern("\\[FTI Debug - 000000\\] : Current iter : 1 ckpt intv\\. : \\d+ \\. "
                        + "Next ckpt\\. at iter\\. \\d+ \\. Sync\\. intv\\. : 1\\R")
                .contains("[ FTI  Information ] : Post-checkpoint took ")
                .containsPattern("Ckpt\\. ID 3 \\(L4\\) \\(2\\.00 MB/proc\\) taken in \\d+\\.\\d\\d sec\\. "
                        + "\\(Wt:\\d+\\.\\d\\ds, Wr:\\d+\\.\\d\\ds, Ps:\\d+\\.\\d\\ds\\)")
                .contains("[ FTI  Information ] : This is a restart. The execution ID is: ")
                .contains("[ FTI  Information ] : Recovering successfully from level 4 with Ckpt. 3.")
                .contains("[ FTI  Information ] : FTI has been initialized.")
                .contains("[ FTI  Information ] : FTI has been finalized.");
    }

    @Test
    void namesStandForIdsAndAreStored() throws IOException {
        // The first program ends without its last call, in a process that goes on.
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", "1", "drumlin.lease", "0"));
        String config = run.config().toString();
        ThreadCommunicator.run(4, comm -> {
            FTI_Init(config, comm);
            assertThat(FTI_getIDFromString("heat")).isEqualTo(-1);
            assertThat(FTI_setIDFromString("heat")).isZero();
            assertThat(FTI_setIDFromString("pr\u00e9ssion; \"p\"")).isEqualTo(1);
            assertThat(FTI_setIDFromString("heat")).isZero();
            assertThat(FTI_setIDFromString("")).isEqualTo(FTI_NSCS);
            assertThat(FTI_setIDFromString("x".repeat(256))).isEqualTo(FTI_NSCS);
            assertThat(FTI_setIDFromString("two\nlines")).isEqualTo(FTI_NSCS);
            FTI_Protect(0, new int[] {7, comm.rank()});
            FTI_Protect(1, new double[] {0.5});
            FTIT_attribute attribute = new FTIT_attribute("Heat of all", List.of(2L, 1L));
            assertThat(FTI_SetAttribute(0, attribute, FTI_ATTRIBUTE_NAME | FTI_ATTRIBUTE_DIM))
                    .isEqualTo(FTI_SCES);
            assertThat(FTI_SetAttribute(5, attribute, FTI_ATTRIBUTE_NAME)).isEqualTo(FTI_NSCS);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
        });
        String text = Files.readString(run.file("sector0-group1.fti"));
        assertThat(text)
                .contains("var0_idchar                    = heat\n")
                .contains("var0_name                      = Heat of all\n")
                .contains("var0_dim0                      = 2\nvar0_dim1                      = 1\n");
        ThreadCommunicator.run(4, comm -> {
            FTI_Init(config, comm);
            assertThat(FTI_getIDFromString("pr\u00e9ssion; \"p\"")).isEqualTo(1);
            assertThat(FTI_setIDFromString("new")).isEqualTo(2);
            assertThat(FTI_setIDFromString("heat")).isZero();
            int[] heat = new int[2];
            FTI_Protect(FTI_getIDFromString("heat"), heat);
            FTI_RecoverVarInit();
            assertThat(FTI_RecoverVar(0)).isEqualTo(FTI_SCES);
            FTI_RecoverVarFinalize();
            assertThat(heat).containsExactly(7, comm.rank());
            FTI_Protect(1, new double[1]);
            assertThat(FTI_Checkpoint(2, FTI_L1)).isEqualTo(FTI_DONE);
            // What was replaced is deleted behind the computation.
            leave();
        });
        assertThat(Files.readString(run.file("sector0-group1.fti")))
                .contains("var0_idchar                    = heat\n")
                .contains("var0_name                      = Heat of all\n")
                .contains("var2_idchar                    = new\n");
    }
}
