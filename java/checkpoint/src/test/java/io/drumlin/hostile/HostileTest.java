package io.drumlin.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a run against random events: whatever happens, a restart gives all ranks the newest checkpoint that must be
 * recoverable or a newer one, or says why not; and what only could not be read is there when it can be read again.
 */
class HostileTest {

    /** Kept, because a logger without a strong reference forgets its level. */
    private static final Logger LOG = Logger.getLogger("io.drumlin");

    private Path directory;

    @BeforeEach
    void prepare() throws IOException {
        // A life that is repeated is told in full.
        LOG.setLevel(Integer.getInteger("drumlin.hostile.lives", 0) == 1 ? Level.INFO : Level.OFF);
        Path memory = Path.of("/dev/shm");
        directory = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "drumlin-hostile")
                : Files.createTempDirectory("drumlin-hostile");
    }

    @AfterEach
    void tidyUp() throws IOException {
        LOG.setLevel(null);
        World.delete(directory);
    }

    /** Always the same ones, that a change which did not touch them does not fail; new ones are for the long campaign. */
    @Tag("exhaustive")
    @Test
    void someLives() throws InterruptedException {
        live(Trouble.named(""), 1, 1 << 20, 4, 10);
    }

    @Tag("soak")
    @Test
    void manyLives() throws InterruptedException {
        int lives = Integer.getInteger("drumlin.hostile.lives", 10_000);
        Set<Trouble> troubles = Trouble.named(System.getProperty("drumlin.hostile.events", ""));
        // A second job waits for seconds before it is refused.
        live(
                troubles,
                new Random().nextInt(Integer.MAX_VALUE),
                lives,
                12,
                60L * Integer.getInteger("drumlin.hostile.minutes", 60 * 24));
    }

    private void live(Set<Trouble> troubles, long firstSeed, int lives, int atOnce, long seconds)
            throws InterruptedException {
        long seed = Long.getLong("drumlin.hostile.seed", firstSeed);
        Campaign campaign = new Campaign(directory, troubles, seed, lives, atOnce, seconds, new ThreadJobs());
        List<String> failures = campaign.run();
        System.out.print(campaign.summary());
        assertThat(failures).as("lives that failed, as told above").isEmpty();
    }
}
