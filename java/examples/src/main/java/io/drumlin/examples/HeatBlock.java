package io.drumlin.examples;

import io.drumlin.checkpoint.Distribution;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/**
 * One rank's rows of a square plate, and the heat that spreads in them.
 *
 * <p>A step replaces every cell by the mean of its four neighbours (Jacobi's method), and always adds them in the same
 * order. So the temperatures do not depend on the number of ranks, bit for bit. The rows are stored with a ghost row
 * above and one below, copies of the neighbours' edge rows.
 *
 * <p>Not thread-safe.
 */
final class HeatBlock {

    private static final int TO_PREVIOUS = 1;
    private static final int TO_NEXT = 2;

    private final int n;
    private final int firstRow;
    private final int rows;
    private final int[] held;
    private final ByteBuffer sentUp;
    private final ByteBuffer sentDown;
    private final ByteBuffer ghostAbove;
    private final ByteBuffer ghostBelow;
    private double[] now;
    private double[] next;

    /**
     * Cuts a rank's block out of a plate.
     *
     * @param plate the plate at the start
     * @param n number of cells along an edge of the plate
     * @param rank the rank
     * @param ranks number of ranks that share the plate, at most {@code n}
     */
    HeatBlock(Plate plate, int n, int rank, int ranks) {
        if (ranks > n) {
            throw new IllegalArgumentException(ranks + " ranks cannot share " + n + " rows; take a larger plate");
        }
        this.n = n;
        firstRow = firstRow(n, rank, ranks);
        rows = firstRow(n, rank + 1, ranks) - firstRow;
        now = new double[Math.multiplyExact(rows + 2, n)];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < n; column++) {
                now[index(row, column)] = plate.initial(firstRow + row, column);
            }
        }
        next = now.clone();
        held = IntStream.range(0, rows)
                .flatMap(row -> IntStream.range(1, n - 1)
                        .filter(column -> plate.held(firstRow + row, column))
                        .map(column -> index(row, column)))
                .toArray();
        sentUp = rowBuffer(n);
        sentDown = rowBuffer(n);
        ghostAbove = rowBuffer(n);
        ghostBelow = rowBuffer(n);
    }

    /** Accepts the rows of a field in their order. */
    @FunctionalInterface
    interface RowConsumer {
        /**
         * Accepts a row.
         *
         * @param row 0 to {@code n} - 1
         * @param temperatures valid during the call
         * @throws IOException the row could not be accepted
         */
        void accept(int row, double[] temperatures) throws IOException;
    }

    /** Returns the first row of a rank. If the rows cannot be divided evenly, the first ranks have one row more. */
    private static int firstRow(int n, int rank, int ranks) {
        return rank * (n / ranks) + Math.min(rank, n % ranks);
    }

    private static ByteBuffer rowBuffer(int n) {
        return ByteBuffer.allocateDirect(Math.multiplyExact(n, Double.BYTES)).order(ByteOrder.nativeOrder());
    }

    private int index(int row, int column) {
        return (row + 1) * n + column;
    }

    /**
     * Returns the temperatures to be protected, including ghost rows. The array changes with every step.
     *
     * @return the temperatures, row by row
     */
    double[] temperatures() {
        return now;
    }

    /**
     * Returns how any number of ranks divide {@link #temperatures} among themselves. An element is a row.
     *
     * @param n number of cells along an edge of the plate
     * @return blocks of rows between ghost rows
     */
    static Distribution distribution(int n) {
        return Distribution.block(n).withGhosts(1);
    }

    /**
     * Makes the heat spread by one step. Collective.
     *
     * @param comm the ranks that share the plate
     * @throws IOException the ghost rows could not be exchanged
     */
    void step(Communicator comm) throws IOException {
        exchangeGhostRows(comm);
        for (int row = 0; row < rows; row++) {
            if (firstRow + row > 0 && firstRow + row < n - 1) {
                relax(index(row, 1), index(row, n - 1));
            }
        }
        for (int cell : held) {
            next[cell] = now[cell];
        }
        double[] spare = now;
        now = next;
        next = spare;
    }

    private void relax(int from, int to) {
        for (int cell = from; cell < to; cell++) {
            next[cell] = 0.25 * ((now[cell - n] + now[cell + n]) + (now[cell - 1] + now[cell + 1]));
        }
    }

    /**
     * Sets the temperature of the plate's outermost cells, which no step changes.
     *
     * @param temperature the temperature
     */
    void setRim(double temperature) {
        for (int row = -1; row <= rows; row++) {
            int ofPlate = firstRow + row;
            int inside = ofPlate > 0 && ofPlate < n - 1 ? n - 1 : 1;
            for (int column = 0; column < n; column += inside) {
                now[index(row, column)] = temperature;
                next[index(row, column)] = temperature;
            }
        }
    }

    /**
     * Returns by how much the last step changed the temperatures of the plate. Collective.
     *
     * @param comm the ranks that share the plate
     * @return the largest change of a cell on any rank, in degrees
     * @throws IOException the ranks could not meet
     */
    double residual(Communicator comm) throws IOException {
        double[] largest = {0};
        for (int cell = index(0, 0); cell < index(rows, 0); cell++) {
            largest[0] = Math.max(largest[0], Math.abs(now[cell] - next[cell]));
        }
        comm.allreduce(largest, Communicator.Op.MAX);
        return largest[0];
    }

    /**
     * Collects the rows of the plate at rank 0, one at a time. Collective.
     *
     * @param comm the ranks that share the plate
     * @param consumer called on rank 0 for every row of the plate
     * @throws IOException the rows could not be sent or accepted
     */
    void collect(Communicator comm, RowConsumer consumer) throws IOException {
        if (comm.rank() > 0) {
            for (int row = 0; row < rows; row++) {
                copyOut(row, sentUp);
                comm.send(sentUp, 0, TO_PREVIOUS);
            }
            return;
        }
        double[] temperatures = new double[n];
        for (int rank = 0; rank < comm.size(); rank++) {
            for (int row = firstRow(n, rank, comm.size()); row < firstRow(n, rank + 1, comm.size()); row++) {
                if (rank == 0) {
                    System.arraycopy(now, index(row, 0), temperatures, 0, n);
                } else {
                    comm.receive(ghostBelow, rank, TO_PREVIOUS);
                    ghostBelow.asDoubleBuffer().get(temperatures);
                }
                consumer.accept(row, temperatures);
            }
        }
    }

    private void exchangeGhostRows(Communicator comm) throws IOException {
        int previous = comm.rank() - 1;
        int following = comm.rank() + 1;
        Communicator.Request[] requests = new Communicator.Request[4];
        int started = 0;
        if (previous >= 0) {
            requests[started++] = comm.startReceive(ghostAbove, previous, TO_NEXT);
            copyOut(0, sentUp);
            requests[started++] = comm.startSend(sentUp, previous, TO_PREVIOUS);
        }
        if (following < comm.size()) {
            requests[started++] = comm.startReceive(ghostBelow, following, TO_PREVIOUS);
            copyOut(rows - 1, sentDown);
            requests[started++] = comm.startSend(sentDown, following, TO_NEXT);
        }
        for (int request = 0; request < started; request++) {
            requests[request].await();
        }
        if (previous >= 0) {
            ghostAbove.asDoubleBuffer().get(now, index(-1, 0), n);
        }
        if (following < comm.size()) {
            ghostBelow.asDoubleBuffer().get(now, index(rows, 0), n);
        }
    }

    private void copyOut(int row, ByteBuffer target) {
        target.asDoubleBuffer().put(now, index(row, 0), n);
    }
}
