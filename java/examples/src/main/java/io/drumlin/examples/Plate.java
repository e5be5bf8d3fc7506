package io.drumlin.examples;

/** What a square plate of {@code n} by {@code n} cells is like before the heat spreads, and where it is held so. */
interface Plate {

    /**
     * The temperature at the start.
     *
     * @param row 0 to {@code n} - 1
     * @param column 0 to {@code n} - 1
     * @return degrees Celsius
     */
    double initial(int row, int column);

    /**
     * Whether the cell keeps its temperature. The cells along the four edges do, whatever this says.
     *
     * @param row 0 to {@code n} - 1
     * @param column 0 to {@code n} - 1
     * @return true if the heat does not change it
     */
    boolean held(int row, int column);
}
