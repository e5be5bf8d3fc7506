package io.drumlin.integrity;

/**
 * The field GF(2^16) of polynomials over GF(2) modulo x^16 + x^12 + x^3 + x + 1. Elements are 0 to 65535, bit n the
 * coefficient of x^n. Addition is exclusive or.
 */
final class Gf16 {

    static final int BITS = 16;

    /** Number of elements. */
    static final int SIZE = 1 << BITS;

    private static final int POLYNOMIAL = 0x1100b;

    private Gf16() {}

    /** Returns x times an element. */
    static int shift(int a) {
        int shifted = a << 1;
        return shifted < SIZE ? shifted : shifted ^ POLYNOMIAL;
    }

    static int multiply(int a, int b) {
        int product = 0;
        int power = a;
        for (int rest = b; rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) {
                product ^= power;
            }
            power = shift(power);
        }
        return product;
    }

    /** Returns the multiplicative inverse of an element other than 0, which is its power 2^16 - 2. */
    static int inverse(int a) {
        if (a == 0) {
            throw new ArithmeticException("0 has no inverse");
        }
        int inverse = 1;
        int power = a;
        for (int bit = 1; bit < BITS; bit++) {
            power = multiply(power, power);
            inverse = multiply(inverse, power);
        }
        return inverse;
    }
}
