package io.drumlin.checkpoint.internal.io;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Computes the MD5 of one stream, or of two side by side, in a separate thread, because hashing a stream takes longer than
 * writing it, and the caller writes meanwhile. Two streams take little longer than one. Only one thread may call. Pieces
 * pass through a ring instead of an executor, so that they leave no garbage.
 */
public final class StreamDigest implements AutoCloseable {

    private static final int STREAMS = 2;

    private final Md5Lanes md5;

    /**
     * The ring, with a piece of each stream in an entry. Entries numbered from {@code hashed} to {@code given} wait at their
     * number modulo the size. Guarded by this, as are all fields below.
     */
    private final List<List<@Nullable ByteBuffer>> ring = new ArrayList<>();

    private long given;
    private long hashed;
    private boolean closed;
    private @Nullable Throwable failure;

    /** Whether there is a thread; otherwise the caller hashes the pieces. */
    private final boolean apart;

    /**
     * Creates a digest with its own thread.
     *
     * @param most most pieces of a stream that wait to be hashed, 1 or more
     */
    public StreamDigest(int most) {
        this(most, DigestEngine.md5(), StreamDigest::start);
    }

    /**
     * Creates a digest with a thread from the caller.
     *
     * @param md5 the hasher, whose first two lanes are used; closed with this
     * @param threads runs its argument in a thread, or throws an OutOfMemoryError
     */
    public StreamDigest(int most, Md5Lanes md5, Consumer<Runnable> threads) {
        this.md5 = md5;
        for (int i = 0; i < most; i++) {
            ring.add(Arrays.asList(new ByteBuffer[STREAMS]));
        }
        for (int stream = 0; stream < STREAMS; stream++) {
            md5.reset(stream);
        }
        apart = starts(threads);
    }

    private boolean starts(Consumer<Runnable> threads) {
        try {
            threads.accept(this::hash);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(null, work, "drumlin-digest", 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Appends the remaining bytes of a buffer to each stream. The buffers must stay unchanged until {@code most} further
     * calls have returned.
     *
     * @param first bytes of stream 0
     * @param second bytes of stream 1; null for none
     */
    public synchronized void update(ByteBuffer first, @Nullable ByteBuffer second) {
        await(ring.size() - 1);
        List<@Nullable ByteBuffer> pieces = entry(given);
        pieces.set(0, first);
        pieces.set(1, second);
        if (!apart) {
            md5.update(pieces);
            return;
        }
        given++;
        notifyAll();
    }

    private List<@Nullable ByteBuffer> entry(long number) {
        return ring.get((int) (number % ring.size()));
    }

    /**
     * Ends a stream and returns its digest.
     *
     * @param stream 0 or 1
     */
    public synchronized byte[] digest(int stream) {
        await(0);
        return md5.digest(stream);
    }

    /** Waits until no more than {@code left} pieces wait. */
    private synchronized void await(int left) {
        boolean interrupted = false;
        while (given - hashed > left) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Throwable cause = failure;
        failure = null;
        if (cause != null) {
            throw new IllegalStateException("hashing failed", cause);
        }
    }

    @Override
    public synchronized void close() {
        try {
            await(0);
        } finally {
            closed = true;
            notifyAll();
            md5.close();
        }
    }

    /** Hashes pieces until the stream ends; the body of the thread. */
    private void hash() {
        while (isNext()) {
            Throwable refused = null;
            try {
                md5.update(next());
            } catch (Throwable e) {
                refused = e;
            }
            end(refused);
        }
    }

    /** Waits for a piece; returns false if there will be none. */
    private synchronized boolean isNext() {
        while (given == hashed && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // The thread belongs to this object, which ends it when closed.
            }
        }
        return given > hashed;
    }

    private synchronized List<@Nullable ByteBuffer> next() {
        return entry(hashed);
    }

    private synchronized void end(@Nullable Throwable refused) {
        hashed++;
        failure = failure == null ? refused : failure;
        notifyAll();
    }
}
