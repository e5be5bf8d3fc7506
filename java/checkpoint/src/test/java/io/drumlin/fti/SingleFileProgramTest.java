package io.drumlin.fti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.format.hdf5.Hdf5Tools;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shared HDF5 file of a program as it would be in C: it is that of C FTI, and any number of ranks goes on from it. */
class SingleFileProgramTest {

    @TempDir
    Path directory;

    private Path write(Map<String, String> changes, int ranks) throws IOException {
        RunFixture run = new RunFixture(directory, changes);
        ThreadCommunicator.run(
                ranks, comm -> SingleFileProgram.run(comm, run.config().toString(), "5"));
        assertThat(run.restartValue("failure")).isEqualTo("0");
        return run.file("VPR-h5-ID00000005.h5");
    }

    private static Map<String, String> configuration(String failure, String nodeSize) {
        return RunFixture.settings(
                "ckpt_io=5, h5_single_file_enable=1, restart.failure=" + failure + ", node_size=" + nodeSize);
    }

    /** What the library's h5dump tells of the file that C FTI writes in the same program, but for the places in it. */
    @Test
    void theFileIsThatOfCFti() throws IOException {
        Path file = write(configuration("0", "2"), 4);
        assertThat(file.getParent()).isEqualTo(directory.resolve("Global"));
        String dump = Hdf5Tools.run("h5dump", "-H", "-p", file.toString());
        String shapes = dump.lines()
                .skip(1)
                .filter(line -> !line.contains("OFFSET"))
                .collect(Collectors.joining("\n", "", "\n"));
        try (InputStream expected = getClass().getResourceAsStream("single-file-dump.txt")) {
            assertThat(shapes).isEqualTo(new String(expected.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @CsvSource({"6, 2", "3, 3", "4, 1", "1, 1"})
    void anyNumberOfRanksGoesOn(int ranks, String nodeSize) throws IOException {
        write(configuration("0", "2"), 4);
        RunFixture restart = new RunFixture(directory, configuration("3", nodeSize));
        ThreadCommunicator.run(
                ranks, comm -> SingleFileProgram.run(comm, restart.config().toString(), "recover"));
        assertThat(restart.restartValue("failure")).isEqualTo("0");
        assertThat(Files.exists(directory.resolve("Global/VPR-h5-ID00000005.h5")))
                .isTrue();
    }

    /** C FTI's heads merge files of the ranks, and the types lose their names. */
    @Test
    void withHeadsTheFileIsTheSameButForTheNamesOfTypes() throws IOException {
        Map<String, String> heads = Map.of(
                "basic.ckpt_io", "5",
                "basic.head", "1",
                "basic.node_size", "3",
                "basic.h5_single_file_enable", "1",
                "basic.h5_single_file_inline", "0",
                "basic.h5_single_file_prefix", "merged",
                "basic.h5_single_file_dir", directory.resolve("single").toString());
        RunFixture run = new RunFixture(directory, heads);
        ThreadCommunicator.run(
                6, comm -> SingleFileProgram.run(comm, run.config().toString(), "5"));
        Path file = directory.resolve("single/merged-ID00000005.h5");
        try (BlockFile opened = new NioEngine().open(file, EnumSet.of(OpenMode.READ))) {
            assertThat(Hdf5File.read(new BlockFileSource(opened)).datasets())
                    .extracting(StoredDataset::path)
                    .containsExactly("/blobs", "/grid", "/outer/inner/points", "/outer/line");
        }
        Map<String, String> restart = new HashMap<>(heads);
        restart.put("restart.failure", "3");
        RunFixture again = new RunFixture(directory, restart);
        ThreadCommunicator.run(
                9, comm -> SingleFileProgram.run(comm, again.config().toString(), "recover"));
        assertThat(Hdf5Tools.run("h5ls", file.toString())).doesNotContain("Type", "point");
    }

    @Test
    void aRestartWithoutFileIsAFreshStart() throws IOException {
        RunFixture restart = new RunFixture(directory, configuration("3", "1"));
        ThreadCommunicator.run(2, comm -> {
            assertThat(FTI.FTI_Init(restart.config().toString(), comm)).isEqualTo(FTI.FTI_NREC);
            assertThat(FTI.FTI_Status()).isZero();
            assertThat(FTI.FTI_RecoverDatasetDimension(0)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_Recover()).isEqualTo(FTI.FTI_NREC);
            FTI.leave();
        });
    }

    /** C FTI writes beside an array and returns that all is well. */
    @Test
    void withoutSharedFilesLevel9Fails() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", "5", "basic.node_size", "1"));
        ThreadCommunicator.run(2, comm -> {
            FTI.FTI_Init(run.config().toString(), comm);
            assertThat(FTI.FTI_Checkpoint(1, FTI.FTI_L4_H5_SINGLE)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_InitICP(1, FTI.FTI_L4_H5_SINGLE, true)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_FinalizeICP()).isEqualTo(FTI.FTI_NSCS);
            FTI.leave();
        });
        assertThatThrownBy(() -> run.file("VPR-h5-ID00000001.h5")).isInstanceOf(IOException.class);
    }

    @Test
    void callsThatCannotBeFail() throws IOException {
        RunFixture run = new RunFixture(directory, configuration("0", "1"));
        ThreadCommunicator.run(1, comm -> {
            FTI.FTI_Init(run.config().toString(), comm);
            long[] two = {2, 3};
            assertThat(FTI.FTI_DefineGlobalDataset(0, 2, two, "a", null, FTI.FTI_INTG))
                    .isZero();
            assertThat(FTI.FTI_DefineGlobalDataset(0, 2, two, "b", null, FTI.FTI_INTG))
                    .isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_DefineGlobalDataset(1, 2, two, "b", null, 99)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_AddSubset(5, 2, two, two, 0)).isEqualTo(FTI.FTI_NSCS);
            FTI.FTI_Protect(5, new int[6]);
            assertThat(FTI.FTI_AddSubset(5, 1, two, two, 0)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_AddSubset(5, 2, two, two, 7)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_UpdateSubset(5, 2, two, two, 0)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_AddSubset(5, 2, new long[2], two, 0)).isZero();
            assertThat(FTI.FTI_UpdateSubset(5, 2, new long[2], two, 0)).isZero();
            assertThat(FTI.FTI_UpdateGlobalDataset(7, 2, two)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_RecoverDatasetDimension(0)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_GetDatasetRank(0)).isEqualTo(2);
            assertThat(FTI.FTI_GetDatasetRank(7)).isEqualTo(FTI.FTI_NSCS);
            assertThat(FTI.FTI_GetDatasetSpan(0, 2)).containsExactly(2, 3);
            assertThat(FTI.FTI_GetDatasetSpan(0, 1)).isNull();
            assertThat(FTI.FTI_Checkpoint(1, FTI.FTI_L4_H5_SINGLE)).isZero();
            assertThat(FTI.FTI_Finalize()).isZero();
        });
        assertThat(directory.resolve("Global/VPR-h5-ID00000001.h5")).exists();
    }
}
