package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static io.drumlin.fti.FTIX.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.RankBody;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that a program puts aside and goes back to, as {@code FTIX_Stash} of C FTI. */
class StashTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4"})
    void theProgramGoesBackToACheckpointThatWasReplaced(String ioMode) throws IOException {
        run("a", ioMode, comm -> {
            double[] data = protect(comm, 1);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTIX_Stash(1, 77)).isEqualTo(77);
            Arrays.fill(data, 2);
            assertThat(FTI_Checkpoint(2, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTIX_Stash(1, 78)).isEqualTo(FTI_NSCS);
            Arrays.fill(data, 3);
            assertThat(FTIX_StashLoad(77)).isEqualTo(1);
            assertThat(data).containsOnly(1 + comm.rank());
            // The run's own checkpoint is untouched.
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertThat(data).containsOnly(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aStashSurvivesItsNodesOnTheParallelFileSystem(String ioMode) throws IOException {
        run("a", ioMode, comm -> {
            double[] data = protect(comm, 1);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTIX_Stash(1, 5)).isEqualTo(5);
            assertThat(FTIX_StashPush(5)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashPush(5)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashDrop(5, FTI_FS_LOCAL)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashLoad(5)).isEqualTo(FTI_NSCS);
            assertThat(FTIX_StashPull(5)).isEqualTo(FTI_SCES);
            Arrays.fill(data, 0);
            assertThat(FTIX_StashLoad(5)).isEqualTo(1);
            assertThat(data).containsOnly(1 + comm.rank());
        });
        // Another run finds it, and cannot put another in its place unnoticed.
        run("b", ioMode, comm -> {
            double[] data = protect(comm, 0);
            assertThat(FTIX_StashPull(5)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashLoad(5)).isEqualTo(1);
            assertThat(data).containsOnly(1 + comm.rank());
            Arrays.fill(data, 9);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTIX_Stash(1, 5)).isEqualTo(5);
            assertThat(FTIX_StashPush(5)).isEqualTo(FTI_NSCS);
            assertThat(FTIX_StashDrop(5, FTI_FS_GLOBAL)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashPush(5)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashDrop(5, FTI_FS_GLOBAL)).isEqualTo(FTI_SCES);
        });
        assertThat(directory.resolve("stashes/stash").toFile().list()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void damageOnOneRankIsAnErrorOnAllAndDataStay(String ioMode) throws IOException {
        run("a", ioMode, comm -> {
            double[] data = protect(comm, 1);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTIX_Stash(1, 5)).isEqualTo(5);
            if (comm.rank() == 2) {
                flipAByte("Ckpt1-Rank2.fti");
            }
            comm.barrier();
            Arrays.fill(data, 4);
            assertThat(FTIX_StashLoad(5)).isEqualTo(FTI_NSCS);
            assertThat(data).containsOnly(4);
        });
    }

    @Test
    void sizesAndIdsAreChecked() throws IOException {
        run("a", "1", comm -> {
            protect(comm, 1);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTIX_Stash(1, -1)).isEqualTo(FTI_NSCS);
            assertThat(FTIX_Stash(1, 5)).isEqualTo(5);
            assertThat(FTIX_StashPull(6)).isEqualTo(FTI_NSCS);
            assertThat(FTIX_StashPush(6)).isEqualTo(FTI_NSCS);
            assertThat(FTIX_StashDrop(6, FTI_FS_GLOBAL)).isEqualTo(FTI_SCES);
            assertThat(FTIX_StashDrop(6, 2)).isEqualTo(FTI_NSCS);
            FTI_Protect(3, new double[999]);
            assertThat(FTIX_StashLoad(5)).isEqualTo(FTI_NSCS);
        });
    }

    private void flipAByte(String name) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> found = files.filter(
                            file -> file.endsWith(name) && file.getParent().endsWith("stash/5"))
                    .toList();
            assertThat(found).hasSize(1);
            byte[] bytes = Files.readAllBytes(found.get(0));
            bytes[0] ^= 1;
            Files.write(found.get(0), bytes);
        }
    }

    private static double[] protect(Communicator comm, double value) {
        double[] data = new double[1000];
        Arrays.fill(data, value + comm.rank());
        FTI_Protect(3, data);
        return data;
    }

    private void run(String name, String ioMode, RankBody<IOException> body) throws IOException {
        Path stashes = Files.createDirectories(directory.resolve("stashes"));
        RunFixture run = new RunFixture(
                Files.createDirectory(directory.resolve(name)),
                Map.of("basic.ckpt_io", ioMode, "basic.glbl_stash_dir", stashes.toString()));
        ThreadCommunicator.run(RANKS, comm -> {
            assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
            body.run(comm);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(run.files()).isEmpty();
    }
}
