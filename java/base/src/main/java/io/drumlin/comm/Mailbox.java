package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.internal.MemoryFault;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages that were sent to one rank inside this JVM and not yet received, and the receives that wait for
 * messages. The matching is MPI's: the oldest message goes to the oldest receive, per source and tag. Not thread-safe.
 */
final class Mailbox {

    /** A message that was sent. */
    static final class Message {
        private final int source;
        private final int tag;
        private final byte[] bytes;
        private boolean matched;

        private Message(int source, int tag, byte[] bytes) {
            this.source = source;
            this.tag = tag;
            this.bytes = bytes;
        }

        /** Returns whether a receive has taken the message. */
        boolean matched() {
            return matched;
        }
    }

    /** A receive that was started. */
    static final class Receive {
        private final int source;
        private final int tag;
        private byte @Nullable [] bytes;

        private Receive(int source, int tag) {
            this.source = source;
            this.tag = tag;
        }

        /** Returns the bytes that were sent; {@code null} until a message matches. */
        byte @Nullable [] bytes() {
            return bytes;
        }

        private boolean takes(Message message) {
            return source == message.source && (tag == Communicator.ANY_TAG || tag == message.tag);
        }

        private void take(Message message) {
            bytes = message.bytes;
            message.matched = true;
        }
    }

    private final List<Message> unexpected = new ArrayList<>();
    private final List<Receive> posted = new ArrayList<>();

    Message deliver(int source, int tag, byte[] bytes) {
        Message message = new Message(source, tag, bytes);
        for (Iterator<Receive> receives = posted.iterator(); receives.hasNext(); ) {
            Receive receive = receives.next();
            if (receive.takes(message)) {
                receive.take(message);
                receives.remove();
                return message;
            }
        }
        unexpected.add(message);
        return message;
    }

    Receive post(int source, int tag) {
        Receive receive = new Receive(source, tag);
        for (Iterator<Message> messages = unexpected.iterator(); messages.hasNext(); ) {
            Message message = messages.next();
            if (receive.takes(message)) {
                receive.take(message);
                messages.remove();
                return receive;
            }
        }
        posted.add(receive);
        return receive;
    }

    /** Returns whether a receive would find a message at once. */
    boolean holds(int source, int tag) {
        Receive receive = new Receive(source, tag);
        return unexpected.stream().anyMatch(receive::takes);
    }

    /** Forgets a receive, so that it takes no later message. */
    void cancel(Receive receive) {
        posted.remove(receive);
    }

    /** Copies the remaining bytes of a buffer, which does not change. */
    static byte[] copy(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(message.position(), bytes);
        MemoryFault.throwPending(message);
        return bytes;
    }

    /** Fills a buffer from its position, which does not change. */
    static int fill(ByteBuffer target, byte[] bytes, int source, int rank) throws DrumlinException {
        if (bytes.length > target.remaining()) {
            throw DrumlinException.during("receive")
                    .rank(rank)
                    .problem("rank " + source + " sent " + bytes.length + " bytes, the buffer takes "
                            + target.remaining())
                    .advice("receive into a buffer as large as the largest message; this message is lost")
                    .exception();
        }
        target.put(target.position(), bytes);
        MemoryFault.throwPending(target);
        return bytes.length;
    }
}
