package io.drumlin.bench;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Direct writes and reads of one file, of nothing but bytes: the limit of all that goes through the device. The memory is filled once:
 * what is written does not matter.
 */
final class RawTransfer implements AutoCloseable {

    static final int SLAB = 1 << 20;
    private static final int IN_FLIGHT = 32;
    private static final int READERS = 4;

    private final StorageEngine storage;
    private final List<AlignedBuffer> slabs = new ArrayList<>();

    RawTransfer(StorageEngine storage) {
        this.storage = storage;
        for (int i = 0; i < IN_FLIGHT; i++) {
            AlignedBuffer slab = storage.allocate(SLAB);
            while (slab.buffer().hasRemaining()) {
                slab.buffer().putLong(31L * slab.buffer().position() + i);
            }
            slab.buffer().clear();
            slabs.add(slab);
        }
    }

    @Override
    public void close() {
        slabs.forEach(AlignedBuffer::close);
    }

    /** A part of the memory, aligned, of {@link #SLAB} bytes. */
    ByteBuffer slab(int number) {
        return slabs.get(number % IN_FLIGHT).buffer().clear();
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
            AtomicLong next = new AtomicLong();
            List<FutureTask<Void>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                ByteBuffer memory = slab(i);
                FutureTask<Void> reader = new FutureTask<>(() -> {
                    for (long at = next.getAndAdd(SLAB); at < bytes; at = next.getAndAdd(SLAB)) {
                        file.read(memory, at);
                    }
                    return null;
                });
                readers.add(reader);
                new Thread(reader, "raw-reader").start();
            }
            for (FutureTask<Void> reader : readers) {
                reader.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException("raw read of " + path + " failed", e);
        }
    }
}
