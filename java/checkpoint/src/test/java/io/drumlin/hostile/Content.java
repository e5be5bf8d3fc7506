package io.drumlin.hostile;

import java.util.Arrays;

/**
 * What variables hold: each element says of which checkpoint, rank and variable it is and where it stands, so that any mix is
 * seen.
 */
final class Content {

    private static final int EPOCH = 40;
    private static final int RANK = 32;
    private static final int ID = 24;

    private Content() {}

    /** How many elements a rank has of a variable. */
    static int elements(int size, int rank) {
        return size == 0 ? 0 : size + 7 * (rank % 3);
    }

    static long value(int epoch, int rank, int id, int index) {
        return (long) epoch << EPOCH | (long) rank << RANK | (long) id << ID | index;
    }

    static void fill(long[] variable, int epoch, int rank, int id) {
        Arrays.setAll(variable, index -> value(epoch, rank, id, index));
    }

    static int epoch(long value) {
        return (int) (value >>> EPOCH);
    }

    /** What a value says, for people. */
    static String words(long value) {
        return String.format(
                "%x (checkpoint %d, rank %d, variable %d, element %d)",
                value, value >>> EPOCH, value >>> RANK & 0xff, value >>> ID & 0xff, value & 0xffffff);
    }
}
