package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.internal.IndexEntry;
import io.drumlin.gsd.internal.Elements;
import io.drumlin.internal.MemoryFault;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * A chunk of an open file, or some of its rows. The data are read only when a method asks for them.
 *
 * <p>Each method that returns an array requires a type of the array's width, signed or unsigned; nothing is converted.
 * Data that do not fit into one array can be read in parts: {@code chunk.rows(0, 1000).floats()}.
 */
public final class Chunk {

    private static final int STAGE = 1 << 20;

    private final GsdFile file;
    private final IndexEntry entry;
    private final String name;
    private final ElementType type;
    /** Number of the first selected row. {@link #count} rows are selected, at a distance of {@link #step}. */
    private final long first;

    private final long count;
    private final long step;

    /** Makes a chunk from an entry that was checked. */
    Chunk(GsdFile file, IndexEntry entry, String name) {
        this(file, entry, name, 0, entry.rows(), 1);
    }

    private Chunk(GsdFile file, IndexEntry entry, String name, long first, long count, long step) {
        this.file = file;
        this.entry = entry;
        this.name = name;
        this.type = entry.elementType().orElseThrow();
        this.first = first;
        this.count = count;
        this.step = step;
    }

    /**
     * Returns the chunk's name.
     *
     * @return its text
     */
    public String name() {
        return name;
    }

    /**
     * Returns the number of its frame.
     *
     * @return 0 or more
     */
    public long frame() {
        return entry.frame();
    }

    /**
     * Returns the type of its elements.
     *
     * @return the type
     */
    public ElementType type() {
        return type;
    }

    /**
     * Returns N, the number of rows, or the number of selected rows.
     *
     * @return 0 or more
     */
    public long rows() {
        return count;
    }

    /**
     * Returns M, the number of columns.
     *
     * @return 1 or more
     */
    public long columns() {
        return entry.columns();
    }

    /**
     * Returns the location of the whole chunk.
     *
     * @return byte offset in the file
     */
    public long location() {
        return entry.location();
    }

    /**
     * Returns the size of the rows.
     *
     * @return size in bytes
     */
    public long size() {
        return count * entry.rowBytes();
    }

    /**
     * Selects some of these rows.
     *
     * @param from first row, 0 or more
     * @param to one more than the last row, {@code from} to {@link #rows()}
     * @return the rows
     */
    public Chunk rows(long from, long to) {
        return rows(from, to, 1);
    }

    /**
     * Selects some of these rows at a regular distance.
     *
     * @param from first row, 0 or more
     * @param to end of the range, {@code from} to {@link #rows()}
     * @param stride 1 for every row, 2 for every second
     * @return the rows {@code from}, {@code from + stride} and so on that are below {@code to}
     */
    public Chunk rows(long from, long to, long stride) {
        if (from < 0 || to < from || to > count || stride < 1) {
            throw new IndexOutOfBoundsException("rows " + from + " to " + to + " in steps of " + stride + " of the "
                    + count + " rows of chunk " + name);
        }
        long selected = (to - from) / stride + ((to - from) % stride == 0 ? 0 : 1);
        return new Chunk(file, entry, name, first + from * step, selected, selected > 1 ? step * stride : 1);
    }

    /**
     * Selects one of as many parts of nearly equal size as there are ranks.
     *
     * @param rank number of the part, 0 to {@code ranks} - 1
     * @param ranks number of parts, 1 or more
     * @return consecutive rows; if the division leaves a remainder, the first ranks have one more row each
     */
    public Chunk part(int rank, int ranks) {
        if (rank < 0 || rank >= ranks) {
            throw new IndexOutOfBoundsException("part " + rank + " of " + ranks);
        }
        long least = count / ranks;
        long larger = count % ranks;
        long from = rank * least + Math.min(rank, larger);
        return rows(from, from + least + (rank < larger ? 1 : 0));
    }

    /**
     * Reads the rows as they are in the file, little-endian.
     *
     * @param target receives {@link #size()} bytes and must have room for them; its position moves past them
     * @throws IOException the file cannot be read
     */
    public void read(ByteBuffer target) throws IOException {
        if (target.remaining() < size()) {
            throw new IllegalArgumentException(
                    "chunk " + name + " has " + size() + " bytes, the buffer has " + target.remaining());
        }
        if (isContiguous()) {
            int end = target.position() + (int) size();
            file.read(target.duplicate().limit(end), location(first));
            target.position(end);
        } else {
            read((Consumer<ByteBuffer>) target::put);
            MemoryFault.throwPending(target);
        }
    }

