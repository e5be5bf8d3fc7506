package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.comm.internal.PairExchange;
import io.drumlin.comm.internal.PairExchange.Side;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Sends checkpoint files to neighbours in the group, slab by slab: to the partner, {@link Group#right}, at level 2
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>A rank that cannot read or write keeps sending and receiving, and fails after the exchange. The caller then lets
 * the ranks agree on the result.
 */
public final class PartnerCopy {

    private static final int TAG = 2;

    private final Group group;
    private final StorageEngine storage;
    private final SlabPool slabs;

    public PartnerCopy(Group group, StorageEngine storage, SlabPool slabs) {
        this.group = group;
        this.storage = storage;
        this.slabs = slabs;
    }

    /**
     * A file to receive from another rank.
     *
     * @param path path of the received file, replaced if it exists
     */
    public record Incoming(int from, long size, Path path) {}

    /** A file to send to another rank, which knows its size. */
    public record Outgoing(int to, ByteSource bytes) {}

    /**
     * Sends and receives at most one file each.
     *
     * @throws IOException this rank could not read what it sent, or the received file is not whole and durable
     */
    public void transfer(Optional<Outgoing> outgoing, Optional<Incoming> incoming) throws IOException {
        try (ReceivedFile held = incoming.isPresent()
                ? new ReceivedFile(
                        storage, slabs, incoming.get().path(), incoming.get().size())
                : new ReceivedFile(slabs)) {
            PairExchange.run(
                    group.comm(),
                    TAG,
                    slabs.slabBytes(),
                    outgoing.map(file -> new Side(
                                    file.to(),
                                    file.bytes().size(),
                                    held::window,
                                    (piece, offset) -> held.read(file.bytes(), offset, piece)))
                            .orElse(Side.NONE),
                    incoming.map(file -> new Side(
                                    file.from(),
                                    file.size(),
                                    held::space,
                                    (piece, offset) -> held.filled(piece.limit())))
                            .orElse(Side.NONE));
            held.finish();
        }
    }
}
