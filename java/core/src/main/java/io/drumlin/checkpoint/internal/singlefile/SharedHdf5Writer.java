package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.checkpoint.internal.config.SingleFileConfig;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.singlefile.Subsets.Subset;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
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
 * Writes a shared HDF5 file: each rank the elements of its subsets straight to their places, then rank 0 all else. Until it is
 * whole the file has another name. Not thread-safe.
 */
public final class SharedHdf5Writer implements Closeable {

    private final String operation;
    private final SingleFileConfig config;
    private final Path unfinished;
    private final Communicator app;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final List<RunDataset> datasets;

    /** Where the elements of each dataset begin; the size of the file behind them. */
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
     * @param operation what is being done, for messages
     * @param execId of the run
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

    /** Says what is where in the file. */
    @FunctionalInterface
    public interface Plan {
        SharedHdf5Layout make() throws IOException;
    }

    /** Makes the file. Collective. */
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
                // A process that a kill has not reached may still write to what is there.
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

    /** Joins what follows each other in the file, as the rows of a matrix may that are variables of their own. */
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

    /** Waits for what this rank has written, of which some may come with the next variable. */
    public void settle() throws IOException {
        flush();
        slabs.drain();
    }

    /**
     * Makes the file durable and gives it its name. Collective.
     *
     * @throws IOException on all ranks: there is no such file
     */
    public void commit(Path path) throws IOException {
        Agreement.run(app, operation, () -> {
            settle();
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

    /** Whether the file was made for datasets as they are now. */
    public boolean isFor(List<RunDataset> now) {
        return datasets.equals(now)
                && dimensions.equals(now.stream().map(RunDataset::dimensions).toList());
    }

    public void closeAfter(Throwable failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Lets go of the file; unless it has its name, it is deleted. Not collective. */
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
