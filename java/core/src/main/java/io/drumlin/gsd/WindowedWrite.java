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

    /**
     * Writes elements, more than two blocks of them.
     *
     * @return false if a direct write failed: then all is to be written through the page cache, and there are no more direct writes
     * @throws IOException what does not fill its block could not be written
     */
    boolean write(Buffer data, long bytes, long offset) throws IOException {
        ByteBuffer first = ByteBuffer.allocate(DirectWrites.BLOCK);
        ByteBuffer last;
        try {
            last = fillAndStart(data, bytes, offset, first);
            direct.await();
        } catch (IOException e) {
            return false;
        } finally {
            direct.forget();
        }
        writeEdge(first, offset);
        writeEdge(last, offset + bytes - last.remaining());
        return true;
    }

    /**
     * Starts the writes of whole blocks.
     *
     * @param first takes what comes before them
     * @return what comes behind them
     */
    private ByteBuffer fillAndStart(Buffer data, long bytes, long offset, ByteBuffer first) {
        int lead = Math.floorMod(offset, DirectWrites.BLOCK);
        ByteBuffer before = ByteBuffer.allocate(0);
        for (long done = 0; done < bytes; done += DirectWrites.WINDOW) {
            ByteBuffer memory = window((int) (done / DirectWrites.WINDOW % WINDOWS));
            int end = lead + (int) Math.min(DirectWrites.WINDOW, bytes - done);
            long base = offset + done - lead;
            if (done > 0) {
                // The begin of the block in which the window before ends.
                memory.put(0, before, before.position(), lead);
            }
            Elements.copy(data, done, memory.limit(end).position(lead));
            int from = done > 0 ? 0 : (int) DirectWrites.roundUp(lead);
            int to = (int) DirectWrites.roundDown(end);
            direct.start(memory.clear().slice(from, to - from), base + from);
            if (done == 0) {
                first.put(memory.slice(lead, from - lead)).flip();
            }
            before = memory.clear().limit(end).position(to);
        }
        return before;
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

    private void writeEdge(ByteBuffer edge, long offset) throws IOException {
        if (edge.hasRemaining()) {
            buffered.write(edge, offset);
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
