package io.drumlin.checkpoint.internal.io;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Computes the MD5 of one stream in a separate thread, because hashing a single stream takes longer than writing it,
 * and the caller writes meanwhile. Only one thread may call. Pieces pass through a ring instead of an executor, so that
 * they leave no garbage.
 */
public final class StreamDigest implements AutoCloseable {

    private final Md5Lanes md5;
    private final List<ByteBuffer> piece = Arrays.asList(new ByteBuffer[1]);

    /**
     * The ring. Pieces numbered from {@code hashed} to {@code given} wait at their number modulo the length. Guarded by
     * this, as are all fields below.
     */
    private final ByteBuffer[] pieces;

    private long given;
    private long hashed;
    private boolean closed;
    private @Nullable Throwable failure;

    /** Whether there is a thread; otherwise the caller hashes the pieces. */
    private final boolean apart;

    /**
     * Creates a digest with its own thread.
     *
     * @param most most pieces that wait to be hashed, 1 or more
     */
    public StreamDigest(int most) {
        this(most, DigestEngine.md5(), StreamDigest::start);
    }

    /**
     * Creates a digest with a thread from the caller.
     *
     * @param md5 the hasher, whose first lane is used; closed with this
     * @param threads runs its argument in a thread, or throws an OutOfMemoryError
     */
    public StreamDigest(int most, Md5Lanes md5, Consumer<Runnable> threads) {
        this.md5 = md5;
        pieces = new ByteBuffer[most];
        md5.reset(0);
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
     * Appends the remaining bytes of a buffer. The buffer must stay unchanged until {@code most} further calls have
     * returned.
     */
    public synchronized void update(ByteBuffer bytes) {
        if (!apart) {
            piece.set(0, bytes);
            md5.update(piece);
            return;
        }
        await(pieces.length - 1);
        pieces[(int) (given % pieces.length)] = bytes;
        given++;
        notifyAll();
    }

    /** Ends the stream and returns its digest. */
    public synchronized byte[] digest() {
        await(0);
        return md5.digest(0);
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
                md5.update(piece);
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
        piece.set(0, pieces[(int) (hashed % pieces.length)]);
        return given > hashed;
    }

    private synchronized void end(@Nullable Throwable refused) {
        hashed++;
        failure = failure == null ? refused : failure;
        notifyAll();
    }
}
