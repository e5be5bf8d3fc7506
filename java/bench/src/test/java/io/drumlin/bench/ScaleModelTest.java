package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.drumlin.bench.Call.Operation;
import io.drumlin.bench.Call.Traffic;
import io.drumlin.bench.FileOperation.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ScaleModelTest {

    private static final FileOperation STAT = new FileOperation(Kind.STAT, true, 1);
    private static final Offset<Double> EXACT = within(1e-9);

    /** Every message has a sender and a receiver, so what all ranks together have is known. */
    @Test
    void everyMessageHasTwoEnds() {
        for (int ranks : new int[] {1, 2, 3, 7, 16, 100, 1000}) {
            for (Operation operation : List.of(Operation.BCAST, Operation.GATHER, Operation.SCATTER)) {
                assertThat(messages(operation, ranks))
                        .as("%s of %d", operation, ranks)
                        .isEqualTo(2L * (ranks - 1));
            }
            assertThat(messages(Operation.ALLREDUCE, ranks)).isEqualTo(4L * (ranks - 1));
            assertThat(messages(Operation.ALLGATHER, ranks)).isEqualTo(2L * ranks * (ranks - 1));
            long pairs = IntStream.iterate(1, distance -> distance < ranks, distance -> 2 * distance)
                    .map(distance -> ranks - distance)
                    .sum();
            assertThat(messages(Operation.EXSCAN, ranks))
                    .as("exscan of %d", ranks)
                    .isEqualTo(2 * pairs);
            assertThat(call(Operation.GATHER, 3).traffic(ranks, 0).bytes()).isEqualTo(3L * (ranks - 1));
        }
        assertThat(call(Operation.ALLREDUCE, 8).traffic(1024, 0)).isEqualTo(new Traffic(20, 160));
        assertThat(new Call(Operation.ALLGATHER, List.of(-4, 0, 4, 8), 0, 8).traffic(1024, 5))
                .isEqualTo(new Traffic(6, 48));
    }

    private static Call call(Operation operation, long bytes) {
        return new Call(operation, List.of(), 0, bytes);
    }

    private static long messages(Operation operation, int ranks) {
        return IntStream.range(0, ranks)
                .mapToLong(rank -> call(operation, 3).traffic(ranks, rank).messages())
                .sum();
    }

    /** The server does one after the other, and the last rank has its answer when all are done. */
    @Test
    void operationsOnSharedFilesWaitForEachOther() {
        List<List<Step>> twoSectors = Collections.nCopies(2 * Step.SECTOR, List.of(STAT));
        assertThat(Replay.of(32, twoSectors).first()).isCloseTo(Kind.STAT.latency(), EXACT);
        for (int ranks : new int[] {32, 64, 100_000}) {
            assertThat(Replay.of(ranks, twoSectors).last())
                    .as("%d ranks", ranks)
                    .isCloseTo(Kind.STAT.latency() + (ranks - 1) * Kind.STAT.service(), EXACT);
        }
        assertThat(Replay.of(64, Collections.nCopies(64, List.of(STAT))).last())
                .isCloseTo(Replay.of(64, twoSectors).last(), EXACT);
        List<Step> onNode = List.of(new FileOperation(Kind.CREATE, false, 3));
        assertThat(Replay.of(64, Collections.nCopies(64, onNode)).last()).isCloseTo(3 * Replay.ON_NODE, EXACT);
    }

    @Test
    void messagesCostWhatLogGpSays() {
        double hop = Replay.OVERHEAD + Replay.LATENCY + Replay.OVERHEAD;
        List<Step> sends = List.of(new Call(Operation.SEND, List.of(), 1, 100));
        List<Step> receives = List.of(new Call(Operation.RECEIVE, List.of(), -1, 100));
        assertThat(Replay.of(2, List.of(sends, receives)).first()).isCloseTo(Replay.OVERHEAD, EXACT);
        assertThat(Replay.of(2, List.of(sends, receives)).last()).isCloseTo(hop + 100 * Replay.GAP_PER_BYTE, EXACT);
        assertThatThrownBy(() -> Replay.of(2, List.of(List.of(), receives))).hasMessageContaining("[1] wait");
        assertThat(Replay.of(1 << 20, all(Operation.BARRIER)).last()).isCloseTo(20 * hop, EXACT);
        assertThat(Replay.of(1001, all(Operation.GATHER)).first())
                .as("a message of each other rank")
                .isCloseTo(Replay.OVERHEAD + Replay.LATENCY + 1000 * Replay.OVERHEAD, EXACT);
    }

    private static List<List<Step>> all(Operation operation) {
        return Collections.nCopies(2 * Step.SECTOR, List.of(call(operation, 0)));
    }

    @Test
    void ranksThatMeetWaitForTheLast() {
        List<List<Step>> ranks = new ArrayList<>(Collections.nCopies(4, List.of(call(Operation.ALLREDUCE, 0))));
        ranks.set(2, List.of(STAT, call(Operation.ALLREDUCE, 0)));
        double hop = Replay.OVERHEAD + Replay.LATENCY + Replay.OVERHEAD;
        assertThat(Replay.of(4, ranks).first()).isCloseTo(Kind.STAT.latency() + 2 * 2 * hop, EXACT);
    }

    @Test
    void operationsGrowAsTheyDidBetweenTwoJobs() {
        FileOperation delete = new FileOperation(Kind.DELETE, true, 1);
        Call barrier = call(Operation.BARRIER, 0);
        List<Step> few = List.of(STAT, delete.times(70), barrier, STAT);
        List<Step> many = List.of(STAT, delete.times(262), barrier, STAT.times(2));
        assertThat(Replay.grown(0, few, 64, many, 256, 1000))
                .as("one more for each rank; one more by chance")
                .containsExactly(STAT, delete.times(1006), barrier, STAT.times(2));
        assertThatThrownBy(() -> Replay.grown(0, few, 64, List.of(STAT), 256, 1000))
                .hasMessageContaining("1 calls with 64 ranks, 0 with 256");
    }

    @Test
    void aCommunicatorWithARankOfEachNodeGrows() {
        List<Integer> members =
                IntStream.range(0, 64).map(node -> 4 * node).boxed().toList();
        List<Step> split = List.of(new Call(Operation.SPLIT, members, 0, 0));
        assertThat(Replay.grown(0, split, 64, split, 256, 1000)).containsExactly(call(Operation.SPLIT, 0));
    }

    @Test
    void aRankWithAMessageOfEachOtherHasMoreInALargerJob() {
        List<Step> grown = Replay.grown(0, receives(64), 64, receives(256), 256, 1000);
        assertThat(grown).hasSize(32).endsWith(new FarMessages(Operation.RECEIVE, 8 * 968, 968));
        List<List<Step>> ranks = new ArrayList<>(List.of(grown));
        for (int rank = 1; rank < 2 * Step.SECTOR; rank++) {
            ranks.add(List.of(new Call(Operation.SEND, List.of(), -rank, 8)));
        }
        assertThat(Replay.of(1000, ranks).first()).isCloseTo(999 * Replay.OVERHEAD, within(1e-5));
    }

    /** Of a message of each other rank. */
    private static List<Step> receives(int ranks) {
        return IntStream.range(1, ranks)
                .<Step>mapToObj(peer -> new Call(Operation.RECEIVE, List.of(), peer, 8))
                .toList();
    }
}
