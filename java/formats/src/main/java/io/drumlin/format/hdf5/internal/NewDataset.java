package io.drumlin.format.hdf5.internal;

import io.drumlin.format.hdf5.Datatype;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A dataset of a file to be written. It is either contiguous or chunked with Fletcher-32, in one chunk unless that
 * would have 4 GiB or the chunks are compressed. Not thread-safe.
 */
public final class NewDataset implements NewObject {

    /** Largest size in bytes of a chunk with its checksum, because the size is a number of 32 bits. */
    static final long MOST_CHUNK_BYTES = 0xFFFF_FFFFL;

    /** Largest number of elements along one dimension of a chunk. */
    private static final long MOST_ELEMENTS = 0xFFFF_FFFFL;

    /** Largest number of chunks in a node of a B-tree. */
    static final int MOST_CHUNKS = 64;

    /** Smallest size in bytes of a compressed chunk that could be larger. */
    private static final long LEAST_COMPRESSED = 1 << 20;

    /** Largest size in bytes of a chunk before it is compressed, because it is in memory. */
    private static final long MOST_COMPRESSED = 1 << 30;

    private final Datatype type;
    private final Optional<NewDatatype> named;
    private final List<Long> dimensions;
    private final long bytes;
    private final ChunkShape shape;
    private final boolean contiguous;
    private final int allocation;
    private final List<NewChunk> chunks = new ArrayList<>();
    private final Optional<ChunkCompressor> compressor;
    private final List<Integer> compressed = new ArrayList<>();
    private final Map<String, String> attributes = new TreeMap<>();

    long header;
    long tree;

    /**
     * A chunk, once the file was placed.
     *
     * @param from offset of its elements in the dataset, in bytes
     * @param offset offset of its elements in the file
     * @param length size of its elements in bytes
     * @param padding number of bytes of value 0 after them; in a chunked dataset a checksum of 4 bytes follows
     */
    public record NewChunk(long from, long offset, long length, long padding) {}

    /**
     * Makes a dataset with checksums.
     *
     * @param type type of an element
     * @param named the same type as a named type, if the file has it under a name
     * @param dimensions 1 to 32 dimensions, each 0 or more
     * @return a dataset that is in no group yet
     * @throws IllegalArgumentException an element is too large for a chunk, or there would be too many chunks
     */
    public static NewDataset chunked(Datatype type, Optional<NewDatatype> named, List<Long> dimensions) {
        return chunked(type, named, dimensions, MOST_CHUNK_BYTES - Integer.BYTES);
    }

    /** Makes a dataset with checksums and at most {@code mostBytes} in a chunk, without its checksum. */
    public static NewDataset chunked(
            Datatype type, Optional<NewDatatype> named, List<Long> dimensions, long mostBytes) {
        return new NewDataset(type, named, dimensions, mostBytes, false, 0);
    }

    /**
     * Makes a dataset whose chunks are shuffled, compressed with gzip, and have a checksum; {@link #compress} must be
     * called before the file is placed. A dataset that needs chunks above 1 GiB is not compressed.
     *
     * @param type type of an element
     * @param named the same type as a named type, if the file has it under a name
     * @param dimensions 1 to 32 dimensions, each 0 or more
     * @param level 1 (fast) to 9 (small)
     * @return a dataset that is in no group yet
     * @throws IllegalArgumentException an element is too large for a chunk, or there would be too many chunks
     */
    public static NewDataset compressed(Datatype type, Optional<NewDatatype> named, List<Long> dimensions, int level) {
        long most = Math.max(LEAST_COMPRESSED, type.size());
        while (most <= MOST_COMPRESSED && !dimensions.contains(0L)) {
            if (ChunkShape.of(dimensions, type.size(), most, MOST_ELEMENTS).chunks() <= MOST_CHUNKS) {
                return new NewDataset(type, named, dimensions, most, false, level);
            }
            most *= 2;
        }
        return chunked(type, named, dimensions);
    }

    /**
     * Makes a contiguous dataset without checksum, whose space in the file is allocated from the beginning. The library
     * makes such datasets in a file that many processes write.
     *
     * @param type type of an element
     * @param named the same type as a named type, if the file has it under a name
     * @param dimensions 1 to 32 dimensions, each 0 or more
     * @return a dataset that is in no group yet
     */
    public static NewDataset contiguous(Datatype type, Optional<NewDatatype> named, List<Long> dimensions) {
        return new NewDataset(type, named, dimensions, Long.MAX_VALUE, true, 0);
    }

