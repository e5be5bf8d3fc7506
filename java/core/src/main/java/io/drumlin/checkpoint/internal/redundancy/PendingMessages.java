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
 * Messages that were started and that are awaited together. The next ones take their objects. To be closed before their memory
 * is freed. Not thread-safe.
 */
public final class PendingMessages implements Closeable {

    private final Communicator comm;
    private final int tag;
    private final List<Request> requests = new ArrayList<>();

    /** Requests that nobody has awaited yet; those behind them are over. */
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
     * Waits for all that were started, in this order, also when one has failed: their memory is used again.
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
     * Sees to it that nothing comes any more into the memory of messages that nobody has awaited, because something else has failed.
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
