package io.drumlin.gsd.internal;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Writes data at any offset past the page cache. One window is filled while others are written. Memory is allocated
 * when it is first needed. Not thread-safe.
 */
final class WindowedWrite implements AutoCloseable {

    private static final int WINDOWS = 8;

    private final StorageEngine storage;
    private final DirectWrites direct;
    private final BlockFile buffered;
    private final AlignedBuffer[] windows = new AlignedBuffer[WINDOWS];

    /**
     * Makes a writer without memory.
     *
     * @param direct was prepared for the range to be written
     * @param buffered receives the edges that do not fill their block
     */
    WindowedWrite(StorageEngine storage, DirectWrites direct, BlockFile buffered) {
        this.storage = storage;
        this.direct = direct;
        this.buffered = buffered;
    }

    /**
     * Writes elements that take more than two blocks.
     *
     * @return false if a direct write failed. Then all data must be written through the page cache, and no more direct
     *     writes are possible
     * @throws IOException an edge that does not fill its block could not be written
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
     * @param first receives the bytes before them
     * @return the bytes after them
     */
    private ByteBuffer fillAndStart(Buffer data, long bytes, long offset, ByteBuffer first) {
        int lead = Math.floorMod(offset, DirectWrites.BLOCK);
        ByteBuffer before = ByteBuffer.allocate(0);
        for (long done = 0; done < bytes; done += DirectWrites.WINDOW) {
            ByteBuffer memory = window((int) (done / DirectWrites.WINDOW % WINDOWS));
            int end = lead + (int) Math.min(DirectWrites.WINDOW, bytes - done);
            long base = offset + done - lead;
            if (done > 0) {
                // The beginning of the block in which the previous window ends.
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

    /** Returns memory that no write uses any more. */
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
