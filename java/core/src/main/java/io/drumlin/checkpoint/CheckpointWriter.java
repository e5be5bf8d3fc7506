package io.drumlin.checkpoint;

import io.drumlin.checkpoint.Draft.Chunk;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a checkpoint file in one pass over the data.
 *
 * <p>All offsets are known before the first byte moves. Up to {@link Md5Lanes#LANES} chunks advance side by side, a slab of
 * each at a time: staged into aligned memory, given to the device, hashed while it is on its way.
 */
final class CheckpointWriter {

    private final StorageEngine storage;
    private final SlabPool slabs;

    CheckpointWriter(StorageEngine storage, SlabPool slabs) {
        this.storage = storage;
        this.slabs = slabs;
    }

    /** Makes the records once the digests are known. */
    @FunctionalInterface
    interface Seal {
        List<Piece> seal(List<byte[]> digests) throws IOException;
    }

    /**
     * Writes the file and makes its content durable; the directory entry is the caller's business.
     *
     * @param path the file, replaced when it exists
     * @param draft what is written
     * @param seal completes the draft
     * @throws IOException the file is not whole
     */
    void write(Path path, Draft draft, Seal seal) throws IOException {
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT);
        try (BlockFile file = storage.open(path, modes)) {
            file.allocate(draft.size());
            try {
                BlockEdges edges = new BlockEdges();
                for (Piece piece : seal.seal(writeChunks(file, edges, draft))) {
                    edges.put(piece.offset(), piece.bytes());
                }
                edges.write(file, slabs);
            } finally {
                slabs.drain();
            }
            // Direct writes end on a block boundary, the file does not.
            file.truncate(draft.size());
            file.sync();
        }
    }

    private List<byte[]> writeChunks(BlockFile file, BlockEdges edges, Draft draft) throws IOException {
        List<Chunk> chunks = draft.chunks();
        byte[][] hashes = new byte[chunks.size()][];
        Cursor[] lanes = new Cursor[Md5Lanes.LANES];
        ByteBuffer[] pieces = new ByteBuffer[Md5Lanes.LANES];
        Iterator<Chunk> waiting = chunks.iterator();
        int started = 0;
        try (Md5Lanes md5 = DigestEngine.md5()) {
            boolean busy = true;
            while (busy) {
                busy = false;
                for (int lane = 0; lane < lanes.length; lane++) {
                    Cursor cursor = lanes[lane];
                    if (cursor == null && waiting.hasNext()) {
                        cursor = new Cursor(waiting.next(), started++);
                        md5.reset(lane);
                    }
                    lanes[lane] = cursor;
                    pieces[lane] = cursor == null ? null : writePiece(file, edges, draft, cursor);
                    busy |= cursor != null;
                }
                md5.update(Arrays.asList(pieces));
                finishLanes(md5, lanes, hashes);
            }
        }
        return List.of(hashes);
    }

    private static void finishLanes(Md5Lanes md5, @Nullable Cursor[] lanes, byte[][] hashes) {
        for (int lane = 0; lane < lanes.length; lane++) {
            Cursor cursor = lanes[lane];
            if (cursor != null && cursor.position == cursor.chunk.length()) {
                hashes[cursor.index] = md5.digest(lane);
                lanes[lane] = null;
            }
        }
    }

    /** Stages the next piece of a chunk, starts its write and gives its bytes to be hashed. */
    private ByteBuffer writePiece(BlockFile file, BlockEdges edges, Draft draft, Cursor cursor) throws IOException {
        Chunk chunk = cursor.chunk;
        long start = chunk.start() + cursor.position;
        int lead = (int) (start % BlockEdges.BLOCK);
        int length = (int) Math.min(SlabPool.SLAB_BYTES - lead, chunk.length() - cursor.position);
        SlabPool.Slab slab = slabs.take();
        ByteBuffer memory = slab.buffer();
        draft.image().readFully(start, memory.position(lead).limit(lead + length));
        cursor.position += length;
        memory.clear();
        ByteBuffer piece = memory.slice(lead, length);
        writeBlocks(file, edges, slab, memory, start, piece, chunk.start() + chunk.room());
        return piece;
    }

    /** Starts the write of the whole blocks of a piece and leaves the parts of shared blocks to {@code edges}. */
    private static void writeBlocks(
            BlockFile file,
            BlockEdges edges,
            SlabPool.Slab slab,
            ByteBuffer memory,
            long start,
            ByteBuffer piece,
            long roomEnd)
            throws IOException {
        int alignment = BlockEdges.BLOCK;
        long slabStart = start - start % alignment;
        long end = start + piece.remaining();
        long from = slabStart == start ? start : slabStart + alignment;
        long to = end - end % alignment;
        if (from > to) {
            edges.put(start, piece);
            return;
        }
        edges.put(start, piece.slice(0, (int) (from - start)));
        if (to < end && roomEnd >= to + alignment) {
            // The rest of the block is unused space of the container: zeros, as C FTI leaves there.
            to += alignment;
            for (int i = (int) (end - slabStart); i < to - slabStart; i++) {
                memory.put(i, (byte) 0);
            }
        } else {
            edges.put(to, piece.slice((int) (to - start), (int) (end - to)));
        }
        if (to > from) {
            memory.limit((int) (to - slabStart)).position((int) (from - slabStart));
            slab.busyWith(file.startWrite(memory, from));
        }
    }

    /** How far a chunk has been written. */
    private static final class Cursor {
        private final Chunk chunk;
        private final int index;
        private long position;

        Cursor(Chunk chunk, int index) {
            this.chunk = chunk;
            this.index = index;
        }
    }
}
