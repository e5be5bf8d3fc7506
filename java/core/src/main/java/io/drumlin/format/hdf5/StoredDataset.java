package io.drumlin.format.hdf5;

import java.util.List;

/**
 * A dataset of a file that was read.
 *
 * @param path names from the root on, for example {@code /outer/inner/cube}
 * @param dimensions 0 to 32 of them
 * @param type of an element
 * @param chunks all elements, in their order; none if the elements were never written
 */
public record StoredDataset(String path, List<Long> dimensions, Datatype type, List<Chunk> chunks) {

    /**
     * Elements that follow each other in the file.
     *
     * @param from where they begin in the dataset, in bytes
     * @param offset where they begin in the file
     * @param length bytes of them, above 0
     * @param stored bytes from {@code offset} on that the checksum covers, which is the 4 bytes behind them; 0 if there is none
     */
    public record Chunk(long from, long offset, long length, long stored) {}

    /**
     * Copies the lists.
     *
     * @param path names from the root on
     * @param dimensions 0 to 32
     * @param type of an element
     * @param chunks in order
     */
    public StoredDataset {
        dimensions = List.copyOf(dimensions);
        chunks = List.copyOf(chunks);
    }

    /**
     * How large an element is.
     *
     * @return bytes, above 0
     */
    public int elementSize() {
        return type.size();
    }

    /**
     * How many bytes the elements have.
     *
     * @return 0 or more
     */
    public long bytes() {
        return dimensions.stream().reduce((long) type.size(), Math::multiplyExact);
    }

    /**
     * How many of them are in the file.
     *
     * @return {@link #bytes}, or less where the library has made a dataset and never written it
     */
    public long storedBytes() {
        return chunks.stream().mapToLong(Chunk::length).sum();
    }
}
