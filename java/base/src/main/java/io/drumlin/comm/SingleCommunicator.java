package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.Arguments;
import io.drumlin.internal.MemoryFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * The communicator of a program that runs as one process. A message to the same rank is copied when it is sent. Not
 * thread-safe.
 */
public final class SingleCommunicator implements Communicator {

    private final Mailbox mailbox = new Mailbox();
    private boolean closed;

    /** Makes a communicator of one rank. */
    public SingleCommunicator() {}

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public void barrier() {
        checkOpen();
    }

    @Override
    public void allreduce(long[] values, Op op) {
        checkOpen();
    }

    @Override
    public void bcast(ByteBuffer message, int root) {
        checkOpen();
        Arguments.checkRank("root", root, 1);
    }

    @Override
    public void gather(ByteBuffer part, ByteBuffer all, int root) {
        Arguments.checkRank("root", root, 1);
        allgather(part, all);
    }

    @Override
    public void scatter(ByteBuffer all, ByteBuffer part, int root) {
        checkOpen();
        Arguments.checkRank("root", root, 1);
        Arguments.checkScatter(all, part, 1);
        move(all, part);
    }

    @Override
    public void allgather(ByteBuffer part, ByteBuffer all) {
        checkOpen();
        Arguments.checkParts(part, all, 1);
        move(part, all);
    }

    private static void move(ByteBuffer source, ByteBuffer target) {
        target.put(target.position(), source, source.position(), source.remaining());
        MemoryFault.throwPending(source);
        MemoryFault.throwPending(target);
    }

    @Override
    public void send(ByteBuffer message, int destination, int tag) {
        checkOpen();
        Arguments.checkRank("destination", destination, 1);
        Arguments.checkTag(tag);
        mailbox.deliver(0, tag, Mailbox.copy(message));
    }

    @Override
    public int receive(ByteBuffer message, int source, int tag) throws IOException {
        return post(message, source, tag).await();
    }

    @Override
    public boolean hasMessage(int source, int tag) {
        checkOpen();
        Arguments.checkRank("source", source, 1);
        Arguments.checkTagOrAny(tag);
        return mailbox.holds(source, tag);
    }

    @Override
    public Request startSend(ByteBuffer message, int destination, int tag) {
        Arguments.checkDirect(message);
        send(message, destination, tag);
        int length = message.remaining();
        return () -> length;
    }

    @Override
    public Request startReceive(ByteBuffer message, int source, int tag) {
        Arguments.checkDirect(message);
        return post(message, source, tag);
    }

    private Request post(ByteBuffer message, int source, int tag) {
        checkOpen();
        Arguments.checkRank("source", source, 1);
        Arguments.checkTagOrAny(tag);
        Arguments.checkWritable(message);
        ByteBuffer target = message.duplicate();
        Mailbox.Receive receive = mailbox.post(source, tag);
        return new Request() {
            @Override
            public int await() throws DrumlinException {
                byte[] bytes = receive.bytes();
                if (bytes == null) {
                    mailbox.cancel(receive);
                    throw DrumlinException.during("receive")
                            .rank(0)
                            .problem("the only rank waits for a message that nobody can send")
                            .advice("send it before it is awaited")
                            .exception();
                }
                return Mailbox.fill(target, bytes, source, 0);
            }

            @Override
            public void abandon() {
                mailbox.cancel(receive);
            }
        };
    }

    @Override
    public Communicator dup() {
        checkOpen();
        return new SingleCommunicator();
    }

    @Override
    public Communicator split(int color, int key) {
        Arguments.checkColor(color);
        return dup();
    }

    @Override
    public OptionalLong nativeHandle() {
        return OptionalLong.empty();
    }

    /**
     * Throws {@link JobAbortedException}, which ends the program unless it is caught.
     *
     * @param code exit status
     */
    @Override
    public void abort(int code) {
        throw new JobAbortedException(0, code);
    }

    @Override
    public void close() {
        closed = true;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the communicator is closed");
        }
    }
}
