package io.drumlin.comm.internal;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Finds the launcher that started this process, such as mpirun or srun, in the environment. Thread-safe. */
public final class Launcher {

    /**
     * Variables that hold the number of processes, in order of priority. SLURM_NTASKS is not among them: a batch script
     * has it too, and a program that the script starts without srun is not part of a job step.
     */
    private static final List<String> SIZES =
            List.of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS");

    private Launcher() {}

    /**
     * Returns the number of processes that the launcher started together, if it tells.
     *
     * @param environment normally {@link System#getenv()}
     * @return empty without a launcher, or if its number cannot be parsed
     */
    public static OptionalInt processes(Map<String, String> environment) {
        for (String name : SIZES) {
            String value = environment.get(name);
            if (value != null && value.matches("[1-9][0-9]{0,8}")) {
                return OptionalInt.of(Integer.parseInt(value));
            }
        }
        return OptionalInt.empty();
    }

    /**
     * Tells whether this process is one of several that a launcher started together.
     *
     * @param environment normally {@link System#getenv()}
     * @return the variables that show it, for a message: {@code "OMPI_COMM_WORLD_SIZE=4"}; empty if there are none
     */
    public static Optional<String> parallelJob(Map<String, String> environment) {
        for (String name : SIZES) {
            String value = environment.get(name);
            if (value != null) {
                return value.equals("1") ? Optional.empty() : Optional.of(name + "=" + value);
            }
        }
        // PMIx gives only the rank. If nothing tells the size, several processes must be assumed.
        return Optional.ofNullable(environment.get("PMIX_RANK")).map(rank -> "PMIX_RANK=" + rank);
    }
}
