package io.drumlin.matrix;

import static io.drumlin.fti.FTI.FTI_COMM_WORLD;
import static io.drumlin.fti.FTI.FTI_Checkpoint;
import static io.drumlin.fti.FTI.FTI_DONE;
import static io.drumlin.fti.FTI.FTI_Protect;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.fti.FTI.FTI_Status;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import java.util.Arrays;
import java.util.List;

/** The programs of C FTI's suites of features that compute something, on a rank that is no head; one that finds something wrong throws. */
final class Applications {

    /** Steps of {@code layers}. */
    static final int STEPS = 5;

    private static final int STEP_LENGTH = 1000;

    private final Communicator app = FTI_COMM_WORLD();
    private final int rank = app.rank();

    /**
     * {@code layers HOW END LAST FOUND}: multiplies the elements of an array by those of another, a fifth of it in a step, and
     * takes a differential checkpoint before the first step and after each; ends after step {@code LAST}. {@code FOUND} is the step from
     * which a restart goes on, -1 for the first start.
     */
    void layers(List<String> arguments) {
        double[] product = new double[STEPS * STEP_LENGTH];
        double[] factors = new double[STEPS * STEP_LENGTH];
        Scalar.OfInt step = new Scalar.OfInt(-1);
        assertThat(FTI_Protect(0, product)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(1, factors)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(2, step)).isEqualTo(FTI_SCES);
        int found = Integer.parseInt(arguments.get(3));
        assertThat(FTI_Status()).as("FTI_Status").isEqualTo(found < 0 ? 0 : 1);
        if (found < 0) {
            Arrays.fill(product, 1);
            Arrays.setAll(factors, this::factor);
            takeLayer(step);
        } else {
            Programs.recover(arguments.get(0).equals("all"), 3);
            assertThat(step.value).as("step").isEqualTo(found);
            assertThat(product).isEqualTo(product(found));
        }
        while (step.value < Integer.parseInt(arguments.get(2))) {
            for (int i = step.value * STEP_LENGTH; i < (step.value + 1) * STEP_LENGTH; i++) {
                product[i] *= factors[i];
            }
            takeLayer(step);
        }
        assertThat(product).isEqualTo(product(step.value));
        Programs.end(arguments.get(1));
    }

    private static void takeLayer(Scalar.OfInt step) {
        step.value++;
        assertThat(FTI_Checkpoint(step.value + 1, 8)).as("FTI_Checkpoint").isEqualTo(FTI_DONE);
    }

    private double factor(int element) {
        return 2 + rank + element / 7.0;
    }

    private double[] product(int steps) {
        double[] product = new double[STEPS * STEP_LENGTH];
        Arrays.setAll(product, i -> i < steps * STEP_LENGTH ? factor(i) : 1);
        return product;
    }
}
