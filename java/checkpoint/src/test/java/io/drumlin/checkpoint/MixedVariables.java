package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

/** Variables of several kinds and sizes, one of them of nothing. */
final class MixedVariables {

    private final Scalar.OfInt step = new Scalar.OfInt(0);
    private final double[] grid = new double[40_000];
    private final short[] odd = new short[12_345];
    private final byte[] nothing = {};

    MixedVariables(Checkpoints checkpoints) {
        checkpoints.protect(0, step);
        checkpoints.protect(1, odd);
        checkpoints.protect(2, nothing);
        checkpoints.protect(3, grid);
    }

    void set(int value, int rank) {
        step.value = value;
        Arrays.setAll(grid, i -> value * 1e6 + rank * 1e5 + i);
        Arrays.fill(odd, (short) (100 * rank + value));
    }

    void require(int value, int rank) {
        assertThat(step.value).isEqualTo(value);
        for (int i = 0; i < grid.length; i++) {
            assertThat(grid[i] == value * 1e6 + rank * 1e5 + i).isTrue();
        }
        assertThat(odd).containsOnly((short) (100 * rank + value));
    }
}
