package io.drumlin.cli.file;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.ByteSource;
import io.drumlin.internal.Printable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Data that have a name in a file: a variable, a dataset, the stream of a task, or a chunk of a frame.
 *
 * @param name how they are selected, without the rank, for example {@code var=1}
 * @param rank the rank to which they belong, if the file says it
 * @param type the type of the elements, if it is known
 * @param dimensions the dimensions, the slowest one first; none if they are not known
 * @param size bytes of all elements
 * @param verified whether digests cover all bytes
 * @param source the file with the pieces
 * @param pieces where the bytes are, in their order
 * @param rows the part that {@link #copyTo} copies; all if it is empty
 */
public record StoredData(
        String name,
        OptionalInt rank,
        Optional<ValueType> type,
        List<Long> dimensions,
        long size,
        boolean verified,
        ByteSource source,
        Iterable<Piece> pieces,
        Optional<Selection.Rows> rows) {

    private static final int BUFFER = 1 << 20;

    public StoredData {
        dimensions = List.copyOf(dimensions);
    }

    /**
     * Bytes that follow each other in the file.
     *
     * @param digest the digest of these bytes, if they have one
     */
    public record Piece(long offset, long length, Optional<Digest> digest) {

        public Piece(long offset, long length) {
            this(offset, length, Optional.empty());
        }
    }

    /**
     * The digest of a piece.
     *
     * @param md5 lower-case hexadecimal
     * @param damage makes the exception for bytes with another digest, which it is given
     */
    public record Digest(String md5, Function<String, IOException> damage) {

        public void compare(byte[] computed) throws IOException {
            String text = HexFormat.of().formatHex(computed);
            if (!text.equals(md5)) {
                throw damage.apply(text);
            }
        }
    }

    /** Makes data of all rows. */
    public static StoredData of(String name, long size, boolean verified, ByteSource source, Iterable<Piece> pieces) {
        return new StoredData(
                name,
                OptionalInt.empty(),
                Optional.empty(),
                List.of(),
                size,
                verified,
                source,
                pieces,
                Optional.empty());
    }

    public StoredData ofRank(int number) {
        return new StoredData(name, OptionalInt.of(number), type, dimensions, size, verified, source, pieces, rows);
    }

    /** Returns the same data with a type and dimensions, as far as they fit the size. */
    public StoredData typed(Optional<ValueType> known, List<Long> shape) {
        Optional<ValueType> whole = known.filter(each -> size % each.size() == 0);
        boolean fits = whole.isPresent() && fits(whole.get(), shape);
        return new StoredData(name, rank, whole, fits ? shape : List.of(), size, verified, source, pieces, rows);
    }

    private boolean fits(ValueType known, List<Long> shape) {
        long left = size / known.size();
        boolean empty = false;
        for (long dimension : shape) {
            empty |= dimension == 0;
            if (dimension < 0 || (dimension > 0 && left % dimension != 0)) {
                return false;
            }
            left /= Math.max(dimension, 1);
        }
        return !shape.isEmpty() && (empty ? size == 0 : left == 1);
    }

    /**
     * Returns the same data as elements of a type.
     *
     * @param said the type that the user gave, if any
     * @throws CommandException they do not consist of such elements
     */
    public StoredData as(Optional<ValueType> said) {
        ValueType chosen = said.or(() -> type).orElse(ValueType.BYTES);
        if (size % chosen.size() != 0) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    label() + " has " + size + " bytes, which are no " + chosen + " of " + chosen.size()
                            + " bytes each");
        }
        return typed(Optional.of(chosen), dimensions);
    }

    /** Returns name and rank, for people. Names in files may have line breaks. */
    public String label() {
        return Printable.text(name) + (rank.isPresent() ? " of rank " + rank.getAsInt() : "");
    }

    /** Returns the type of data that {@link #as} has returned. */
    public ValueType elementType() {
        return type.orElse(ValueType.BYTES);
    }

    public long elements() {
        return size / elementType().size();
    }

    /** Returns the dimensions, or the one that data without them have. */
    public List<Long> shape() {
        return dimensions.isEmpty() ? List.of(elements()) : dimensions;
    }

    /** Returns the number of elements in a row. */
    public long rowElements() {
        return shape().stream().skip(1).reduce(1L, (a, b) -> a * b);
    }

    /** Returns the indices of an element of an array, the slowest one first. */
    public static List<Long> indices(long element, List<Long> shape) {
        Long[] indices = new Long[shape.size()];
        long left = element;
        for (int i = indices.length - 1; i > 0; i--) {
            indices[i] = left % Math.max(shape.get(i), 1);
            left /= Math.max(shape.get(i), 1);
        }
        if (indices.length > 0) {
            indices[0] = left;
        }
        return List.of(indices);
    }

    /**
     * Returns the selected rows, with elements of {@link #as}.
     *
     * @throws CommandException there are no such rows
     */
    public StoredData rows(Optional<Selection.Rows> wanted) {
        long count = shape().get(0);
        if (wanted.isPresent()
                && (wanted.get().from() > wanted.get().to() || wanted.get().to() > count)) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    label() + " has no rows " + wanted.get().from() + ":"
                            + wanted.get().to() + "; it has " + count);
        }
        return new StoredData(name, rank, type, dimensions, size, verified, source, pieces, wanted);
    }

    /** Returns the data of one of the pieces. */
    public StoredData of(Piece piece) {
        return new StoredData(
                name, rank, type, List.of(), piece.length(), verified, source, List.of(piece), Optional.empty());
    }

    private long from() {
        return rows.map(range -> range.from() * rowElements() * elementType().size())
                .orElse(0L);
    }

    private long to() {
        return rows.map(range -> range.to() * rowElements() * elementType().size())
                .orElse(size);
    }

    /** Returns the bytes that {@link #copyTo} reads. */
    long readBytes() {
        return verified ? size : to() - from();
    }

    /** Copies the bytes of the rows and compares the digests of all pieces that have some of them. */
    public void copyTo(ByteSource from, OutputStream target) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER, Math.max(size, 1))];
        long start = 0;
        for (Piece piece : pieces) {
            long skipped = Math.max(from() - start, 0);
            long end = Math.min(piece.length(), to() - start);
            if (skipped < end || piece.length() == 0) {
                copy(from, piece, new Selection.Rows(skipped, end), buffer, target);
            }
            start += piece.length();
        }
    }

    /** Copies a range of a piece. Only a piece with a digest is read outside of it. */
    private static void copy(ByteSource source, Piece piece, Selection.Rows range, byte[] buffer, OutputStream target)
            throws IOException {
        MessageDigest md5 = md5();
        boolean all = piece.digest().isPresent();
        long end = all ? piece.length() : range.to();
        int length;
        for (long done = all ? 0 : range.from(); done < end; done += length) {
            length = (int) Math.min(buffer.length, end - done);
            source.readFully(piece.offset() + done, ByteBuffer.wrap(buffer, 0, length));
            if (all) {
                md5.update(buffer, 0, length);
            }
            int first = (int) Math.min(Math.max(range.from() - done, 0), length);
            int last = (int) Math.max(Math.min(range.to() - done, length), first);
            target.write(buffer, first, last - first);
        }
        if (all) {
            piece.digest().get().compare(md5.digest());
        }
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }
}
