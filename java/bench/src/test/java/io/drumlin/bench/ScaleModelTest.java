package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.bench.Call.Operation;
import io.drumlin.bench.Call.Traffic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScaleModelTest {

    /** What the page says of any number of ranks rests on this. */
    @Tag("exhaustive")
    @Test
    void aRankMakesTheSameCallsHoweverManyRanksThereAre(@TempDir Path folder) throws IOException {
        requireSame(folder, 3, 64, 256);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"3, 256, 1024", "1, 64, 256", "2, 64, 256"})
    void aRankMakesTheSameCallsInLargeJobs(int ioMode, int few, int many, @TempDir Path folder) throws IOException {
        requireSame(folder, ioMode, few, many);
    }

    private static void requireSame(Path folder, int ioMode, int few, int many) throws IOException {
        List<Map<String, List<Call>>> ofFew = ScaleModel.run(folder.resolve("some"), few, ioMode);
        List<Map<String, List<Call>>> ofMany = ScaleModel.run(folder.resolve("many"), many, ioMode);
        for (int rank : new int[] {0, 21}) {
            assertThat(ofMany.get(rank)).hasSize(21);
            ofMany.get(rank).forEach((phase, calls) -> assertThat(calls)
                    .as("%s of rank %d", phase, rank)
                    .isEqualTo(ofFew.get(rank).get(phase)));
        }
    }

    /** Every message has a sender and a receiver, so what all ranks together have is known. */
    @Test
    void aTreeHasALinkLessThanRanks() {
        for (int ranks : new int[] {1, 2, 3, 7, 16, 100, 1000}) {
            for (Operation operation : List.of(Operation.BCAST, Operation.GATHER, Operation.SCATTER)) {
                Call call = new Call(operation, Call.ALL, 3);
                long messages = IntStream.range(0, ranks)
                        .mapToLong(rank -> call.traffic(ranks, rank).messages())
                        .sum();
                assertThat(messages).as("%s of %d", operation, ranks).isEqualTo(2L * (ranks - 1));
            }
            assertThat(new Call(Operation.GATHER, Call.ALL, 3).traffic(ranks, 0).bytes())
                    .isEqualTo(3L * (ranks - 1));
        }
        assertThat(Call.innerRank(10_000)).isEqualTo(4096);
        assertThat(Call.innerRank(1_000_000)).isEqualTo(524_288);
        assertThat(new Call(Operation.ALLREDUCE, Call.ALL, 8).traffic(1024, 5)).isEqualTo(new Traffic(20, 160));
        assertThat(new Call(Operation.ALLGATHER, 4, 8).traffic(1024, 5)).isEqualTo(new Traffic(4, 48));
    }
}
