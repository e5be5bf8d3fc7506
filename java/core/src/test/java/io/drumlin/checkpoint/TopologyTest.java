package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopologyTest {

    private static List<Topology> ranks(List<String> nameOfRank, List<String> earlier) throws DrumlinException {
        List<Topology> ranks = new ArrayList<>();
        for (int rank = 0; rank < nameOfRank.size(); rank++) {
            ranks.add(Topology.of(rank, 2, 0, nameOfRank, earlier));
        }
        return ranks;
    }

    private static List<Integer> fileRanks(List<Topology> ranks) {
        return ranks.stream().map(Topology::fileRank).toList();
    }

    @Test
    void numbersNodesByFirstAppearance() throws DrumlinException {
        List<Topology> cyclic = ranks(List.of("a", "b", "a", "b"), List.of());
        assertThat(cyclic.get(0).nodeNames()).containsExactly("a", "b");
        assertThat(cyclic.get(0).nodeList()).containsExactly(0, 2, 1, 3);
        assertThat(cyclic.stream().map(Topology::position)).containsExactly(0, 2, 1, 3);
        assertThat(cyclic.stream().map(Topology::isNodeMaster)).containsExactly(true, true, false, false);
        assertThat(fileRanks(cyclic)).containsExactly(0, 1, 2, 3);
    }

    /** C FTI chooses files by the rank in MPI_COMM_WORLD then, and gives the program another rank's data. */
    @Test
    void aPlaceKeepsItsFilesWhenTheNodesComeInAnotherOrder() throws DrumlinException {
        List<String> earlier = List.of("a", "b", "c");
        List<Topology> block = ranks(List.of("b", "b", "c", "c", "a", "a"), earlier);
        assertThat(block.stream().map(Topology::position)).containsExactly(2, 3, 4, 5, 0, 1);
        assertThat(fileRanks(block)).containsExactly(2, 3, 4, 5, 0, 1);
        // Written with ranks 0 3 on a, 1 4 on b, 2 5 on c.
        List<Topology> cyclic = ranks(List.of("b", "c", "a", "b", "c", "a"), earlier);
        assertThat(fileRanks(cyclic)).containsExactly(1, 2, 0, 4, 5, 3);
    }

    @Test
    void aReplacementTakesThePlaceOfALostNode() throws DrumlinException {
        List<Topology> ranks = ranks(List.of("new", "new", "a", "a"), List.of("a", "b"));
        assertThat(ranks.get(0).nodeNames()).containsExactly("a", "new");
        assertThat(fileRanks(ranks)).containsExactly(2, 3, 0, 1);
        assertThat(IntStream.range(0, 4).filter(rank -> ranks.get(rank).isGlobalMaster()))
                .containsExactly(2);
    }

    @Test
    void refusesWhatIsNoTopology() {
        assertThatThrownBy(() -> ranks(List.of("a", "a", "b"), List.of()))
                .hasMessageContaining("node b has 1 ranks and not node_size = 2");
        assertThatThrownBy(() -> ranks(List.of("a", "a", "b", "b"), List.of("a", "a")))
                .hasMessageContaining("names a node twice");
        assertThatThrownBy(() -> ranks(List.of("a", "a", "b", "b"), List.of("a")))
                .hasMessageContaining("written on 1 nodes, this run has 2");
    }
}
