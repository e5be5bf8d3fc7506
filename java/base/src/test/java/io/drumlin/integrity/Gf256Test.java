package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Random;
import org.junit.jupiter.api.Test;

class Gf256Test {

    /** By the definition: polynomials over GF(2), reduced by x^8 + x^4 + x^3 + x^2 + 1. */
    private static int product(int a, int b) {
        int product = 0;
        for (int bit = 0; bit < 8; bit++) {
            product ^= (b >> bit & 1) * (a << bit);
        }
        for (int bit = 15; bit >= 8; bit--) {
            product ^= (product >> bit & 1) * (0x11d << bit - 8);
        }
        return product;
    }

    @Test
    void multipliesAndInvertsAsDefined() {
        for (int a = 0; a < 256; a++) {
            for (int b = 0; b < 256; b++) {
                assertThat(Gf256.multiply(a, b)).isEqualTo(product(a, b));
            }
            if (a > 0) {
                assertThat(product(a, Gf256.inverse(a))).isEqualTo(1);
            }
        }
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> Gf256.inverse(0));
    }

    @Test
    void powers() {
        assertThat(Gf256.power(0, 0)).isEqualTo(1);
        assertThat(Gf256.power(0, 3)).isZero();
        for (int a = 1; a < 256; a++) {
            int power = 1;
            for (int exponent = 0; exponent < 600; exponent++) {
                assertThat(Gf256.power(a, exponent)).isEqualTo(power);
                power = product(power, a);
            }
        }
    }

    @Test
    void addsMultiplesOfRegions() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] source = new byte[1001];
        random.nextBytes(source);
        for (int factor = 0; factor < 256; factor++) {
            byte[] target = new byte[1001];
            random.nextBytes(target);
            byte[] sum = target.clone();
            Gf256.addMultiple(sum, source, factor, 1000);
            for (int i = 0; i < 1000; i++) {
                int expected = (target[i] ^ product(factor, source[i] & 0xff)) & 0xff;
                assertThat(sum[i] & 0xff)
                        .as("seed %d, factor %d, byte %d", seed, factor, i)
                        .isEqualTo(expected);
            }
            assertThat(sum[1000]).as("beyond the length").isEqualTo(target[1000]);
        }
    }

    @Test
    void invertsMatrices() {
        int[][] matrix = {{0, 2, 3}, {4, 5, 6}, {7, 8, 1}};
        assertThat(Gf256.multiply(matrix, Gf256.inverse(matrix)))
                .isDeepEqualTo(new int[][] {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
        assertThatExceptionOfType(ArithmeticException.class)
                .isThrownBy(() -> Gf256.inverse(new int[][] {{1, 2}, {1, 2}}));
    }
}
