package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.checkpoint.internal.io.CoalescingWriter;
import io.drumlin.checkpoint.internal.io.PartialBlocks;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.LanePass;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

/**
 * A checkpoint file that is being written. Each chunk takes one pass over its data. Not thread-safe.
 *
 * <p>Up to {@link Md5Lanes#LANES} chunks advance side by side, one slab of each at a time. A slab is copied to aligned
 * memory, its write is started, and it is hashed while the device writes it.
 */
public final class ChunkedFile implements ChunkTarget {

    /** Smaller pieces are written together with their neighbours, if a slab has room for several. */
    private static final int SMALL = 64 << 10;

    private final SlabPool slabs;
    private final int small;
    private final BlockFile file;
    private final CoalescingWriter run;
    private final PartialBlocks edges = new PartialBlocks();

    /**
     * Opens the file.
     *
     * @param path the file, replaced if it exists
     * @throws IOException the file cannot be created
     */
    public ChunkedFile(StorageEngine storage, SlabPool slabs, Path path) throws IOException {
        this.slabs = slabs;
        small = Math.min(SMALL, slabs.slabBytes() / 2);
        file = storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT));
        run = new CoalescingWriter(file, slabs);
    }

    public Path path() {
        return file.path();
    }

    @Override
    public void allocate(long size) throws IOException {
        file.allocate(size);
    }

    @Override
    public List<byte[]> write(ByteSource image, List<Chunk> chunks, Md5Lanes md5) throws IOException {
        return LanePass.of(chunks, md5, chunk -> new Cursor(image, chunk), run::flush);
    }

    /**
     * Writes a chunk whose bytes continue the stream in lane 0.
     *
     * @param image the bytes of the chunk
     * @param md5 hashes the bytes in lane 0
     */
    public void append(ByteSource image, Chunk chunk, Md5Lanes md5) throws IOException {
        Cursor cursor = new Cursor(image, chunk);
        List<ByteBuffer> piece = Arrays.asList(new ByteBuffer[1]);
        while (!cursor.isAtEnd()) {
            piece.set(0, cursor.next());
            run.flush();
            md5.update(piece);
        }
    }

    @Override
    public void awaitWrites() throws IOException {
        slabs.drain();
    }

    @Override
    public void finish(List<Piece> pieces, long size) throws IOException {
        for (Piece piece : pieces) {
            edges.put(piece.offset(), piece.bytes());
        }
        edges.write(run);
        slabs.drain();
        // Direct writes end on a block boundary; the file may not.
        file.truncate(size);
        file.sync();
    }

    @Override
    public void close() throws IOException {
        try {
            slabs.drain();
        } finally {
            file.close();
        }
    }

    /** Starts to write the whole blocks of a piece, and adds its parts of shared blocks to {@code edges}. */
    private void writeBlocks(SlabPool.Slab slab, ByteBuffer memory, long start, ByteBuffer piece, long roomEnd)
            throws IOException {
        int alignment = PartialBlocks.BLOCK;
        long slabStart = start - start % alignment;
        long end = start + piece.remaining();
        long from = slabStart == start ? start : slabStart + alignment;
        long to = end - end % alignment;
        if (from > to) {
            edges.put(start, piece);
            return;
        }
        if (from > start) {
            edges.put(start, piece.slice(piece.position(), (int) (from - start)));
        }
        if (to < end && roomEnd >= to + alignment) {
            // The rest of the block is unused space of the container. It is filled with zeros, as in C FTI.
            to += alignment;
            for (int i = (int) (end - slabStart); i < to - slabStart; i++) {
                memory.put(i, (byte) 0);
            }
        } else if (to < end) {
            edges.put(to, piece.slice(piece.limit() - (int) (end - to), (int) (end - to)));
        }
        if (to > from) {
            memory.limit((int) (to - slabStart)).position((int) (from - slabStart));
            if (memory.remaining() <= small) {
                run.add(from, memory);
            } else {
                slab.write(file, memory, from);
            }
        }
    }

    private final class Cursor implements LanePass.Cursor {
        private final ByteSource image;
        private final Chunk chunk;
        private long position;

        Cursor(ByteSource image, Chunk chunk) {
            this.image = image;
            this.chunk = chunk;
        }

        /** Copies the next piece to a slab, starts its write and returns its bytes, to be hashed. */
        @Override
        public ByteBuffer next() throws IOException {
            long start = chunk.start() + position;
            int lead = (int) (start % PartialBlocks.BLOCK);
            int length = (int) Math.min(slabs.slabBytes() - lead, chunk.length() - position);
            SlabPool.Slab slab = slabs.take();
            ByteBuffer memory = slab.buffer();
            image.readFully(start, memory.position(lead).limit(lead + length));
            position += length;
            memory.clear();
            ByteBuffer piece = slab.view(lead, length);
            writeBlocks(slab, memory, start, piece, chunk.start() + chunk.room());
            return piece;
        }

        @Override
        public boolean isAtEnd() {
            return position == chunk.length();
        }
    }
}
