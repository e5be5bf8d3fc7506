package io.drumlin.format.hdf5.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Describes how a dataset is cut into chunks of consecutive elements. A chunk has one element along the first
 * dimensions, some along the next one, and all along the rest.
 *
 * @param dimensions the dimensions of the dataset
 * @param chunk the dimensions of a chunk; each at least 1 in a chunked dataset
 * @param elementSize size of an element in bytes
 */
public record ChunkShape(List<Long> dimensions, List<Long> chunk, int elementSize) {

    public ChunkShape {
        dimensions = List.copyOf(dimensions);
        chunk = List.copyOf(chunk);
    }

    /** Makes the largest chunks within the bounds. The dataset must have elements. */
    static ChunkShape of(List<Long> dimensions, int elementSize, long mostBytes, long mostElements) {
        if (elementSize > mostBytes) {
            throw new IllegalArgumentException(
                    "an element of " + elementSize + " bytes is larger than a chunk of " + mostBytes);
        }
        List<Long> chunk = new ArrayList<>();
        long room = mostBytes / elementSize;
        for (int i = dimensions.size() - 1; i >= 0; i--) {
            long along = Math.min(dimensions.get(i), Math.min(room, mostElements));
            chunk.add(0, along);
            room = along < dimensions.get(i) ? 1 : room / along;
        }
        return new ChunkShape(dimensions, chunk, elementSize);
    }

    /** Returns whether the elements of each chunk follow each other in the dataset. */
    public boolean isInOrder() {
        int cut = cut();
        return chunk.stream().limit(cut).allMatch(along -> along == 1) && !isPaddedWithin();
    }

    /** Returns whether the part of a chunk outside the dataset lies between its elements, and not only after them. */
    private boolean isPaddedWithin() {
        boolean padded = false;
        boolean rows = false;
        for (int i = 0; i < dimensions.size(); i++) {
            padded |= rows && chunk.get(i) > dimensions.get(i);
            rows |= Math.min(chunk.get(i), dimensions.get(i)) > 1;
        }
        return padded && !dimensions.contains(0L);
    }

    /** Returns the last dimension along which a chunk does not have all elements; 0 if it has all. */
    private int cut() {
        int cut = dimensions.size() - 1;
        while (cut > 0 && chunk.get(cut) >= dimensions.get(cut)) {
            cut--;
        }
        return cut;
    }

    /** Returns the size of a chunk in bytes. */
    public long bytes() {
        return chunk.stream().reduce((long) elementSize, Math::multiplyExact);
    }

    /** Returns the number of chunks along a dimension. */
    private long along(int dimension) {
        return (dimensions.get(dimension) + chunk.get(dimension) - 1) / chunk.get(dimension);
    }

    long chunks() {
        long chunks = 1;
        for (int i = 0; i < dimensions.size(); i++) {
            chunks = Math.multiplyExact(chunks, along(i));
        }
        return chunks;
    }

    /** Returns the index of the first element of a chunk along each dimension. */
    List<Long> start(long number) {
        List<Long> start = new ArrayList<>();
        long rest = number;
        for (int i = dimensions.size() - 1; i >= 0; i--) {
            start.add(0, rest % along(i) * chunk.get(i));
            rest /= along(i);
        }
        return start;
    }

    /** Returns the offset of the elements of a chunk in the dataset, in bytes. */
    public long from(long number) {
        return from(start(number));
    }

    /** Returns the offset of an element in the dataset, in bytes. */
    public long from(List<Long> index) {
        long from = 0;
        for (int i = 0; i < dimensions.size(); i++) {
            from = from * dimensions.get(i) + index.get(i);
        }
        return from * elementSize;
    }

    /** Returns the number of bytes of a chunk's elements that are in the dataset. */
    public long length(long number) {
        return length(start(number));
    }

    /** Returns the number of bytes in the dataset for the chunk that begins with an element. */
    public long length(List<Long> start) {
        int cut = cut();
        long length = elementSize;
        for (int i = cut; i < dimensions.size(); i++) {
            length *= Math.min(chunk.get(i), dimensions.get(i) - start.get(i));
        }
        return length;
    }
}
