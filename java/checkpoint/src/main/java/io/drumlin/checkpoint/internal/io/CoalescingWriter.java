package io.drumlin.checkpoint.internal.io;

import io.drumlin.storage.BlockFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Joins adjacent blocks of a file into one write, so that not every small piece costs a write. Not thread-safe. */
public final class CoalescingWriter {

    private final BlockFile file;
    private final SlabPool slabs;
    private SlabPool.@Nullable Slab slab;
    private ByteBuffer run = ByteBuffer.allocate(0);
    private long start;

    public CoalescingWriter(BlockFile file, SlabPool slabs) {
        this.file = file;
        this.slabs = slabs;
    }

    /** Adds whole blocks, at most one slab. */
    public void add(long offset, ByteBuffer blocks) throws IOException {
        boolean follows = slab != null && start + run.position() == offset;
        if (!follows || run.remaining() < blocks.remaining()) {
            flush();
            slab = slabs.take();
            run = slab.buffer();
            start = offset;
        }
        run.put(blocks);
    }

    /** Starts to write the added blocks. Must be called before the pool has handed out all slabs once. */
    public void flush() throws IOException {
        if (slab != null) {
            slab.write(file, run.flip(), start);
            slab = null;
        }
    }
}
