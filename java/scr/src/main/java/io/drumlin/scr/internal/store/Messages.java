package io.drumlin.scr.internal.store;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/** Exchanges trees as messages. */
public final class Messages {

    /** Stands for no rank. */
    public static final int NOBODY = -1;

    private static final int LENGTH = 1;
    private static final int TREE = 2;

    private Messages() {}

    /**
     * Sends a tree to one rank and receives one from another, without waiting for the first.
     *
     * @param destination may be this rank, or {@link #NOBODY}
     * @param source may be this rank, or {@link #NOBODY}, whose tree is empty
     */
    public static KvTree exchange(Communicator comm, KvTree tree, int destination, int source) throws IOException {
        if (destination == NOBODY) {
            return source == NOBODY ? new KvTree() : receive(comm, source);
        }
        ByteBuffer bytes = direct(KvTreeFile.encode(tree));
        ByteBuffer length = ByteBuffer.allocateDirect(Integer.BYTES).putInt(0, bytes.remaining());
        Communicator.Request lengthSent = comm.startSend(length, destination, LENGTH);
        Communicator.Request treeSent = comm.startSend(bytes, destination, TREE);
        KvTree received = source == NOBODY ? new KvTree() : receive(comm, source);
        lengthSent.await();
        treeSent.await();
        return received;
    }

    static void send(Communicator comm, KvTree tree, int destination) throws IOException {
        ByteBuffer bytes = KvTreeFile.encode(tree);
        comm.send(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.remaining()), destination, LENGTH);
        comm.send(bytes, destination, TREE);
    }

    static KvTree receive(Communicator comm, int source) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        comm.receive(length, source, LENGTH);
        ByteBuffer bytes = ByteBuffer.allocate(length.getInt(0));
        comm.receive(bytes, source, TREE);
        return KvTreeFile.read(new MemoryByteSource(bytes)).tree();
    }

    /** Returns the root's tree on every rank. Collective. */
    public static KvTree bcast(Communicator comm, KvTree tree, int root) throws IOException {
        ByteBuffer bytes = comm.rank() == root ? KvTreeFile.encode(tree) : ByteBuffer.allocate(0);
        int length = (int) Agreement.max(comm, bytes.remaining());
        ByteBuffer message = comm.rank() == root ? bytes : ByteBuffer.allocate(length);
        comm.bcast(message, root);
        return comm.rank() == root
                ? tree
                : KvTreeFile.read(new MemoryByteSource(message)).tree();
    }

    /** Joins the trees of all ranks on the root; elsewhere returns an empty tree. Equal keys are merged. Collective. */
    public static KvTree gather(Communicator comm, KvTree tree, int root) throws IOException {
        KvTree joined = new KvTree();
        if (comm.rank() != root) {
            send(comm, tree, root);
            return joined;
        }
        for (int rank = 0; rank < comm.size(); rank++) {
            joined.merge(rank == root ? tree : receive(comm, rank));
        }
        return joined;
    }

    /**
     * Gives each rank a tree of its own, which the root makes. The root holds one of these trees at a time. Collective.
     *
     * @param parts makes the tree of a rank; called on the root only, and must not fail
     */
    public static KvTree scatter(Communicator comm, IntFunction<KvTree> parts, int root) throws IOException {
        if (comm.rank() != root) {
            return receive(comm, root);
        }
        for (int rank = 0; rank < comm.size(); rank++) {
            if (rank != root) {
                send(comm, parts.apply(rank), rank);
            }
        }
        return parts.apply(root);
    }

    /**
     * Joins the trees of all ranks on rank 0. Returns the part of the joined tree whose keys the tree of this rank has.
     * Collective.
     */
    public static KvTree joinKeys(Communicator comm, KvTree tree) throws IOException {
        KvTree own = new KvTree();
        own.put(Integer.toString(comm.rank()), tree.copy());
        KvTree ofRanks = gather(comm, own, 0);
        KvTree joined = new KvTree();
        ofRanks.entries().values().forEach(joined::merge);
        return scatter(
                comm,
                rank -> {
                    KvTree part = new KvTree();
                    ofRanks.add(Integer.toString(rank))
                            .keys()
                            .forEach(key -> part.put(key, joined.add(key).copy()));
                    return part;
                },
                0);
    }

    /**
     * Joins the trees of all ranks on every rank. Equal keys are merged on the way: no rank holds more than the joined
     * tree and a part of it. Collective.
     */
    public static KvTree allgather(Communicator comm, KvTree tree) throws IOException {
        KvTree joined = tree.copy();
        // The keys keep the order of ranks: a rank has joined the trees of itself and the next ones, step of them.
        for (int step = 1; step > 0 && step < comm.size(); step *= 2) {
            if (comm.rank() % (2L * step) != 0) {
                send(comm, joined, comm.rank() - step);
                break;
            }
            if (step < comm.size() - comm.rank()) {
                joined.merge(receive(comm, comm.rank() + step));
            }
        }
        return bcast(comm, joined, 0);
    }

    private static ByteBuffer direct(ByteBuffer bytes) {
        return ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    }
}
