package io.drumlin.examples;

/**
 * A lukewarm plate with heating and cooling rods through it, arranged like seeds in a sunflower. Every rod is a golden
 * angle further round and a little further out than the one before.
 */
final class RodPlate implements Plate {

    /** Temperature of the cooling rods. */
    static final double COLD = 0;
    /** Temperature of the heating rods. */
    static final double HOT = 100;

    private static final double LUKEWARM = 25;
    private static final int RODS = 89;
    private static final double GOLDEN_ANGLE = StrictMath.PI * (3 - StrictMath.sqrt(5));

    private final double[] rows = new double[RODS];
    private final double[] columns = new double[RODS];
    private final double radius;

    /**
     * Places the rods.
     *
     * @param n number of cells along an edge
     */
    RodPlate(int n) {
        radius = 0.011 * n;
        for (int rod = 0; rod < RODS; rod++) {
            double distance = 0.47 * n * StrictMath.sqrt((rod + 0.5) / RODS);
            rows[rod] = 0.5 * n - distance * StrictMath.cos(rod * GOLDEN_ANGLE);
            columns[rod] = 0.5 * n + distance * StrictMath.sin(rod * GOLDEN_ANGLE);
        }
    }

    @Override
    public double initial(int row, int column) {
        int rod = rodAt(row, column);
        if (rod < 0) {
            return LUKEWARM;
        }
        return rod % 3 == 0 ? COLD : HOT;
    }

    @Override
    public boolean held(int row, int column) {
        return rodAt(row, column) >= 0;
    }

    private int rodAt(int row, int column) {
        for (int rod = 0; rod < RODS; rod++) {
            double down = row - rows[rod];
            double right = column - columns[rod];
            if (down * down + right * right <= radius * radius) {
                return rod;
            }
        }
        return -1;
    }
}
