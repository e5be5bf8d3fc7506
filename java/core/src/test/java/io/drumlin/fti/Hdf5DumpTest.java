package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Hdf5Tools;
import io.drumlin.checkpoint.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the library's h5dump tells of our file is what it told of C FTI's after the same calls: all types, shapes and groups. */
class Hdf5DumpTest {

    /** The rank of the file of C FTI. */
    private static final int RANK = 3;

    /** The bytes of 1.25 as a long double, without its exponent. */
    private static final long MANTISSA = 0xA000_0000_0000_0000L;

    @TempDir
    Path directory;

    @Test
    void theFileIsThatOfCFti() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "5"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        protectNumbers();
        FTIT_H5Group outer = new FTIT_H5Group();
        FTIT_H5Group inner = new FTIT_H5Group();
        assertThat(FTI_InitGroup(outer, "outer", null)).isEqualTo(FTI_SCES);
        assertThat(FTI_InitGroup(new FTIT_H5Group(), "outer", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_InitGroup(inner, "renamed", outer)).isEqualTo(FTI_SCES);
        assertThat(FTI_RenameGroup(inner, "inner")).isEqualTo(FTI_SCES);
        protectTypes(outer);
        assertThat(FTI_DefineDataset(9, 3, new long[] {2, 3, 4}, "cube", inner)).isEqualTo(FTI_SCES);
        assertThat(FTI_DefineDataset(9, 1, new long[] {25}, "line", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_DefineDataset(9, 1, null, "line", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_DefineDataset(99, 0, null, "line", null)).isEqualTo(FTI_NSCS);
        assertThat(FTI_DefineDataset(2, 2, new long[] {3, 2}, null, null)).isEqualTo(FTI_SCES);
        assertThat(FTI_DefineDataset(2, 0, null, "matrix", outer)).isEqualTo(FTI_SCES);
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);

        String dump = Hdf5Tools.run("h5dump", "-p", run.file("Ckpt1-Rank0.h5").toString());
        try (InputStream expected = Hdf5DumpTest.class.getResourceAsStream("hdf5-dump.txt")) {
            assertThat(dump.substring(dump.indexOf('\n') + 1))
                    .isEqualTo(new String(expected.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    private static void protectNumbers() {
        double[] cube = new double[24];
        for (int i = 0; i < cube.length; i++) {
            cube[i] = i + 100 * RANK;
        }
        ByteBuffer longDoubles = little(32);
        putLongDouble(longDoubles, 0, MANTISSA, 0);
        putLongDouble(longDoubles, 16, 0xC000_0000_0000_0000L, 1);
        FTI_Protect(0, new byte[] {1, 2, 3, RANK}, 4, FTI_CHAR);
        FTI_Protect(1, new short[] {-1, 2, RANK}, 3, FTI_SHRT);
        FTI_Protect(2, new int[] {1, 2, 3, 4, 5, -6}, 6, FTI_INTG);
        FTI_Protect(3, new long[] {1L << 40, RANK}, 2, FTI_LONG);
        FTI_Protect(4, new byte[] {-1, RANK}, 2, FTI_UCHR);
        FTI_Protect(5, new short[] {-1, RANK}, 2, FTI_USHT);
        FTI_Protect(6, new int[] {(int) 4_000_000_000L, RANK}, 2, FTI_UINT);
        FTI_Protect(7, new long[] {-1, RANK}, 2, FTI_ULNG);
        FTI_Protect(8, new float[] {1.5f, RANK}, 2, FTI_SFLT);
        FTI_Protect(9, cube, 24, FTI_DBLE);
        FTI_Protect(10, longDoubles, 2, FTI_LDBE);
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void putLongDouble(ByteBuffer target, int at, long mantissa, int exponent) {
        target.putLong(at, mantissa).putShort(at + 8, (short) (16383 + exponent));
    }

    private static void protectTypes(FTIT_H5Group outer) {
        int[] opaque = new int[1];
        FTI_InitType(opaque, 12);
        int point = FTI_InitCompositeType("point", 32, null);
        FTI_AddScalarField(point, "x", FTI_DBLE, 0);
        FTI_AddScalarField(point, "y", FTI_DBLE, 8);
        FTI_AddScalarField(point, "z", FTI_DBLE, 16);
        FTI_AddScalarField(point, "id", FTI_INTG, 24);
        int pair = FTI_InitCompositeType("pair", 96, outer);
        FTI_AddVectorField(pair, "p", point, 0, 1, new long[] {2});
        FTI_AddScalarField(pair, "tag", FTI_CHAR, 64);
        FTI_AddVectorField(pair, "m", FTI_SHRT, 66, 2, new long[] {2, 3});
        FTI_AddScalarField(pair, "ld", FTI_LDBE, 80);
        ByteBuffer opaques = little(36);
        ByteBuffer points = little(64);
        ByteBuffer pairs = little(192);
        for (int i = 0; i < 36; i++) {
            opaques.put(i, (byte) (i + RANK));
        }
        for (int i = 0; i < 2; i++) {
            putPoint(points, 32 * i, i);
            putPoint(pairs, 96 * i, 0);
            putPoint(pairs, 96 * i + 32, i);
            pairs.put(96 * i + 64, (byte) 't');
            for (int k = 0; k < 6; k++) {
                pairs.putShort(96 * i + 66 + 2 * k, (short) (k + RANK));
            }
            putLongDouble(pairs, 96 * i + 80, MANTISSA, 1);
        }
        FTI_Protect(11, opaques, 3, opaque[0]);
        FTI_Protect(12, points, 2, point);
        FTI_Protect(13, pairs, 2, pair);
    }

    private static void putPoint(ByteBuffer target, int at, int i) {
        target.putDouble(at, i).putDouble(at + 8, RANK).putDouble(at + 16, 0.5).putInt(at + 24, 10 * i);
    }
}
