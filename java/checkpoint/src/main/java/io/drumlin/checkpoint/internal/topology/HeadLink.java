package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The messages between the application ranks of a node and their head (docs/formats/fti-run-directory.md, section 9).
 * Each application rank sends the head the same orders in the same order, and receives an answer to each but the last.
 */
public final class HeadLink implements AutoCloseable {

    private static final int HEAD = 0;
    private static final int TAG = 7;

    /**
     * Bytes of an answer: the outcome of the checkpoint, whether there is a failure, the nanoseconds of the head's work,
     * and the text of the failure.
     */
    private static final int ANSWER_BYTES = 1024;

    private static final int TEXT = 2 + Long.BYTES;

    private final Communicator node;

    private HeadLink(Communicator node) {
        this.node = node;
    }

    /** Connects the ranks of each node, the head first. Collective. */
    public static HeadLink of(Communicator ranks, Topology topology) throws IOException {
        return new HeadLink(ranks.subset(
                topology.nodeRanks().stream().mapToInt(rank -> rank).toArray()));
    }

    /** The tasks of a head. The numbers are those of C FTI where it has them. */
    public enum Task {
        /** Finish a written checkpoint at its level and commit it: 990 plus the level in C FTI. */
        FINISH(990),
        /** Remove what a failed checkpoint has left. */
        TIDY(980),
        /** The application leaves: {@code FTI_ENDW}. */
        END(995);

        private final int token;

        Task(int token) {
            this.token = token;
        }

        private static Task of(long token) {
            return token == END.token ? END : token > FINISH.token ? FINISH : TIDY;
        }
    }

    /**
     * An order of an application rank.
     *
     * @param level ignored at the end
     * @param size bytes of the rank's file in the local {@code tmp}
     */
    public record Order(Task task, Level level, int ckptId, long timestamp, long size) {

        private static final int FIELDS = 4;

        public static Order end() {
            return new Order(Task.END, Level.L1, 0, 0, 0);
        }

        public static Order tidy(Level level) {
            return new Order(Task.TIDY, level, 0, 0, 0);
        }

        private ByteBuffer bytes() {
            ByteBuffer bytes = buffer();
            int token = task.token + (task == Task.END ? 0 : level.number());
            return bytes.putLong(token)
                    .putLong(ckptId)
                    .putLong(timestamp)
                    .putLong(size)
                    .flip();
        }

        private static ByteBuffer buffer() {
            return ByteBuffer.allocate(FIELDS * Long.BYTES).order(ByteOrder.nativeOrder());
        }

        private static Order of(ByteBuffer bytes) {
            long token = bytes.getLong();
            Task task = Task.of(token);
            Level level = task == Task.END ? Level.L1 : Level.of((int) (token - task.token));
            return new Order(task, level, (int) bytes.getLong(), bytes.getLong(), bytes.getLong());
        }
    }

    /** The outcome of a checkpoint, as far as this head knows. */
    public enum Outcome {
        /** The earlier checkpoint is in its place on all nodes. */
        FAILED(0),
        /** The new checkpoint is in its place on all nodes. */
        COMMITTED(1),
        /** A message between the heads has failed. */
        UNKNOWN(2);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }

        private static Outcome ofCode(int code) {
            return code == UNKNOWN.code ? UNKNOWN : of(code == COMMITTED.code);
        }

        public static Outcome of(boolean committed) {
            return committed ? COMMITTED : FAILED;
        }
    }

    /**
     * The outcome of an order.
     *
     * @param outcome the same on all ranks, unless it is unknown on any
     * @param nanos time that the head took
     * @param failure the failure, before or after the commit
     */
    public record Answer(Outcome outcome, long nanos, Optional<DrumlinException> failure) {

        public boolean committed() {
            return outcome == Outcome.COMMITTED;
        }
    }

    /**
     * Runs a step on the application ranks without the head, and tells the head whether it succeeded. Collective.
     *
     * @param step the step of this rank
     * @throws IOException on the head too, if the step failed on the application ranks
     */
    public void agreeWithHead(String operation, Agreement.Step step) throws IOException {
        Agreement.run(node, operation, step);
    }

    /** Sends an order to the head and returns without waiting for the answer. On application ranks. */
    public void send(Order order) throws IOException {
        node.send(order.bytes(), HEAD, TAG);
    }

    /** Waits for the answer to an order. On application ranks. */
    public Answer answer() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(ANSWER_BYTES);
        int length = node.receive(bytes, HEAD, TAG);
        Outcome outcome = Outcome.ofCode(bytes.get(0));
        if (bytes.get(1) == 0) {
            return new Answer(outcome, bytes.getLong(2), Optional.empty());
        }
        String text = new String(bytes.array(), TEXT, length - TEXT, StandardCharsets.UTF_8);
        DrumlinException.Context failure =
                DrumlinException.during("post-processing by the head").problem(text);
        return new Answer(
                outcome,
                bytes.getLong(2),
                Optional.of(outcome == Outcome.UNKNOWN ? new MeetingException(failure) : failure.exception()));
    }

    /** Returns whether at least the first application rank of the node has sent an order. On the head. */
    public boolean hasOrders() throws IOException {
        return node.hasMessage(HEAD + 1, TAG);
    }

    /** Waits for the next orders of all application ranks of the node, in their order. On the head. */
    public List<Order> orders() throws IOException {
        List<Order> orders = new ArrayList<>();
        for (int rank = HEAD + 1; rank < node.size(); rank++) {
            ByteBuffer bytes = Order.buffer();
            node.receive(bytes, rank, TAG);
            orders.add(Order.of(bytes));
        }
        return orders;
    }

    /**
     * Answers the orders of all application ranks of the node. On the head.
     *
     * @param nanos time that the head took
     */
    public void answer(Outcome outcome, long nanos, @Nullable IOException failure) throws IOException {
        byte[] text = failure == null
                ? new byte[0]
                : String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(ANSWER_BYTES);
        bytes.put((byte) outcome.code).put((byte) (failure == null ? 0 : 1)).putLong(nanos);
        bytes.put(text, 0, Math.min(text.length, bytes.remaining())).flip();
        for (int rank = HEAD + 1; rank < node.size(); rank++) {
            node.send(bytes, rank, TAG);
        }
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
