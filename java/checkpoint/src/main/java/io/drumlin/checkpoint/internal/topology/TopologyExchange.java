package io.drumlin.checkpoint.internal.topology;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.HostName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends every rank its place among the nodes, and rank 0 the places of all ranks. Only rank 0 needs memory that grows
 * with the run.
 */
public final class TopologyExchange {

    /** Most bytes of a node's name in the exchange, as in C FTI, and of the id of its disk. */
    private static final int NODE_BYTES = 256 + 64;

    /** What may be true of a list of nodes. */
    private static final int NUMBERED_BY_NODE = 1;

    private static final int IN_RANK_ORDER = 2;
    private static final int IN_PLACE = 4;
    private static final int SAME_PLACEMENT = 8;

    private TopologyExchange() {}

    /** Makes lists of nodes on rank 0. */
    @FunctionalInterface
    public interface Maker {
        List<NodeList> lists(List<NodeIdentity> nodeOfRank) throws IOException;
    }

    /**
     * Determines this rank's place: rank 0 gathers what all nodes are known by and sends every rank its part.
     * Collective.
     *
     * @param host host of this rank, if a test invented it
     * @param disk the id of the disk of this rank's node; empty if it is unknown
     * @param maker makes the list of nodes of this run, followed by those of orders in which files were written; runs
     *     on rank 0; if it fails, all ranks fail
     * @return the place of this rank in each of these lists
     */
    public static List<PreviousOrder> of(
            Communicator comm, FtiConfig config, Optional<Host> host, String disk, Maker maker) throws IOException {
        NodeIdentity identity = Agreement.call(comm, "finding the node's name", () -> {
            String name = host.isPresent() ? host.get().name() : nodeName(comm.rank(), config);
            return new NodeIdentity(name, disk);
        });
        List<NodeIdentity> nodeOfRank = gather(comm, identity);
        List<NodeList> lists = new ArrayList<>();
        Agreement.run(comm, "building the topology", () -> {
            if (comm.rank() == 0) {
                lists.addAll(maker.lists(nodeOfRank));
            }
        });
        long[] count = {lists.size()};
        if (config.failure() != 0) {
            comm.allreduce(count, Op.MAX);
        } else {
            count[0] = 1;
        }
        List<PreviousOrder> orders = new ArrayList<>();
        try (Places places = new Places(comm, config, identity)) {
            for (int i = 0; i < count[0]; i++) {
                orders.add(places.in(i < lists.size() ? lists.get(i) : null, lists.isEmpty() ? null : lists.get(0)));
            }
        }
        return orders;
    }

    /** Determines the places of this rank. The ranks of a node are the same in all orders of nodes. */
    private static final class Places implements AutoCloseable {
        private final Communicator comm;
        private final FtiConfig config;
        private final NodeIdentity identity;
        private @Nullable Communicator node;
        private List<Integer> nodeRanks = List.of();

        Places(Communicator comm, FtiConfig config, NodeIdentity identity) {
            this.comm = comm;
            this.config = config;
            this.identity = identity;
        }

        /** @param present the list of this run, on rank 0 */
        PreviousOrder in(@Nullable NodeList list, @Nullable NodeList present) throws IOException {
            IntBuffer own = scatter(comm, list, present, config.heads());
            int position = own.get(0);
            int facts = own.get(5);
            if (node == null) {
                node = node(position, own.get(4));
                nodeRanks = allgather(node, comm.rank());
            }
            Topology topology = new Topology(
                    position,
                    comm.size(),
                    identity,
                    nodeRanks,
                    allgather(node, own.get(1)),
                    config.heads(),
                    (facts & NUMBERED_BY_NODE) != 0,
                    (facts & IN_RANK_ORDER) != 0);
            return new PreviousOrder(
                    topology, (facts & IN_PLACE) != 0, (facts & SAME_PLACEMENT) != 0, own.get(2), own.get(3));
        }

        /**
         * Creates a communicator of the ranks of this rank's node.
         *
         * @param stride the distance from each rank of a node to the next one; 0 if it is not the same everywhere, and
         *     then only rank 0 knows the ranks
         */
        private Communicator node(int position, int stride) throws IOException {
            int nodeSize = config.nodeSize();
            if (stride == 0) {
                return comm.split(position / nodeSize, position);
            }
            int first = comm.rank() - position % nodeSize * stride;
            return comm.subset(IntStream.range(0, nodeSize)
                    .map(place -> first + place * stride)
                    .toArray());
        }

        @Override
        public void close() throws IOException {
            if (node != null) {
                node.close();
            }
        }
    }

