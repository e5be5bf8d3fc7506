package io.drumlin.checkpoint.internal.io;

import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.SlabMemory;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The aligned memory through which all data pass, handed out in turn.
 *
 * <p>Two slabs per MD5 lane: while one set is on its way to the device, the other is filled and hashed. Slabs are made when
 * they are first needed, so small checkpoints take little memory. Not thread-safe.
 */
public final class SlabPool implements AutoCloseable {

    /** Bytes of a slab by default: large enough for full device bandwidth, small enough that a set of them stays in cache. */
    public static final int SLAB_BYTES = 1 << 20;

    /** Slabs of a pool to read with: a round of pieces, one for each lane, is hashed while the next are read. */
    public static final int SLABS = 2 * Md5Lanes.LANES;

    private final SlabMemory memory;
    private final int limit;
    private final int slabBytes;
    private final List<Slab> slabs = new ArrayList<>();
    private int next;

    /**
     * A pool without slabs; they are made when they are taken.
     *
     * @param limit slabs at most
     * @param slabBytes of each; a power of two, a multiple of {@link AlignedBuffer#ALIGNMENT}
     */
    public SlabPool(StorageEngine storage, int limit, int slabBytes) {
        memory = new SlabMemory(storage, slabBytes);
        this.limit = limit;
        this.slabBytes = slabBytes;
    }

    /** Bytes of each slab. */
    public int slabBytes() {
        return slabBytes;
    }

    /** One slab and the write it is busy with, whose object the next one takes. */
    public static final class Slab {
        private final ByteBuffer memory;
        private final ByteBuffer view;
        private @Nullable PendingWrite write;
        private boolean busy;

        private Slab(ByteBuffer memory) {
            this.memory = memory;
            view = memory.duplicate();
        }

        /** The memory, cleared. */
        public ByteBuffer buffer() {
            return memory.clear();
        }

        /** A part of the memory, from position to limit: the same buffer at every call, but not that of {@link #buffer}. */
        public ByteBuffer view(int from, int length) {
            return view.limit(from + length).position(from);
        }

        /**
         * Starts the only write of what is in the slab, which is not handed out again before it has ended.
         *
         * @param bytes of the slab's memory
         */
        public void write(BlockFile file, ByteBuffer bytes, long offset) throws IOException {
            write = file.startWrite(bytes, offset, write);
            busy = true;
        }

        private void await() throws IOException {
            PendingWrite pending = write;
            if (busy && pending != null) {
                busy = false;
                pending.await();
            }
        }
    }

    /** Makes all slabs now, so that no want of memory comes in the midst of an exchange. */
    public void fill() {
        while (slabs.size() < limit) {
            slabs.add(new Slab(memory.take()));
        }
    }

    /**
     * The next slab, when its last write has ended.
     *
     * @throws IOException that write failed
     */
    public Slab take() throws IOException {
        if (slabs.size() < limit && next == slabs.size()) {
            slabs.add(new Slab(memory.take()));
        }
        Slab slab = slabs.get(next);
        next = (next + 1) % limit;
        slab.await();
        return slab;
    }

    /**
     * Waits for all writes, also when one has failed.
     *
     * @throws IOException the first failure
     */
    public void drain() throws IOException {
        IOException failure = null;
        for (Slab slab : slabs) {
            try {
                slab.await();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        // From the first slab again, so that small checkpoints never grow the pool.
        next = 0;
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        slabs.clear();
        memory.close();
        next = 0;
    }
}
