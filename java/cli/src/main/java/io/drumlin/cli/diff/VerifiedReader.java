package io.drumlin.cli.diff;

import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.StoredData.Digest;
import io.drumlin.cli.file.StoredData.Piece;
import io.drumlin.cli.file.ValueType;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
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

    private static final int BLOCK = AlignedBuffer.ALIGNMENT;

    private static final String NOTHING = "d41d8cd98f00b204e9800998ecf8427e";

    private final int piece;

    /** Bytes of memory of a lane in a round, for a piece and the rest of the blocks at its ends. */
    private final int room;

    private final Cursor[] cursors;
    private final Md5Lanes lanes;
    private final AlignedBuffer memory;
    private final Optional<WholeDigest> whole;

    /** The file with the data; null if it cannot be read at any time, as the stream of a SION task. */
    private @Nullable BlockFile file;

    private boolean second;

    private VerifiedReader(StorageEngine storage, int lanes, int piece, Optional<WholeDigest> whole) {
        this.piece = piece;
        room = (piece / BLOCK + (piece % BLOCK == 0 ? 0 : 1) + 1) * BLOCK;
        this.whole = whole;
        cursors = new Cursor[lanes];
        this.lanes = DigestEngine.md5(lanes);
        memory = storage.allocate(2 * lanes * room);
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
                reader.file = storage.open(plain.path(), EnumSet.of(OpenMode.READ, OpenMode.DIRECT));
            } catch (Throwable e) {
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

    /**
     * Bytes of a piece in a round.
     *
     * @param skip bytes that a started read has before them
     */
    private record Segment(
            ByteBuffer bytes,
            long offset,
            boolean first,
            Optional<Digest> end,
            boolean digested,
            Cursor cursor,
            Optional<PendingRead> read,
            int skip) {}

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
            int at = ((second ? cursors.length : 0) + lane) * room;
            start(lane, memory.buffer().slice(at, room), round);
        }
        second = !second;
        return round;
    }

    /** Begins to read the next bytes of a lane into memory of {@link #room} bytes. */
    private void start(int lane, ByteBuffer target, Round round) throws IOException {
        if (isAtEnd(lane)) {
            round.bytes.add(target.limit(0));
            round.segments.add(List.of());
            return;
        }
        Cursor cursor = cursors[lane];
        cursor.advance();
        int skip = (int) ((cursor.piece.offset() + cursor.done) % BLOCK);
        int length = (int) Math.min(cursor.most, cursor.left);
        ByteBuffer bytes = target.slice(skip, length).order(ByteOrder.LITTLE_ENDIAN);
        round.bytes.add(bytes);
        List<Segment> segments = new ArrayList<>();
        for (int at = 0;
                at < length;
                at += segments.get(segments.size() - 1).bytes.capacity()) {
            segments.add(segment(cursor, bytes, at, at == 0 ? startRead(cursor, target, length) : Optional.empty()));
        }
        round.segments.add(segments);
    }

    /**
     * Begins to read the blocks with the first bytes of a round. What it reads after the end of a piece is overwritten by
     * the bytes of the next piece, which are read later.
     */
    private Optional<PendingRead> startRead(Cursor cursor, ByteBuffer target, int most) throws IOException {
        long length = Math.min(most, cursor.piece.length() - cursor.done);
        if (file == null || length < LEAST_STARTED || !(cursor.source instanceof FileSource)) {
            return Optional.empty();
        }
        long offset = cursor.piece.offset() + cursor.done;
        int skip = (int) (offset % BLOCK);
        int blocks = (int) ((skip + length + BLOCK - 1) / BLOCK);
        return Optional.of(file.startRead(target.slice(0, blocks * BLOCK), offset - skip));
    }

    private static Segment segment(Cursor cursor, ByteBuffer bytes, int at, Optional<PendingRead> read)
            throws IOException {
        cursor.advance();
        Piece from = cursor.piece;
        int length = (int) Math.min(bytes.limit() - at, from.length() - cursor.done);
        long offset = from.offset() + cursor.done;
        boolean ends = cursor.done + length == from.length();
        Segment segment = new Segment(
                bytes.slice(at, length),
                offset,
                cursor.done == 0,
                ends ? from.digest() : Optional.empty(),
                from.digest().isPresent(),
                cursor,
                read,
                (int) (offset % BLOCK));
        cursor.done += length;
        cursor.left -= length;
        return segment;
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
                int count = segment.read.isPresent() ? segment.read.get().await() - segment.skip : 0;
                if (count < length) {
                    // Tells also where a file ends that became shorter.
                    int known = Math.max(count, 0);
                    ByteBuffer rest = segment.bytes.duplicate().position(known);
                    segment.cursor.source.readFully(segment.offset + known, rest);
                }
                sum += length;
            }
        }
        return sum;
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
            whole.ifPresent(WholeDigest::close);
            memory.close();
            lanes.close();
        }
    }
}
