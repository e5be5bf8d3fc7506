package io.drumlin.checkpoint.internal.io;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.SlabMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read from its beginning to its end, past the page cache. While one window of the file is used, the
 * following ones are being read. Reading in another order is possible but slower. All memory is allocated at opening,
 * so that a rank that lacks memory does not leave others waiting for what it reads. Not thread-safe.
 */
public final class ReadAhead implements ByteSource, Closeable {

    /** The file has its own memory, so the size of a window does not depend on the configured slabs. */
    private static final int WINDOW = 1 << 20;

    /** Windows that are being read or used at a time. */
    private static final int WINDOWS = 4;

    private final BlockFile file;
    private final long size;
    private final SlabMemory memory;
    private final List<Window> windows = new ArrayList<>(WINDOWS);
    private long last = -1;

    /**
     * Opens a file and starts to read it.
     *
     * @throws IOException the file cannot be opened
     */
    public ReadAhead(StorageEngine storage, Path path) throws IOException {
        memory = new SlabMemory(storage, WINDOW);
        file = storage.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT));
        try {
            size = file.size();
            for (int i = 0; i < WINDOWS && (long) i * WINDOW < size; i++) {
                windows.add(new Window(memory.take()));
            }
        } catch (Throwable e) {
            Closeables.closeAfter(e, List.of(this));
            throw e;
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        long position = offset;
        while (target.hasRemaining()) {
            long number = position / WINDOW;
            // Reads ahead only if the caller continues where the last bytes ended.
            int wanted = number == last || number == last + 1 ? windows.size() : 1;
            for (long next = number; next < number + wanted && next * WINDOW < size; next++) {
                window(next).start(next);
            }
            last = number;
            int from = (int) (position % WINDOW);
            int length = Math.min(WINDOW - from, target.remaining());
            target.put(window(number).bytes(from, length));
            position += length;
        }
    }

    private Window window(long number) {
        return windows.get((int) (number % windows.size()));
    }

    /** Waits for reads under way. */
    @Override
    public void close() throws IOException {
        try {
            for (Window window : windows) {
                window.close();
            }
        } finally {
            windows.clear();
            // Closes the file first, which waits for reads that may still be under way.
            try {
                file.close();
            } finally {
                memory.close();
            }
        }
    }

    /** Memory with a part of the file. */
    private final class Window {
        private final ByteBuffer memory;
        private long number = -1;
        private int length;
        private @Nullable PendingRead read;

        Window(ByteBuffer memory) {
            this.memory = memory;
        }

        void start(long wanted) throws IOException {
            if (number != wanted) {
                number = -1;
                try {
                    await();
                } catch (IOException e) {
                    // These bytes were read ahead and are not needed.
                }
                length = 0;
                read = file.startRead(memory.clear(), wanted * WINDOW);
                number = wanted;
            }
        }

        private void await() throws IOException {
            PendingRead pending = read;
            read = null;
            if (pending != null) {
                length = pending.await();
            }
        }

        ByteBuffer bytes(int from, int count) throws IOException {
            try {
                await();
            } catch (IOException e) {
                number = -1;
                throw e;
            }
            if (from + count > length) {
                throw DrumlinException.during("read")
                        .path(file.path())
                        .range(number * WINDOW + from, count)
                        .problem("the file ends at " + (number * WINDOW + length))
                        .advice("it became shorter since it was opened: let no other program write it")
                        .exception();
            }
            return memory.slice(from, count);
        }

        /** Closes the window. An unused read may fail. */
        void close() {
            try {
                await();
            } catch (IOException e) {
                number = -1;
            }
        }
    }
}
