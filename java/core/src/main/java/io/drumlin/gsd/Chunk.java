package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.IndexEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A chunk of an open file, or some of its rows. Nothing is read before it is asked for.
 *
 * <p>The methods that return arrays want the type of that width, signed or unsigned: nothing is converted. What does not fit
 * an array is read in parts: {@code chunk.rows(0, 1000).floats()}.
 */
public final class Chunk {

    private static final int STAGE = 1 << 20;

    private final GsdFile file;
    private final IndexEntry entry;
    private final String name;
    private final ElementType type;
    /** The selected rows: number of the first, how many, and the distance between them. */
    private final long first;

    private final long count;
    private final long step;

    /** For an entry that was checked. */
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
     * The chunk's name.
     *
     * @return its text
     */
    public String name() {
        return name;
    }

    /**
     * The frame it belongs to.
     *
     * @return 0 or more
     */
    public long frame() {
        return entry.frame();
    }

    /**
     * What the elements are.
     *
     * @return the type
     */
    public ElementType type() {
        return type;
    }

    /**
     * N, or how many rows were selected.
     *
     * @return 0 or more
     */
    public long rows() {
        return count;
    }

    /**
     * M.
     *
     * @return 1 or more
     */
    public long columns() {
        return entry.columns();
    }

    /**
     * Where the whole chunk is.
     *
     * @return byte offset in the file
     */
    public long location() {
        return entry.location();
    }

    /**
     * Size of the rows.
     *
     * @return bytes
     */
    public long size() {
        return count * entry.rowBytes();
    }

    /**
     * Some rows of these rows.
     *
     * @param from first row, 0 or more
     * @param to one more than the last row, {@code from} to {@link #rows()}
     * @return the rows
     */
    public Chunk rows(long from, long to) {
        return rows(from, to, 1);
    }

    /**
     * Some rows of these rows.
     *
     * @param from first row, 0 or more
     * @param to where rows end, {@code from} to {@link #rows()}
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
     * One of as many parts of nearly equal size as there are ranks.
     *
     * @param rank which part, 0 to {@code ranks} - 1
     * @param ranks how many parts, 1 or more
     * @return consecutive rows; the first ranks have one more when it does not come out even
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
     * @param target gets {@link #size()} bytes; at least as many remain in it; its position moves behind them
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
            read(target::put);
        }
    }

    /**
     * Reads the elements as bytes.
     *
     * @return the elements of a chunk of type int8, uint8 or character
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public byte[] bytes() throws IOException {
        byte[] elements = new byte[length(type == ElementType.INT8 || type == ElementType.UINT8 || isText())];
        read(ByteBuffer.wrap(elements));
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type int16 or uint16
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public short[] shorts() throws IOException {
        short[] elements = new short[length(type == ElementType.INT16 || type == ElementType.UINT16)];
        ShortBuffer target = ShortBuffer.wrap(elements);
        read(piece -> target.put(piece.asShortBuffer()));
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type int32 or uint32
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public int[] ints() throws IOException {
        int[] elements = new int[length(type == ElementType.INT32 || type == ElementType.UINT32)];
        IntBuffer target = IntBuffer.wrap(elements);
        read(piece -> target.put(piece.asIntBuffer()));
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type int64 or uint64
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public long[] longs() throws IOException {
        long[] elements = new long[length(type == ElementType.INT64 || type == ElementType.UINT64)];
        LongBuffer target = LongBuffer.wrap(elements);
        read(piece -> target.put(piece.asLongBuffer()));
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type float
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public float[] floats() throws IOException {
        float[] elements = new float[length(type == ElementType.FLOAT)];
        FloatBuffer target = FloatBuffer.wrap(elements);
        read(piece -> target.put(piece.asFloatBuffer()));
        return elements;
    }

    /**
     * Reads the elements.
     *
     * @return the elements of a chunk of type double
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public double[] doubles() throws IOException {
        double[] elements = new double[length(type == ElementType.DOUBLE)];
        DoubleBuffer target = DoubleBuffer.wrap(elements);
        read(piece -> target.put(piece.asDoubleBuffer()));
        return elements;
    }

    /**
     * Reads the text of a chunk of type character.
     *
     * @return the text without NUL characters at its end; bytes that are not UTF-8 are replaced
     * @throws IOException the file cannot be read, or the rows do not fit an array
     */
    public String text() throws IOException {
        length(isText());
        byte[] utf8 = bytes();
        int end = utf8.length;
        while (end > 0 && utf8[end - 1] == 0) {
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8);
    }

    private boolean isText() {
        return type == ElementType.CHARACTER;
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

    /** Takes bytes of the file, whole elements, in order. */
    private interface Sink {
        void take(ByteBuffer piece);
    }

    private boolean isContiguous() {
        return step == 1;
    }

    private long location(long row) {
        return entry.location() + row * entry.rowBytes();
    }

    private void read(Sink sink) throws IOException {
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

    private void readRange(long location, long bytes, Sink sink) throws IOException {
        for (long done = 0; done < bytes; done += STAGE) {
            ByteBuffer piece = file.stage(STAGE).limit((int) Math.min(STAGE, bytes - done));
            file.read(piece, location + done);
            sink.take(piece.flip().order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    /** Reads rows with what lies between them, and hands out the rows. */
    private void readSpans(int rowBytes, int distance, Sink sink) throws IOException {
        int most = (STAGE - rowBytes) / distance + 1;
        for (long row = 0; row < count; row += most) {
            int rows = (int) Math.min(most, count - row);
            ByteBuffer span = file.stage(STAGE).limit((rows - 1) * distance + rowBytes);
            file.read(span, location(first + row * step));
            for (int i = 0; i < rows; i++) {
                sink.take(span.slice(i * distance, rowBytes).order(ByteOrder.LITTLE_ENDIAN));
            }
        }
    }
}
