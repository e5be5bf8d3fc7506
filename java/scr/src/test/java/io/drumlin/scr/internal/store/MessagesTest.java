package io.drumlin.scr.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {

    /** The first key must be that of the lowest rank: it names the checkpoint to restart from. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 13})
    void treesAreJoinedInTheOrderOfRanks(int ranks) throws IOException {
        List<String> all =
                IntStream.range(0, ranks).mapToObj(rank -> "of " + rank).toList();
        ThreadCommunicator.run(ranks, world -> {
            KvTree tree = new KvTree();
            tree.add("of " + world.rank()).add("a");
            tree.add("of all").add(Integer.toString(world.rank()));
            KvTree joined = Messages.allgather(world, tree);
            assertThat(joined.keys()).startsWith("of 0").contains("of all").hasSize(ranks + 1);
            assertThat(joined.keys()).filteredOn(key -> !key.equals("of all")).isEqualTo(all);
            assertThat(joined.add("of all").keys())
                    .containsExactlyElementsOf(IntStream.range(0, ranks)
                            .mapToObj(Integer::toString)
                            .toList());
        });
    }

    @Test
    void aRankGetsTheKeysThatItAsksFor() throws IOException {
        int ranks = 5;
        ThreadCommunicator.run(ranks, world -> {
            KvTree tree = new KvTree();
            tree.addPath("of all", Integer.toString(world.rank()));
            tree.addPath("pair " + world.rank() / 2, "of " + world.rank());
            KvTree part = Messages.joinKeys(world, tree);
            assertThat(part.keys()).containsExactlyInAnyOrder("of all", "pair " + world.rank() / 2);
            assertThat(part.add("of all").keys()).containsExactly("0", "1", "2", "3", "4");
            assertThat(part.add("pair " + world.rank() / 2).keys()).hasSize(world.rank() == ranks - 1 ? 1 : 2);
        });
    }
}
