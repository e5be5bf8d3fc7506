package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Request;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were started and are awaited together. Later messages reuse their objects. Must be closed before the
 * memory of the messages is freed. Not thread-safe.
 */
public final class PendingMessages implements Closeable {

    private final Communicator comm;
    private final int tag;
    private final List<Request> requests = new ArrayList<>();

    /** Number of requests under way, at the start of the list; the requests after them are complete. */
    private int underway;

    public PendingMessages(Communicator comm, int tag) {
        this.comm = comm;
        this.tag = tag;
    }

    public void startSend(ByteBuffer message, int to) throws IOException {
        keep(comm.startSend(message, to, tag, done()));
    }

    public void startReceive(ByteBuffer message, int from) throws IOException {
        keep(comm.startReceive(message, from, tag, done()));
    }

    private @Nullable Request done() {
        return underway < requests.size() ? requests.get(underway) : null;
    }

    private void keep(Request started) {
        if (underway < requests.size()) {
            requests.set(underway, started);
        } else {
            requests.add(started);
        }
        underway++;
    }

    /**
     * Waits for all started messages, in their order, also if one has failed, because their memory is reused.
     *
     * @throws IOException the first failure
     */
    public void await() throws IOException {
        IOException failure = null;
        for (int i = 0; i < underway; i++) {
            try {
                requests.get(i).await();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        underway = 0;
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Makes sure that nothing arrives any more in the memory of messages that were not awaited because of another
     * failure.
     *
     * @throws IOException the first failure
     */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        while (underway > 0) {
            try {
                requests.get(--underway).abandon();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
