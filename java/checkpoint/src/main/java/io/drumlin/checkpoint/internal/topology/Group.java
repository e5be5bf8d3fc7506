package io.drumlin.checkpoint.internal.topology;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The ranks that keep redundancy for each other: the ranks at the same place on each of the {@code group_size} nodes of
 * a sector, in the order of nodes (docs/formats/fti-run-directory.md, section 2).
 *
 * @param sector number of the sector, 0 or above; {@code group_size} nodes make a sector
 * @param id place of the ranks on their nodes; 0 or above
 * @param comm the ranks of the group
 */
public record Group(int sector, int id, Communicator comm) implements AutoCloseable {

    private static final int TAG = 5;

    /** Creates the group of this rank. Collective. */
    public static Group of(Communicator app, Topology topology, int groupSize) throws IOException {
        int sector = topology.node() / groupSize;
        return new Group(sector, topology.place(), topology.ofSector(app, sector * groupSize, groupSize));
    }

    /** Returns the number of this rank in the group. */
    public int index() {
        return comm.rank();
    }

    public int size() {
        return comm.size();
    }

    /** Returns the neighbour that keeps the copy of this rank's file. */
    public int right() {
        return (index() + 1) % size();
    }

    /** Returns the neighbour whose file this rank keeps a copy of. */
    public int left() {
        return (index() + size() - 1) % size();
    }

    /** Returns the values of all ranks of the group, by their number in the group. Collective in the group. */
    public long[] gather(long value) throws IOException {
        ByteBuffer all =
                ByteBuffer.allocate(Math.multiplyExact(Long.BYTES, size())).order(ByteOrder.nativeOrder());
        ByteBuffer own = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        comm.allgather(own.putLong(value).flip(), all);
        long[] values = new long[size()];
        all.asLongBuffer().get(values);
        return values;
    }

    /** Returns the numbers of the ranks in the group that passed true. Collective in the group. */
    public BitSet ranksWith(boolean here) throws IOException {
        long[] there = gather(here ? 1 : 0);
        BitSet ranks = new BitSet(there.length);
        for (int i = 0; i < there.length; i++) {
            ranks.set(i, there[i] == 1);
        }
        return ranks;
    }

    /** Returns whether all ranks of the group passed true. Collective in the group. */
    public boolean onAll(boolean here) throws IOException {
        return ranksWith(here).cardinality() == size();
    }

    /**
     * Returns the parts of all ranks, by their number in the group, on the first rank; an empty list on the others.
     * Collective in the group.
     */
    public List<byte[]> gatherAtFirst(byte[] part) throws IOException {
        long[] lengths = gather(part.length);
        List<byte[]> parts = new ArrayList<>();
        if (index() > 0) {
            comm.send(ByteBuffer.wrap(part), 0, TAG);
            return parts;
        }
        parts.add(part);
        for (int i = 1; i < lengths.length; i++) {
            byte[] received = new byte[(int) lengths[i]];
            comm.receive(ByteBuffer.wrap(received), i, TAG);
            parts.add(received);
        }
        return parts;
    }

    /** Returns the bytes that the first rank of the group passes. Collective in the group. */
    public byte[] ofFirst(byte[] bytes) throws IOException {
        return Agreement.bcast(comm, bytes, 0);
    }

    @Override
    public void close() throws IOException {
        comm.close();
    }
}
