package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static io.drumlin.fti.FTIX.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code FTIX_TopoGet_*}, {@code FTIX_ExecGet_*} and {@code FTIX_ConfGet_*} of C FTI tell. */
class FtixTest {

    private static final int RANKS = 12;

    @TempDir
    Path directory;

    /** Four nodes of a head and two ranks of the application, in two sectors. */
    @Test
    void tellsWhereARankStands() throws IOException {
        RunFixture run =
                new RunFixture(directory, Map.of("basic.head", "1", "basic.node_size", "3", "basic.group_size", "2"));
        ThreadCommunicator.run(RANKS, comm -> {
            int rank = comm.rank();
            int node = rank / 3;
            int place = rank % 3;
            int initialised = FTI_Init(run.config().toString(), comm);
            assertThat(initialised).isEqualTo(place == 0 ? FTI_HEAD : FTI_SCES);
            assertThat(FTIX_ExecGet_globalComm()).isNotNull();
            assertThat(FTIX_ExecGet_globalComm().size()).isEqualTo(RANKS);
            assertThat(FTIX_TopoGet_nbProc()).isEqualTo(RANKS);
            assertThat(FTIX_TopoGet_nbNodes()).isEqualTo(4);
            assertThat(FTIX_TopoGet_myRank()).isEqualTo(rank);
            assertThat(FTIX_TopoGet_nodeSize()).isEqualTo(3);
            assertThat(FTIX_TopoGet_nbHeads()).isEqualTo(1);
            assertThat(FTIX_TopoGet_nbApprocs()).isEqualTo(2);
            assertThat(FTIX_TopoGet_groupSize()).isEqualTo(2);
            assertThat(FTIX_TopoGet_sectorID()).isEqualTo(node / 2);
            assertThat(FTIX_TopoGet_nodeID()).isEqualTo(node);
            assertThat(FTIX_TopoGet_groupID()).isEqualTo(place);
            assertThat(FTIX_TopoGet_headRank()).isEqualTo(3 * node);
            assertThat(FTIX_TopoGet_headRankNode()).isZero();
            assertThat(FTIX_TopoGet_nodeRank()).isEqualTo(place);
            assertThat(FTIX_TopoGet_groupRank()).isEqualTo(node % 2);
            assertThat(FTIX_TopoGet_right()).isEqualTo(1 - node % 2);
            assertThat(FTIX_TopoGet_left()).isEqualTo(1 - node % 2);
            assertThat(FTIX_TopoGet_body()).containsExactly(3 * node + 1, 3 * node + 2);
            assertThat(FTIX_TopoGet_amIaHead()).isEqualTo(place == 0);
            if (place > 0) {
                assertThat(FTIX_TopoGet_splitRank()).isEqualTo(2 * node + place - 1);
                assertThat(FTIX_TopoGet_masterLocal()).isEqualTo(place == 1);
                assertThat(FTIX_TopoGet_masterGlobal()).isEqualTo(rank == 1);
            }
            FTI_Finalize();
        });
    }

    @Test
    void tellsTheConfiguration() throws IOException {
        RunFixture run =
                new RunFixture(directory, "advanced.block_size=64, advanced.transfer_size=99, advanced.final_tag=12");
        ThreadCommunicator.run(2, comm -> {
            assertThat(FTI_Init(run.config().toString(), comm)).isEqualTo(FTI_SCES);
            String id = run.restartValue("exec_id");
            assertThat(FTIX_ExecGet_id()).isEqualTo(id);
            assertThat(FTIX_ConfGet_blockSize()).isEqualTo(64 << 10);
            assertThat(FTIX_ConfGet_transferSize()).isEqualTo(16 << 20);
            assertThat(FTIX_ConfGet_ckptTag()).isEqualTo(711);
            assertThat(FTIX_ConfGet_stageTag()).isEqualTo(406);
            assertThat(FTIX_ConfGet_finalTag()).isEqualTo(12);
            assertThat(FTIX_ConfGet_generalTag()).isEqualTo(2612);
            assertThat(FTIX_ConfGet_cfgFile()).isEqualTo(run.config().toString());
            assertThat(FTIX_ConfGet_localDir()).isEqualTo(directory + "/Local/node0/" + id);
            assertThat(FTIX_ConfGet_glbalDir()).isEqualTo(directory + "/Global/" + id);
            assertThat(FTIX_ConfGet_metadDir()).isEqualTo(directory + "/Meta/" + id);
            assertThat(FTIX_ConfGet_lTmpDir()).isEqualTo(directory + "/Local/node0/" + id + "/tmp");
            assertThat(FTIX_ConfGet_gTmpDir()).isEqualTo(directory + "/Global/" + id + "/tmp");
            assertThat(FTIX_ConfGet_mTmpDir()).isEqualTo(directory + "/Meta/" + id + "/tmp");
            assertThat(FTIX_ConfGet_suffix()).isEqualTo("fti");
            FTI_Finalize();
        });
    }

    @Test
    void tellsNothingBeforeInitialisation() {
        assertThat(FTIX_TopoGet_nbProc()).isEqualTo(-1);
        assertThat(FTIX_TopoGet_amIaHead()).isFalse();
        assertThat(FTIX_TopoGet_body()).isNull();
        assertThat(FTIX_ExecGet_id()).isNull();
        assertThat(FTIX_ExecGet_globalComm()).isNull();
        assertThat(FTIX_ConfGet_localDir()).isNull();
        assertThat(FTIX_ConfGet_suffix()).isNull();
    }
}