    /**
     * Copies the rows as they are in the file, little-endian. There is no limit to their number.
     *
     * @param target receives {@link #size()} bytes
     * @throws IOException the file cannot be read, or the target cannot be written
     */
    public void copyTo(OutputStream target) throws IOException {
        byte[] piece = new byte[STAGE];
        try {
            read(bytes -> {
                int length = bytes.remaining();
                bytes.get(piece, 0, length);
                write(target, piece, length);
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void write(OutputStream target, byte[] piece, int length) {
        try {
            target.write(piece, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the elements as bytes.
     *
     * @return the elements of a chunk of type int8, uint8 or character
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public byte[] bytes() throws IOException {
        byte[] elements = new byte[length(type.bytes() == 1)];
        readInto(elements, 0);
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type int16 or uint16
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public short[] shorts() throws IOException {
        short[] elements = new short[length(type.bytes() == Short.BYTES)];
        readInto(elements, 0);
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type int32 or uint32
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public int[] ints() throws IOException {
        int[] elements = new int[length(type == ElementType.INT32 || type == ElementType.UINT32)];
        readInto(elements, 0);
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type int64 or uint64
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public long[] longs() throws IOException {
        long[] elements = new long[length(type == ElementType.INT64 || type == ElementType.UINT64)];
        readInto(elements, 0);
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type float
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public float[] floats() throws IOException {
        float[] elements = new float[length(type == ElementType.FLOAT)];
        readInto(elements, 0);
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type double
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public double[] doubles() throws IOException {
        double[] elements = new double[length(type == ElementType.DOUBLE)];
        readInto(elements, 0);
        return elements;
    }

    /**
     * Reads the text of a chunk of type character.
     *
     * @return the text without NUL characters at its end; bytes that are not UTF-8 are replaced
     * @throws IOException the file cannot be read, or the rows do not fit into an array
     */
    public String text() throws IOException {
        length(type == ElementType.CHARACTER);
        return Elements.text(bytes());
    }

    /**
     * Reads the elements, whatever their type is.
     *
     * @return elements, type and shape
     * @throws IOException the file cannot be read, or the rows or columns do not fit into an array
     */
    public ChunkData data() throws IOException {
        Object elements = Elements.array(type, length(true));
        readInto(elements, 0);
        // A chunk without rows may have more columns than an array can hold.
        return ChunkData.of(type, elements, (int) Math.min(columns(), Integer.MAX_VALUE));
    }

    /** Reads the elements into a part of an array of the type's width. */
    void readInto(Object array, int start) throws IOException {
        Consumer<ByteBuffer> target = Elements.sink(array, start, length(true));
        read(target);
    }

    private int length(boolean fits) throws DrumlinException {
        if (!fits) {
            throw new IllegalArgumentException(
                    "chunk " + name + " of frame " + frame() + " is of type " + type.label());
        }
        long elements = size() / type.bytes();
        if (elements > Integer.MAX_VALUE - 8) {
            throw DrumlinException.during("reading chunk " + name + " of frame " + frame())
                    .path(file.path())
                    .problem(elements + " elements do not fit an array")
                    .advice("read it in parts: rows(from, to)")
                    .exception();
        }
        return (int) elements;
    }

    private boolean isContiguous() {
        return step == 1;
    }

    private long location(long row) {
        return entry.location() + row * entry.rowBytes();
    }

    private void read(Consumer<ByteBuffer> sink) throws IOException {
        long rowBytes = entry.rowBytes();
        if (isContiguous()) {
            readRange(location(first), size(), sink);
        } else if (step * rowBytes > STAGE / 2) {
            for (long row = 0; row < count; row++) {
                readRange(location(first + row * step), rowBytes, sink);
            }
        } else {
            readSpans((int) rowBytes, (int) (step * rowBytes), sink);
        }
    }

    private void readRange(long location, long bytes, Consumer<ByteBuffer> sink) throws IOException {
        for (long done = 0; done < bytes; done += STAGE) {
            ByteBuffer piece = file.stage(STAGE).limit((int) Math.min(STAGE, bytes - done));
            file.read(piece, location + done);
            sink.accept(piece.flip().order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    /** Reads the selected rows together with the bytes between them, and passes on the rows. */
    private void readSpans(int rowBytes, int distance, Consumer<ByteBuffer> sink) throws IOException {
        int most = (STAGE - rowBytes) / distance + 1;
        for (long row = 0; row < count; row += most) {
            int rows = (int) Math.min(most, count - row);
            ByteBuffer span = file.stage(STAGE).limit((rows - 1) * distance + rowBytes);
            file.read(span, location(first + row * step));
            for (int i = 0; i < rows; i++) {
                sink.accept(span.slice(i * distance, rowBytes).order(ByteOrder.LITTLE_ENDIAN));
            }
        }
    }
}
