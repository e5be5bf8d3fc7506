package io.drumlin.storage.internal.files;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.internal.MemoryFault;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Buffers the reads of a format, on direct files and others. Small parts come from a slab of memory. Large parts of a
 * file that is not direct are read straight into the target. When a direct file is read in sequence, the next slabs are
 * read ahead. Each time their number doubles, up to a limit. The system reads ahead in other files. Memory is allocated
 * when it is first needed. Not thread-safe.
 */
public final class ReadWindow implements ByteSource, Closeable {

    /** Bytes of a slab of a whole file, and how many of them are read or used at a time. */
    private static final int SLAB = 1 << 20;

    private static final int SLABS = 4;

    private final BlockFile file;

    /** Whether the file is closed with the window. */
    private boolean owned;

    private final long size;
    private final int slabBytes;
    private final int slabs;

    /** Maps an offset to that of the next byte that a sequential reader wants, at or after it; -1 if there is none. */
    private final LongUnaryOperator next;

    private final SlabMemory memory;
    private final Deque<ByteBuffer> free = new ArrayDeque<>();

    /** The slab in use. {@link #base} is its offset in the file. */
    private @Nullable ByteBuffer slab;

    private long base;
    private int length;

    /** The slabs that follow, in file order. */
    private final Deque<Coming> coming = new ArrayDeque<>();

    private int depth;

    /** A slab whose read from an offset is under way. */
    private record Coming(ByteBuffer slab, long offset, PendingRead read) {}

    /**
     * Makes a window that reads nothing ahead.
     *
     * @param storage allocates the memory
     * @param file the file, which must be open as long as the window
     * @param slabBytes bytes of a slab; a multiple of the alignment of memory
     * @throws IOException the file system does not report the length of the file
     */
    public ReadWindow(StorageEngine storage, BlockFile file, int slabBytes) throws IOException {
        this(storage, file, slabBytes, 1, offset -> -1);
    }

    /**
     * Makes a window that reads ahead.
     *
     * @param storage allocates the memory
     * @param file the file, which must be open as long as the window
     * @param slabBytes bytes of a slab; a multiple of the alignment of memory
     * @param slabs most slabs, 1 or more
     * @param next maps an offset to that of the next byte that a sequential reader wants, at or after it; -1 if there is
     *     none
     * @throws IOException the file system does not report the length of the file
     */
    public ReadWindow(StorageEngine storage, BlockFile file, int slabBytes, int slabs, LongUnaryOperator next)
            throws IOException {
        this.file = file;
        this.size = file.size();
        this.slabBytes = slabBytes;
        this.slabs = slabs;
        this.next = next;
        memory = new SlabMemory(storage, slabBytes);
    }

    /**
     * Opens a file that is read past the page cache, mostly from its beginning to its end.
     *
     * @param storage opens the file
     * @param path the file
     * @return a window that closes the file
     * @throws IOException the file cannot be opened
     */
    public static ReadWindow open(StorageEngine storage, Path path) throws IOException {
        BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT));
        try {
            ReadWindow window = new ReadWindow(storage, file, SLAB, SLABS, offset -> offset);
            window.owned = true;
            return window;
        } catch (IOException e) {
            file.close();
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
            int there = (int) Math.max(0, Math.min(base + length - position, target.remaining()));
            if (position >= base && there > 0) {
                target.put(slab().slice((int) (position - base), there));
                MemoryFault.throwPending(target);
                position += there;
            } else if (!file.direct() && target.isDirect() && target.remaining() >= slabBytes) {
                int read = require(file.read(target, position), position);
                target.position(target.position() + read);
                position += read;
            } else {
                fill(position);
            }
        }
    }

    private void fill(long position) throws IOException {
        long wanted = aligned(position);
        boolean inSequence = length > 0 && wanted == following(base);
        base = wanted;
        length = 0;
        length = isComing(wanted) ? takeComing() : file.read(slab().clear(), base);
        require((int) (base + length - position), position);
        depth = inSequence ? Math.min(2 * depth + 1, slabs - 1) : 0;
        if (file.direct() && length == slabBytes) {
            readAhead();
        }
    }

    private long aligned(long offset) {
        return offset - offset % file.alignment();
    }

    /** Returns the offset of the slab after a whole one. It may be in the task's next block. */
    private long following(long slabOffset) {
        long offset = slabOffset + slabBytes;
        long wanted = next.applyAsLong(offset);
        return wanted < 0 ? size : Math.max(offset, aligned(wanted));
    }

    private void readAhead() {
        long offset = following(coming.isEmpty() ? base : coming.getLast().offset);
        while (coming.size() < depth && offset < size) {
            ByteBuffer into = null;
            try {
                into = free.isEmpty() ? memory.take() : free.remove();
                coming.add(new Coming(into, offset, file.startRead(into.clear(), offset)));
            } catch (IOException | OutOfMemoryError e) {
                // The reader of these bytes will get the error.
                if (into != null) {
                    free.add(into);
                }
                return;
            }
            offset = following(offset);
        }
    }

    /** Returns whether the slab at an offset is being read. If it is not, the slabs that are under way are dropped. */
    private boolean isComing(long offset) {
        boolean next = !coming.isEmpty() && coming.element().offset == offset;
        if (!next) {
            dropComing();
        }
        return next;
    }

    private int takeComing() throws IOException {
        Coming first = coming.remove();
        try {
            int count = first.read.await();
            free.add(slab());
            slab = first.slab;
            return count;
        } catch (IOException e) {
            free.add(first.slab);
            throw e;
        }
    }

    private void dropComing() {
        for (Coming each : coming) {
            try {
                each.read.await();
            } catch (IOException e) {
                // These bytes are not needed.
            }
            free.add(each.slab);
        }
        coming.clear();
    }

    private int require(int read, long position) throws IOException {
        if (read <= 0) {
            throw DrumlinException.during("read")
                    .path(file.path())
                    .range(position, -1)
                    .problem("the file ends at " + (position + read))
                    .advice("it became shorter since it was opened: let no other program write it")
                    .exception();
        }
        return read;
    }

    private ByteBuffer slab() {
        ByteBuffer taken = slab;
        if (taken == null) {
            taken = memory.take();
            slab = taken;
        }
        return taken;
    }

    /** Waits for reads under way and frees the memory. */
    @Override
    public void close() {
        dropComing();
        slab = null;
        length = 0;
        free.clear();
        memory.close();
        if (owned) {
            try {
                file.close();
            } catch (IOException e) {
                // What was read has arrived, and nothing was written.
            }
        }
    }
}