    /**
     * Gathers the nodes of all ranks on rank 0, which needs memory for the longest name times the number of ranks; other
     * ranks get none.
     */
    private static List<NodeIdentity> gather(Communicator comm, NodeIdentity node) throws IOException {
        byte[] bytes = node.text().getBytes(StandardCharsets.UTF_8);
        int length = (int) Agreement.max(comm, Math.min(bytes.length, NODE_BYTES));
        ByteBuffer own = ByteBuffer.allocate(length);
        own.put(bytes, 0, Math.min(bytes.length, length)).clear();
        ByteBuffer all = ByteBuffer.allocate(comm.rank() == 0 ? Math.multiplyExact(length, comm.size()) : 0);
        comm.gather(own, all, 0);
        List<NodeIdentity> nodes = new ArrayList<>();
        for (int start = 0; start < all.capacity(); start += length) {
            String text = new String(all.array(), start, length, StandardCharsets.UTF_8);
            nodes.add(NodeIdentity.parse(text.replace("\0", "")));
        }
        return nodes;
    }

    private static String nodeName(int rank, FtiConfig config) throws IOException {
        if (config.localTest()) {
            return "node" + rank / config.nodeSize();
        }
        return HostName.read();
    }

    /**
     * Sends each rank its position, its file rank, the ranks of its {@link PreviousOrder}, the distance between the ranks
     * of a node, and what is true of the list.
     */
    private static IntBuffer scatter(Communicator comm, @Nullable NodeList list, @Nullable NodeList present, int heads)
            throws IOException {
        int length = 6 * Integer.BYTES;
        ByteBuffer all = ByteBuffer.allocate(0);
        if (list != null && present != null) {
            all = ByteBuffer.allocate(Math.multiplyExact(length, comm.size())).order(ByteOrder.nativeOrder());
            int facts = (list.isNumberedByNode() ? NUMBERED_BY_NODE : 0)
                    | (list.isInRankOrder() ? IN_RANK_ORDER : 0)
                    | (list.isInPlace() ? IN_PLACE : 0)
                    | (list.placement().equals(present.placement()) ? SAME_PLACEMENT : 0);
            int stride = list.stride();
            int[] positions = positions(list.ranks());
            int[] files = positions(list.placement());
            for (int position = 0; position < comm.size(); position++) {
                int rank = list.ranks().get(position);
                int fileRank = list.placement().get(position);
                all.position(rank * length);
                all.putInt(position)
                        .putInt(fileRank)
                        .putInt(list.numberInApplication(positions[fileRank], heads))
                        .putInt(list.numberInApplication(files[rank], heads))
                        .putInt(stride)
                        .putInt(facts);
            }
            all.clear();
        }
        ByteBuffer own = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        comm.scatter(all, own, 0);
        return own.asIntBuffer();
    }

    /** Returns the position of each rank in a list. */
    private static int[] positions(List<Integer> ranks) {
        int[] positions = new int[ranks.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[ranks.get(i)] = i;
        }
        return positions;
    }

    private static List<Integer> allgather(Communicator node, int value) throws IOException {
        ByteBuffer own = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES * node.size()).order(ByteOrder.nativeOrder());
        node.allgather(own.putInt(0, value), all);
        return IntStream.range(0, node.size())
                .map(i -> all.getInt(i * Integer.BYTES))
                .boxed()
                .toList();
    }

    /**
     * Returns the order of nodes for {@code Topology.fti} on the first application rank; elsewhere the result is
     * meaningless. Collective in {@link Topology#own}.
     *
     * @param other the numbering of ranks that are not numbered node by node
     */
    public static NodeOrder order(Topology topology, Communicator own, FtiConfig config, Numbering other)
            throws IOException {
        List<NodeIdentity> nodes = nodes(topology, own);
        if (config.localTest()) {
            return new NodeOrder(nodes, Optional.empty(), List.of());
        }
        if (topology.isNumberedByNode()) {
            return new NodeOrder(nodes, Optional.of(Numbering.NODE), List.of());
        }
        return new NodeOrder(nodes, Optional.of(other), allgather(own, topology.fileRank()));
    }

    /**
     * Returns the nodes in their order on the first application rank; elsewhere the result is meaningless.
     * Collective in {@link Topology#own}.
     */
    static List<NodeIdentity> nodes(Topology topology, Communicator own) throws IOException {
        List<NodeIdentity> nodeOfRank = gather(own, topology.identity());
        int ranksOfNode = Math.max(1, own.size() / topology.nodes());
        return IntStream.range(0, nodeOfRank.size() / ranksOfNode)
                .mapToObj(node -> nodeOfRank.get(node * ranksOfNode))
                .toList();
    }
}
