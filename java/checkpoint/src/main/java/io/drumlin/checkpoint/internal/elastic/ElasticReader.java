package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint.Part;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.checkpoint.internal.verify.DamagedException;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * Reads pieces of the variables that one rank stored. Pieces that lie near each other in the file are read at once, and
 * several reads are under way at a time. Not thread-safe.
 */
final class ElasticReader implements Closeable {

    /** Gap between two pieces, in bytes, up to which the gap is read instead of skipped. */
    private static final int GAP = 1 << 16;

    private static final int READS_UNDERWAY = 8;

    /** Bounds the memory for pieces of a few bytes. */
    private static final int PIECES_OF_A_READ = 4096;

    private final Part part;
    private final List<BlockSums> ranges;
    private final SlabPool slabs;
    private final BlockFile file;
    private final ArrayDeque<Window> underway = new ArrayDeque<>();
    private Window next = new Window();
    private List<Chunk> chunks = List.of();
    private Target target = (position, bytes) -> {};
    private int chunk;

    /** @param ranges verified ranges of the file; empty if none could be verified */
    ElasticReader(Part part, List<BlockSums> ranges, StorageEngine storage, SlabPool slabs) throws IOException {
        this.part = part;
        this.ranges = ranges;
        this.slabs = slabs;
        file = storage.open(part.path(), EnumSet.of(OpenMode.READ));
    }

    /** Receives bytes. */
    @FunctionalInterface
    interface Target {

        /** Receives the remaining bytes of {@code bytes}, which belong at a position. */
        void take(long position, ByteBuffer bytes) throws IOException;
    }

    /**
     * A piece of the file.
     *
     * @param position position of its first byte in the target
     */
    private record Piece(Target target, long position, long offset, int length) {}

    /** Pieces that are read at once. */
    private final class Window {
        private final List<Piece> pieces = new ArrayList<>();
        private Optional<BlockSums> verified = Optional.empty();
        private long start;
        private long end;
        private ByteBuffer memory = ByteBuffer.allocate(0);
        private PendingRead read = () -> 0;

        boolean takes(long offset) {
            return pieces.isEmpty()
                    || (offset >= start
                            && offset <= end + GAP
                            && offset < start + slabs.slabBytes()
                            && verified.map(range -> range.contain(offset, 1)).orElse(true)
                            && pieces.size() < PIECES_OF_A_READ);
        }

        /** Adds as much of a piece as fits, and returns the number of bytes. */
        int add(long position, long offset, long length) throws DamagedException {
            if (pieces.isEmpty()) {
                verified = verified(offset, length);
                start = verified.map(range -> range.floor(offset)).orElse(offset);
                end = start;
            }
            int taken = (int) Math.min(length, start + slabs.slabBytes() - offset);
            pieces.add(new Piece(target, position, offset, taken));
            end = Math.max(end, offset + taken);
            return taken;
        }

        void start() throws IOException {
            end = verified.map(range -> range.ceiling(end)).orElse(end);
            memory = slabs.take().buffer().limit((int) (end - start));
            read = file.startRead(memory, start);
        }

        void await() throws IOException {
            require(read.await());
            if (!isSame()) {
                // A read may fail once.
                require(file.read(memory.clear().limit((int) (end - start)), start));
                if (!isSame()) {
                    throw DamagedException.of(file.path(), start, end - start);
                }
            }
            for (Piece piece : pieces) {
                piece.target.take(piece.position, memory.slice((int) (piece.offset - start), piece.length));
            }
        }

        private boolean isSame() {
            if (verified.isEmpty()) {
                return true;
            }
            BlockSums.Pass pass = verified.get().compare(start);
            pass.update(memory.slice(0, (int) (end - start)));
            return pass.isSame();
        }

        private void require(int count) throws IOException {
            if (count < end - start) {
                throw DrumlinException.during("read")
                        .path(file.path())
                        .range(start, end - start)
                        .problem("the file ends at " + (start + count))
                        .advice("the file was cut while it was read")
                        .exception();
            }
        }
    }

    /** Returns the verified range that contains a piece. */
    private Optional<BlockSums> verified(long offset, long length) throws DamagedException {
        for (BlockSums range : ranges) {
            if (range.contain(offset, length)) {
                return Optional.of(range);
            }
        }
        if (!ranges.isEmpty()) {
            throw DamagedException.changing(part.path());
        }
        return Optional.empty();
    }

    /** Sets the variable of the following reads. */
    void variable(int id, Target coordinator) {
        target = coordinator;
        chunk = 0;
        chunks = part.file().chunks().stream()
                .filter(each -> each.id() == id)
                .sorted(Comparator.comparingLong(Chunk::from))
                .toList();
    }

    /**
     * Reads bytes of the variable; they have all arrived after {@link #finish}. Pieces must come in their order.
     *
     * @param from position of the first byte in the variable
     * @param position position of the first byte in the target
     */
    void read(long from, long position, long length) throws IOException {
        long done = 0;
        while (done < length) {
            Chunk holder = chunkOf(from + done);
            long skipped = from + done - holder.from();
            long offset = holder.offset() + skipped;
            if (!next.takes(offset)) {
                startNext();
            }
            done += next.add(position + done, offset, Math.min(length - done, holder.length() - skipped));
        }
    }

    private Chunk chunkOf(long position) throws DrumlinException {
        while (chunk < chunks.size()
                && chunks.get(chunk).from() + chunks.get(chunk).length() <= position) {
            chunk++;
        }
        if (chunk == chunks.size() || chunks.get(chunk).from() > position) {
            throw DrumlinException.during("recovery")
                    .path(part.path())
                    .problem("it has no byte " + position + " of a variable")
                    .advice("the file is damaged; another checkpoint is needed")
                    .exception();
        }
        return chunks.get(chunk);
    }

    private void startNext() throws IOException {
        if (underway.size() == READS_UNDERWAY) {
            underway.remove().await();
        }
        next.start();
        underway.add(next);
        next = new Window();
    }

    /** Waits for all requested bytes. */
    void finish() throws IOException {
        if (!next.pieces.isEmpty()) {
            startNext();
        }
        while (!underway.isEmpty()) {
            underway.remove().await();
        }
    }

    /** Closes the file, which waits for reads still under way. */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
