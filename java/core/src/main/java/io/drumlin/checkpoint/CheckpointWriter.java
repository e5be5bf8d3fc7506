package io.drumlin.checkpoint;

import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.VariableMeta;
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
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a checkpoint file in one pass over the data.
 *
 * <p>All offsets are known from the plan before the first byte moves. Up to {@link Md5Lanes#LANES} chunks advance side by
 * side, a slab of each at a time: staged into aligned memory, given to the device, hashed while it is on its way.
 */
final class CheckpointWriter {

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final Map<Integer, ProtectedData> data;

    CheckpointWriter(StorageEngine storage, SlabPool slabs, Map<Integer, ProtectedData> data) {
        this.storage = storage;
        this.slabs = slabs;
        this.data = data;
    }

    /** Makes the metadata area once the digests are known. */
    @FunctionalInterface
    interface Seal {
        ByteBuffer metadata(ContainerPlan hashed);
    }

    /**
     * Writes the file and makes its content durable; the directory entry is the caller's business.
     *
     * @param path the file, replaced when it exists
     * @param plan containers and offsets
     * @param seal makes the metadata from the plan with its digests
     * @return the plan with its digests
     * @throws IOException the file is not whole
     */
    ContainerPlan write(Path path, ContainerPlan plan, Seal seal) throws IOException {
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT);
        try (BlockFile file = storage.open(path, modes)) {
            file.allocate(plan.fileSize());
            ContainerPlan hashed;
            try {
                BlockEdges edges = new BlockEdges();
                hashed = plan.withHashes(writeChunks(file, edges, plan));
                edges.put(plan.dataSize(), seal.metadata(hashed));
                edges.write(file, slabs);
            } finally {
                slabs.drain();
            }
            // Direct writes end on a block boundary, the file does not.
            file.truncate(plan.fileSize());
            file.sync();
            return hashed;
        }
    }

    private List<byte[]> writeChunks(BlockFile file, BlockEdges edges, ContainerPlan plan) throws IOException {
        List<VariableMeta> chunks = plan.chunks();
        byte[][] hashes = new byte[chunks.size()][];
        Cursor[] lanes = new Cursor[Md5Lanes.LANES];
        ByteBuffer[] pieces = new ByteBuffer[Md5Lanes.LANES];
        Iterator<VariableMeta> waiting = chunks.iterator();
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
                    pieces[lane] = cursor == null ? null : writePiece(file, edges, cursor);
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
            if (cursor != null && cursor.position == cursor.chunk.chunkSize()) {
                hashes[cursor.index] = md5.digest(lane);
                lanes[lane] = null;
            }
        }
    }

    /** Stages the next piece of a chunk, starts its write and gives its bytes to be hashed. */
    private ByteBuffer writePiece(BlockFile file, BlockEdges edges, Cursor cursor) throws IOException {
        VariableMeta chunk = cursor.chunk;
        long start = chunk.fptr() + cursor.position;
        int lead = (int) (start % BlockEdges.BLOCK);
        int length = (int) Math.min(SlabPool.SLAB_BYTES - lead, chunk.chunkSize() - cursor.position);
        SlabPool.Slab slab = slabs.take();
        ByteBuffer memory = slab.buffer();
        protectedData(chunk.id())
                .copyOut(chunk.dptr() + cursor.position, memory.position(lead).limit(lead + length));
        cursor.position += length;
        memory.clear();
        ByteBuffer piece = memory.slice(lead, length);
        writeBlocks(file, edges, slab, memory, start, piece, chunk.fptr() + chunk.containerSize());
        return piece;
    }

    private ProtectedData protectedData(int id) {
        ProtectedData found = data.get(id);
        if (found == null) {
            throw new IllegalStateException("variable " + id + " has content in the plan but is not protected");
        }
        return found;
    }

    /** Starts the write of the whole blocks of a piece and leaves the parts of shared blocks to {@code edges}. */
    private static void writeBlocks(
            BlockFile file,
            BlockEdges edges,
            SlabPool.Slab slab,
            ByteBuffer memory,
            long start,
            ByteBuffer piece,
            long containerEnd)
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
        if (to < end && containerEnd >= to + alignment) {
            // The rest of the block is unused space of this container: zeros, as C FTI leaves there.
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
        private final VariableMeta chunk;
        private final int index;
        private long position;

        Cursor(VariableMeta chunk, int index) {
            this.chunk = chunk;
            this.index = index;
        }
    }
}
