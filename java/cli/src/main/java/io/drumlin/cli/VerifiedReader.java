package io.drumlin.cli;

import io.drumlin.cli.StoredData.Digest;
import io.drumlin.cli.StoredData.Piece;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads several data of a file side by side, a round of bytes of each at a time, and verifies their digests. While a
 * round is used, the next one is being read. Not thread-safe.
 */
final class VerifiedReader implements Closeable {

    /** Bytes of a round of all lanes. */
    private static final int ROUND = 16 << 20;

    private static final int MOST_PIECE = 4 << 20;

    /** Largest element, which a piece must hold. */
    private static final int LEAST_PIECE = ValueType.MOST_BYTES;

    /** Shorter reads are not worth starting. */
    private static final int LEAST_STARTED = 64 << 10;

    private static final String NOTHING = "d41d8cd98f00b204e9800998ecf8427e";

    private final int piece;
    private final Cursor[] cursors;
    private final Md5Lanes lanes;
    private final AlignedBuffer memory;
    private final Optional<WholeDigest> whole;

    /** The file with the data; null if it cannot be read at any time, as the stream of a SION task. */
    private @Nullable BlockFile file;

    private boolean second;

    private VerifiedReader(StorageEngine storage, int lanes, int piece, Optional<WholeDigest> whole) {
        this.piece = piece;
        this.whole = whole;
        cursors = new Cursor[lanes];
        this.lanes = DigestEngine.md5(lanes);
        memory = storage.allocate(2 * lanes * piece);
    }

    /**
     * Returns how many bytes of a lane are in a round. Readers of two sides need the same number, so that their rounds
     * have the same elements.
     *
     * @param lanes number of data at a time, at most {@link Md5Lanes#LANES}
     * @param largest bytes of the largest data of both sides
     */
    static int piece(int lanes, long largest) {
        int piece = Math.min(ROUND / lanes, MOST_PIECE);
        while (piece / 2 >= Math.max(largest, LEAST_PIECE)) {
            piece /= 2;
        }
        return piece;
    }

    /**
     * Makes a reader of data of one file.
     *
     * @param source the source of all data, unless each has its own
     * @param lanes number of data at a time, at most {@link Md5Lanes#LANES}; 1 if there is a digest of the whole file
     * @param piece a result of {@link #piece}
     */
    static VerifiedReader of(
            StorageEngine storage, ByteSource source, int lanes, int piece, Optional<WholeDigest> whole)
            throws IOException {
        VerifiedReader reader = new VerifiedReader(storage, lanes, piece, whole);
        if (source instanceof FileSource plain) {
            try {
                reader.file = storage.open(plain.path(), EnumSet.of(OpenMode.READ));
            } catch (IOException | RuntimeException e) {
                reader.close();
                throw e;
            }
        }
        return reader;
    }

    /** The data of a lane and how far they were read. */
    private static final class Cursor {
        private final ByteSource source;
        private final Iterator<Piece> pieces;
        private final int most;
        private long left;
        private Piece piece = new Piece(0, 0);
        private long done;

        /** @param most most bytes of a round, a multiple of an element */
        Cursor(StoredData data, int most) {
            source = data.source();
            pieces = data.pieces().iterator();
            left = data.size();
            this.most = most;
        }

        /** Moves to the next piece that has bytes. */
        void advance() throws IOException {
            while (done == piece.length()) {
                if (!pieces.hasNext()) {
                    throw new EOFException("the data have " + left + " bytes fewer than their size");
                }
                piece = pieces.next();
                done = 0;
                if (piece.length() == 0
                        && piece.digest().isPresent()
                        && !piece.digest().get().md5().equals(NOTHING)) {
                    throw piece.digest().get().damage().apply(NOTHING);
                }
            }
        }
    }

    /** Bytes of a piece in a round. */
    private record Segment(
            ByteBuffer bytes,
            long offset,
            boolean first,
            Optional<Digest> end,
            boolean digested,
            Cursor cursor,
            Optional<PendingRead> read) {}

    /** A round: some bytes of each lane. */
    static final class Round {
        private final List<ByteBuffer> bytes = new ArrayList<>();
        private final List<List<Segment>> segments = new ArrayList<>();

        /** Returns the bytes of a lane, from position to limit, after {@link VerifiedReader#await}. */
        ByteBuffer bytes(int lane) {
            return bytes.get(lane);
        }
    }

