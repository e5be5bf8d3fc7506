package io.drumlin.checkpoint.stop;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.Mpirun.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job that is told to stop takes a last checkpoint, ends and continues later. The ranks are threads of one process. */
// It waits for seconds, so one run has it.
@Tag("exhaustive")
class StopTest {

    @TempDir
    private Path folder;

    private Outcome run(Map<String, String> changes, String... arguments) throws Exception {
        return run(Mpirun.withoutLauncher(), changes, arguments);
    }

    private Outcome run(Mpirun job, Map<String, String> changes, String... arguments) throws Exception {
        Path config = folder.resolve("config.fti");
        if (Files.notExists(config)) {
            new RunFixture(folder, new HashMap<>(changes));
        }
        return job.run(StoppingProgram.class, config.toString(), "2", arguments[0], arguments[1], arguments[2]);
    }

    private static int iteration(Outcome outcome, String word) {
        Matcher found = Pattern.compile("rank [01] " + word + " after (\\d+)").matcher(outcome.output());
        assertThat(found.find()).as(outcome.output()).isTrue();
        int first = Integer.parseInt(found.group(1));
        assertThat(found.find()).as(outcome.output()).isTrue();
        assertThat(Integer.parseInt(found.group(1))).as(outcome.output()).isEqualTo(first);
        return first;
    }

    @ParameterizedTest
    @CsvSource({"snapshot, USR1", "own, TERM", "own, halt"})
    void theLastCheckpointIsTakenAndTheNextStartContinues(String how, String what) throws Exception {
        Outcome stopped = run(Map.of(), how, "100", what);
        assertThat(stopped.exitStatus()).as(stopped.output()).isEqualTo(Checkpoints.COME_AGAIN);
        int last = iteration(stopped, "stops");
        assertThat(last).isBetween(100, 999);
        assertThat(stopped.output())
                .contains("this job stops after a last checkpoint: rank ")
                .contains(what.equals("halt") ? "rank 0 found the halt file" : "got SIG" + what)
                .contains(", L4");
        assertThat(folder.resolve("config.fti.halt")).doesNotExist();

        Outcome second = run(Map.of(), how, "0", "nothing");
        assertThat(iteration(second, "restarts")).isEqualTo(last);
        assertThat(second.output()).contains("rank 0 is done").contains("rank 1 is done");
        assertThat(second.exitStatus()).as(second.output()).isZero();
    }

    @Test
    void theEndOfTheAllocationStopsAProgramOfTheCFacade() throws Exception {
        Map<String, String> changes = Map.of("drumlin.stop", "exit", "drumlin.stop_margin", "0");
        String end = Long.toString(System.currentTimeMillis() / 1000 + 3);
        Outcome stopped =
                run(Mpirun.withoutLauncher().environment("DRUMLIN_END_TIME", end), changes, "fti", "0", "nothing");
        assertThat(stopped.exitStatus()).as(stopped.output()).isEqualTo(Checkpoints.COME_AGAIN);
        assertThat(stopped.output())
                .contains("rank 0 sees the end of the allocation near")
                .doesNotContain("done");

        Outcome second = run(changes, "fti", "0", "nothing");
        assertThat(iteration(second, "restarts")).isNotNegative();
        assertThat(second.output()).contains("rank 0 is done").contains("rank 1 is done");
        assertThat(second.exitStatus()).as(second.output()).isZero();
    }

    @Test
    void aHandlerOfTheProgramIsLeftAlone() throws Exception {
        Outcome outcome = run(Map.of(), "handler", "10", "USR1");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output())
                .contains("the program itself got SIGUSR1")
                .contains("SIGUSR1 does not stop this job: the program handles it itself")
                .contains("rank 0 is done");
    }

    @Test
    void aRunThatNeverStopsHasNoHandlers() throws Exception {
        Outcome outcome = run(Map.of("drumlin.stop", "never"), "own", "10", "USR1");
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(128 + 10);
    }

    @Test
    void slurmIsToldWhenTheJobIsToComeAgain() throws Exception {
        Path told = folder.resolve("told");
        Path scontrol = Files.writeString(folder.resolve("scontrol"), "#!/bin/sh\necho \"$@\" >'" + told + "'\n");
        assertThat(scontrol.toFile().setExecutable(true)).isTrue();
        Outcome outcome = run(
                Mpirun.withoutLauncher()
                        .environment("PATH", folder + ":" + System.getenv("PATH"))
                        .environment("SLURM_JOB_ID", "4711")
                        .environment("SLURM_JOB_END_TIME", "99999999999"),
                Map.of("drumlin.requeue", "yes"),
                "snapshot",
                "10",
                "USR1");
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(Checkpoints.COME_AGAIN);
        assertThat(told).as(outcome.output()).hasContent("requeue 4711");
    }
}
