package io.drumlin.checkpoint.internal.io;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * MD5 of one stream, by a thread of its own: a single stream takes longer than the device, and the caller writes meanwhile. One
 * thread calls. Pieces leave no garbage, so they go through a ring instead of an executor.
 */
public final class StreamDigest implements AutoCloseable {

    private final Md5Lanes md5;
    private final List<ByteBuffer> piece = Arrays.asList(new ByteBuffer[1]);

    /** Those numbered from {@code hashed} to {@code given} wait, at their number modulo the length; guarded by this, as all below. */
    private final ByteBuffer[] pieces;

    private long given;
    private long hashed;
    private boolean closed;
    private @Nullable Throwable failure;

    /** Whether there is a thread; otherwise pieces are hashed where they are given. */
    private final boolean apart;

    /**
     * Hashes in a thread of its own.
     *
     * @param most pieces that wait to be hashed, 1 or more
     */
    public StreamDigest(int most) {
        this(most, DigestEngine.md5(), StreamDigest::start);
    }

    /**
     * Hashes in a thread that the caller gives.
     *
     * @param md5 hashes, in its first lane; closed with this
     * @param threads runs what it is given in a thread, or has an OutOfMemoryError
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

    /** Appends the remaining bytes of a buffer, which must not change until as many more calls have returned as pieces may wait. */
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

    /** Ends the stream. */
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

    /** What the thread does. */
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

    /** Waits for a piece; false if there will be none. */
    private synchronized boolean isNext() {
        while (given == hashed && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // The thread belongs to this object, which ends it by closing.
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
