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
    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"3, 0", "3, 21", "2, 21"})
    void aRankMakesTheSameCallsHoweverManyRanksThereAre(int ioMode, int rank, @TempDir Path folder) throws IOException {
        Map<String, List<Call>> few = ScaleModel.run(folder.resolve("this"), 48, rank, ioMode);
        Map<String, List<Call>> many = ScaleModel.run(folder.resolve("that"), 112, rank, ioMode);
        assertThat(few).hasSize(13);
        many.forEach((phase, calls) -> assertThat(calls).as(phase).isEqualTo(few.get(phase)));
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
