package io.drumlin.integrity;

/**
 * Arithmetic of bytes in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 and the generator 2, the field of SCR's
 * Reed-Solomon code. Elements are ints from 0 to 255. Thread-safe.
 */
public final class Gf256 {

    /** Number of elements. */
    public static final int SIZE = 256;

    private static final int POLYNOMIAL = 0x11d;
    private static final int ORDER = SIZE - 1;

    /** Powers of the generator, twice in a row so that sums of two logarithms need no reduction. */
    private static final int[] POWERS = new int[2 * ORDER];

    private static final int[] LOGARITHMS = new int[SIZE];

    static {
        int power = 1;
        for (int i = 0; i < ORDER; i++) {
            POWERS[i] = power;
            POWERS[i + ORDER] = power;
            LOGARITHMS[power] = i;
            power <<= 1;
            if (power >= SIZE) {
                power ^= POLYNOMIAL;
            }
        }
    }

    private Gf256() {}

    /**
     * Multiplies.
     *
     * @param a 0 to 255
     * @param b 0 to 255
     * @return the product
     */
    public static int multiply(int a, int b) {
        return a == 0 || b == 0 ? 0 : POWERS[LOGARITHMS[a] + LOGARITHMS[b]];
    }

    /**
     * Inverts.
     *
     * @param a 1 to 255
     * @return the element whose product with {@code a} is 1
     */
    public static int inverse(int a) {
        if (a == 0) {
            throw new ArithmeticException("0 has no inverse");
        }
        return POWERS[ORDER - LOGARITHMS[a]];
    }

    /**
     * Raises to a power.
     *
     * @param a 0 to 255
     * @param exponent 0 or above
     * @return the power; exponent 0 gives 1, even for 0
     */
    public static int power(int a, int exponent) {
        if (exponent == 0) {
            return 1;
        }
        return a == 0 ? 0 : POWERS[(int) ((long) LOGARITHMS[a] * exponent % ORDER)];
    }

    /**
     * Adds a multiple of one region to another, byte by byte.
     *
     * @param target receives the sum
     * @param source not changed
     * @param factor 0 to 255
     * @param length number of bytes from the beginning of both
     */
    public static void addMultiple(byte[] target, byte[] source, int factor, int length) {
        if (factor == 1) {
            for (int i = 0; i < length; i++) {
                target[i] ^= source[i];
            }
        } else if (factor != 0) {
            byte[] products = new byte[SIZE];
            for (int value = 0; value < SIZE; value++) {
                products[value] = (byte) multiply(factor, value);
            }
            for (int i = 0; i < length; i++) {
                target[i] ^= products[source[i] & 0xff];
            }
        }
    }

    /**
     * Inverts a square matrix.
     *
     * @param matrix rows of elements; not changed
     * @return the inverse
     * @throws ArithmeticException the matrix has no inverse
     */
    public static int[][] inverse(int[][] matrix) {
        int n = matrix.length;
        int[][] rest = new int[n][];
        int[][] inverse = new int[n][n];
        for (int row = 0; row < n; row++) {
            rest[row] = matrix[row].clone();
            inverse[row][row] = 1;
        }
        for (int column = 0; column < n; column++) {
            int pivot = column;
            while (pivot < n && rest[pivot][column] == 0) {
                pivot++;
            }
            if (pivot == n) {
                throw new ArithmeticException("the matrix has no inverse");
            }
            swap(rest, pivot, column);
            swap(inverse, pivot, column);
            int scale = inverse(rest[column][column]);
            scale(rest[column], scale);
            scale(inverse[column], scale);
            for (int row = 0; row < n; row++) {
                if (row != column) {
                    int factor = rest[row][column];
                    addMultiple(rest[row], rest[column], factor);
                    addMultiple(inverse[row], inverse[column], factor);
                }
            }
        }
        return inverse;
    }

    /**
     * Multiplies matrices.
     *
     * @param a rows of elements
     * @param b rows of elements, as many as {@code a} has columns
     * @return the product
     */
    public static int[][] multiply(int[][] a, int[][] b) {
        int[][] product = new int[a.length][b[0].length];
        for (int row = 0; row < a.length; row++) {
            for (int k = 0; k < b.length; k++) {
                addMultiple(product[row], b[k], a[row][k]);
            }
        }
        return product;
    }

    private static void swap(int[][] rows, int a, int b) {
        int[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    private static void scale(int[] row, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] = multiply(row[i], factor);
        }
    }

    private static void addMultiple(int[] target, int[] source, int factor) {
        for (int i = 0; i < target.length; i++) {
            target[i] ^= multiply(source[i], factor);
        }
    }
}
