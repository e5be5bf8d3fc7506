package io.drumlin.checkpoint.internal.verify;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads chunks of a file past the page cache, in the rounds of a {@link LaneSchedule}. While one round is used, the following
 * ones are being read. A failure is deferred, and the rounds go on, because another rank may wait for them. Not thread-safe.
 */
public final class RoundReader implements Closeable {

    /**
     * Rounds in the slabs. With two rounds, the device read into half of the memory while the other half was hashed,
     * and was idle for a quarter of the time.
     */
    private static final int ROUNDS = 4;

    private final SlabPool parts;
    private final DeferredFailure failure;
    private final LaneSchedule plan;
    private final Deque<Round> coming = new ArrayDeque<>();
    private @Nullable BlockFile file;

    /**
     * Opens a file.
     *
     * @param chunks what is read, in this order
     * @param parts a result of {@link #parts}, for nothing else
     * @param failure gets the first failure
     */
    public RoundReader(StorageEngine storage, Path path, List<Chunk> chunks, SlabPool parts, DeferredFailure failure) {
        this.parts = parts;
        this.failure = failure;
        plan = new LaneSchedule(chunks, parts.slabBytes());
        failure.attempt(() -> file = storage.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT)));
    }

    /**
     * Divides the memory of all slabs into pieces.
     *
     * @param slabs at least {@link SlabPool#SLABS}, not busy
     * @param count how many files share them, 1 or 2
     */
    public static List<SlabPool> parts(SlabPool slabs, int count) {
        int bytes = pieceBytes(slabs);
        List<SlabPool> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(slabs.divided(SlabPool.SLABS * (slabs.slabBytes() / bytes) / count, bytes));
        }
        return parts;
    }

    /** Returns the most bytes of a piece. */
    public static int pieceBytes(SlabPool slabs) {
        return Math.max(AlignedWriter.BLOCK, SlabPool.SLABS / Md5Lanes.LANES * slabs.slabBytes() / ROUNDS);
    }

    /** The pieces of the chunks that are read or written at the same time, each with its own memory. */
    public static final class Round {
        private final List<Piece> pieces;
        private final List<SlabPool.Slab> slabs = new ArrayList<>(Md5Lanes.LANES);
        private final List<ByteBuffer> bytes = new ArrayList<>(Md5Lanes.LANES);
        private final List<PendingRead> reads = new ArrayList<>(Md5Lanes.LANES);

        /** @param failure gets failures of earlier writes from the memory */
        public Round(List<Piece> pieces, SlabPool parts, DeferredFailure failure) {
            this.pieces = pieces;
            for (Piece piece : pieces) {
                SlabPool.Slab slab = parts.take(failure);
                slabs.add(slab);
                bytes.add(slab.buffer().slice(piece.lead(), piece.length()));
            }
        }

        public List<Piece> pieces() {
            return pieces;
        }

        /** Returns the memory of a piece, which is behind as many bytes as precede it in its block. */
        public SlabPool.Slab slab(int i) {
            return slabs.get(i);
        }

        /** Returns the bytes of all pieces, in other buffers at each call. */
        public List<ByteBuffer> bytes() {
            return bytes.stream().map(ByteBuffer::duplicate).toList();
        }

        private void start(BlockFile file) throws IOException {
            for (int i = 0; i < pieces.size(); i++) {
                Piece piece = pieces.get(i);
                ByteBuffer blocks = slabs.get(i).buffer().limit(piece.window());
                reads.add(file.startRead(blocks, piece.start() - piece.lead()));
            }
        }

        private void await(BlockFile file, int i) throws IOException {
            Piece piece = pieces.get(i);
            if (reads.get(i).await() < piece.lead() + piece.length()) {
                throw DrumlinException.during("read")
                        .path(file.path())
                        .range(piece.start(), piece.length())
                        .problem("the file ends at " + file.size())
                        .advice("the file was cut while it was read")
                        .exception();
            }
        }
    }

    /** Starts reads for the device to work on while a round is used, as long as the memory holds a round more. */
    public void readAhead() {
        while (coming.stream().mapToInt(round -> round.pieces.size()).sum() + Md5Lanes.LANES <= parts.limit()) {
            List<Piece> pieces = plan.nextRound();
            if (pieces.isEmpty()) {
                return;
            }
            Round round = new Round(pieces, parts, failure);
            coming.add(round);
            failure.attempt(() -> round.start(opened()));
        }
    }

    /**
     * Returns the next round, whose bytes have not arrived yet.
     *
     * @return its memory is used again after {@link #readAhead}; null at the end
     */
    public @Nullable Round next() {
        return coming.poll();
    }

    /** Waits for a piece of a round, once; its bytes are anything after a failure. */
    public void await(Round round, int i) {
        failure.attempt(() -> round.await(opened(), i));
    }

    private BlockFile opened() {
        BlockFile open = file;
        if (open == null) {
            throw new IllegalStateException("the file could not be opened");
        }
        return open;
    }

    /** Waits for reads under way. */
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
