package io.drumlin.comm.internal;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Request;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages that were started and are awaited together. Must be closed before the memory of the messages is freed. Not
 * thread-safe.
 */
public final class PendingMessages implements Closeable {

    private final Communicator comm;
    private final int tag;
    private final List<Request> requests = new ArrayList<>();

    /**
     * Makes an object without messages.
     *
     * @param comm the ranks
     * @param tag tag of the messages
     */
    public PendingMessages(Communicator comm, int tag) {
        this.comm = comm;
        this.tag = tag;
    }

    /**
     * Starts to send.
     *
     * @param message from position to limit, outside the heap
     * @param to the receiver
     * @throws IOException the message cannot be sent
     */
    public void startSend(ByteBuffer message, int to) throws IOException {
        requests.add(comm.startSend(message, to, tag));
    }

    /**
     * Starts to receive.
     *
     * @param message filled from position to limit, outside the heap
     * @param from the sender
     * @throws IOException nothing can be received
     */
    public void startReceive(ByteBuffer message, int from) throws IOException {
        requests.add(comm.startReceive(message, from, tag));
    }

    /**
     * Waits for all started messages, in their order, also if one has failed, because their memory is reused.
     *
     * @throws IOException the first failure
     */
    public void await() throws IOException {
        IOException failure = null;
        for (Request request : requests) {
            try {
                request.await();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        requests.clear();
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
        while (!requests.isEmpty()) {
            try {
                requests.remove(requests.size() - 1).abandon();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
