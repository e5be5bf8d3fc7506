package io.drumlin.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.mpi.NativeMpi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random lives as those of {@code HostileTest}, of jobs under mpirun: in one rank calls of the system fail, or end it. */
@Tag("native")
class HostileIT {

    /** What happens to a machine cannot happen to the processes of a job, and a second job is seen with threads. */
    private static final Set<Trouble> NOT_HERE = EnumSet.of(Trouble.POWER_LOSS, Trouble.SECOND_JOB);

    private Path directory;

    @BeforeEach
    void prepare() throws IOException {
        Path memory = Path.of("/dev/shm");
        directory = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "drumlin-hostile")
                : Files.createTempDirectory("drumlin-hostile");
        Mpirun.assumeInstalled();
        Throwable cause = NativeMpi.unavailabilityCause();
        if (cause != null) {
            Mpirun.skip("native MPI is not available: " + cause.getMessage());
        }
    }

    @AfterEach
    void tidyUp() throws IOException {
        World.delete(directory);
    }

    /** Always the same one; a node has one rank. */
    @Tag("exhaustive")
    @Test
    void oneLife() throws InterruptedException {
        live(Trouble.named(""), 7, 1, 60, new MpiJobs(1));
    }

    @Tag("soak")
    @Test
    void manyLives() throws InterruptedException {
        live(
                Trouble.named(System.getProperty("drumlin.hostile.events", "")),
                new Random().nextInt(Integer.MAX_VALUE),
                Integer.getInteger("drumlin.hostile.lives", 100),
                60L * Integer.getInteger("drumlin.hostile.minutes", 60),
                new MpiJobs(2));
    }

    private void live(Set<Trouble> troubles, long firstSeed, int lives, long seconds, Jobs jobs)
            throws InterruptedException {
        troubles.removeAll(NOT_HERE);
        long seed = Long.getLong("drumlin.hostile.seed", firstSeed);
        Campaign campaign = new Campaign(directory, troubles, seed, lives, 1, seconds, jobs);
        List<String> failures = campaign.run();
        System.out.print(campaign.summary());
        assertThat(failures).as("lives that failed, as told above").isEmpty();
    }
}
