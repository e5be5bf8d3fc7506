package io.drumlin.checkpoint;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * MD5 of one stream, by a thread of its own: a single stream takes longer than the device, and the caller writes meanwhile. One
 * thread calls.
 */
final class StreamDigest implements AutoCloseable {

    private final Md5Lanes md5 = DigestEngine.md5();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(StreamDigest::makeThread);
    private final Deque<Future<?>> waiting = new ArrayDeque<>();
    private final int most;

    /** @param most pieces that wait to be hashed, 1 or more */
    StreamDigest(int most) {
        this.most = most;
        waiting.add(thread.submit(() -> md5.reset(0)));
    }

    private static Thread makeThread(Runnable loop) {
        Thread thread = new Thread(null, loop, "drumlin-digest", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /** Appends the remaining bytes of a buffer, which must not change until as many more calls have returned as pieces may wait. */
    void update(ByteBuffer bytes) {
        await(most - 1);
        waiting.add(thread.submit(() -> md5.update(List.of(bytes))));
    }

    /** Ends the stream. */
    byte[] digest() {
        await(0);
        return md5.digest(0);
    }

    /** Waits until no more than {@code left} pieces wait. */
    private void await(int left) {
        boolean interrupted = false;
        while (waiting.size() > left) {
            try {
                waiting.element().get();
                waiting.remove();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                waiting.remove();
                throw new IllegalStateException("hashing failed", e.getCause());
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        await(0);
        thread.shutdown();
        md5.close();
    }
}
