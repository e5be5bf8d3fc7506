package io.drumlin.format.hdf5.internal;

import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.Hdf5File;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A library that reads HDF5 files of every kind, also those that {@link Hdf5File} refuses. {@link
 * java.util.ServiceLoader} finds it; the artifact {@code io.drumlin:drumlin-hdf5} has one. Thread-safe.
 */
public interface Hdf5Library {

    /**
     * A dataset of a file.
     *
     * @param path names from the root on, each with a slash before it
     * @param dimensions 0 to 32 dimensions
     * @param type type of an element, as it is in the file
     * @param written whether all elements are in the file; false if none is
     */
    record Dataset(String path, List<Long> dimensions, Datatype type, boolean written) {

        /**
         * Copies the list.
         *
         * @param path names from the root on
         * @param dimensions 0 to 32 dimensions
         * @param type type of an element
         * @param written whether the elements are in the file
         */
        public Dataset {
            dimensions = List.copyOf(dimensions);
        }
    }

    /** An open file. Thread-safe. */
    interface Content extends Closeable {

        /**
         * Returns all datasets of the file.
         *
         * @return datasets in any order
         */
        List<Dataset> datasets();

        /**
         * Reads elements of a dataset. Checksums of the file that cover them are compared.
         *
         * @param path path of a dataset that is written
         * @param from offset of the first byte in the elements, in their order in the dataset
         * @param target is filled; the bytes are those of the type in the file, without filters
         * @throws io.drumlin.format.FormatException the file is damaged
         * @throws IOException the elements cannot be read
         */
        void read(String path, long from, ByteBuffer target) throws IOException;
    }

    /**
     * Opens a file.
     *
     * @param file the file
     * @return its content, to be closed by the caller
     * @throws io.drumlin.format.FormatException the file is damaged
     * @throws IOException the file cannot be read, or the library cannot be used
     */
    Content open(Path file) throws IOException;

    /**
     * Opens a file that is in memory.
     *
     * @param image all bytes of the file, outside the heap; they must not be changed until the content is closed
     * @param file where the bytes are from, for messages
     * @return its content, to be closed by the caller
     * @throws io.drumlin.format.FormatException the file is damaged
     * @throws IOException the library cannot be used
     */
    Content open(ByteBuffer image, Path file) throws IOException;
}
