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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the facades have started ends with the program, if the program has ended well. */
@Tag("native")
class EndIT {

    @TempDir
    private Path directory;

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @ParameterizedTest
    @ValueSource(strings = {"return", "again"})
    void mpiEndsWithAProgramOfFti(String end) throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(2).run(EndProgram.class, "fti", config(), end);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("main returns").doesNotContain("without calling");
    }

    @Test
    void mpiEndsWithAProgramOfScr() throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(2)
                .environment("SCR_PREFIX", directory.toString())
                .environment("SCR_CACHE_BASE", directory.resolve("cache").toString())
                .environment("SCR_CNTL_BASE", directory.resolve("cntl").toString())
                .environment("SCR_JOB_ID", "end")
                .run(EndProgram.class, "scr", "return");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("main returns");
    }

    @ParameterizedTest
    @ValueSource(strings = {"throw", "forget"})
    void aFailureIsNotWaitedWith(String end) throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(2).run(EndProgram.class, "fti", config(), end);
        assertThat(outcome.exitStatus()).as(outcome.output()).isNotZero();
    }

    private String config() throws Exception {
        return new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"))
                .config()
                .toString();
    }
}
