package io.drumlin.checkpoint.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From this a bar is drawn: who watches a survey is told of about as many bytes as the report says. */
class WatchedSurveyTest {

    private static final int RANKS = 4;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void tellsOfEachByte(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, group_size=4, ckpt_io=" + ioMode);
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] data = new byte[1 << 19];
            new Random(comm.rank()).nextBytes(data);
            checkpoints.protect(1, data);
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L3);
        });
        LongAdder read = new LongAdder();
        RunSurvey survey = RunSurvey.open(run.config(), directory).watchedBy(read::add);

        RunReport report = survey.report(false);
        assertThat(report.checkpoints()).hasSize(2);
        assertThat(read.sumThenReset()).as("metadata").isLessThan(RANKS << 18);
        survey.report(true);
        assertThat(read.sumThenReset()).isCloseTo(bytes(report.checkpoints()), withinPercentage(10));
        survey.fetch(0, Files.createDirectory(directory.resolve("scratch")));
        assertThat(read.sumThenReset()).isCloseTo(bytes(List.of(report.restart().orElseThrow())), withinPercentage(10));

        RunCatalogue catalogue = RunCatalogue.open(run.config(), directory).watchedBy(read::add);
        catalogue.runs(false);
        assertThat(read.sumThenReset()).as("metadata").isLessThan(RANKS << 18);
        catalogue.runs(true);
        assertThat(read.sumThenReset()).isCloseTo(bytes(report.checkpoints()), withinPercentage(10));
        catalogue.restore(run.restartValue("exec_id"), 1, null);
        // With the metadata of both checkpoints.
        assertThat(read.sum()).isCloseTo(report.checkpoints().get(1).bytes(), withinPercentage(30));
    }

    private static long bytes(List<RunReport.Checkpoint> checkpoints) {
        return checkpoints.stream().mapToLong(RunReport.Checkpoint::bytes).sum();
    }
}
