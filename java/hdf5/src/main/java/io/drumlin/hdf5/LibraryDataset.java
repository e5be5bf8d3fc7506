package io.drumlin.hdf5;

import java.io.Closeable;
import java.nio.ByteBuffer;
import org.bytedeco.hdf5.global.hdf5;
import org.bytedeco.javacpp.BytePointer;
import org.jspecify.annotations.Nullable;

/** The elements of a dataset that the library has open. They are read into a window of some megabytes. */
final class LibraryDataset implements Closeable {

    /** Bytes that a call of the library reads at most, unless an element has more. */
    private static final int WINDOW = 4 << 20;

    private final OpenDataset dataset;
    private final long[] dimensions;
    private final int elementSize;

    private @Nullable ByteBuffer window;

    /** Offset of the window in the elements, in bytes. */
    private long start;

    private LibraryDataset(OpenDataset dataset) throws Refusal {
        this.dataset = dataset;
        dimensions = dataset.dimensions();
        elementSize = (int) Math.min(Integer.MAX_VALUE, hdf5.H5Tget_size(dataset.type()));
        dataset.call(elementSize - 1L, "type");
    }

    static LibraryDataset open(long fileId, String name) throws Refusal {
        OpenDataset opened = OpenDataset.of(fileId, name);
        try {
            return new LibraryDataset(opened);
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
    }

    /** Copies bytes of the elements. */
    void read(long from, ByteBuffer target) throws Refusal {
        long at = from;
        while (target.hasRemaining()) {
            ByteBuffer loaded = window;
            if (loaded == null || at < start || at >= start + loaded.limit()) {
                loaded = load(at / elementSize);
            }
            int skipped = (int) (at - start);
            int length = Math.min(loaded.limit() - skipped, target.remaining());
            target.put(loaded.slice(skipped, length));
            at += length;
        }
    }

    /** Reads a block of elements that begins with one. */
    private ByteBuffer load(long first) throws Refusal {
        ByteBuffer memory = window == null ? ByteBuffer.allocateDirect(windowSize()) : window;
        // Not valid until the library has filled it.
        window = null;
        ElementBlock block = new ElementBlock(dimensions, first, memory.capacity() / elementSize);
        long space = dataset.space();
        if (dimensions.length > 0) {
            dataset.call(
                    hdf5.H5Sselect_hyperslab(
                            space, hdf5.H5S_SELECT_SET, block.start(), (long[]) null, block.count(), (long[]) null),
                    "elements");
        }
        long inMemory =
                dataset.call(hdf5.H5Screate_simple(1, new long[] {block.elements()}, (long[]) null), "elements");
        try (BytePointer target = new BytePointer(memory.clear())) {
            dataset.call(
                    hdf5.H5Dread(dataset.id(), dataset.type(), inMemory, space, hdf5.H5P_DEFAULT, target), "elements");
        } finally {
            hdf5.H5Sclose(inMemory);
        }
        start = first * elementSize;
        window = memory.limit((int) (block.elements() * elementSize));
        return window;
    }

    private int windowSize() {
        long size = elementSize;
        for (long dimension : dimensions) {
            size = dimension > WINDOW / size ? Math.max(elementSize, WINDOW) : size * dimension;
        }
        return (int) size;
    }

    @Override
    public void close() {
        dataset.close();
        window = null;
    }
}
