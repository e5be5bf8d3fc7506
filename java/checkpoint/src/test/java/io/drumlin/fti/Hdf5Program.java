package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** Variables of a rank in the mode HDF5: all types, an opaque one, nested ones with arrays, groups, names, two and three dimensions. */
public final class Hdf5Program {

    /** The rank of whose file of C FTI there is the dump. */
    public static final int DUMPED_RANK = 3;

    /** The bytes of 1.25 as a long double, without its exponent. */
    private static final long MANTISSA = 0xA000_0000_0000_0000L;

    private static final int CUBE = 9;

    private final int rank;
    private final byte[] chars = new byte[4];
    private final short[] shorts = new short[3];
    private final int[] ints = new int[6];
    private final long[] longs = new long[2];
    private final byte[] unsignedChars = new byte[2];
    private final short[] unsignedShorts = new short[2];
    private final int[] unsignedInts = new int[2];
    private final long[] unsignedLongs = new long[2];
    private final float[] floats = new float[2];
    private final double[] cube = new double[24];
    private final ByteBuffer longDoubles = little(32);
    private final ByteBuffer opaques = little(36);
    private final ByteBuffer points = little(64);
    private final ByteBuffer pairs = little(192);

    /**
     * Declares and protects the variables, which are zero.
     *
     * @param rank is in the values
     */
    public Hdf5Program(int rank) {
        this.rank = rank;
        List<Object> numbers = List.of(
                chars,
                shorts,
                ints,
                longs,
                unsignedChars,
                unsignedShorts,
                unsignedInts,
                unsignedLongs,
                floats,
                cube,
                longDoubles);
        int[] counts = {4, 3, 6, 2, 2, 2, 2, 2, 2, 24, 2};
        for (int type = FTI_CHAR; type <= FTI_LDBE; type++) {
            assertThat(FTI_Protect(type, numbers.get(type), counts[type], type)).isEqualTo(FTI_SCES);
        }
        FTIT_H5Group outer = new FTIT_H5Group();
        FTIT_H5Group inner = new FTIT_H5Group();
        assertThat(FTI_InitGroup(outer, "outer", null)).isEqualTo(FTI_SCES);
        assertThat(FTI_InitGroup(inner, "renamed", outer)).isEqualTo(FTI_SCES);
        assertThat(FTI_RenameGroup(inner, "inner")).isEqualTo(FTI_SCES);
        protectStructures(outer);
        assertThat(FTI_DefineDataset(CUBE, 3, new long[] {2, 3, 4}, "cube", inner))
                .isEqualTo(FTI_SCES);
        assertThat(FTI_DefineDataset(FTI_INTG, 2, new long[] {3, 2}, null, null))
                .isEqualTo(FTI_SCES);
        assertThat(FTI_DefineDataset(FTI_INTG, 0, null, "matrix", outer)).isEqualTo(FTI_SCES);
    }

    private void protectStructures(FTIT_H5Group outer) {
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
        assertThat(FTI_Protect(11, opaques, 3, opaque[0])).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(12, points, 2, point)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(13, pairs, 2, pair)).isEqualTo(FTI_SCES);
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Gives all variables the values that they have in the dump of C FTI's file. */
    public void fill() {
        System.arraycopy(new byte[] {1, 2, 3, (byte) rank}, 0, chars, 0, 4);
        System.arraycopy(new short[] {-1, 2, (short) rank}, 0, shorts, 0, 3);
        System.arraycopy(new int[] {1, 2, 3, 4, 5, -6}, 0, ints, 0, 6);
        longs[0] = 1L << 40;
        unsignedChars[0] = -1;
        unsignedShorts[0] = -1;
        unsignedInts[0] = (int) 4_000_000_000L;
        unsignedLongs[0] = -1;
        floats[0] = 1.5f;
        longs[1] = rank;
        unsignedChars[1] = (byte) rank;
        unsignedShorts[1] = (short) rank;
        unsignedInts[1] = rank;
        unsignedLongs[1] = rank;
        floats[1] = rank;
        for (int i = 0; i < cube.length; i++) {
            cube[i] = i + 100 * rank;
        }
        putLongDouble(longDoubles, 0, MANTISSA, 0);
        putLongDouble(longDoubles, 16, 0xC000_0000_0000_0000L, 1);
        fillStructures();
    }

    private void fillStructures() {
        for (int i = 0; i < 36; i++) {
            opaques.put(i, (byte) (i + rank));
        }
        for (int i = 0; i < 2; i++) {
            putPoint(points, 32 * i, i);
            putPoint(pairs, 96 * i, 0);
            putPoint(pairs, 96 * i + 32, i);
            pairs.put(96 * i + 64, (byte) 't');
            for (int k = 0; k < 6; k++) {
                pairs.putShort(96 * i + 66 + 2 * k, (short) (k + rank));
            }
            putLongDouble(pairs, 96 * i + 80, MANTISSA, 1);
        }
    }

    private static void putLongDouble(ByteBuffer target, int at, long mantissa, int exponent) {
        target.putLong(at, mantissa).putShort(at + 8, (short) (16383 + exponent));
    }

    private void putPoint(ByteBuffer target, int at, int i) {
        target.putDouble(at, i).putDouble(at + 8, rank).putDouble(at + 16, 0.5).putInt(at + 24, 10 * i);
    }

    /** Fails unless the variables are as {@link #fill} makes them. */
    public void assertFilled() {
        List<Object> found = copies();
        fill();
        List<Object> expected = copies();
        assertThat(IntStream.range(0, found.size()))
                .allSatisfy(i -> assertThat(found.get(i)).as("variable %d", i).isEqualTo(expected.get(i)));
    }

    private List<Object> copies() {
        return List.of(
                chars.clone(),
                shorts.clone(),
                ints.clone(),
                longs.clone(),
                unsignedChars.clone(),
                unsignedShorts.clone(),
                unsignedInts.clone(),
                unsignedLongs.clone(),
                floats.clone(),
                cube.clone(),
                longDoubles.array().clone(),
                opaques.array().clone(),
                points.array().clone(),
                pairs.array().clone());
    }

    /** What {@code h5dump -p} told of C FTI's file of {@link #DUMPED_RANK}, without the first line, which names the file. */
    public static String expectedDump() throws IOException {
        try (InputStream expected = Hdf5Program.class.getResourceAsStream("hdf5-dump.txt")) {
            return new String(expected.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
