package io.drumlin.storage.internal.files;

import io.drumlin.storage.BlockFile;
import java.io.IOException;

/**
 * Keeps the device busy while a large part of a file is written through the page cache. After every so many bytes
 * written in sequence, it asks the system to start writing them. It does nothing for direct files, whose writes go
 * straight to the device. Not thread-safe.
 */
public final class Writeback {

    private static final int WINDOW = 8 << 20;

    private final BlockFile file;
    private long from;
    private long until;

    /**
     * Begins with nothing written.
     *
     * @param file the file that is written
     */
    public Writeback(BlockFile file) {
        this.file = file;
    }

    /**
     * Returns the largest number of bytes that should be written at once.
     *
     * @return number of bytes
     */
    public static int window() {
        return WINDOW;
    }

    /**
     * Counts bytes that were written.
     *
     * @param offset start of the range in bytes
     * @param length length in bytes
     * @throws IOException the device has failed
     */
    public void written(long offset, long length) throws IOException {
        if (file.direct()) {
            return;
        }
        if (offset != until) {
            from = offset;
        }
        until = offset + length;
        if (until - from >= WINDOW) {
            file.startWriteback(from, until - from);
            from = until;
        }
    }
}
