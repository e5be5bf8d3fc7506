package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.sion.internal.TaskBlocks;
import io.drumlin.sion.internal.TaskFile;
import io.drumlin.sion.internal.TaskLocation;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in collective writing. The collector of a group receives the data of the other tasks and writes
 * them; docs/formats/sion.md, section 5. Not thread-safe.
 */
final class CollectiveWriter implements Closeable {

    private static final int TAG = 1;
    private static final int HEADER = 2 * Long.BYTES;

    private final Communicator group;
    private final TaskLocation location;
    private final SionWriter writer;
    private final TaskFile file;
    private final boolean merge;
    private final int pieceBytes;

    /** Present at a collector that writes for others. */
    private final Optional<AlignedBuffer> memory;

    /**
     * Joins a group of tasks.
     *
     * @param group the processes of the file
     * @param pieceBytes bytes that are sent and written at once; with merging, this size decides where blocks end
     */
    CollectiveWriter(
            Communicator group,
            TaskLocation location,
            SionWriter writer,
            TaskFile file,
            boolean merge,
            int pieceBytes,
            StorageEngine storage) {
        this.group = group;
        this.location = location;
        this.writer = writer;
        this.file = file;
        this.merge = merge;
        this.pieceBytes = pieceBytes;
        boolean receives = group.rank() == location.collector() && location.groupEnd() > group.rank() + 1;
        this.memory = receives ? Optional.of(storage.allocate(pieceBytes)) : Optional.empty();
    }

    /**
     * Writes the data of this task or sends them to the collector. The data must fit into the chunk. All processes of
     * the group call it.
     */
    void write(ByteBuffer source) throws IOException {
        if (group.rank() != location.collector()) {
            send(source);
            return;
        }
        IOException failure = Agreement.attempt(group, "collective write", () -> writer.write(source));
        // The collector must receive the data of the others even if it can no longer write them.
        for (int sender = group.rank() + 1; sender < location.groupEnd(); sender++) {
            failure = receive(sender, failure);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void send(ByteBuffer source) throws IOException {
        TaskBlocks blocks = writer.blocks();
        int length = source.remaining();
        if (!merge) {
            blocks.ensure(length);
        }
        ByteBuffer header = ByteBuffer.allocate(HEADER).putLong(blocks.offset()).putLong(length);
        group.send(header.flip(), location.collector(), TAG);
        int end = source.limit();
        while (source.hasRemaining()) {
            source.limit(source.position() + Math.min(source.remaining(), pieceBytes));
            group.send(source, location.collector(), TAG);
            source.position(source.limit()).limit(end);
        }
        if (!merge) {
            blocks.add(length);
        }
    }

    private @Nullable IOException receive(int sender, @Nullable IOException earlier) throws IOException {
        IOException failure = earlier;
        ByteBuffer header = ByteBuffer.allocate(HEADER);
        group.receive(header, sender, TAG);
        long offset = header.getLong();
        long length = header.getLong();
        for (long done = 0; done < length; ) {
            ByteBuffer bytes = piece().limit((int) Math.min(pieceBytes, length - done));
            group.receive(bytes, sender, TAG);
            int received = bytes.remaining();
            if (failure == null) {
                long position = offset + done;
                failure = Agreement.attempt(group, "collective write", () -> put(bytes, position));
            }
            done += received;
        }
        return failure;
    }

    private ByteBuffer piece() {
        return memory.orElseThrow().buffer().clear();
    }

    private void put(ByteBuffer bytes, long offset) throws IOException {
        if (merge) {
            writer.write(bytes);
        } else {
            file.open().write(bytes, offset);
        }
    }

    @Override
    public void close() {
        memory.ifPresent(AlignedBuffer::close);
    }
}
