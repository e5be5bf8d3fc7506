package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The log alone says which checkpoint is newer. If it says the reverse, all that lists, chooses or deletes checkpoints follows. */
class OneOrderTest {

    @TempDir
    Path directory;

    private RunFixture run;
    private String execId = "";

    private void taken(Map<String, String> config, RunFixture.Body body) throws IOException {
        run = new RunFixture(directory, config);
        run.run(2, body);
        execId = run.restartValue("exec_id");
    }

    private void reverse() throws IOException {
        Path log = directory.resolve("Meta").resolve(execId).resolve("drumlin-commits");
        List<CommitOrder.Entry> entries = new ArrayList<>(CommitOrder.entries(log));
        Collections.reverse(entries);
        StringBuilder text = new StringBuilder();
        for (CommitOrder.Entry each : entries) {
            text.append(each.line(CommitOrder.BEGUN)).append(each.line(CommitOrder.COMMITTED));
        }
        Files.writeString(log, text);
    }

    private RunCatalogue catalogue() throws IOException {
        return RunCatalogue.open(run.config(), directory);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "3, false", "3, true"})
    void allFollow(String ioMode, boolean reversed) throws IOException {
        String settings = "node_size=1, group_size=2, drumlin.keep=4, drumlin.keep_l1=4, ckpt_io=" + ioMode;
        taken(RunFixture.settings(settings), (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4, 1, 2, 3);
            Pair.take(checkpoints, Level.L1, 4, 5, 6);
        });
        if (reversed) {
            reverse();
        }
        int newest = reversed ? 3 : 6;
        RunReport report = RunSurvey.open(run.config(), directory).report(false);
        assertThat(report.checkpoints())
                .filteredOn(each -> !each.isKept())
                .extracting(RunReport.Checkpoint::ckptId)
                .as("inspect")
                .isEqualTo(reversed ? List.of(3, 6, 1, 2) : List.of(6, 3, 2, 1));
        assertThat(catalogue().run(execId, false).checkpoints())
                .extracting(RunCatalogue.Checkpoint::ckptId)
                .as("run list")
                .startsWith(newest);
        assertThat(RunSurvey.open(run.config(), directory).fetchAll(directory.resolve("scratch")))
                .extracting(RunSurvey.RankFile::ckptId)
                .as("extract and verify")
                .containsOnly(newest);
        assertThat(catalogue()
                        .restoreLatestBefore(execId, Instant.MAX, "branch")
                        .ckptId())
                .as("branch")
                .isEqualTo(reversed ? 1 : 6);
        run.setRestart("1", execId);
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("keep_l1 *=.*", "keep_l1 = 2"));
        assertThat(catalogue()
                        .prune(List.of(execId), new Rule("2", null, null), true)
                        .what())
                .as("prune")
                .containsExactlyInAnyOrder(execId + (reversed ? "/2" : "/1"), execId + (reversed ? "/5" : "/4"));
        run.run(2, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).as("restart").contains(newest);
            checkpoints.discardRestart();
            Pair.take(checkpoints, Level.L1, 7);
        });
        assertThat(directory.resolve("Local/node0").resolve(execId).resolve("drumlin-kept-l1-4"))
                .as("keep")
                .satisfies(kept -> assertThat(Files.exists(kept)).isEqualTo(reversed));
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void otherNumbersOfRanksFollow(boolean reversed) throws IOException {
        String settings = "node_size=1, ckpt_io=3, enable_dcp=1, dcp_mode=1, dcp_block_size=512";
        taken(RunFixture.settings(settings), (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4_DCP, 1);
            Pair.take(checkpoints, Level.L4, 2);
        });
        if (reversed) {
            reverse();
        }
        run.run(1, (builder, rank) -> builder.anyNumberOfRanks(), (checkpoints, comm) -> assertThat(
                        checkpoints.lastCheckpoint())
                .contains(reversed ? 1 : 2));
    }
}
