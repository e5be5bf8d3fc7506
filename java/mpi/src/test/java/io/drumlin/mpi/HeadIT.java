package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints that are finished behind the computation, with processes as ranks. */
@Tag("exhaustive")
@Tag("native")
class HeadIT {

    @TempDir
    private Path directory;

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    /** Two nodes of a head and a rank of the application. */
    @Test
    void headsFinishCheckpointsAndEndWithTheRun() throws IOException, InterruptedException {
        RunFixture run = new RunFixture(
                directory,
                "head=1, node_size=2, group_size=2, inline_l2=0, inline_l3=0, inline_l4=0, keep_last_ckpt=1, ckpt_io=2, verbosity=2");
        Mpirun.Outcome killed = start(run, 1, "kill");
        assertThat(killed.exitStatus()).as(killed.output()).isNotZero();
        assertThat(killed.output())
                .contains("[ FTI-Head Message ] : Post-checkpoint took")
                .doesNotContain("recovered");
        assertThat(run.restartValue("failure")).isEqualTo("1");
        Mpirun.Outcome restarted = start(run, 1001, "finalize");
        assertThat(restarted.exitStatus()).as(restarted.output()).isZero();
        assertThat(found(restarted)).allMatch(id -> id >= 2 && id < 1000);
        assertCalledOnHeads(restarted);
        assertThat(run.restartValue("failure")).isEqualTo("2");
        assertThat(run.files()).noneMatch(file -> file.startsWith("Local"));
        Mpirun.Outcome kept = start(run, 2001, "fail");
        assertThat(kept.exitStatus()).as(kept.output()).isZero();
        assertCalledOnHeads(kept);
        assertThat(kept.output())
                .containsOnlyOnce("rank 0, head of node 0: the callback failed and is not called again")
                .containsOnlyOnce("rank 2, head of node 1: the callback failed and is not called again");
        assertThat(found(kept)).containsExactly(1002, 1002);
    }

    @Test
    void headsPutACheckpointAsideForTheApplication() throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, "head=1, node_size=2, group_size=2, ckpt_io=1");
        Mpirun.Outcome outcome = start(run, 1, "stash");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output().lines().filter("went back to 1"::equals)).hasSize(2);
        assertCalledOnHeads(outcome);
    }

    /** No head waits for ranks that could not look for the checkpoint, and all can try again. */
    @Test
    void headsAreToldWhereTheApplicationCannotBegin() throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, "head=1, node_size=2, group_size=2, ckpt_io=1");
        start(run, 1, "kill");
        Mpirun.Outcome outcome = Mpirun.ranks(4)
                .jvmOptions("-Ddrumlin.storage=nio")
                .faults("stat path=/drumlin-groups-only nth=1 rank=1 error=EIO")
                .timeout(Duration.ofMinutes(1))
                .run(TryAgain.class, run.config().toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output().lines().filter("first: EIO"::equals)).hasSize(4);
        assertThat(outcome.output().lines().filter("then: restart"::equals)).hasSize(2);
    }

    /** Opens a run twice. */
    static final class TryAgain {

        private TryAgain() {}

        public static void main(String[] args) throws Exception {
            Path config = Path.of(args[0]);
            Communicators.run(world -> {
                try (Checkpoints first = Checkpoints.open(config, world)) {
                    System.out.println("first: " + first.isRestart());
                } catch (IOException e) {
                    System.out.println("first: " + (e.getMessage().contains("EIO") ? "EIO" : e));
                }
                try (Checkpoints then = Checkpoints.open(config, world)) {
                    if (!then.isHead()) {
                        System.out.println("then: " + (then.isRestart() ? "restart" : "fresh start"));
                    }
                }
            });
        }
    }

    /** The same with a thread of each rank in place of the heads: MPI is called by two threads at once. */
    @Test
    void threadsTakeCheckpointsBehindTheComputation() throws IOException, InterruptedException {
        RunFixture run =
                new RunFixture(directory, "drumlin.async=1, node_size=1, group_size=2, keep_last_ckpt=1, ckpt_io=2");
        for (int first : List.of(1, 1001)) {
            Mpirun.Outcome outcome =
                    Mpirun.ranks(2).run(HeadProgram.class, run.config().toString(), "" + first, "finalize");
            assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
            assertThat(found(outcome)).isEqualTo(first == 1 ? List.of() : List.of(2, 2));
            assertThat(outcome.output()).doesNotContain("called on ");
        }
    }

    private static Mpirun.Outcome start(RunFixture run, int first, String end)
            throws IOException, InterruptedException {
        Mpirun.Outcome outcome =
                Mpirun.ranks(4).run(HeadProgram.class, run.config().toString(), "" + first, end);
        assertThat(outcome.output().lines().filter(line -> line.endsWith("goes on")))
                .as("heads do not come back from FTI_Init: %s", outcome.output())
                .containsExactlyInAnyOrder("rank 1 goes on", "rank 3 goes on");
        return outcome;
    }

    private static void assertCalledOnHeads(Mpirun.Outcome outcome) {
        assertThat(outcome.output().lines().filter(line -> line.startsWith("called on ")))
                .as(outcome.output())
                .containsExactlyInAnyOrder("called on rank 0, head 0", "called on rank 2, head 1");
    }

    private static List<Integer> found(Mpirun.Outcome outcome) {
        return outcome.output()
                .lines()
                .filter(line -> line.startsWith("recovered "))
                .map(line -> Integer.valueOf(line.substring("recovered ".length())))
                .toList();
    }
}
