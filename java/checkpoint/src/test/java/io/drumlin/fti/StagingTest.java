package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a program writes on its nodes arrive on the parallel file system, beside its checkpoints. */
class StagingTest {

    private static final int RANKS = 4;
    private static final int FILES = 20;

    @TempDir
    Path directory;

    @Test
    void filesOfAllRanksArriveBetweenCheckpoints() throws IOException {
        RunFixture run = run(directory, Map.of("basic.group_size", "2"));
        Path results = Files.createDirectory(directory.resolve("results"));
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        ThreadCommunicator.run(RANKS, comm -> {
            assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
            FTI_Protect(0, new double[1000]);
            Path stage = stageDirectory();
            Random random = new Random(seed + comm.rank());
            for (int i = 0; i < FILES; i++) {
                byte[] content = content(random);
                String name = "r" + comm.rank() + "-" + i;
                Path local = Files.write(stage.resolve(name), content);
                int request =
                        FTI_SendFile(local.toString(), results.resolve(name).toString());
                assertThat(request).isNotNegative();
                assertThat(results.resolve(name)).hasBinaryContent(content);
                assertThat(local).doesNotExist();
                assertThat(FTI_GetStageStatus(request)).isEqualTo(FTI_SI_SCES);
                assertThat(FTI_GetStageStatus(request)).isEqualTo(FTI_SI_NINI);
                if (i % 10 == 0) {
                    assertThat(FTI_Checkpoint(i + 1, FTI_L2)).isEqualTo(FTI_DONE);
                }
            }
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(results.toFile().list()).hasSize(RANKS * FILES);
        assertThat(directory.resolve("Local/node0")).doesNotExist();
    }

    /** Sizes around those at which something is rounded. */
    private static byte[] content(Random random) {
        int[] sizes = {0, 1, 1024, 4096, 4097, (1 << 20) - 1, (1 << 20) + 1};
        byte[] content = new byte[sizes[random.nextInt(sizes.length)]];
        random.nextBytes(content);
        return content;
    }

    @Test
    void aFileForWhichTheDiskHasNoRoomStaysOnTheNodeAndReplacesNothing() throws IOException {
        try (MountedFileSystem disk = MountedFileSystem.mount("tmpfs", "size=64k")) {
            RunFixture run = run(directory, Map.of());
            ThreadCommunicator.run(2, comm -> {
                assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
                if (comm.rank() == 0) {
                    Path remote = Files.writeString(disk.root().resolve("result"), "the earlier one");
                    Path local = Files.write(stageDirectory().resolve("result"), new byte[100_000]);
                    assertThat(FTI_SendFile(local.toString(), remote.toString()))
                            .isEqualTo(FTI_NSCS);
                    assertThat(local).hasSize(100_000);
                    assertThat(remote).hasContent("the earlier one");
                    assertThat(disk.root().toFile().list()).containsExactly("result");
                }
                assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
            });
        }
    }

    /** Where a thread of the rank copies. */
    @Test
    void aFullDiskIsToldOnceByTheStatusAndTheOtherFilesArrive() throws IOException {
        try (MountedFileSystem disk = MountedFileSystem.mount("tmpfs", "size=64k")) {
            RunFixture run = run(directory, Map.of("basic.head", "1"));
            ThreadCommunicator.run(RANKS, comm -> {
                if (FTI_Init(run.config().toString(), comm) == FTI_SCES && comm.rank() == 1) {
                    Path remote = Files.writeString(disk.root().resolve("large"), "the earlier one");
                    Path large = Files.write(stageDirectory().resolve("large"), new byte[100_000]);
                    Path small = Files.writeString(stageDirectory().resolve("small"), "small");
                    int lost = FTI_SendFile(large.toString(), remote.toString());
                    int arrived = FTI_SendFile(
                            small.toString(), disk.root().resolve("small").toString());
                    // One after the other: with the second the first has ended.
                    assertThat(ended(arrived)).isEqualTo(FTI_SI_SCES);
                    assertThat(FTI_GetStageStatus(lost)).isEqualTo(FTI_SI_FAIL);
                    assertThat(FTI_GetStageStatus(lost)).isEqualTo(FTI_SI_NINI);
                    assertThat(remote).hasContent("the earlier one");
                    assertThat(disk.root().resolve("small")).hasContent("small");
                    assertThat(disk.root().toFile().list()).containsExactlyInAnyOrder("large", "small");
                }
                assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
            });
            assertThat(run.files()).contains("Local/node0/X/stage/large");
            assertThat(run.file("stage/large")).hasSize(100_000);
        }
    }

    private static int ended(int request) {
        int state = FTI_SI_PEND;
        while (state == FTI_SI_PEND || state == FTI_SI_ACTV) {
            Thread.onSpinWait();
            state = FTI_GetStageStatus(request);
        }
        return state;
    }

    @Test
    void withHeadsFilesArriveBehindTheComputation() throws IOException {
        RunFixture run = run(directory, Map.of("basic.head", "1"));
        Path results = Files.createDirectory(directory.resolve("results"));
        ThreadCommunicator.run(RANKS, comm -> {
            if (FTI_Init(run.config().toString(), comm) == FTI_SCES) {
                String name = "r" + comm.rank();
                Path local = Files.writeString(stageDirectory().resolve(name), name);
                int request =
                        FTI_SendFile(local.toString(), results.resolve(name).toString());
                assertThat(FTI_GetStageStatus(request)).isBetween(FTI_SI_PEND, FTI_SI_SCES);
                assertThat(local).exists();
            }
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(results.resolve("r1")).hasContent("r1");
        assertThat(results.resolve("r3")).hasContent("r3");
        assertThat(directory.resolve("Local/node0")).doesNotExist();
    }

    @Test
    void whatDidNotArriveStaysOnTheNodesWhenTheRunIsOver() throws IOException {
        RunFixture run = run(directory, Map.of("basic.head", "1"));
        ThreadCommunicator.run(RANKS, comm -> {
            if (FTI_Init(run.config().toString(), comm) == FTI_SCES && comm.rank() == 1) {
                Path local = Files.writeString(stageDirectory().resolve("r1"), "r1");
                FTI_SendFile(local.toString(), directory.resolve("nowhere/r1").toString());
            }
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(run.files()).containsExactly("Local/node0/X/stage/r1");
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    @Test
    void aMissingDirectoryAndAMissingFileAreErrors() throws IOException {
        RunFixture run = run(directory, Map.of());
        ThreadCommunicator.run(2, comm -> {
            assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
            Path local = Files.writeString(stageDirectory().resolve("r" + comm.rank()), "x");
            assertThat(FTI_SendFile(
                            local.toString(), directory.resolve("nowhere/r").toString()))
                    .isEqualTo(FTI_NSCS);
            assertThat(local).exists();
            assertThat(FTI_SendFile(local + "-missing", directory.resolve("r").toString()))
                    .isEqualTo(FTI_NSCS);
            assertThat(FTI_GetStageStatus(77)).isEqualTo(FTI_SI_NINI);
            assertThat(FTI_GetStageDir(new StringBuilder(), 10)).isEqualTo(FTI_NSCS);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
    }

    @Test
    void nothingIsSentWhileStagingIsOff() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        ThreadCommunicator.run(2, comm -> {
            assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
            StringBuilder stage = new StringBuilder("unchanged");
            assertThat(FTI_GetStageDir(stage, FTI_BUFS)).isEqualTo(FTI_NSCS);
            assertThat(stage).hasToString("unchanged");
            Path local = Files.writeString(directory.resolve("r" + comm.rank()), "x");
            assertThat(FTI_SendFile(local.toString(), directory.resolve("s").toString()))
                    .isEqualTo(FTI_NSCS);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        try (Stream<Path> stages = Files.find(directory, 9, (path, attributes) -> path.endsWith("stage"))) {
            assertThat(stages).isEmpty();
        }
    }

    private static RunFixture run(Path directory, Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(changes);
        all.put("basic.enable_staging", "1");
        return new RunFixture(directory, all);
    }

    private static Path stageDirectory() {
        StringBuilder stage = new StringBuilder();
        assertThat(FTI_GetStageDir(stage, FTI_BUFS)).isEqualTo(FTI_SCES);
        return Path.of(stage.toString());
    }
}
