package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
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
        long sends = outgoing.map(file -> file.bytes().size()).orElse(0L);
        long receives = incoming.map(Incoming::size).orElse(0L);
        try (ReceivedFile held = incoming.isPresent()
                        ? new ReceivedFile(storage, slabs, incoming.get().path(), receives)
                        : new ReceivedFile(slabs);
                PendingMessages messages = new PendingMessages(group.comm(), TAG)) {
            for (long offset = 0; offset < Math.max(sends, receives); offset += slabs.slabBytes()) {
                if (offset < receives) {
                    ByteBuffer space = held.space((int) Math.min(slabs.slabBytes(), receives - offset));
                    messages.startReceive(space, incoming.orElseThrow().from());
                }
                if (offset < sends) {
                    ByteBuffer window = read(held, outgoing.orElseThrow().bytes(), offset);
                    messages.startSend(window, outgoing.orElseThrow().to());
                }
                messages.await();
                if (offset < receives) {
                    held.filled((int) Math.min(slabs.slabBytes(), receives - offset));
                }
            }
            held.finish();
        }
    }

    private ByteBuffer read(ReceivedFile held, ByteSource source, long offset) {
        int length = (int) Math.min(slabs.slabBytes(), source.size() - offset);
        ByteBuffer window = held.window(length);
        held.read(source, offset, window);
        return window.rewind().limit(length);
    }
}
