package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.hdf5.Hdf5Tools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the library's h5dump tells of our file is what it told of C FTI's after the same calls: all types, shapes and groups. */
class Hdf5DumpTest {

    @TempDir
    Path directory;

    @Test
    void theFileIsThatOfCFti() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        Hdf5Program program = new Hdf5Program(Hdf5Program.DUMPED_RANK);
        assertThat(FTI_InitGroup(new FTIT_H5Group(), "outer", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_DefineDataset(9, 1, new long[] {25}, "line", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_DefineDataset(9, 1, null, "line", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_DefineDataset(99, 0, null, "line", null)).isEqualTo(FTI_NSCS);
        program.fill();
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        String dump = Hdf5Tools.run("h5dump", "-p", run.file("Ckpt1-Rank0.h5").toString());
        assertThat(dump.substring(dump.indexOf('\n') + 1)).isEqualTo(Hdf5Program.expectedDump());
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }
}
