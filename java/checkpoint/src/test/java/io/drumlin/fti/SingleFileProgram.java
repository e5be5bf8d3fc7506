package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * A program with global datasets of all kinds, as it would be in C: columns of two matrices, one of them of structs, and parts of two
 * lines. Arguments: configuration file, and the number of the checkpoint to take, or {@code recover}.
 */
public final class SingleFileProgram {

    private static final int ROWS = 12;
    private static final int COLUMNS = 24;
    private static final int POINT = 24;
    private static final int BLOB = 6;

    private final int first;
    private final int columns;
    private final int[] grid;
    private final ByteBuffer points;
    private final double[] line;
    private final byte[] blobs;

    /** Declares and protects everything. */
    private SingleFileProgram(Communicator ranks, boolean recovers) {
        columns = COLUMNS / ranks.size();
        first = columns * ranks.rank();
        int elements = ROWS * columns;
        grid = new int[elements];
        points = ByteBuffer.allocate(elements * POINT).order(ByteOrder.LITTLE_ENDIAN);
        line = new double[elements];
        blobs = new byte[elements * BLOB];

        int point = FTI_InitCompositeType("point", POINT, null);
        require(FTI_AddScalarField(point, "one", FTI_INTG, 0) == FTI_SCES, "FTI_AddScalarField");
        require(FTI_AddScalarField(point, "two", FTI_DBLE, 8) == FTI_SCES, "FTI_AddScalarField");
        require(FTI_AddVectorField(point, "arr", FTI_SHRT, 16, 1, new long[] {3}) == FTI_SCES, "FTI_AddVectorField");
        int[] blob = new int[1];
        require(FTI_InitType(blob, BLOB) == FTI_SCES, "FTI_InitType");
        FTIT_H5Group outer = new FTIT_H5Group();
        FTIT_H5Group inner = new FTIT_H5Group();
        require(FTI_InitGroup(outer, "outer", null) == FTI_SCES, "FTI_InitGroup");
        require(FTI_InitGroup(inner, "inner", outer) == FTI_SCES, "FTI_InitGroup");

        long[] matrix = {ROWS, COLUMNS};
        long[] all = {ROWS * COLUMNS};
        require(FTI_DefineGlobalDataset(0, 2, matrix, "grid", null, FTI_INTG) == FTI_SCES, "grid");
        require(FTI_DefineGlobalDataset(1, 2, matrix, "points", inner, point) == FTI_SCES, "points");
        require(FTI_DefineGlobalDataset(2, 1, all, "line", outer, FTI_DBLE) == FTI_SCES, "line");
        require(FTI_DefineGlobalDataset(3, 1, all, "blobs", null, blob[0]) == FTI_SCES, "blobs");
        FTI_Protect(0, grid, elements, FTI_INTG);
        FTI_Protect(1, points, elements, point);
        FTI_Protect(2, line, elements, FTI_DBLE);
        FTI_Protect(3, blobs, elements, blob[0]);
        if (!recovers) {
            FTI_Protect(4, new long[] {7}, 1, FTI_LONG);
        }
        long[] corner = {0, first};
        long[] block = {ROWS, columns};
        long[] start = {(long) first * ROWS};
        long[] count = {elements};
        require(FTI_AddSubset(0, 2, corner, block, 0) == FTI_SCES, "FTI_AddSubset");
        require(FTI_AddSubset(1, 2, corner, block, 1) == FTI_SCES, "FTI_AddSubset");
        require(FTI_AddSubset(2, 1, start, count, 2) == FTI_SCES, "FTI_AddSubset");
        require(FTI_AddSubset(3, 1, start, count, 3) == FTI_SCES, "FTI_AddSubset");
    }

    public static void main(String[] arguments) throws IOException {
        Communicators.run(world -> run(world, arguments[0], arguments[1]));
    }

    /** Takes the checkpoint or recovers it and compares. */
    public static void run(Communicator world, String config, String what) throws IOException {
        boolean recovers = what.equals("recover");
        int started = FTI_Init(config, world);
        if (started == FTI_HEAD) {
            FTI.leave();
            return;
        }
        require(started == FTI_SCES, "FTI_Init");
        SingleFileProgram program = new SingleFileProgram(FTI_COMM_WORLD(), recovers);
        if (recovers) {
            program.recover();
            require(FTI_Finalize() == FTI_SCES, "FTI_Finalize");
            System.out.println("recovered on " + world.size());
        } else {
            program.fill();
            require(FTI_Checkpoint(Integer.parseInt(what), FTI_L4_H5_SINGLE) == FTI_SCES, "FTI_Checkpoint");
            FTI.leave();
        }
    }

    private void fill() {
        for (int i = 0; i < grid.length; i++) {
            int row = i / columns;
            int value = row * COLUMNS + first + i % columns;
            grid[i] = value;
            points.putInt(i * POINT, value).putDouble(i * POINT + 8, value / 4.0);
            for (int k = 0; k < 3; k++) {
                points.putShort(i * POINT + 16 + 2 * k, (short) (value + k));
            }
            int inLine = first * ROWS + i;
            line[i] = inLine * 0.5;
            for (int k = 0; k < BLOB; k++) {
                blobs[i * BLOB + k] = (byte) (inLine % 100 + k);
            }
        }
    }

    private void recover() {
        require(FTI_Status() == 3, "FTI_Status");
        require(FTI_UpdateGlobalDataset(0, 2, new long[] {0, 0}) == FTI_SCES, "FTI_UpdateGlobalDataset");
        require(FTI_RecoverDatasetDimension(0) == FTI_SCES, "FTI_RecoverDatasetDimension");
        require(FTI_GetDatasetRank(0) == 2, "FTI_GetDatasetRank");
        require(Arrays.equals(FTI_GetDatasetSpan(0, 2), new long[] {ROWS, COLUMNS}), "FTI_GetDatasetSpan");
        require(FTI_Recover() == FTI_SCES, "FTI_Recover");
        List<Object> found = List.of(grid.clone(), copyOf(points), line.clone(), blobs.clone());
        fill();
        require(Arrays.equals((int[]) found.get(0), grid), "grid");
        require(found.get(1).equals(copyOf(points)), "points");
        require(Arrays.equals((double[]) found.get(2), line), "line");
        require(Arrays.equals((byte[]) found.get(3), blobs), "blobs");
        require(FTI_Status() == 0, "FTI_Status");
    }

    private static ByteBuffer copyOf(ByteBuffer buffer) {
        return ByteBuffer.allocate(buffer.capacity())
                .put(buffer.duplicate().clear())
                .flip();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what + " failed");
        }
    }
}
