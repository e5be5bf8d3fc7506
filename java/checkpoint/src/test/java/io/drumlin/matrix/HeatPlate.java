package io.drumlin.matrix;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A part of a plate whose upper edge is hot, with heat spreading on it; the parts of all ranks lie one below the other. */
final class HeatPlate {

    /** Lines of a part. */
    static final int LINES = 8;

    private static final int WIDTH = 64;
    private static final int TAG = 50;

    private final int rank;
    private final int ranks;
    private final double[] values;

    /** What has been in {@link #values}, with a line above and a line below. */
    private final double[] before;

    /** @param lines of this part */
    HeatPlate(int rank, int ranks, int lines) {
        this.rank = rank;
        this.ranks = ranks;
        values = new double[lines * WIDTH];
        before = new double[values.length + 2 * WIDTH];
        if (rank == 0) {
            Arrays.fill(before, 0, WIDTH, 100);
        }
    }

    /** The part, line by line. */
    double[] lines() {
        return values;
    }

    /** The lines that some rank has of the plate that is in this part. */
    double[] part(int rank) {
        return Arrays.copyOfRange(values, rank * LINES * WIDTH, (rank + 1) * LINES * WIDTH);
    }

    /** Computes steps of a plate that is all in this part. */
    void steps(int count) {
        for (int i = 0; i < count; i++) {
            System.arraycopy(values, 0, before, WIDTH, values.length);
            compute();
        }
    }

    /** Computes a step. Collective. */
    void step(Communicator comm) throws IOException {
        System.arraycopy(values, 0, before, WIDTH, values.length);
        if (rank > 0) {
            send(comm, 0, rank - 1);
        }
        if (rank < ranks - 1) {
            send(comm, values.length - WIDTH, rank + 1);
            receive(comm, values.length + WIDTH, rank + 1);
        }
        if (rank > 0) {
            receive(comm, 0, rank - 1);
        }
        compute();
    }

    private void send(Communicator comm, int from, int to) throws IOException {
        ByteBuffer line = ByteBuffer.allocate(WIDTH * Double.BYTES);
        line.asDoubleBuffer().put(values, from, WIDTH);
        comm.send(line, to, TAG);
    }

    private void receive(Communicator comm, int into, int from) throws IOException {
        ByteBuffer line = ByteBuffer.allocate(WIDTH * Double.BYTES);
        comm.receive(line, from, TAG);
        line.asDoubleBuffer().get(before, into, WIDTH);
    }

    private void compute() {
        for (int i = 0; i < values.length; i++) {
            int here = i + WIDTH;
            double left = i % WIDTH == 0 ? 0 : before[here - 1];
            double right = i % WIDTH == WIDTH - 1 ? 0 : before[here + 1];
            values[i] = 0.25 * (before[here - WIDTH] + before[here + WIDTH] + left + right);
        }
    }
}
