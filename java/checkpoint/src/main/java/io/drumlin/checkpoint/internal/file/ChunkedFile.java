package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.LanePass;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A checkpoint file that is being written. Each chunk takes one pass over its data. Not thread-safe.
 *
 * <p>Up to {@link Md5Lanes#LANES} chunks advance side by side, one slab of each at a time. A slab is copied to aligned
 * memory, its write is started, and it is hashed while the device writes it.
 */
public final class ChunkedFile implements ChunkTarget {

    private final SlabPool slabs;
    private final AlignedWriter file;

    /**
     * Opens the file.
     *
     * @param path the file, replaced if it exists
     * @throws IOException the file cannot be created
     */
    public ChunkedFile(StorageEngine storage, SlabPool slabs, Path path) throws IOException {
        this.slabs = slabs;
        file = new AlignedWriter(storage, slabs, path);
    }

    public Path path() {
        return file.file().path();
    }

    @Override
    public void allocate(long size) throws IOException {
        file.file().allocate(size);
    }

    @Override
    public List<byte[]> write(ByteSource image, List<Chunk> chunks, Md5Lanes md5) throws IOException {
        return LanePass.of(chunks, md5, chunk -> new Cursor(image, chunk), file::flush);
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
            file.flush();
            md5.update(piece);
        }
    }

    @Override
    public void awaitWrites() throws IOException {
        file.await();
    }

    @Override
    public void finish(List<Piece> pieces, long size) throws IOException {
        for (Piece piece : pieces) {
            file.keep(piece.offset(), piece.bytes());
        }
        file.finish(size);
    }

    @Override
    public void close() throws IOException {
        file.close();
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
            int lead = AlignedWriter.lead(start);
            int length = (int) Math.min(slabs.slabBytes() - lead, chunk.length() - position);
            SlabPool.Slab slab = slabs.take();
            image.readFully(start, slab.buffer().position(lead).limit(lead + length));
            position += length;
            file.join(slab, start, length, chunk.start() + chunk.room());
            return slab.view(lead, length);
        }

        @Override
        public boolean isAtEnd() {
            return position == chunk.length();
        }
    }
}
