package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A failure that all ranks have agreed on is printed by one of them, with the ranks that failed. */
@Tag("native")
class AgreedFailureIT {

    private static final int RANKS = 4;

    @TempDir
    private Path directory;

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Test
    void oneRankPrintsWhyTheJobEnds() throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        Mpirun.Outcome outcome =
                Mpirun.ranks(RANKS).run(AgreedFailureProgram.class, run.config().toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isNotZero();
        assertThat(outcome.output())
                .containsOnlyOnce("failed, aborting the job (failed on ranks 1-2 of 4)")
                .contains("rank 1 failed, aborting the job", "ENOSPC");
    }
}
