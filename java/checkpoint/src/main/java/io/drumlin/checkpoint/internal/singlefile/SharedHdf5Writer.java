package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.checkpoint.internal.config.SingleFileConfig;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.singlefile.Subsets.Subset;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a shared HDF5 file. Each rank writes the elements of its subsets directly to their places; then rank 0 writes
 * everything else. The file has a temporary name until it is whole. Not thread-safe.
 */
public final class SharedHdf5Writer implements Closeable {

    private final String operation;
    private final SingleFileConfig config;
    private final Path unfinished;
    private final Communicator app;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final List<RunDataset> datasets;

    /** Offsets of the elements of each dataset, followed by the size of the file. */
    private final long[] places;

    private final List<List<Long>> dimensions;
    private @Nullable SharedHdf5Layout layout;
    private @Nullable BlockFile file;
    private boolean renamed;

    private SlabPool.@Nullable Slab slab;
    private ByteBuffer run = ByteBuffer.allocate(0);
    private long start;

    /**
     * Prepares the file that all ranks write together.
     *
     * @param operation the operation, for messages
     * @param execId id of the run
     */
    public SharedHdf5Writer(
            String operation,
            SingleFileConfig config,
            String execId,
            Communicator app,
            StorageEngine storage,
            SlabPool slabs,
            List<RunDataset> datasets) {
        this.operation = operation;
        this.config = config;
        unfinished = config.unfinished(execId);
        this.app = app;
        this.storage = storage;
        this.slabs = slabs;
        this.datasets = List.copyOf(datasets);
        places = new long[datasets.size() + 1];
        dimensions = datasets.stream().map(RunDataset::dimensions).toList();
    }

    /** Plans the layout of the file. */
    @FunctionalInterface
    public interface Plan {
        SharedHdf5Layout make() throws IOException;
    }

    /** Creates the file. Collective. */
    public void open(Plan plan) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(places.length * Long.BYTES);
        Agreement.run(app, operation, () -> {
            if (app.rank() == 0) {
                SharedHdf5Layout made = plan.make();
                layout = made;
                for (int i = 0; i < datasets.size(); i++) {
                    message.putLong(made.start(i));
                }
                message.putLong(made.size()).flip();
                // A process that has survived a kill may still write to an existing file.
                storage.delete(unfinished);
                BlockFile opened =
                        storage.open(unfinished, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE));
                file = opened;
                opened.allocate(made.size());
            }
        });
        app.bcast(message, 0);
        message.asLongBuffer().get(places);
        Agreement.run(app, operation, () -> {
            if (app.rank() > 0) {
                file = storage.open(unfinished, EnumSet.of(OpenMode.WRITE));
            }
        });
    }

    private BlockFile file() {
        if (file == null) {
            throw new IllegalStateException("not open");
        }
        return file;
    }

    /** Writes a variable. Not collective. */
    public void write(Subset subset, ProtectedData data) throws IOException {
        int index = datasets.indexOf(subset.dataset());
        long elementSize = subset.dataset().type().size();
        subset.slab()
                .forEachRun(
                        dimensions.get(index),
                        (first, at, length) -> write(
                                places[index] + first * elementSize, data, at * elementSize, length * elementSize));
    }

    /**
     * Writes a part of a variable. Parts that are adjacent in the file are joined, such as rows of a matrix that are
     * separate variables.
     */
    private void write(long offset, ProtectedData data, long from, long length) throws IOException {
        for (long done = 0; done < length; ) {
            if (slab == null || start + run.position() != offset + done || !run.hasRemaining()) {
                flush();
                SlabPool.Slab taken = slabs.take();
                slab = taken;
                run = taken.buffer();
                start = offset + done;
            }
            int piece = (int) Math.min(run.remaining(), length - done);
            run.limit(run.position() + piece);
            data.copyOut(from + done, run);
            run.limit(run.capacity());
            done += piece;
        }
    }

    private void flush() throws IOException {
        if (slab != null) {
            slab.write(file(), run.flip(), start);
            slab = null;
        }
    }

    /** Waits for the writes of this rank, some of which may otherwise start with the next variable. */
    public void awaitWrites() throws IOException {
        flush();
        slabs.drain();
    }

    /**
     * Makes the file durable and renames it to its final name. Collective.
     *
     * @throws IOException on all ranks, if it failed on any; there is no new file
     */
    public void commit(Path path) throws IOException {
        Agreement.run(app, operation, () -> {
            awaitWrites();
            file().sync();
            if (app.rank() > 0) {
                file().close();
            }
        });
        Agreement.run(app, operation, () -> {
            if (layout != null) {
                file().write(layout.metadata(), 0);
                file().sync();
                file().close();
                storage.rename(unfinished, path);
                renamed = true;
                storage.syncDirectory(config.directory());
            }
        });
    }

    /** Returns whether the file was created for the present state of the datasets. */
    public boolean isFor(List<RunDataset> now) {
        return datasets.equals(now)
                && dimensions.equals(now.stream().map(RunDataset::dimensions).toList());
    }

    /** Closes the file, and deletes it unless it has its final name. Not collective. */
    @Override
    public void close() throws IOException {
        try {
            slabs.drain();
        } finally {
            if (file != null) {
                file.close();
            }
            if (layout != null && !renamed) {
                storage.delete(unfinished);
            }
        }
    }
}
