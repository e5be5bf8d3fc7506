package io.drumlin.checkpoint.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {

    private static final FtiConfig CONFIG = config();

    private static FtiConfig config() {
        String text = String.join(
                "\n",
                "[basic]",
                "node_size = 2",
                "ckpt_dir = local",
                "glbl_dir = global",
                "meta_dir = meta",
                "verbosity = 3",
                "[advanced]",
                "block_size = 1024",
                "local_test = 0");
        try {
            return FtiConfig.parse(text, "config.fti");
        } catch (DrumlinException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Topology> ranks(List<String> nameOfRank, List<String> earlier) throws DrumlinException {
        Optional<NodeOrder> order = earlier.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeOrder(NodeIdentity.named(earlier), Optional.empty(), List.of()));
        return NodeList.of(CONFIG, NodeIdentity.named(nameOfRank), order).topologies(0);
    }

    private static List<Integer> fileRanks(List<Topology> ranks) {
        return ranks.stream().map(Topology::fileRank).toList();
    }

    @Test
    void numbersNodesByFirstAppearance() throws DrumlinException {
        List<Topology> cyclic = ranks(List.of("a", "b", "a", "b"), List.of());
        assertThat(cyclic.get(1).nodeRanks()).containsExactly(1, 3);
        assertThat(cyclic.stream().map(Topology::rank)).containsExactly(0, 1, 2, 3);
        assertThat(cyclic.stream().map(Topology::nodeName)).containsExactly("a", "b", "a", "b");
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
        assertThat(ranks.stream().map(Topology::node)).containsExactly(1, 1, 0, 0);
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

    /** Rank 0 alone has the whole, and each rank gets what it would find there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void everyRankGetsItsPlace(int heads, @TempDir Path directory) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.head", "" + heads, "basic.node_size", "3"));
        FtiConfig config =
                FtiConfig.parse(Files.readString(run.config()), run.config().toString());
        List<String> earlier = List.of("node2", "elsewhere", "node0");
        List<String> nameOfRank =
                IntStream.range(0, 9).mapToObj(rank -> "node" + rank / 3).toList();
        Optional<NodeOrder> order =
                Optional.of(new NodeOrder(NodeIdentity.named(earlier), Optional.empty(), List.of()));
        List<Topology> expected =
                NodeList.of(config, NodeIdentity.named(nameOfRank), order).topologies(heads);
        List<Topology> ranks = new ArrayList<>(Collections.nCopies(9, null));
        ThreadCommunicator.run(9, comm -> {
            Topology own = TopologyExchange.of(comm, config, Optional.empty(), "", nodes -> {
                        assertThat(comm.rank()).isZero();
                        return List.of(NodeList.of(config, nodes, order));
                    })
                    .get(0)
                    .topology();
            ranks.set(comm.rank(), own);
            Communicator app = own.own(comm);
            List<NodeIdentity> nodes = TopologyExchange.nodes(own, app);
            assertThat(nodes)
                    .isEqualTo(app.rank() == 0 ? NodeIdentity.named(List.of("node2", "node1", "node0")) : List.of());
        });
        assertThat(ranks).isEqualTo(expected);
        assertThat(ranks.get(4).fileRank()).isEqualTo(4);
        assertThat(ranks.get(0).fileRank()).isEqualTo(6);
    }

    /** Ranks of 4 nodes in sectors of 2: node by node, one after the other, in pairs, and in disorder. */
    @ParameterizedTest
    @CsvSource({
        "0, aaabbbcccddd",
        "1, aaabbbcccddd",
        "0, abcdabcdabcd",
        "1, abcdabcdabcd",
        "1, aabbccddabcd",
        "0, abccbadddcba"
    })
    void aRankMeetsThoseOfItsNodeAndItsGroup(int heads, String nodeOfRank, @TempDir Path directory) throws IOException {
        RunFixture run = new RunFixture(directory, "head=" + heads + ", node_size=3, advanced.local_test=0");
        FtiConfig config =
                FtiConfig.parse(Files.readString(run.config()), run.config().toString());
        List<String> names = List.of(nodeOfRank.split(""));
        for (List<String> earlier : List.of(List.of("a", "b", "c", "d"), List.of("c", "a", "d", "b"))) {
            NodeList list = NodeList.of(
                    config,
                    NodeIdentity.named(names),
                    Optional.of(new NodeOrder(NodeIdentity.named(earlier), Optional.empty(), List.of())));
            ThreadCommunicator.run(12, comm -> {
                Optional<Host> host = Optional.of(new Host(names.get(comm.rank()), directory));
                Topology topology = TopologyExchange.of(comm, config, host, "", nodes -> List.of(list))
                        .get(0)
                        .topology();
                assertThat(topology).isEqualTo(list.topologies(heads).get(comm.rank()));
                boolean head = topology.isHead();
                List<Integer> own = list.ranks().stream()
                        .filter(rank -> head == (list.ranks().indexOf(rank) % 3 < heads))
                        .toList();
                int node = earlier.indexOf(names.get(comm.rank()));
                try (Communicator app = topology.own(comm);
                        Communicator given = topology.ownAsGiven(comm);
                        Communicator ofNode = topology.ofNode(app);
                        Group group = Group.of(app, topology, 2)) {
                    assertThat(ranks(app, comm)).isEqualTo(own);
                    assertThat(ranks(given, comm))
                            .isEqualTo(own.stream().sorted().toList());
                    assertThat(ranks(ofNode, comm))
                            .isEqualTo(own.stream()
                                    .filter(rank -> names.get(rank).equals(names.get(comm.rank())))
                                    .toList());
                    assertThat(ranks(group.comm(), comm))
                            .isEqualTo(IntStream.range(node / 2 * 2, node / 2 * 2 + 2)
                                    .mapToObj(i -> list.ranks().get(i * 3 + topology.place()))
                                    .toList());
                }
                if (heads > 0) {
                    HeadLink.of(comm, topology).close();
                }
            });
        }
    }

    /** The ranks in the whole communicator of those of a part, in their order there. */
    private static List<Integer> ranks(Communicator part, Communicator whole) throws IOException {
        int[] all = new int[part.size()];
        part.allgather(new int[] {whole.rank()}, all);
        return IntStream.of(all).boxed().toList();
    }

    /** Otherwise the next restart would take the replaced node for one that is lost, and its replacement for another. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aRestartNamesTheNodesThatItHas(int heads, @TempDir Path directory) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.head", "" + heads, "basic.node_size", "2"));
        run.run(6, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {checkpoints.communicator().rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        Path file = run.file("Topology.fti");
        String topology = Files.readString(file);
        assertThat(topology).contains("node1");
        Files.writeString(file, topology.replace("node1", "lost"));
        run.run(6, (checkpoints, comm) -> {
            int[] values = {-1};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(checkpoints.communicator().rank());
        });
        assertThat(file).hasContent(topology);
    }
}
