package io.drumlin.gsd;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Writes data of any place past the page cache: one window is filled while others are written. Memory is taken when it is first
 * needed. Not thread-safe.
 */
final class WindowedWrite implements AutoCloseable {

    private static final int WINDOWS = 8;

    private final StorageEngine storage;
    private final DirectWrites direct;
    private final BlockFile buffered;
    private final AlignedBuffer[] windows = new AlignedBuffer[WINDOWS];

    /**
     * Makes nothing yet.
     *
     * @param direct has reached what is to be written
     * @param buffered for what does not fill its block
     */
    WindowedWrite(StorageEngine storage, DirectWrites direct, BlockFile buffered) {
        this.storage = storage;
        this.direct = direct;
        this.buffered = buffered;
    }

    /** Writes elements, more than two blocks of them. */
    void write(Buffer data, long bytes, long offset) throws IOException {
        try {
            fillAndStart(data, bytes, offset);
            direct.await();
        } finally {
            direct.forget();
        }
    }

    private void fillAndStart(Buffer data, long bytes, long offset) throws IOException {
        int lead = Math.floorMod(offset, DirectWrites.BLOCK);
        ByteBuffer before = ByteBuffer.allocate(0);
        for (long done = 0; done < bytes; done += DirectWrites.WINDOW) {
            ByteBuffer memory = window((int) (done / DirectWrites.WINDOW % WINDOWS));
            int end = lead + (int) Math.min(DirectWrites.WINDOW, bytes - done);
            long base = offset + done - lead;
            if (done > 0) {
                // The begin of the block in which the window before ends.
                memory.put(0, before, DirectWrites.WINDOW, lead);
            }
            Elements.copy(data, done, memory.limit(end).position(lead));
            int from = done > 0 ? 0 : (int) DirectWrites.roundUp(lead);
            int to = (int) DirectWrites.roundDown(end);
            direct.start(memory.clear().slice(from, to - from), base + from);
            writeEdge(memory, done > 0 ? 0 : lead, from, base);
            writeEdge(memory, done + DirectWrites.WINDOW < bytes ? end : to, end, base);
            before = memory.clear();
        }
    }

    /** Memory that is not under way any more. */
    private ByteBuffer window(int number) {
        direct.settle(WINDOWS - 1);
        AlignedBuffer window = windows[number];
        if (window == null) {
            window = storage.allocate(DirectWrites.WINDOW + DirectWrites.BLOCK);
            windows[number] = window;
        }
        return window.buffer().clear();
    }

    private void writeEdge(ByteBuffer memory, int from, int end, long base) throws IOException {
        if (from < end) {
            buffered.write(memory.limit(end).position(from), base + from);
        }
    }

    @Override
    public void close() {
        for (AlignedBuffer window : windows) {
            if (window != null) {
                window.close();
            }
        }
    }
}
