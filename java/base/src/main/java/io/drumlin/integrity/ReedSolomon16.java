package io.drumlin.integrity;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/**
 * The Reed-Solomon code of C FTI's level 3: a group of k data files and k parity files, all equally long, of which any
 * k determine the others; docs/formats/fti-ff.md, section 7. This class computes the sums from which files are made;
 * {@link Gf16Regions} carries them out. Immutable and pure.
 *
 * <p>Files 0 to k - 1 are data, files k to 2k - 1 parity. The code works on 16-bit words; a file of odd length counts
 * as completed by a zero byte.
 */
public final class ReedSolomon16 {

    /** Largest k, as in C FTI. */
    public static final int MOST_FILES = 31;

    private final int files;

    /**
     * Makes the code of a group.
     *
     * @param files k, the size of the group, 1 to {@link #MOST_FILES}
     */
    public ReedSolomon16(int files) {
        if (files < 1 || files > MOST_FILES) {
            throw new IllegalArgumentException(
                    "a group of " + files + " files; level 3 has groups of 1 to " + MOST_FILES);
        }
        this.files = files;
    }

    /**
     * Returns the size of the group.
     *
     * @return k
     */
    public int files() {
        return files;
    }

    /**
     * Returns a factor of the code: 1 / (parity ^ (k + data)), a Cauchy matrix.
     *
     * @param parity index of a parity file, 0 to k - 1
     * @param data number of a data file, 0 to k - 1
     * @return the factor of the data file in the sum that makes the parity file
     */
    public int coefficient(int parity, int data) {
        return Gf16.inverse(Objects.checkIndex(parity, files) ^ (files + Objects.checkIndex(data, files)));
    }

    /**
     * Returns the factors that make a parity file.
     *
     * @param parity index of the parity file, 0 to k - 1
     * @return the factors of data files 0 to k - 1
     */
    public int[] codingRow(int parity) {
        int[] row = new int[files];
        Arrays.setAll(row, data -> coefficient(parity, data));
        return row;
    }

    /**
     * Determines how lost files are made from the survivors.
     *
     * @param survivors numbers of the existing files, at least k; the first k are used, as in C FTI
     * @return the decoding
     */
    public Decoding decoding(BitSet survivors) {
        if (survivors.length() > 2 * files || survivors.cardinality() < files) {
            throw new IllegalArgumentException(
                    "files " + survivors + " of 0 to " + (2 * files - 1) + "; it takes " + files + " of them");
        }
        return new Decoding(survivors.stream().limit(files).toArray());
    }

    /** Determines from which files the lost ones are made, and how. Immutable. */
    public final class Decoding {

        private final int[] used;

        /** Row d, column u: the factor of the used file u in data file d. */
        private final int[][] inverse;

        private Decoding(int[] used) {
            this.used = used;
            int[][] rows = new int[files][];
            Arrays.setAll(rows, index -> used[index] < files ? unitRow(used[index]) : codingRow(used[index] - files));
            this.inverse = invert(rows);
        }

        /**
         * Returns the files from which all others are made.
         *
         * @return k numbers, ascending
         */
        public int[] used() {
            return used.clone();
        }

        /**
         * Returns the factors that make a file.
         *
         * @param number number of any file, 0 to 2k - 1
         * @return the factors of the files of {@link #used}, in their order
         */
        public int[] row(int number) {
            Objects.checkIndex(number, 2 * files);
            return number < files ? inverse[number].clone() : combined(codingRow(number - files));
        }

        /** Converts factors of data files to factors of the used files. */
        private int[] combined(int[] factors) {
            int[] row = new int[files];
            for (int data = 0; data < files; data++) {
                addMultiple(row, inverse[data], factors[data]);
            }
            return row;
        }
    }

    private int[] unitRow(int index) {
        int[] row = new int[files];
        row[index] = 1;
        return row;
    }

    /**
     * Inverts by Gauss and Jordan. Every matrix that occurs here has an inverse, and therefore any k files are enough
     * for this code.
     */
    private int[][] invert(int[][] matrix) {
        int[][] inverse = new int[files][];
        Arrays.setAll(inverse, this::unitRow);
        for (int column = 0; column < files; column++) {
            int pivot = column;
            while (matrix[pivot][column] == 0) {
                pivot++;
            }
            swap(matrix, pivot, column);
            swap(inverse, pivot, column);
            int factor = Gf16.inverse(matrix[column][column]);
            scale(matrix[column], factor);
            scale(inverse[column], factor);
            for (int row = 0; row < files; row++) {
                if (row != column) {
                    int multiple = matrix[row][column];
                    addMultiple(matrix[row], matrix[column], multiple);
                    addMultiple(inverse[row], inverse[column], multiple);
                }
            }
        }
        return inverse;
    }

    private static void swap(int[][] rows, int a, int b) {
        int[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    private static void scale(int[] row, int factor) {
        Arrays.setAll(row, column -> Gf16.multiply(row[column], factor));
    }

    private static void addMultiple(int[] row, int[] other, int factor) {
        Arrays.setAll(row, column -> row[column] ^ Gf16.multiply(other[column], factor));
    }
}
