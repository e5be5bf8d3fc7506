package io.drumlin.bench;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;

/**
 * Direct writes and reads of one file, of nothing but bytes: the limit of all that goes through the device. The memory is filled once:
 * what is written does not matter.
 */
final class RawTransfer implements AutoCloseable {

    static final int SLAB = 1 << 20;
    private static final int IN_FLIGHT = 32;

    private final StorageEngine storage;

    /** In one piece, which has large pages: into small ones the device reads at two thirds of its speed. */
    private final AlignedBuffer memory;

    RawTransfer(StorageEngine storage) {
        this.storage = storage;
        memory = storage.allocate(IN_FLIGHT * SLAB);
        ByteBuffer all = memory.buffer();
        while (all.hasRemaining()) {
            all.putLong(31L * all.position());
        }
        all.clear();
    }

    @Override
    public void close() {
        memory.close();
    }

    /** A part of the memory, aligned, of {@link #SLAB} bytes. */
    ByteBuffer slab(int number) {
        return memory.buffer().slice(number % IN_FLIGHT * SLAB, SLAB);
    }

    /** Writes as fast as the device takes it, and makes it durable. */
    void write(Path path, long bytes) throws IOException {
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT);
        try (BlockFile file = storage.open(path, modes)) {
            file.allocate(bytes);
            Deque<PendingWrite> inFlight = new ArrayDeque<>();
            int slab = 0;
            for (long offset = 0; offset < bytes; offset += SLAB) {
                if (inFlight.size() == IN_FLIGHT) {
                    inFlight.remove().await();
                }
                inFlight.add(file.startWrite(slab(slab++), offset));
            }
            while (!inFlight.isEmpty()) {
                inFlight.remove().await();
            }
            file.sync();
        }
    }

    /** Reads as fast as the device gives it. */
    void read(Path path, long bytes) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT))) {
            Deque<PendingRead> inFlight = new ArrayDeque<>();
            int slab = 0;
            for (long offset = 0; offset < bytes; offset += SLAB) {
                if (inFlight.size() == IN_FLIGHT) {
                    inFlight.remove().await();
                }
                inFlight.add(file.startRead(slab(slab++), offset));
            }
            while (!inFlight.isEmpty()) {
                inFlight.remove().await();
            }
        }
    }
}
