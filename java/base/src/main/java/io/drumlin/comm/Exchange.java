package io.drumlin.comm;

import io.drumlin.comm.internal.Arguments;
import java.io.IOException;
import java.nio.ByteBuffer;

/** {@link Communicator#sendReceive} with a started send. */
final class Exchange {

    private Exchange() {}

    static int of(Communicator comm, ByteBuffer sent, int destination, ByteBuffer received, int source, int tag)
            throws IOException {
        Arguments.checkTag(tag);
        if (source != Communicator.NOBODY) {
            // Before the send is started, because a send cannot be taken back.
            Arguments.checkRank("source", source, comm.size());
            Arguments.checkWritable(received);
        }
        if (destination == Communicator.NOBODY) {
            return source == Communicator.NOBODY ? 0 : comm.receive(received, source, tag);
        }
        Communicator.Request send = comm.startSend(direct(sent), destination, tag);
        int length = 0;
        try {
            length = source == Communicator.NOBODY ? 0 : comm.receive(received, source, tag);
        } catch (Throwable e) {
            try {
                send.abandon();
            } catch (IOException more) {
                e.addSuppressed(more);
            }
            throw e;
        }
        send.await();
        return length;
    }

    private static ByteBuffer direct(ByteBuffer message) {
        return message.isDirect()
                ? message
                : ByteBuffer.allocateDirect(message.remaining())
                        .put(message.duplicate())
                        .flip();
    }
}
