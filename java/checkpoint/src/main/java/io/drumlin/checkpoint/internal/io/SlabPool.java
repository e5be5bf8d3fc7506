package io.drumlin.checkpoint.internal.io;

import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.SlabMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool of aligned memory through which all data pass. The slabs are handed out in turn.
 *
 * <p>There are two slabs per MD5 lane: while one set is being written to the device, the other is filled and hashed.
 * Slabs are allocated when they are first needed, so small checkpoints need little memory. Not thread-safe.
 */
public final class SlabPool implements AutoCloseable {

    /**
     * Bytes of a slab by default: large enough for full device bandwidth, small enough that a set of them stays in
     * cache.
     */
    public static final int SLAB_BYTES = 1 << 20;

    /** Slabs of a pool for reading: a round of pieces, one for each lane, is hashed while the next round is read. */
    public static final int SLABS = 2 * Md5Lanes.LANES;

    private final Memory memory;
    private final Runnable release;
    private final int limit;
    private final int slabBytes;
    private final List<Slab> slabs = new ArrayList<>();
    private int next;

    /**
     * Creates a pool without slabs; each is allocated when it is first taken.
     *
     * @param limit most slabs
     * @param slabBytes bytes of each slab; a power of two, and a multiple of {@link AlignedBuffer#ALIGNMENT}
     */
    public SlabPool(StorageEngine storage, int limit, int slabBytes) {
        this(new SlabMemory(storage, slabBytes), limit, slabBytes);
    }

    private SlabPool(SlabMemory memory, int limit, int slabBytes) {
        this(memory::take, memory::close, limit, slabBytes);
    }

    private SlabPool(Memory memory, Runnable release, int limit, int slabBytes) {
        this.memory = memory;
        this.release = release;
        this.limit = limit;
        this.slabBytes = slabBytes;
    }

    /** Gives the memory of another slab. */
    @FunctionalInterface
    private interface Memory {
        ByteBuffer take() throws IOException;
    }

    /**
     * Returns a pool in the memory of this one, of which no slab is busy, and none must be taken before that pool is used no
     * more.
     *
     * @param count number of its slabs
     * @param bytes bytes of each, of which a slab of this pool has a multiple
     */
    public SlabPool divided(int count, int bytes) {
        Deque<ByteBuffer> rest = new ArrayDeque<>();
        Memory parts = () -> {
            if (rest.isEmpty()) {
                ByteBuffer slab = take().buffer();
                for (int at = 0; at < slabBytes; at += bytes) {
                    rest.add(slab.slice(at, bytes));
                }
            }
            return rest.remove();
        };
        return new SlabPool(parts, () -> {}, count, bytes);
    }

    /** Returns the number of slabs. */
    public int limit() {
        return limit;
    }

    /** Returns the bytes of each slab. */
    public int slabBytes() {
        return slabBytes;
    }

    /** One slab and its write under way. */
    public static final class Slab {
        private final ByteBuffer memory;
        private final ByteBuffer view;
        private @Nullable PendingWrite write;

        private Slab(ByteBuffer memory) {
            this.memory = memory;
            view = memory.duplicate();
        }

        /** Returns the memory, cleared. */
        public ByteBuffer buffer() {
            return memory.clear();
        }

        /**
         * Returns a part of the memory, from position to limit. Every call returns the same buffer, which differs from
         * that of {@link #buffer}.
         */
        public ByteBuffer view(int from, int length) {
            return view.limit(from + length).position(from);
        }

        /**
         * Starts the only write of the slab's content. The slab is not handed out again before the write has ended.
         *
         * @param bytes a part of the slab's memory
         */
        public void write(BlockFile file, ByteBuffer bytes, long offset) throws IOException {
            write = file.startWrite(bytes, offset);
        }

        private void await() throws IOException {
            PendingWrite pending = write;
            if (pending != null) {
                write = null;
                pending.await();
            }
        }
    }

    /** Allocates all slabs now, so that a lack of memory does not show in the middle of an exchange. */
    public void fill() throws IOException {
        while (slabs.size() < limit) {
            slabs.add(new Slab(memory.take()));
        }
    }

    /**
     * Returns the next slab after its last write has ended.
     *
     * @throws IOException the last write failed
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

    /** Returns the next slab whose last write did not fail; that of another is a failure, reported once. */
    public Slab take(DeferredFailure failure) {
        while (true) {
            try {
                return take();
            } catch (IOException e) {
                failure.add(e);
            }
        }
    }

    /**
     * Waits for all writes, also if one has failed.
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
        // Starts with the first slab again, so that small checkpoints never grow the pool.
        next = 0;
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        slabs.clear();
        release.run();
        next = 0;
    }
}
