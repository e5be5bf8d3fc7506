package io.drumlin.format.hdf5;

import java.util.List;

/**
 * A dataset of a file that was read.
 *
 * @param path names from the root on, for example {@code /outer/inner/cube}
 * @param dimensions 0 to 32 dimensions
 * @param type type of an element
 * @param chunks all elements, in their order; none if the elements were never written
 */
public record StoredDataset(String path, List<Long> dimensions, Datatype type, List<Chunk> chunks) {

    /**
     * Elements that follow each other in the file.
     *
     * @param from offset of the elements in the dataset, in bytes
     * @param offset offset of the elements in the file
     * @param length size of the elements in bytes, above 0
     * @param stored number of bytes from {@code offset} on that the checksum covers; the checksum is the 4 bytes after
     *     them; 0 if there is none
     */
    public record Chunk(long from, long offset, long length, long stored) {}

    /**
     * Copies the lists.
     *
     * @param path names from the root on
     * @param dimensions 0 to 32 dimensions
     * @param type type of an element
     * @param chunks the chunks in order
     */
    public StoredDataset {
        dimensions = List.copyOf(dimensions);
        chunks = List.copyOf(chunks);
    }

    /**
     * Returns the size of an element.
     *
     * @return size in bytes, above 0
     */
    public int elementSize() {
        return type.size();
    }

    /**
     * Returns the size of all elements.
     *
     * @return size in bytes, 0 or more
     */
    public long bytes() {
        return dimensions.stream().reduce((long) type.size(), Math::multiplyExact);
    }

    /**
     * Returns the size of the elements that are in the file.
     *
     * @return {@link #bytes}, or less if the library has made a dataset and never written it
     */
    public long storedBytes() {
        return chunks.stream().mapToLong(Chunk::length).sum();
    }
}
