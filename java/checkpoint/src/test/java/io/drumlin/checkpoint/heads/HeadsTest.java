package io.drumlin.checkpoint.heads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs in which the first rank of each node is a head: 4 nodes of 3 ranks, in groups of 2. */
public class HeadsTest {

    public static final int RANKS = 12;
    public static final List<Integer> APPLICATION = List.of(1, 2, 4, 5, 7, 8, 10, 11);

    @TempDir
    Path directory;

    /** What makes such a run of one. */
    public static Map<String, String> heads() {
        return Map.of("basic.head", "1", "basic.node_size", "3", "basic.group_size", "2");
    }

    private RunFixture run(Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(heads());
        all.putAll(changes);
        return new RunFixture(directory, all);
    }

    private static int[] values(Communicator comm, int seed) {
        int[] values = new int[500 + 100 * comm.rank()];
        Arrays.setAll(values, i -> seed * 1_000_000 + comm.rank() * 10_000 + i);
        return values;
    }

    private static void take(Checkpoints checkpoints, Communicator comm, int id, Level level) throws IOException {
        checkpoints.protect(0, values(comm, id));
        checkpoints.checkpoint(id, level);
    }

    private static void recover(Checkpoints checkpoints, Communicator comm, int id, Level level) throws IOException {
        assertThat(checkpoints.lastCheckpoint()).contains(id);
        assertThat(checkpoints.lastLevel()).contains(level);
        int[] found = new int[values(comm, id).length];
        checkpoints.protect(0, found);
        checkpoints.recover();
        assertThat(found).isEqualTo(values(comm, id));
    }

