package io.drumlin.gsd;

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
 * Writes of whole blocks past the page cache, through a second descriptor of a file that is open already. After a failure, or
 * where there are no direct writes, nothing is taken any more and all is left to the first descriptor. Not thread-safe.
 */
final class DirectWrites implements Closeable {

    /** Offsets, lengths and memory addresses are multiples of this. */
    static final int BLOCK = AlignedBuffer.ALIGNMENT;

    /** Bytes of a write: large enough for the bandwidth of a device. */
    static final int WINDOW = 1 << 20;

    /** Fewer bytes in a row are not worth it: the page cache takes them sooner, and has them for who reads them next. */
    static final int LEAST = 4 << 20;

    /** The key of the size of a page in a process's auxiliary vector, getauxval(3). */
    private static final long AT_PAGESZ = 6;

    /**
     * Whether a page of the page cache is a block. In larger ones a direct write would meet pages that have just been written to by who
     * wrote the blocks beside it, and the kernel makes the next sync fail then.
     */
    private static final boolean PAGES_ARE_BLOCKS = pageSize() == BLOCK;

    private final StorageEngine storage;
    private final BlockFile buffered;
    /** What tells the file from another that has its name later. */
    private final @Nullable Object identity;

    private final Deque<PendingWrite> underWay = new ArrayDeque<>();

    private @Nullable BlockFile direct;
    private @Nullable IOException failure;
    private boolean refused;
    /** End of what was reserved; behind the end of the data there may be zeros up to here. */
    private long reserved;

    /**
     * For a file that was just opened.
     *
     * @param buffered the descriptor that there is, which stays open until this is closed
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

    /** Bytes; 0 where the system does not say it. */
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
            // Not Linux, or not to be seen from here.
        }
        return 0;
    }

    static long roundUp(long offset) {
        return offset + BLOCK - 1 & -BLOCK;
    }

    static long roundDown(long offset) {
        return offset & -BLOCK;
    }

    /** Whether the whole blocks of a range are enough to be written here. */
    static boolean isWorth(long from, long end) {
        return roundDown(end) - roundUp(from) >= LEAST;
    }

    /**
     * Makes ready for writes in a range, which must not make the file longer: those wait for each other.
     *
     * @param ahead where data are likely to end that come next; as much is reserved if it is more
     * @return whether writes are taken
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
        } catch (IOException | RuntimeException | Error e) {
            // Who writes through the page cache then is told what is wrong. An error here must not keep this rank from
            // the next message.
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

    /** Starts a write of blocks that were reached and stay untouched until they are written. A failure is told by {@link #await}. */
    void start(ByteBuffer blocks, long offset) {
        if (failure != null || direct == null || !blocks.hasRemaining()) {
            return;
        }
        try {
            underWay.add(direct.startWrite(blocks, offset));
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = new IOException("a direct write could not be started", e);
        }
    }

    /** Waits until at most some writes are under way. */
    void settle(int most) {
        while (underWay.size() > most) {
            try {
                underWay.remove().await();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            } catch (RuntimeException e) {
                failure = failure == null ? new IOException("a direct write failed", e) : failure;
            }
        }
    }

    /** Waits for all writes; throws when one has failed since the last call. */
    void await() throws IOException {
        settle(0);
        if (failure != null) {
            IOException first = failure;
            forget();
            throw first;
        }
    }

    /** Waits for all writes, which will be made again: a failure is that of nothing. */
    void forget() {
        settle(0);
        refused |= failure != null;
        failure = null;
    }

    /** Cuts off what was reserved behind the end of the data, which other ranks may not have written yet. */
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
