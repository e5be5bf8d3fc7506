package io.drumlin.checkpoint;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
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
    private Future<?> last;

    StreamDigest() {
        last = thread.submit(() -> md5.reset(0));
    }

    private static Thread makeThread(Runnable loop) {
        Thread thread = new Thread(null, loop, "drumlin-digest", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /** Appends the remaining bytes of a buffer, which must not change until the next call has returned. */
    void update(ByteBuffer bytes) {
        await();
        last = thread.submit(() -> md5.update(List.of(bytes)));
    }

    /** Ends the stream. */
    byte[] digest() {
        await();
        return md5.digest(0);
    }

    private void await() {
        boolean interrupted = false;
        while (true) {
            try {
                last.get();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                throw new IllegalStateException("hashing failed", e.getCause());
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        await();
        thread.shutdown();
        md5.close();
    }
}