    /**
     * Puts data into a lane whose last data were read completely.
     *
     * @param unit bytes of an element, which are not divided between rounds
     */
    void open(int lane, StoredData data, int unit) {
        cursors[lane] = new Cursor(data, piece / unit * unit);
    }

    boolean isAtEnd(int lane) {
        return cursors[lane] == null || cursors[lane].left == 0;
    }

    /** Begins to read the next round. Only two rounds may be in use at a time. */
    Round start() throws IOException {
        Round round = new Round();
        for (int lane = 0; lane < cursors.length; lane++) {
            int at = ((second ? cursors.length : 0) + lane) * piece;
            ByteBuffer bytes = memory.buffer().slice(at, piece).order(ByteOrder.LITTLE_ENDIAN);
            round.bytes.add(bytes.limit(0));
            round.segments.add(isAtEnd(lane) ? List.of() : start(cursors[lane], bytes));
        }
        second = !second;
        return round;
    }

    private List<Segment> start(Cursor cursor, ByteBuffer bytes) throws IOException {
        List<Segment> segments = new ArrayList<>();
        bytes.limit((int) Math.min(cursor.most, cursor.left));
        for (int at = 0; at < bytes.limit(); ) {
            cursor.advance();
            Piece from = cursor.piece;
            int length = (int) Math.min(bytes.limit() - at, from.length() - cursor.done);
            ByteBuffer part = bytes.slice(at, length);
            long offset = from.offset() + cursor.done;
            boolean ends = cursor.done + length == from.length();
            Optional<PendingRead> read = file != null && length >= LEAST_STARTED && cursor.source instanceof FileSource
                    ? Optional.of(file.startRead(part, offset))
                    : Optional.empty();
            segments.add(new Segment(
                    part,
                    offset,
                    cursor.done == 0,
                    ends ? from.digest() : Optional.empty(),
                    from.digest().isPresent(),
                    cursor,
                    read));
            cursor.done += length;
            cursor.left -= length;
            at += length;
        }
        return segments;
    }

    /**
     * Waits until a round is read.
     *
     * @return number of bytes
     */
    long await(Round round) throws IOException {
        long sum = 0;
        for (List<Segment> ofLane : round.segments) {
            for (Segment segment : ofLane) {
                int length = segment.bytes.remaining();
                int count = segment.read.isPresent() ? segment.read.get().await() : 0;
                if (count < length) {
                    // Tells also where a file ends that became shorter.
                    ByteBuffer rest = segment.bytes.duplicate().position(count);
                    read(segment, rest, segment.offset + count);
                }
                sum += length;
            }
        }
        return sum;
    }

    private void read(Segment segment, ByteBuffer target, long offset) throws IOException {
        if (file != null && segment.cursor.source instanceof FileSource) {
            BlockFileSource.readFully(file, offset, target);
        } else {
            segment.cursor.source.readFully(offset, target);
        }
    }

    /** Verifies the digests that end in a round. */
    void verify(Round round) throws IOException {
        boolean more = true;
        for (int i = 0; more; i++) {
            List<@Nullable ByteBuffer> parts = new ArrayList<>();
            more = false;
            for (int lane = 0; lane < cursors.length; lane++) {
                List<Segment> ofLane = round.segments.get(lane);
                boolean present = i < ofLane.size();
                more |= present;
                parts.add(present && ofLane.get(i).digested ? begin(lane, ofLane.get(i)) : null);
            }
            lanes.update(parts);
            for (int lane = 0; lane < cursors.length && more; lane++) {
                if (i < round.segments.get(lane).size()) {
                    end(lane, round.segments.get(lane).get(i));
                }
            }
        }
    }

    private ByteBuffer begin(int lane, Segment segment) {
        if (segment.first) {
            lanes.reset(lane);
        }
        return segment.bytes;
    }

    private void end(int lane, Segment segment) throws IOException {
        if (segment.end.isPresent()) {
            segment.end.get().compare(lanes.digest(lane));
        }
        if (whole.isPresent()) {
            whole.get().add(segment.offset, segment.bytes);
        }
    }

    /** Verifies what can be verified only when everything was read. */
    void finish() throws IOException {
        if (whole.isPresent()) {
            whole.get().finish();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (file != null) {
                file.close();
            }
        } finally {
            memory.close();
            lanes.close();
        }
    }
}
