package io.drumlin.cli.diff;

import java.util.stream.IntStream;

/** Powers of ten. */
final class Decades {

    static final int LEAST = -324;
    static final int MOST = 308;
    private static final double LOG_2 = Math.log10(2);

    private static final double[] POWERS = IntStream.rangeClosed(LEAST, MOST)
            .mapToDouble(exponent -> Double.parseDouble("1e" + exponent))
            .toArray();

    private Decades() {}

    /**
     * Returns the decade of a number, without the logarithm, which is slow.
     *
     * @param number finite and above 0
     * @return the largest exponent of a power of ten that is not larger
     */
    static int of(double number) {
        int below = (int) Math.floor(Math.getExponent(number) * LOG_2) - 1;
        int decade = number < Double.MIN_NORMAL ? LEAST : below;
        while (decade < MOST && POWERS[decade + 1 - LEAST] <= number) {
            decade++;
        }
        return decade;
    }
}
