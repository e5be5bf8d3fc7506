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
        // A part that does not begin on a block cannot be read with direct I/O.
        EnumSet<OpenMode> reading = start == 0 ? EnumSet.of(OpenMode.READ, OpenMode.DIRECT) : EnumSet.of(OpenMode.READ);
        try (BlockFile source = storage.open(from, reading)) {
            copy((offset, target) -> read(source, offset, target), start, size, to);
        }
    }

    /**
     * Copies a part of an open file and makes the copy's content durable; otherwise like
     * {@link #copy(Path, long, long, Path)}.
     */
    public void copy(ByteSource from, long start, long size, Path to) throws IOException {
        copy(from::readFully, start, size, to);
    }

    /** Fills the remaining space of a slab. */
    @FunctionalInterface
    private interface Reading {
        void into(long offset, ByteBuffer target) throws IOException;
    }

    private void copy(Reading from, long start, long size, Path to) throws IOException {
        try (AlignedWriter target = new AlignedWriter(storage, slabs, to)) {
            target.file().allocate(size);
            for (long offset = 0; offset < size; offset += slabs.slabBytes()) {
                SlabPool.Slab slab = slabs.take();
                int length = (int) Math.min(slabs.slabBytes(), size - offset);
                from.into(start + offset, slab.buffer().limit(length));
                target.start(slab, offset, length);
            }
            target.finish(size);
        }
    }

    private static void read(BlockFile source, long offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        int read = source.read(target.limit((int) AlignedWriter.roundUp(length, source.alignment())), offset);
        if (read < length) {
            throw DrumlinException.during("copy")
                    .path(source.path())
                    .range(offset, length)
                    .problem("the file ends at " + (offset + read))
                    .exception();
        }
    }
}
