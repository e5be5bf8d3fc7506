package io.drumlin.examples;

import static io.drumlin.fti.FTI.FTI_Checkpoint;
import static io.drumlin.fti.FTI.FTI_DBLE;
import static io.drumlin.fti.FTI.FTI_Finalize;
import static io.drumlin.fti.FTI.FTI_INTG;
import static io.drumlin.fti.FTI.FTI_Init;
import static io.drumlin.fti.FTI.FTI_L1;
import static io.drumlin.fti.FTI.FTI_NSCS;
import static io.drumlin.fti.FTI.FTI_Protect;
import static io.drumlin.fti.FTI.FTI_Recover;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.fti.FTI.FTI_Status;

import io.drumlin.checkpoint.Scalar;

/**
 * A C program with FTI calls, and the same program in Java. The calls keep their names and return codes; the
 * configuration file and the files on disk are the same.
 *
 * <pre>{@code
 * #include <fti.h>                                     import static io.drumlin.fti.FTI.*;
 *
 * int main(int argc, char **argv) {                    public static void main(String[] arguments) {
 *     MPI_Init(&argc, &argv);
 *     FTI_Init(argv[1], MPI_COMM_WORLD);                   FTI_Init(arguments[0]);
 *     int step = 0;                                        var step = new Scalar.OfInt(0);
 *     double *a = calloc(n, sizeof(double));               double[] a = new double[n];
 *     FTI_Protect(0, &step, 1, FTI_INTG);                  FTI_Protect(0, step, 1, FTI_INTG);
 *     FTI_Protect(1, a, n, FTI_DBLE);                      FTI_Protect(1, a, n, FTI_DBLE);
 *     if (FTI_Status() != 0)                               if (FTI_Status() != 0)
 *         FTI_Recover();                                       FTI_Recover();
 *     while (step < steps) {                               while (step.value < steps) {
 *         work(a, n, step);                                    work(a, step.value);
 *         step++;                                              step.value++;
 *         if (step % 10 == 0)                                  if (step.value % 10 == 0)
 *             FTI_Checkpoint(step / 10, FTI_L1);                   FTI_Checkpoint(step.value / 10, FTI_L1);
 *     }                                                    }
 *     FTI_Finalize();                                      FTI_Finalize();
 *     MPI_Finalize();
 * }                                                    }
 * }</pre>
 *
 * <p>A call that does not return {@code FTI_SCES} or {@code FTI_DONE} has failed and has printed why. The program below
 * checks the two calls that must not fail.
 */
public final class FtiPort {

    private static final int CELLS = 100_000;
    private static final int STEPS = 200;

    private FtiPort() {}

    /**
     * Runs the example.
     *
     * @param arguments the path of the FTI configuration file
     */
    public static void main(String[] arguments) {
        Usage.require(arguments, 1, "FtiPort CONFIG.fti");
        System.out.println(simulate(arguments[0], STEPS)[0]);
    }

    /**
     * Computes something, with checkpoints.
     *
     * @param config the FTI configuration file
     * @param steps last step
     * @return the result
     */
    static double[] simulate(String config, int steps) {
        if (FTI_Init(config) == FTI_NSCS) {
            throw new IllegalStateException("FTI cannot be used with " + config);
        }
        Scalar.OfInt step = new Scalar.OfInt(0);
        double[] a = new double[CELLS];
        FTI_Protect(0, step, 1, FTI_INTG);
        FTI_Protect(1, a, a.length, FTI_DBLE);
        if (FTI_Status() != 0 && FTI_Recover() != FTI_SCES) {
            throw new IllegalStateException("the data of the last run cannot be recovered");
        }
        while (step.value < steps) {
            work(a, step.value);
            step.value++;
            if (step.value % 10 == 0) {
                FTI_Checkpoint(step.value / 10, FTI_L1);
            }
        }
        FTI_Finalize();
        return a;
    }

    /** Does a step of the computation. Its result depends on every earlier step. */
    static void work(double[] a, int step) {
        for (int i = 0; i < a.length; i++) {
            a[i] = 0.75 * a[i] + Math.sqrt(i + step);
        }
    }
}
