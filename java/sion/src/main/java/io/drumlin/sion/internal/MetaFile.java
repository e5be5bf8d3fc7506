package io.drumlin.sion.internal;

import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.Meta2;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;

/** A physical file whose metadata this process writes. */
public final class MetaFile implements Closeable {

    /** Row of META2 that holds the block counts. Row b + 1 holds the sizes of block b. */
    public static final int COUNTS = 0;

    private final BlockFile file;
    private Meta1 meta1;
    private boolean open = true;

    private MetaFile(BlockFile file, Meta1 meta1) {
        this.file = file;
        this.meta1 = meta1;
    }

    /** Creates the file, replaces an older one, and writes META1 without its tail. */
    public static MetaFile create(DataFiles data, Path path, Meta1 meta1) throws IOException {
        data.make(path);
        BlockFile file = data.storage().open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE));
        MetaFile created = new MetaFile(file, meta1);
        try {
            created.change(meta1);
            return created;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Opens a file that has META1 and was never closed. */
    public static MetaFile open(StorageEngine storage, Path path, Meta1 meta1) throws IOException {
        return new MetaFile(storage.open(path, EnumSet.of(OpenMode.WRITE)), meta1);
    }

    /** Replaces META1 by another one for the same number of tasks. */
    public void change(Meta1 changed) throws IOException {
        meta1 = changed;
        file.write(changed.encode(), 0);
    }

    public Meta1 meta1() {
        return meta1;
    }

    /** A number in META2. */
    public interface Value {
        long of(int row, int task);
    }

    /** Writes rows of META2. */
    public void putRows(int maxChunks, int first, int rows, Value value) throws IOException {
        int tasks = meta1.tasks();
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact((long) Long.BYTES * tasks * rows))
                .order(meta1.header().order());
        for (int row = first; row < first + rows; row++) {
            for (int task = 0; task < tasks; task++) {
                bytes.putLong(value.of(row, task));
            }
        }
        file.write(bytes.flip(), meta1.startOfVarheader(maxChunks) + (long) Long.BYTES * tasks * first);
    }

    /**
     * Writes the mapping after META2. Once all of it is durable, writes the tail of META1, which makes the file valid.
     */
    public void finish(int maxChunks, Optional<ByteBuffer> mapping) throws IOException {
        long end = meta1.startOfVarheader(maxChunks) + Meta2.length(meta1.tasks(), maxChunks);
        if (mapping.isPresent()) {
            file.write(mapping.get(), end);
            end += mapping.get().remaining();
        }
        file.truncate(end);
        file.sync();
        file.write(meta1.encodeTail(maxChunks), meta1.tailOffset());
        file.sync();
        close();
    }

    /** Closes the file in its current state. A second call does nothing. */
    @Override
    public void close() throws IOException {
        if (open) {
            open = false;
            file.close();
        }
    }
}
