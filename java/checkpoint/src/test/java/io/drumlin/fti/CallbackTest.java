package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static io.drumlin.fti.FTIX.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code FTIX_CALLBACK}: 2 nodes of a head and a rank of the application, as threads. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CallbackTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    private RunFixture run;

    @BeforeEach
    void configure() throws IOException {
        run = new RunFixture(
                directory, "head=1, node_size=2, group_size=2, inline_l2=0, inline_l4=0, keep_heads_alive=1");
    }

    /** What a rank does between initialisation and end. */
    private void onRanks(Runnable callback) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            FTIX_CALLBACK(callback);
            onRank(comm);
        });
    }

    private void onRank(Communicator comm) {
        int initialised = FTI_Init(run.config().toString(), comm);
        assertThat(initialised).isEqualTo(comm.rank() % 2 == 0 ? FTI_HEAD : FTI_SCES);
        if (initialised == FTI_SCES) {
            double[] values = {comm.rank(), 1, 2};
            FTI_Protect(0, values);
            assertThat(FTI_Checkpoint(1, FTI_L2)).isEqualTo(FTI_DONE);
            assertThat(FTI_Checkpoint(2, FTI_L4)).isEqualTo(FTI_DONE);
        }
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void theFunctionIsCalledByHeadsAndCanAskWhereItIs() throws IOException {
        Map<String, Integer> calls = new HashMap<>();
        onRanks(() -> {
            String place = Thread.currentThread().getName() + " is rank " + FTIX_TopoGet_myRank() + ", head "
                    + FTIX_TopoGet_amIaHead() + ", of node " + FTIX_TopoGet_nodeID() + ", with "
                    + FTIX_TopoGet_body()[0]
                    + ", in " + FTIX_ExecGet_globalComm().size() + " and "
                    + FTI_COMM_WORLD().size();
            synchronized (calls) {
                calls.merge(place, 1, Integer::sum);
            }
        });
        assertThat(calls.keySet())
                .containsExactlyInAnyOrder(
                        "drumlin-rank-0 is rank 0, head true, of node 0, with 1, in 4 and 2",
                        "drumlin-rank-2 is rank 2, head true, of node 1, with 3, in 4 and 2");
    }

    @Test
    void theLastOneGivenIsCalled() throws IOException {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        onRanks(() -> {
            calls.add("first");
            // In C, too, a function may give another one, or none.
            FTIX_CALLBACK(() -> {
                calls.add("second");
                FTIX_CALLBACK(null);
            });
        });
        int heads = RANKS / 2;
        assertThat(calls).filteredOn("first"::equals).hasSize(heads);
        assertThat(calls.size()).isBetween(heads, 2 * heads);
    }

    /** As in C a head makes the stash for all ranks of its node; in C it tries to load one, too. */
    @Test
    void headsMakeStashesAndTheRestIsForTheApplication() throws IOException {
        AtomicBoolean taken = new AtomicBoolean();
        Semaphore asked = new Semaphore(0);
        Queue<Long> results = new ConcurrentLinkedQueue<>();
        ThreadCommunicator.run(RANKS, comm -> {
            FTIX_CALLBACK(() -> {
                if (taken.get()) {
                    results.add((long) FTI_Checkpoint(2, FTI_L1));
                    results.add((long) FTIX_StashLoad(5));
                    assertThat(FTIX_Stash(1, 5)).isEqualTo(5);
                    assertThat(FTIX_Stash(1, -1)).isEqualTo(FTI_NSCS);
                    assertThat(FTIX_StashPush(5)).isEqualTo(FTI_SCES);
                    assertThat(FTIX_StashDrop(5, FTI_FS_LOCAL)).isEqualTo(FTI_SCES);
                    assertThat(FTIX_StashPull(5)).isEqualTo(FTI_SCES);
                    assertThat(FTIX_StashDrop(5, FTI_FS_GLOBAL)).isEqualTo(FTI_SCES);
                    FTIX_CALLBACK(null);
                    asked.release();
                }
            });
            if (FTI_Init(run.config().toString(), comm) == FTI_SCES) {
                double[] values = {comm.rank(), 1, 2};
                FTI_Protect(0, values);
                assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
                FTI_COMM_WORLD().barrier();
                taken.set(true);
                asked.acquireUninterruptibly();
                Arrays.fill(values, 9);
                assertThat(FTIX_StashLoad(5)).isEqualTo(1);
                assertThat(values).containsExactly(comm.rank(), 1, 2);
            }
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(results).hasSize(4).containsOnly((long) FTI_NSCS);
    }

    @Test
    void afterTheRunNothingIsCalled() throws IOException {
        List<String> calls = new ArrayList<>();
        ThreadCommunicator.run(RANKS, comm -> {
            FTIX_CALLBACK(() -> {
                synchronized (calls) {
                    calls.add("called");
                }
            });
            onRank(comm);
            comm.barrier();
            int before = calls.size();
            FTIX_CALLBACK(null);
            onRank(comm);
            assertThat(calls).hasSize(before);
        });
        assertThat(calls).isNotEmpty();
    }
}
