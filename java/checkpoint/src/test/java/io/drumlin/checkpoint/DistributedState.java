package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The variables of a rank, of which each value tells which it is and of which step, and runs of any number of ranks that have them. */
final class DistributedState {

    static final int ROWS = 11;
    static final int COLUMNS = 17;
    static final int CELLS = 1003;
    static final int BLOCK = 7;

    /** Cells in a grid of {@code COLUMNS} by {@code ROWS}, of which ranks have columns: not one run of them is long. */
    static final IndexFunction BY_COLUMN = new IndexFunction() {
        @Override
        public long places(int rank, int ranks) {
            // A place of padding in front.
            return 1 + (COLUMNS - rank + ranks - 1) / ranks * (long) ROWS;
        }

        @Override
        public long index(int rank, int ranks, long place) {
            if (place == 0) {
                return NONE;
            }
            long column = rank + (place - 1) / ROWS * ranks;
            return (place - 1) % ROWS * COLUMNS + column;
        }
    };

    private final Scalar.OfInt step = new Scalar.OfInt(0);
    private final double[] rows;
    private final int[] cyclic;
    private final float[] byColumn;
    private final byte[] list;
    private final short[] flags;
    private final int rank;
    private final int ranks;

    DistributedState(int rank, int ranks) {
        this.rank = rank;
        this.ranks = ranks;
        rows = new double[COLUMNS * (int) (rowsOf(rank, ranks) + 3)];
        cyclic = new int[(int) cyclicOf(rank, ranks)];
        byColumn = new float[(int) BY_COLUMN.places(rank, ranks)];
        // As long as it likes; together they are 1000.
        list = new byte[rank == ranks - 1 ? 1000 - 10 * rank : 10];
        flags = new short[5000];
    }

    private static long rowsOf(int rank, int ranks) {
        return ROWS / ranks + (rank < ROWS % ranks ? 1 : 0);
    }

    private static long cyclicOf(int rank, int ranks) {
        return IntStream.range(0, CELLS)
                .filter(cell -> cell / BLOCK % ranks == rank)
                .count();
    }

    int step() {
        return step.value;
    }

    void protect(Checkpoints checkpoints) {
        checkpoints.protect(0, step);
        checkpoints.protect(1, rows);
        checkpoints.protect(2, cyclic);
        checkpoints.protect(3, byColumn);
        checkpoints.protect(4, list);
        checkpoints.protect(5, flags);
    }

    void distribute(Checkpoints checkpoints) {
        checkpoints.distribute(0, Distribution.replicated());
        checkpoints.distribute(1, Distribution.block(ROWS).withGhosts(1, 2));
        checkpoints.distribute(2, Distribution.blockCyclic(CELLS, BLOCK));
        checkpoints.distribute(3, Distribution.of((long) ROWS * COLUMNS, BY_COLUMN));
        checkpoints.distribute(4, Distribution.contiguous());
        checkpoints.distribute(5, Distribution.replicated());
    }

    /** Ghost cells inside are garbage: what a restart brings is what the neighbours have. */
    void fill(int newStep, boolean ghosts) {
        step.value = newStep;
        long first = firstRow();
        for (int i = 0; i < rows.length; i++) {
            long row = first - 1 + i / COLUMNS;
            boolean own = row >= first && row < first + rowsOf(rank, ranks);
            boolean outer = row < 0 && rank == 0 || row >= ROWS && rank == ranks - 1;
            rows[i] = own || outer || ghosts ? newStep + row * 100.0 + i % COLUMNS : Double.NaN;
        }
        int place = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            if (cell / BLOCK % ranks == rank) {
                cyclic[place++] = newStep * 10000 + cell;
            }
        }
        for (int i = 0; i < byColumn.length; i++) {
            byColumn[i] = newStep + BY_COLUMN.index(rank, ranks, i);
        }
        for (int i = 0; i < list.length; i++) {
            list[i] = (byte) (newStep + 10 * rank + i);
        }
        Arrays.fill(flags, (short) newStep);
    }

    private long firstRow() {
        long first = 0;
        for (int before = 0; before < rank; before++) {
            first += rowsOf(before, ranks);
        }
        return first;
    }

    void requireEqual(DistributedState expected) {
        assertThat(step.value).isEqualTo(expected.step.value);
        assertThat(rows).isEqualTo(expected.rows);
        assertThat(cyclic).isEqualTo(expected.cyclic);
        assertThat(Arrays.copyOfRange(byColumn, 1, byColumn.length))
                .isEqualTo(Arrays.copyOfRange(expected.byColumn, 1, byColumn.length));
        assertThat(list).isEqualTo(expected.list);
        assertThat(flags).isEqualTo(expected.flags);
    }

    static void start(RunFixture run, int ranks, RunFixture.Body body) throws IOException {
        ThreadCommunicator.run(ranks, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .anyNumberOfRanks()
                    .open()) {
                if (!checkpoints.isHead()) {
                    body.run(checkpoints, checkpoints.communicator());
                }
            }
        });
    }

    /** Starts with so many ranks, expects what an earlier start has stored, and stores what comes next. */
    static void goOn(RunFixture run, int ranks, int from, int formerRanks, int to, Level... levels) throws IOException {
        start(run, ranks, (checkpoints, comm) -> {
            DistributedState state = new DistributedState(comm.rank(), comm.size());
            state.protect(checkpoints);
            if (from > 0) {
                assertThat(checkpoints.isRestart()).isTrue();
                assertThat(checkpoints.formerRanks().orElse(ranks)).isEqualTo(formerRanks);
                assertThat(checkpoints.lastCheckpoint()).hasValue(from);
                state.distribute(checkpoints);
                checkpoints.recover();
                DistributedState expected = new DistributedState(comm.rank(), comm.size());
                expected.fill(from, checkpoints.formerRanks().isPresent());
                state.requireEqual(expected);
                assertThat(checkpoints.isRestart()).isFalse();
            } else {
                assertThat(checkpoints.isRestart()).isFalse();
            }
            int step = from;
            for (Level level : levels) {
                step++;
                state.fill(step, false);
                checkpoints.checkpoint(step, level);
            }
            assertThat(step).isEqualTo(to);
        });
    }

    /** Each rank has one number, and the program does not say how they are distributed. */
    static void store(RunFixture run, int ranks, int ckptId, Level level) throws IOException {
        start(run, ranks, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {10 * ckptId + comm.rank()});
            checkpoints.discardRestart();
            checkpoints.checkpoint(ckptId, level);
        });
    }

    static void recover(RunFixture run, int ranks, int ckptId) throws IOException {
        start(run, ranks, (checkpoints, comm) -> {
            int[] own = {-1};
            checkpoints.protect(0, own);
            checkpoints.recover();
            assertThat(own).containsExactly(10 * ckptId + comm.rank());
        });
    }

    static void setNodeSize(RunFixture run, int size) throws IOException {
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("node_size( *)= \\d+", "node_size$1= " + size));
    }
}
