package io.drumlin.examples;

/**
 * A square plate of {@code n} by {@code n} cells: its temperatures before the heat spreads, and the cells that keep
 * them.
 */
interface Plate {

    /**
     * Returns the temperature at the start.
     *
     * @param row 0 to {@code n} - 1
     * @param column 0 to {@code n} - 1
     * @return degrees Celsius
     */
    double initial(int row, int column);

    /**
     * Returns whether the cell keeps its temperature. The cells along the four edges always do.
     *
     * @param row 0 to {@code n} - 1
     * @param column 0 to {@code n} - 1
     * @return true if the heat does not change it
     */
    boolean held(int row, int column);
}
