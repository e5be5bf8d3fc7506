package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeatBlockTest {

    private record Result(double[][] field, double residual) {}

    /** A plate that is held along its edges only. */
    private record FreePlate(DoubleBinaryOperator temperature) implements Plate {
        @Override
        public double initial(int row, int column) {
            return temperature.applyAsDouble(row, column);
        }

        @Override
        public boolean held(int row, int column) {
            return false;
        }
    }

    private static Result run(Plate plate, int n, int ranks, int steps) throws IOException {
        double[][] field = new double[n][];
        double[] residual = new double[ranks];
        ThreadCommunicator.run(ranks, comm -> {
            HeatBlock block = new HeatBlock(plate, n, comm.rank(), comm.size());
            for (int step = 0; step < steps; step++) {
                block.step(comm);
            }
            residual[comm.rank()] = block.residual(comm);
            block.collect(comm, (row, temperatures) -> field[row] = temperatures.clone());
        });
        assertThat(residual).containsOnly(residual[0]);
        return new Result(field, residual[0]);
    }

    /** The product of two half sine waves is an eigenvector of the step: its eigenvalue is known. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void aHalfWaveDecaysAtTheKnownRate(int ranks) throws IOException {
        int n = 33;
        int steps = 100;
        double wave = Math.PI / (n - 1);
        DoubleBinaryOperator start = (row, column) -> Math.sin(wave * row) * Math.sin(wave * column);

        Result result = run(new FreePlate(start), n, ranks, steps);

        double decay = Math.cos(wave);
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < n; column++) {
                double expected = Math.pow(decay, steps) * start.applyAsDouble(row, column);
                assertThat(result.field[row][column]).isCloseTo(expected, within(1e-13));
            }
        }
        assertThat(result.residual).isCloseTo((1 - decay) * Math.pow(decay, steps - 1), within(1e-13));
    }

    /** Three cold edges and one with a half sine wave: the steady state of the five-point equations is known. */
    @Test
    void aHeatedEdgeLeadsToTheKnownSteadyState() throws IOException {
        int n = 25;
        double wave = Math.PI / (n - 1);
        DoubleBinaryOperator start = (row, column) -> row == 0 ? Math.sin(wave * column) : 0;

        double[][] field = run(new FreePlate(start), n, 3, 4000).field;

        double cosh = 2 - Math.cos(wave);
        double depth = Math.log(cosh + Math.sqrt(cosh * cosh - 1));
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < n; column++) {
                double expected =
                        Math.sinh(depth * (n - 1 - row)) / Math.sinh(depth * (n - 1)) * Math.sin(wave * column);
                assertThat(field[row][column]).isCloseTo(expected, within(1e-12));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7, 50})
    void theNumberOfRanksDoesNotChangeABit(int ranks) throws IOException {
        int n = 50;
        Plate plate = new RodPlate(n);
        assertThat(run(plate, n, ranks, 60)).usingRecursiveComparison().isEqualTo(run(plate, n, 1, 60));
    }

    @Test
    void rodsAndEdgesKeepTheirTemperature() throws IOException {
        int n = 200;
        Plate plate = new RodPlate(n);
        double[][] field = run(plate, n, 2, 20).field;
        int rods = 0;
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < n; column++) {
                if (plate.held(row, column) || row % (n - 1) == 0 || column % (n - 1) == 0) {
                    assertThat(field[row][column]).isEqualTo(plate.initial(row, column));
                    rods++;
                }
            }
        }
        assertThat(rods).isGreaterThan(89 + 4 * (n - 1));
    }

    @Test
    void moreRanksThanRowsAreRefused() {
        Plate plate = new RodPlate(4);
        assertThatThrownBy(() -> new HeatBlock(plate, 4, 0, 5)).hasMessageContaining("5 ranks cannot share 4 rows");
    }
}
