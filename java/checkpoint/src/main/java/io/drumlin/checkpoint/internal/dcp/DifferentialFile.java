package io.drumlin.checkpoint.internal.dcp;

import io.drumlin.checkpoint.internal.dcp.FileBlocks.Area;
import io.drumlin.checkpoint.internal.file.ChunkTarget;
import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.checkpoint.internal.io.Closeables;
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
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The spare file of a differential checkpoint in the mode FTI-FF while it is brought up to date. It holds the last but
 * one checkpoint and becomes the next one: only blocks that the last checkpoint or this one has changed are written
 * (docs/adr/008-differential-checkpoints-in-two-files.md). If there is no spare file, a new file is written completely.
 *
 * <p>The file becomes byte for byte what an update of the last file in place would produce: after a chunk that has
 * become shorter, its old bytes remain.
 */
public final class DifferentialFile implements ChunkTarget {

    private final SlabPool slabs;
    private final BlockFile file;
    private final @Nullable BlockFile committed;
    private final BlockDigests blocks;
    private final @Nullable FileBlocks last;
    private final boolean update;
    private final long oldData;
    private final FileBlocks next = new FileBlocks();
    private final int windowBytes;
    private long changedBytes;

    /**
     * Opens the files.
     *
     * @param path the spare file
     * @param committed the file of the last checkpoint, if there is one
     * @param last the known blocks of that file; null if nothing is known
     * @param update whether the spare file holds the last but one checkpoint; otherwise it is replaced
     * @param oldData bytes of the containers that existed before this checkpoint
     */
    public DifferentialFile(
            StorageEngine storage,
            SlabPool slabs,
            Path path,
            @Nullable Path committed,
            BlockDigests blocks,
            @Nullable FileBlocks last,
            boolean update,
            long oldData)
            throws IOException {
        this.slabs = slabs;
        this.blocks = blocks;
        this.last = last;
        this.update = update;
        this.oldData = oldData;
        windowBytes = slabs.slabBytes() / blocks.blockSize() * blocks.blockSize();
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE);
        if (!update) {
            modes.add(OpenMode.TRUNCATE);
        }
        this.committed = committed == null ? null : storage.open(committed, EnumSet.of(OpenMode.READ));
        try {
            file = storage.open(path, modes);
        } catch (Throwable e) {
            Closeables.closeAfter(e, Collections.singletonList(this.committed));
            throw e;
        }
    }

    /** Returns the known blocks of the file after it was finished. */
    public FileBlocks blocks() {
        return next;
    }

    /** Returns the bytes of the blocks that differ from the last checkpoint. */
    public long changedBytes() {
        return changedBytes;
    }

    @Override
    public void allocate(long size) throws IOException {
        file.allocate(size);
    }

    @Override
    public List<byte[]> write(ByteSource image, List<Chunk> chunks, Md5Lanes md5) throws IOException {
        return LanePass.of(chunks, md5, chunk -> new Cursor(image, chunk), () -> {});
    }

    /** Writes blocks of a piece. */
    private void write(ByteBuffer piece, long start, int from, int to) throws IOException {
        if (from < to) {
            int begin = from * blocks.blockSize();
            int end = Math.min(to * blocks.blockSize(), piece.limit());
            file.write(piece.slice(begin, end - begin), start + begin);
        }
    }

    @Override
    public void leave(long start, long room) {
        area(start, 0, room);
    }

    private Area area(long start, long length, long room) {
        Area area = new Area(length, room, blocks, last == null || last.at(start) == null);
        if (room > 0) {
            next.areas().put(start, area);
        }
        return area;
    }

    @Override
    public void awaitWrites() throws IOException {
        slabs.drain();
    }

    @Override
    public void finish(List<Piece> pieces, long size) throws IOException {
        for (Map.Entry<Long, Area> entry : next.areas().entrySet()) {
            Area before = last == null ? null : last.at(entry.getKey());
            keepOldBytes(entry.getKey(), entry.getValue(), before);
        }
        for (Piece piece : pieces) {
            file.write(piece.bytes(), piece.offset());
        }
        file.truncate(size);
        file.sync();
    }

    /** Updates the bytes after the content of a container to those of the last checkpoint. */
    private void keepOldBytes(long start, Area area, @Nullable Area before) throws IOException {
        if (start >= oldData) {
            if (update) {
                // The file may have records of an earlier, shorter state here.
                zeros(start + area.length(), start + area.room());
            }
        } else if (before == null || !update || before.added()) {
            copy(start + area.length(), start + area.room());
        } else {
            BitSet changed = before.changed();
            for (int block = changed.nextSetBit(0); block >= 0; block = changed.nextSetBit(block + 1)) {
                long from = Math.max((long) block * blocks.blockSize(), area.length());
                copy(start + from, start + before.end(block));
            }
        }
    }

    private void copy(long from, long to) throws IOException {
        if (committed == null) {
            return;
        }
        for (long at = from; at < to; at += slabs.slabBytes()) {
            ByteBuffer memory = slabs.take().buffer().limit((int) Math.min(slabs.slabBytes(), to - at));
            int read = committed.read(memory, at);
            file.write(memory.limit(read), at);
        }
    }

    private void zeros(long from, long to) throws IOException {
        for (long at = from; at < to; at += slabs.slabBytes()) {
            ByteBuffer memory = slabs.take().buffer().limit((int) Math.min(slabs.slabBytes(), to - at));
            for (int i = 0; i < memory.limit(); i++) {
                memory.put(i, (byte) 0);
            }
            file.write(memory, at);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            slabs.drain();
        } finally {
            try {
                file.close();
            } finally {
                blocks.close();
                if (committed != null) {
                    committed.close();
                }
            }
        }
    }

    private final class Cursor implements LanePass.Cursor {
        private final ByteSource image;
        private final Chunk chunk;
        private final Area area;
        private final @Nullable Area before;
        private long position;

        Cursor(ByteSource image, Chunk chunk) {
            this.image = image;
            this.chunk = chunk;
            before = last == null ? null : last.at(chunk.start());
            area = area(chunk.start(), chunk.length(), chunk.room());
        }

        /** Digests the next blocks, writes those that must be written, and returns all their bytes. */
        @Override
        public ByteBuffer next() throws IOException {
            long start = chunk.start() + position;
            int length = (int) Math.min(windowBytes, chunk.length() - position);
            int first = (int) (position / blocks.blockSize());
            ByteBuffer piece = slabs.take().buffer().limit(length);
            image.readFully(start, piece);
            piece.rewind();
            position += length;
            blocks.digest(piece, area.digests(), first);
            int count = blocks.count(length);
            int written = 0;
            for (int i = 0; i < count; i++) {
                area.compare(first + i, before);
                if (area.changed().get(first + i)) {
                    changedBytes += Math.min(blocks.blockSize(), length - i * blocks.blockSize());
                }
                if (!isWanted(first + i)) {
                    write(piece, start, written, i);
                    written = i + 1;
                }
            }
            write(piece, start, written, count);
            return piece;
        }

        @Override
        public boolean isAtEnd() {
            return position == chunk.length();
        }

        private boolean isWanted(int block) {
            return !update
                    || area.changed().get(block)
                    || (before != null && before.changed().get(block));
        }
    }
}