    private NewDataset(
            Datatype type,
            Optional<NewDatatype> named,
            List<Long> dimensions,
            long mostBytes,
            boolean contiguous,
            int level) {
        this.type = type;
        compressor = level == 0 ? Optional.empty() : Optional.of(new ChunkCompressor(level, type.size()));
        this.named = named;
        this.dimensions = List.copyOf(dimensions);
        bytes = dimensions.stream().reduce((long) type.size(), Math::multiplyExact);
        // Chunks must have elements. A dataset without elements needs no space in the file.
        this.contiguous = contiguous || bytes == 0;
        int ofChunks = this.contiguous ? HeaderWriter.LATE : HeaderWriter.INCREMENTAL;
        allocation = contiguous ? HeaderWriter.EARLY : ofChunks;
        shape = this.contiguous
                ? new ChunkShape(this.dimensions, this.dimensions, type.size())
                : ChunkShape.of(this.dimensions, type.size(), mostBytes, MOST_ELEMENTS);
        if (!this.contiguous && shape.chunks() > MOST_CHUNKS) {
            throw new IllegalArgumentException("a dataset of " + bytes + " bytes has more than " + MOST_CHUNKS
                    + " chunks, the most in an HDF5 file of Drumlin");
        }
        named.ifPresent(each -> each.uses++);
    }

    /** Places the chunks from {@code start} on, and returns the end of the last one. */
    long place(long start) {
        chunks.clear();
        long end = start;
        if (contiguous) {
            chunks.add(new NewChunk(0, start, bytes, 0));
            return start + bytes;
        }
        for (long i = 0; i < shape.chunks(); i++) {
            long length = shape.length(i);
            chunks.add(new NewChunk(shape.from(i), end, length, shape.bytes() - length));
            end = HeaderWriter.roundUp(end + stored((int) i));
        }
        return end;
    }

    /** Returns the size of a chunk in the file, with its checksum. */
    long stored(int chunk) {
        return compressor.isEmpty() ? shape.bytes() + Integer.BYTES : compressed.get(chunk);
    }

    /** Returns how the chunks are compressed, if they are. */
    Optional<ChunkCompressor> compressor() {
        return compressor;
    }

    /** Where the elements of a dataset are. */
    @FunctionalInterface
    public interface Elements {

        /**
         * Copies elements.
         *
         * @param from offset of the first byte in the dataset
         * @param target is filled
         */
        void copyOut(long from, ByteBuffer target);
    }

    /**
     * Returns whether {@link #compress} must be called before the file is placed.
     *
     * @return false for a dataset that is not compressed
     */
    public boolean isCompressed() {
        return compressor.isPresent();
    }

    /**
     * Compresses the next chunk.
     *
     * @param elements where the elements are
     * @return the chunk as it is in the file, with its checksum; empty after the last chunk
     */
    public Optional<ByteBuffer> compress(Elements elements) {
        int chunk = compressed.size();
        if (compressor.isEmpty() || chunk == shape.chunks()) {
            return Optional.empty();
        }
        // What is outside the dataset stays 0.
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(shape.bytes()));
        elements.copyOut(shape.from(chunk), bytes.limit(Math.toIntExact(shape.length(chunk))));
        ByteBuffer stored = compressor.get().compress(bytes.array());
        compressed.add(stored.remaining());
        return Optional.of(stored);
    }

    /**
     * Returns the chunks; a contiguous dataset has one, without checksum.
     *
     * @return chunks in the order of the elements; empty before the file was placed
     */
    public List<NewChunk> chunks() {
        return Collections.unmodifiableList(chunks);
    }

    /**
     * Returns whether the dataset is contiguous, without checksum.
     *
     * @return also true for a dataset without elements
     */
    public boolean isContiguous() {
        return contiguous;
    }

    /** Returns when the library would allocate space for the elements. */
    int allocation() {
        return allocation;
    }

    /**
     * Returns the size of the elements.
     *
     * @return size in bytes, 0 or more
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Gives the dataset a text.
     *
     * @param name name of the attribute
     * @param value the text
     * @throws IllegalArgumentException there are so many bytes that they do not fit into a message
     */
    public void attribute(String name, String value) {
        NewGroup.requireShort(name, value);
        attributes.put(name, value);
    }

    Map<String, String> attributes() {
        return attributes;
    }

    Datatype type() {
        return type;
    }

    Optional<NewDatatype> named() {
        return named;
    }

    List<Long> dimensions() {
        return dimensions;
    }

    ChunkShape shape() {
        return shape;
    }

    @Override
    public long header() {
        return header;
    }
}
