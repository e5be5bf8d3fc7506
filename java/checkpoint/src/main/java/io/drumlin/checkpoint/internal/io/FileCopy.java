package io.drumlin.checkpoint.internal.io;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;

/** Copies a checkpoint file to another level's storage. */
public final class FileCopy {

    private final StorageEngine storage;
    private final SlabPool slabs;

    public FileCopy(StorageEngine storage, SlabPool slabs) {
        this.storage = storage;
        this.slabs = slabs;
    }

    /**
     * Copies a part of a file and makes the copy's content durable.
     *
     * @param from the file
     * @param start where the part begins
     * @param size bytes of the part
     * @param to the copy, replaced when it exists
     * @throws IOException the copy is not whole
     */
    public void copy(Path from, long start, long size, Path to) throws IOException {
        EnumSet<OpenMode> writing = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT);
        // A part that does not begin on a block cannot be read with direct I/O.
        EnumSet<OpenMode> reading = start == 0 ? EnumSet.of(OpenMode.READ, OpenMode.DIRECT) : EnumSet.of(OpenMode.READ);
        try (BlockFile source = storage.open(from, reading);
                BlockFile target = storage.open(to, writing)) {
            target.allocate(size);
            try {
                for (long offset = 0; offset < size; offset += slabs.slabBytes()) {
                    copySlab(source, start, target, offset, size);
                }
            } finally {
                slabs.drain();
            }
            target.truncate(size);
            target.sync();
        }
    }

    /**
     * Copies a part of an open file and makes the copy's content durable; otherwise like
     * {@link #copy(Path, long, long, Path)}.
     */
    public void copy(ByteSource from, long start, long size, Path to) throws IOException {
        try (SequentialFile target = new SequentialFile(storage, slabs, to, size)) {
            for (long offset = 0; offset < size; offset += slabs.slabBytes()) {
                from.readFully(start + offset, target.space((int) Math.min(slabs.slabBytes(), size - offset)));
                target.filled();
            }
            target.finish();
        }
    }

    private void copySlab(BlockFile source, long start, BlockFile target, long offset, long size) throws IOException {
        SlabPool.Slab slab = slabs.take();
        ByteBuffer memory = slab.buffer();
        int length = (int) Math.min(slabs.slabBytes(), size - offset);
        int blocks = (int) PartialBlocks.roundUp(length, Math.max(source.alignment(), target.alignment()));
        int read = source.read(memory.limit(blocks), start + offset);
        if (read < length) {
            throw DrumlinException.during("copy")
                    .path(source.path())
                    .range(start + offset, length)
                    .problem("the file ends at " + (start + offset + read))
                    .exception();
        }
        for (int i = length; i < blocks; i++) {
            memory.put(i, (byte) 0);
        }
        slab.write(target, memory, offset);
    }
}