    @Test
    void theApplicationHasRanksOfItsOwn() throws IOException {
        RunFixture run = run(Map.of());
        List<String> seen = ThreadCommunicator.call(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                RunDescription place = checkpoints.describe();
                Communicator own = checkpoints.communicator();
                return checkpoints.isHead() + " " + own.rank() + "/" + own.size() + " group " + place.sector() + "."
                        + place.group() + "." + place.groupRank();
            }
        });
        assertThat(seen)
                .containsExactly(
                        "true 0/4 group 0.0.0",
                        "false 0/8 group 0.1.0",
                        "false 1/8 group 0.2.0",
                        "true 1/4 group 0.0.1",
                        "false 2/8 group 0.1.1",
                        "false 3/8 group 0.2.1",
                        "true 2/4 group 1.0.0",
                        "false 4/8 group 1.1.0",
                        "false 5/8 group 1.2.0",
                        "true 3/4 group 1.0.1",
                        "false 6/8 group 1.1.1",
                        "false 7/8 group 1.2.1");
    }

    public static Map<String, String> asynchronous() {
        return Map.of("basic.inline_l2", "0", "basic.inline_l3", "0", "basic.inline_l4", "0");
    }

    @Test
    void aHeadHasNoDataToBeExtracted() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> take(checkpoints, comm, 7, Level.L1));
        RunSurvey survey = RunSurvey.open(run.config(), directory);
        assertThat(survey.fetch(4, directory)).isPresent();
        assertThatThrownBy(() -> survey.fetch(3, directory)).hasMessageContaining("it is a head");
    }

    @Test
    void headsLearnThatTheRunCannotBeOpened() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> take(checkpoints, comm, 1, Level.L1));
        DirectoryTree.delete(directory.resolve("Local/node2"), new NioEngine());
        List<String> told = ThreadCommunicator.call(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                return "opened " + checkpoints.execId();
            } catch (IOException e) {
                return e.getMessage();
            }
        });
        assertThat(told)
                .hasSize(RANKS)
                .allMatch(message -> message.contains("at no level there are files of all 8 ranks"));
    }

    @Test
    void aHeadThatGoesOnIsToldThatTheRunIsOver() throws IOException {
        RunFixture run = run(Map.of());
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                if (checkpoints.isHead()) {
                    assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L1))
                            .hasMessageContaining("is a head of the run");
                    assertThatThrownBy(checkpoints::complete).hasMessageContaining("isHead()");
                } else {
                    take(checkpoints, comm, 1, Level.L2);
                    checkpoints.complete();
                }
            }
        });
        assertThat(run.files()).isEmpty();
        assertThat(Files.readString(run.config())).containsPattern("failure += 0");
    }

    @Test
    void theApplicationGoesOnWhileTheHeadsWork() throws IOException {
        run(asynchronous()).run(RANKS, (checkpoints, comm) -> {
            take(checkpoints, comm, 1, Level.L1);
            take(checkpoints, comm, 2, Level.L2);
            assertThat(checkpoints.isUnderway()).isTrue();
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            checkpoints.await();
            assertThat(checkpoints.isUnderway()).isFalse();
            assertThat(checkpoints.lastLevel()).contains(Level.L2);
            take(checkpoints, comm, 3, Level.L4);
            // Waits, too.
            checkpoints.recover();
            recover(checkpoints, comm, 3, Level.L4);
        });
    }

    @Test
    void aHandlerOfFailuresLetsTheNextCheckpointBeTaken() throws IOException {
        RunFixture run = run(asynchronous());
        List<String> handled = Collections.synchronizedList(new ArrayList<>());
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            if (comm.rank() == 6) {
                storage.fail(Operation.RENAME, 1, "EIO");
            }
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .lateFailures(failure -> handled.add(failure.getMessage()))
                    .open()) {
                if (!checkpoints.isHead()) {
                    take(checkpoints, comm, 1, Level.L2);
                    take(checkpoints, comm, 2, Level.L2);
                }
            }
        });
        assertThat(handled).hasSize(APPLICATION.size()).allMatch(text -> text.contains("EIO"));
        run.run(RANKS, (checkpoints, comm) -> recover(checkpoints, comm, 2, Level.L2));
    }

    /** Under MPI the job is aborted then. */
    @Test
    void aHeadThatDiesEndsTheJobAndLosesNothing() throws IOException {
        RunFixture run = run(asynchronous());
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> {
                    try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                            .communicator(comm)
                            .finishedByHead((head, report) -> {
                                if (((FtiCheckpoints) head).node() == 1) {
                                    throw new IllegalStateException("killed");
                                }
                            })
                            .open()) {
                        if (!checkpoints.isHead()) {
                            take(checkpoints, comm, 1, Level.L3);
                            checkpoints.await();
                        }
                    }
                }))
                .hasMessageContaining("aborted the job");
        run.run(RANKS, (checkpoints, comm) -> recover(checkpoints, comm, 1, Level.L3));
    }

    /** A run is not completed as long as the last of its checkpoints may be lost. */
    @Test
    void theLastCheckpointIsKeptWhenTheHeadsAreDone() throws IOException {
        Map<String, String> changes = new HashMap<>(asynchronous());
        changes.put("basic.ckpt_io", "1");
        changes.put("basic.keep_last_ckpt", "1");
        RunFixture run = run(changes);
        run.run(RANKS, (checkpoints, comm) -> {
            take(checkpoints, comm, 1, Level.L3);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        assertThat(run.files()).noneMatch(file -> file.startsWith("Local"));
        run.run(RANKS, (checkpoints, comm) -> recover(checkpoints, comm, 1, Level.L4));
    }

    public static void switchHeadsOn(RunFixture run) throws IOException {
        String config = Files.readString(run.config());
        assertThat(config).containsPattern("head += 0");
        Files.writeString(run.config(), config.replaceFirst("head( +)= 0", "head$1= 1"));
    }

    @Test
    void differentialCheckpointsOfARunWithoutHeadsAreNotTakenEither() throws IOException {
        RunFixture run = new RunFixture(directory, "enable_dcp=1, dcp_mode=1, dcp_block_size=512");
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4_DCP);
        });
        switchHeadsOn(run);
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }
}
