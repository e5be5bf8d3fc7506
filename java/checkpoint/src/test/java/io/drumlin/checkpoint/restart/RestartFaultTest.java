package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.TwoVariables;
import io.drumlin.checkpoint.modes.IoModeContract;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A checkpoint on the nodes and an older one of level 4, and errors that may pass while a run is restarted: it goes on from the newer
 * one or fails with words; and when the error has passed, a restart finds the newer one.
 */
class RestartFaultTest {

    @TempDir
    Path directory;

    @Test
    void theMessageNamesRankPathAndErrorAndTheWayOut() throws IOException {
        RunFixture run = run(Map.of());
        List<String> outcomes = start(run);
        assertThat(outcomes)
                .allMatch(outcome -> outcome.contains("rank 1")
                        && outcome.contains("Ckpt2-Rank1.fti")
                        && outcome.contains("EIO")
                        && outcome.contains("on_unreadable = older"));
    }

    @Test
    void theProgramMayGoOnFromTheOlderOne() throws IOException {
        RunFixture run = run(Map.of("drumlin.on_unreadable", "older"));
        assertThat(start(run)).containsOnly("" + IoModeContract.OLDER);
    }

    /** Engines of which the second cannot read for a while. */
    private static List<FaultyEngine> unreadable() {
        List<FaultyEngine> engines = IoModeContract.healthy(2);
        for (int i = 1; i <= 3; i++) {
            engines.get(1).fail(Operation.READ, i, "EIO");
        }
        return engines;
    }

    private RunFixture run(Map<String, String> config) throws IOException {
        RunFixture run = new RunFixture(directory, config);
        IoModeContract.takeOlderAndNewer(run, Level.L1);
        return run;
    }

    private static List<String> start(RunFixture run) {
        return TwoVariables.restart(run, IoModeContract.INTS, unreadable());
    }
}
