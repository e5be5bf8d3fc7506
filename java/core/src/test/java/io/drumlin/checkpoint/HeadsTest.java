package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs in which the first rank of each node is a head: 4 nodes of 3 ranks, in groups of 2. */
class HeadsTest {

    private static final int RANKS = 12;
    private static final List<Integer> APPLICATION = List.of(1, 2, 4, 5, 7, 8, 10, 11);

    @TempDir
    Path directory;

    private RunFixture run(Map<String, String> changes) throws IOException {
        Map<String, String> all =
                new HashMap<>(Map.of("basic.head", "1", "basic.node_size", "3", "basic.group_size", "2"));
        all.putAll(changes);
        return new RunFixture(directory, all);
    }

    private static int[] values(Communicator comm, int seed) {
        int[] values = new int[500 + 100 * comm.rank()];
        java.util.Arrays.setAll(values, i -> seed * 1_000_000 + comm.rank() * 10_000 + i);
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
        List<String> seen = ThreadCommunicator.call(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run(Map.of()).config(), comm)) {
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

    /** Files carry the rank with heads, metadata the place on the node. */
    @ParameterizedTest
    @CsvSource({"1, L1", "1, L2", "1, L3", "1, L4", "2, L4", "3, L1", "3, L2", "3, L3", "3, L4", "4, L4"})
    void aNodeIsLostAndComesBack(String ioMode, Level level) throws IOException {
        RunFixture run = run(Map.of("basic.ckpt_io", ioMode));
        run.run(RANKS, (checkpoints, comm) -> take(checkpoints, comm, 7, level));
        boolean shared = level == Level.L4 && (ioMode.equals("2") || ioMode.equals("4"));
        List<String> plain =
                run.files().stream().filter(file -> file.contains("-Rank")).toList();
        assertThat(plain).hasSize(shared ? 0 : APPLICATION.size());
        for (int rank : shared ? List.<Integer>of() : APPLICATION) {
            String root = level == Level.L4 ? "Global" : "Local/node" + rank / 3;
            assertThat(plain).contains(root + "/X/l" + level.number() + "/Ckpt7-Rank" + rank + ".fti");
        }
        if (!ioMode.equals("3")) {
            assertThat(run.files().stream()
                            .filter(file -> file.contains("sector"))
                            .map(file -> file.replaceAll(".*/", "")))
                    .containsExactly(
                            "sector0-group1.fti", "sector0-group2.fti", "sector1-group1.fti", "sector1-group2.fti");
        }
        if (level != Level.L1) {
            RunDirectory.delete(directory.resolve("Local/node1"), new NioEngine());
        }
        RunReport report =
                RunSurvey.open(run.config(), directory, Optional.empty()).report(true);
        assertThat(report.restart()).get().satisfies(found -> {
            assertThat(found.level()).isEqualTo(level);
            assertThat(found.sources().keySet()).containsExactlyElementsOf(APPLICATION);
        });
        run.run(RANKS, (checkpoints, comm) -> recover(checkpoints, comm, 7, level));
    }

    @Test
    void aHeadHasNoDataToBeExtracted() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> take(checkpoints, comm, 7, Level.L1));
        RunSurvey survey = RunSurvey.open(run.config(), directory, Optional.empty());
        assertThat(survey.fetch(4, directory)).isPresent();
        assertThatThrownBy(() -> survey.fetch(3, directory)).hasMessageContaining("it is a head");
    }

    @Test
    void headsLearnThatTheRunCannotBeOpened() throws IOException {
        RunFixture run = run(Map.of());
        run.run(RANKS, (checkpoints, comm) -> take(checkpoints, comm, 1, Level.L1));
        RunDirectory.delete(directory.resolve("Local/node2"), new NioEngine());
        List<String> told = ThreadCommunicator.call(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                return "opened " + checkpoints.execId();
            } catch (IOException e) {
                return e.getMessage();
            }
        });
        assertThat(told).hasSize(RANKS).allMatch(message -> message.contains("at no level the files that are left"));
    }

    @Test
    void aHeadThatGoesOnIsToldThatTheRunIsOver() throws IOException {
        RunFixture run = run(Map.of());
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                if (checkpoints.isHead()) {
                    assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L1))
                            .hasMessageContaining("was a head of the run, which is over");
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
}
