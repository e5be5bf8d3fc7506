package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.internal.Launcher;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LauncherTest {

    @Test
    void aPlainProcessIsNoParallelJob() throws IOException {
        assertThat(Launcher.parallelJob(Map.of("PATH", "/bin"))).isEmpty();
        assertThat(Communicators.single(Map.of()).size()).isEqualTo(1);
    }

    @Test
    void launchersAreRecognised() {
        assertThat(Launcher.parallelJob(Map.of("OMPI_COMM_WORLD_SIZE", "4", "PMIX_RANK", "0")))
                .hasValue("OMPI_COMM_WORLD_SIZE=4");
        assertThat(Launcher.parallelJob(Map.of("PMI_SIZE", "2", "PMI_RANK", "0")))
                .hasValue("PMI_SIZE=2");
        assertThat(Launcher.parallelJob(Map.of("SLURM_STEP_NUM_TASKS", "8", "SLURM_PROCID", "3")))
                .hasValue("SLURM_STEP_NUM_TASKS=8");
        assertThat(Launcher.parallelJob(Map.of("PMIX_RANK", "1"))).hasValue("PMIX_RANK=1");
    }

    @Test
    void theNumberOfProcessesIsRead() {
        assertThat(Launcher.processes(Map.of("OMPI_COMM_WORLD_SIZE", "4", "PMI_SIZE", "2")))
                .hasValue(4);
        assertThat(Launcher.processes(Map.of("PMI_SIZE", "16"))).hasValue(16);
        assertThat(Launcher.processes(Map.of("PMIX_RANK", "1"))).isEmpty();
        assertThat(Launcher.processes(Map.of("PMI_SIZE", "many"))).isEmpty();
    }

    @Test
    void aJobOfOneProcessIsNoParallelJob() {
        assertThat(Launcher.parallelJob(Map.of("OMPI_COMM_WORLD_SIZE", "1", "PMIX_RANK", "0")))
                .isEmpty();
        assertThat(Launcher.parallelJob(Map.of("SLURM_STEP_NUM_TASKS", "1"))).isEmpty();
    }

    @Test
    void aProgramInABatchScriptIsNoParallelJob() {
        assertThat(Launcher.parallelJob(Map.of("SLURM_NTASKS", "4", "SLURM_PROCID", "0")))
                .isEmpty();
    }

    @Test
    void severalProcessesWithoutMpiAreAnError() {
        assertThatThrownBy(() -> Communicators.single(Map.of("OMPI_COMM_WORLD_SIZE", "4")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("OMPI_COMM_WORLD_SIZE=4")
                .hasMessageContaining("drumlin-mpi");
    }
}
