package io.drumlin.format.hdf5;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A dataset of a file that is to be written: chunked with Fletcher-32, in one chunk unless that would have 4 GiB; or
 * contiguous. Not thread-safe.
 */
public final class NewDataset implements NewObject {

    /** Bytes that a chunk can have with its checksum: its size is a number of 32 bits. */
    static final long MOST_CHUNK_BYTES = 0xFFFF_FFFFL;

    /** Elements along one dimension of a chunk. */
    private static final long MOST_ELEMENTS = 0xFFFF_FFFFL;

    /** Chunks that a node of a B-tree has room for. */
    static final int MOST_CHUNKS = 64;

    private final Datatype type;
    private final Optional<NewDatatype> named;
    private final List<Long> dimensions;
    private final long bytes;
    private final ChunkShape shape;
    private final boolean contiguous;
    private final int allocation;
    private final List<NewChunk> chunks = new ArrayList<>();

    long header;
    long tree;

    /**
     * A chunk, once the file was placed.
     *
     * @param from where its elements begin in the dataset, in bytes
     * @param offset where they begin in the file
     * @param length bytes of them
     * @param padding bytes of 0 behind them; a checksum of 4 bytes follows those where the dataset is chunked
     */
    public record NewChunk(long from, long offset, long length, long padding) {}

    /**
     * A dataset with checksums.
     *
     * @param type of an element
     * @param named the same, where it is in the file under a name
     * @param dimensions 1 to 32, each 0 or more
     * @return in no group yet
     * @throws IllegalArgumentException an element is too large for a chunk, or there would be too many chunks
     */
    public static NewDataset chunked(Datatype type, Optional<NewDatatype> named, List<Long> dimensions) {
        return chunked(type, named, dimensions, MOST_CHUNK_BYTES - Integer.BYTES);
    }

    /** The same with at most {@code mostBytes} in a chunk, without its checksum. */
    static NewDataset chunked(Datatype type, Optional<NewDatatype> named, List<Long> dimensions, long mostBytes) {
        return new NewDataset(type, named, dimensions, mostBytes, false);
    }

    /**
     * A dataset in one piece, without checksum, whose place in the file is there from the beginning: what the library makes in a
     * file that many processes write.
     *
     * @param type of an element
     * @param named the same, where it is in the file under a name
     * @param dimensions 1 to 32, each 0 or more
     * @return in no group yet
     */
    public static NewDataset contiguous(Datatype type, Optional<NewDatatype> named, List<Long> dimensions) {
        return new NewDataset(type, named, dimensions, Long.MAX_VALUE, true);
    }

    private NewDataset(
            Datatype type, Optional<NewDatatype> named, List<Long> dimensions, long mostBytes, boolean contiguous) {
        this.type = type;
        this.named = named;
        this.dimensions = List.copyOf(dimensions);
        bytes = dimensions.stream().reduce((long) type.size(), Math::multiplyExact);
        // Chunks have elements; what has none needs no place in the file.
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

    /** Gives the chunks their places from {@code start} on; returns where the last one ends. */
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
            end = HeaderWriter.roundUp(end + shape.bytes() + Integer.BYTES);
        }
        return end;
    }

    /**
     * The chunks; one, without checksum, if the dataset is contiguous.
     *
     * @return in the order of the elements; empty before the file was placed
     */
    public List<NewChunk> chunks() {
        return Collections.unmodifiableList(chunks);
    }

    /**
     * Whether the dataset is in one piece without checksum.
     *
     * @return true also for one without elements
     */
    public boolean isContiguous() {
        return contiguous;
    }

    /** When the library would allocate space for the elements. */
    int allocation() {
        return allocation;
    }

    /**
     * How many bytes the elements have.
     *
     * @return 0 or more
     */
    public long bytes() {
        return bytes;
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
