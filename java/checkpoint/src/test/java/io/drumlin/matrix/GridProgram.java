package io.drumlin.matrix;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.fti.FTIT_H5Group;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A rank of C FTI's program for restarts with other numbers of ranks: two global datasets are distributed over a square of ranks, one of
 * integers and one of structures. Each row that a rank has is a variable, and its length is changed before the first checkpoint.
 */
final class GridProgram {

    private static final int ROWS = 64;
    private static final int COLUMNS_AT_FIRST = 64;
    private static final int COLUMNS = 2 * COLUMNS_AT_FIRST;
    private static final int STRUCTURE = 8;

    private final Random random;
    private final int ranksAlong;
    private final int rows;
    private final int columns;
    private final int firstRow;
    private final int firstColumn;
    private final int structure;
    private final List<int[]> numbers = new ArrayList<>();
    private final List<ByteBuffer> structures = new ArrayList<>();

    /**
     * Declares and protects everything.
     *
     * @param ranks of the application, a square number
     * @param seed of the order of variables, which is another on each rank
     */
    GridProgram(Communicator ranks, long seed) {
        random = new Random(seed + ranks.rank());
        ranksAlong = (int) Math.round(Math.sqrt(ranks.size()));
        rows = ROWS / ranksAlong;
        columns = COLUMNS / ranksAlong;
        firstRow = ranks.rank() / ranksAlong * rows;
        firstColumn = ranks.rank() % ranksAlong * columns;
        structure = FTI_InitCompositeType("struct_one_two", STRUCTURE, null);
        FTI_AddScalarField(structure, "one", FTI_INTG, 0);
        FTI_AddScalarField(structure, "two", FTI_INTG, 4);
        FTIT_H5Group group = new FTIT_H5Group();
        assertThat(FTI_InitGroup(group, "structures", null)).isEqualTo(FTI_SCES);
        long[] atFirst = {ROWS, COLUMNS_AT_FIRST};
        assertThat(FTI_DefineGlobalDataset(0, 2, atFirst, "shared dataset", null, FTI_INTG))
                .isEqualTo(FTI_SCES);
        assertThat(FTI_DefineGlobalDataset(1, 2, atFirst, "struct", group, structure))
                .isEqualTo(FTI_SCES);
        declare(COLUMNS_AT_FIRST);
        resize(ROWS, COLUMNS);
        declare(COLUMNS);
    }

    private void declare(int allColumns) {
        int length = allColumns / ranksAlong;
        numbers.clear();
        structures.clear();
        for (int row = 0; row < rows; row++) {
            numbers.add(new int[length]);
            structures.add(ByteBuffer.allocate(length * STRUCTURE).order(ByteOrder.LITTLE_ENDIAN));
            assertThat(FTI_Protect(row, numbers.get(row), length, FTI_INTG)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(rows + row, structures.get(row), length, structure))
                    .isEqualTo(FTI_SCES);
            long[] offset = {firstRow + row, firstColumn / columns * length};
            long[] count = {1, length};
            boolean first = allColumns == COLUMNS_AT_FIRST;
            for (int dataset : List.of(0, 1)) {
                int id = dataset * rows + row;
                int result = first
                        ? FTI_AddSubset(id, 2, offset, count, dataset)
                        : FTI_UpdateSubset(id, 2, offset, count, dataset);
                assertThat(result).as("subset %d", id).isEqualTo(FTI_SCES);
            }
        }
    }

    private static void resize(long... dimensions) {
        for (int dataset : List.of(0, 1)) {
            assertThat(FTI_UpdateGlobalDataset(dataset, 2, dimensions)).isEqualTo(FTI_SCES);
        }
    }

    /** Takes a checkpoint; its id is in the values. */
    void checkpoint(int id, int level, boolean oneByOne) {
        fill(id);
        if (!oneByOne) {
            assertThat(FTI_Checkpoint(id, level))
                    .as("FTI_Checkpoint %d", id)
                    .isEqualTo(level == FTI_L4_H5_SINGLE ? FTI_SCES : FTI_DONE);
            return;
        }
        assertThat(FTI_InitICP(id, level, true)).isEqualTo(FTI_SCES);
        for (int variable : shuffled()) {
            assertThat(FTI_AddVarICP(variable)).isEqualTo(FTI_SCES);
        }
        assertThat(FTI_FinalizeICP()).as("FTI_FinalizeICP %d", id).isEqualTo(FTI_SCES);
    }

    /** Gives all elements values of their own. */
    private void fill(int id) {
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                int value = (firstRow + row) * COLUMNS + firstColumn + column + 100_000 * id;
                numbers.get(row)[column] = value;
                structures.get(row).putInt(STRUCTURE * column, value).putInt(STRUCTURE * column + 4, 2 * value);
            }
        }
    }

    /** Recovers a checkpoint and compares all elements. */
    void recover(int id, boolean oneByOne) {
        resize(0, 0);
        if (FTI_Status() == 3) {
            for (int dataset : List.of(0, 1)) {
                assertThat(FTI_RecoverDatasetDimension(dataset)).isEqualTo(FTI_SCES);
                assertThat(FTI_GetDatasetRank(dataset)).isEqualTo(2);
                assertThat(FTI_GetDatasetSpan(dataset, 2)).containsExactly(ROWS, COLUMNS);
            }
        }
        if (oneByOne) {
            assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
            for (int variable : shuffled()) {
                assertThat(FTI_RecoverVar(variable)).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
        } else {
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
        }
        List<int[]> foundNumbers = numbers.stream().map(int[]::clone).toList();
        List<byte[]> foundStructures =
                structures.stream().map(buffer -> buffer.array().clone()).toList();
        fill(id);
        for (int row = 0; row < rows; row++) {
            assertThat(foundNumbers.get(row)).isEqualTo(numbers.get(row));
            assertThat(foundStructures.get(row)).isEqualTo(structures.get(row).array());
        }
    }

    private List<Integer> shuffled() {
        List<Integer> order = new ArrayList<>();
        for (int id = 0; id < 2 * rows; id++) {
            order.add(id);
        }
        Collections.shuffle(order, random);
        return order;
    }
}
