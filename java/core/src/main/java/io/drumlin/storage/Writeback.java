package io.drumlin.storage;

import java.io.IOException;

/**
 * Lets the device work while a large part of a file is written through the page cache: in every so many bytes that were
 * written in sequence, the system is asked to begin with them. Nothing happens for direct files, whose writes go to the device
 * anyway. Not thread-safe.
 */
public final class Writeback {

    private static final int WINDOW = 8 << 20;

    private final BlockFile file;
    private long from;
    private long until;

    /**
     * Begins with nothing.
     *
     * @param file that is written
     */
    public Writeback(BlockFile file) {
        this.file = file;
    }

    /**
     * Most bytes that should be written at once.
     *
     * @return bytes
     */
    public static int window() {
        return WINDOW;
    }

    /**
     * Counts bytes that were written.
     *
     * @param offset bytes
     * @param length bytes
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
