package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.hdf5.Hdf5Content;
import io.drumlin.checkpoint.internal.hdf5.Hdf5Tree;
import io.drumlin.checkpoint.internal.singlefile.Subsets.Subset;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/** Reads the shared HDF5 file from which a run restarts. Each rank reads what it needs. */
public final class SharedHdf5Reader {

    private static final int WINDOW_BYTES = 1 << 20;

    /**
     * Instead of many small pieces, elements of other ranks between those of this rank are read too, up to this
     * multiple.
     */
    private static final int MOST_STRIDE = 4;

    private final StorageEngine storage;
    private final Path path;
    private final int ckptId;

    public SharedHdf5Reader(StorageEngine storage, Path path, int ckptId) {
        this.storage = storage;
        this.path = path;
        this.ckptId = ckptId;
    }

    public Path path() {
        return path;
    }

    public int ckptId() {
        return ckptId;
    }

    /** Work on the open file. */
    @FunctionalInterface
    private interface Work {
        void with(Hdf5Reader content) throws IOException;
    }

    private void read(Work work) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ));
                Hdf5Reader content = Hdf5Reader.open(new BlockFileSource(file), path, false)) {
            work.with(content);
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** Checks that the file is whole, as far as its content shows it. */
    public void verify() throws IOException {
        read(content -> content.verify());
    }

    /** Returns the dimensions of a dataset in the file. */
    public List<Long> dimensions(RunDataset dataset) throws IOException {
        StoredDataset[] stored = new StoredDataset[1];
        read(content -> stored[0] = dataset(content, dataset));
        return stored[0].dimensions();
    }

    private StoredDataset dataset(Hdf5Reader content, RunDataset dataset) throws DrumlinException {
        StoredDataset stored = content.dataset(dataset.path()).orElse(null);
        if (stored == null) {
            throw refused(dataset, "is not in it");
        }
        Optional<String> difference = Hdf5Tree.difference(stored, dataset.type());
        if (difference.isPresent()) {
            throw refused(dataset, "has another type: " + difference.get());
        }
        Hdf5Content.requireElements("recovery from checkpoint " + ckptId, path, stored);
        return stored;
    }

    private DrumlinException refused(RunDataset dataset, String problem) {
        return DrumlinException.during("recovery from checkpoint " + ckptId)
                .path(path)
                .problem("global dataset " + dataset.path() + " " + problem)
                .advice("declare group, name, type and dimensions as they were when it was written")
                .exception();
    }

    /** Checks that datasets are in the file as they are declared in this run. */
    public void check(Collection<RunDataset> datasets) throws IOException {
        read(content -> {
            for (RunDataset dataset : datasets) {
                datasetAsDeclared(content, dataset);
            }
        });
    }

    private StoredDataset datasetAsDeclared(Hdf5Reader content, RunDataset dataset) throws DrumlinException {
        StoredDataset stored = dataset(content, dataset);
        if (!stored.dimensions().equals(dataset.dimensions())) {
            throw refused(
                    dataset,
                    "has the dimensions " + stored.dimensions() + " there, and " + dataset.dimensions() + " here");
        }
        return stored;
    }

    /** Fills a variable from the file. */
    public void recover(Subset subset, ProtectedData data) throws IOException {
        RunDataset dataset = subset.dataset();
        read(content -> {
            StoredDataset stored = datasetAsDeclared(content, dataset);
            long size = stored.elementSize();
            try (AlignedBuffer memory = storage.allocate(WINDOW_BYTES)) {
                Window window = new Window(content.elements(), path, stored, memory.buffer());
                subset.slab()
                        .forEachRun(
                                dataset.dimensions(),
                                (first, at, length) -> window.copy(first * size, length * size, data, at * size));
            }
        });
    }

    /** The part of a dataset that is in memory. */
    private static final class Window {

        private final ByteSource elements;
        private final Path path;
        private final StoredDataset dataset;
        private final ByteBuffer memory;
        private long start;
        private int length;
        private long lastRun = -1;

        Window(ByteSource elements, Path path, StoredDataset dataset, ByteBuffer memory) {
            this.elements = elements;
            this.path = path;
            this.dataset = dataset;
            this.memory = memory;
        }

        void copy(long from, long bytes, ProtectedData data, long at) throws IOException {
            boolean dense = lastRun >= 0 && from - lastRun <= MOST_STRIDE * bytes;
            lastRun = from;
            for (long done = 0; done < bytes; ) {
                long position = from + done;
                if (position < start || position >= start + length) {
                    load(position, dense ? memory.capacity() : bytes - done);
                }
                int skipped = (int) (position - start);
                int piece = (int) Math.min(length - skipped, bytes - done);
                data.copyIn(at + done, memory.slice(skipped, piece));
                done += piece;
            }
        }

        /** Reads from a position of the dataset on, at most up to the end of the chunk. */
        private void load(long position, long wanted) throws IOException {
            StoredDataset.Chunk chunk = chunk(position);
            long skipped = position - chunk.from();
            start = position;
            length = (int) Math.min(memory.capacity(), Math.min(wanted, chunk.length() - skipped));
            if (length <= 0) {
                throw DrumlinException.during("recovery from a shared HDF5 file")
                        .path(path)
                        .problem("dataset " + dataset.path() + " has no elements at byte " + position)
                        .advice("declare subsets that are within the dataset")
                        .exception();
            }
            elements.readFully(chunk.offset() + skipped, memory.clear().limit(length));
            memory.clear();
        }

        private StoredDataset.Chunk chunk(long position) {
            List<StoredDataset.Chunk> chunks = dataset.chunks();
            int low = 0;
            int high = chunks.size() - 1;
            while (low < high) {
                int middle = (low + high + 1) / 2;
                if (chunks.get(middle).from() <= position) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return chunks.get(low);
        }
    }
}
