package io.drumlin.gsd.internal;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes whole blocks past the page cache through a second descriptor of an open file. After a failure, or where direct
 * writes are impossible, it accepts no more writes and leaves everything to the first descriptor. Not thread-safe.
 */
public final class DirectWrites implements Closeable {

    /** Offsets, lengths and memory addresses are multiples of this. */
    public static final int BLOCK = AlignedBuffer.ALIGNMENT;

    /** Size of a write in bytes, enough for the bandwidth of a device. */
    static final int WINDOW = 1 << 20;

    /**
     * Fewer consecutive bytes are not worth a direct write. The page cache takes them sooner and holds them for the
     * next reader.
     */
    public static final int LEAST = 4 << 20;

    /** The key of the size of a page in a process's auxiliary vector, getauxval(3). */
    private static final long AT_PAGESZ = 6;

    /**
     * Whether a page of the page cache is one block. In a larger page, a direct write could overlap data that the page
     * cache has just received for a neighbouring block, and the kernel then makes the next sync fail.
     */
    private static final boolean PAGES_ARE_BLOCKS = pageSize() == BLOCK;

    private final StorageEngine storage;
    private final BlockFile buffered;
    /** Distinguishes the file from another one that gets its name later. */
    private final @Nullable Object identity;

    private final Deque<PendingWrite> underWay = new ArrayDeque<>();

    private @Nullable BlockFile direct;
    private @Nullable IOException failure;
    private boolean refused;
    /** End of the reserved space. There may be zeros from the end of the data up to here. */
    private long reserved;

    /**
     * Makes direct writes for a file that was just opened.
     *
     * @param buffered the existing descriptor, which stays open until this object is closed
     */
    DirectWrites(StorageEngine storage, BlockFile buffered) {
        this.storage = storage;
        this.buffered = buffered;
        this.identity = identity();
    }

    private @Nullable Object identity() {
        try {
            return Files.readAttributes(buffered.path(), BasicFileAttributes.class)
                    .fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the size of a page in bytes; 0 if the system does not tell. */
    private static long pageSize() {
        try {
            LongBuffer pairs = ByteBuffer.wrap(Files.readAllBytes(Path.of("/proc/self/auxv")))
                    .order(ByteOrder.nativeOrder())
                    .asLongBuffer();
            while (pairs.remaining() > 1) {
                long key = pairs.get();
                long value = pairs.get();
                if (key == AT_PAGESZ) {
                    return value;
                }
            }
        } catch (IOException e) {
            // The system is not Linux, or the file is not readable.
        }
        return 0;
    }

    static long roundUp(long offset) {
        return offset + BLOCK - 1 & -BLOCK;
    }

    static long roundDown(long offset) {
        return offset & -BLOCK;
    }

    /** Returns whether the whole blocks of a range are worth a direct write. */
    static boolean isWorth(long from, long end) {
        return roundDown(end) - roundUp(from) >= LEAST;
    }

    /**
     * Prepares for writes in a range. Extends the file if the range ends after it, because direct writes that extend a
     * file wait for each other.
     *
     * @param ahead likely end of the following data; space is reserved up to here if that is more
     * @return whether writes are accepted
     */
    boolean reach(long from, long end, long ahead) {
        if (!PAGES_ARE_BLOCKS || refused || failure != null) {
            return false;
        }
        try {
            BlockFile file = opened();
            if (file == null) {
                refused = true;
            } else if (end > file.size()) {
                reserved = Math.max(end, ahead);
                file.reserve(from, reserved - from);
            }
        } catch (Throwable e) {
            // The caller then writes through the page cache and gets the error there. An error here must not keep this
            // rank from the next message.
            refused = true;
        }
        return !refused;
    }

    private @Nullable BlockFile opened() throws IOException {
        if (direct == null) {
            BlockFile file = storage.open(buffered.path(), EnumSet.of(OpenMode.WRITE, OpenMode.DIRECT));
            if (!file.direct() || file.alignment() > BLOCK || identity == null || !identity.equals(identity())) {
                file.close();
                return null;
            }
            direct = file;
        }
        return direct;
    }

    /**
     * Starts a write of blocks that were prepared with {@link #reach}. They must stay unchanged until they are written.
     * {@link #await} reports a failure.
     */
    void start(ByteBuffer blocks, long offset) {
        if (failure != null || direct == null || !blocks.hasRemaining()) {
            return;
        }
        try {
            underWay.add(direct.startWrite(blocks, offset));
        } catch (IOException e) {
            failure = e;
        } catch (Throwable e) {
            failure = new IOException("a direct write could not be started", e);
        }
    }

    /** Waits until at most {@code most} writes are under way. */
    void settle(int most) {
        while (underWay.size() > most) {
            try {
                underWay.remove().await();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            } catch (Throwable e) {
                failure = failure == null ? new IOException("a direct write failed", e) : failure;
            }
        }
    }

    /** Waits for all writes. Throws if one has failed since the last call. */
    void await() throws IOException {
        settle(0);
        if (failure != null) {
            IOException first = failure;
            forget();
            throw first;
        }
    }

    /** Waits for all writes, whose data will be written again, so failures do not matter. */
    void forget() {
        settle(0);
        refused |= failure != null;
        failure = null;
    }

    /** Cuts off the reserved space after the end of the data. Other ranks may not have written these data yet. */
    void trim(long end) throws IOException {
        if (reserved > end && buffered.size() > end) {
            buffered.truncate(end);
        }
        reserved = 0;
    }

    @Override
    public void close() throws IOException {
        forget();
        if (direct != null) {
            direct.close();
        }
    }
}
