package io.drumlin.golden.gsd;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.gsd.ChunkData;
import io.drumlin.gsd.HoomdFrame;
import io.drumlin.gsd.HoomdTrajectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HoomdComparisonTest {

    private static final Map<String, Object> READ_LOG_FAILS = Map.of(
            "expected_frames",
            List.of(Map.of("error", "not compared"), Map.of("error", "not compared")),
            "expected_read_log",
            Map.of("error", "ValueError: could not broadcast"));

    @TempDir
    Path folder;

    /** Two frames with a logged quantity of these lengths. */
    private Outcome compare(int first, int second) throws IOException {
        Path file = folder.resolve("file.gsd");
        try (HoomdTrajectory trajectory = HoomdTrajectory.create(file)) {
            for (int length : new int[] {first, second}) {
                HoomdFrame frame = new HoomdFrame();
                frame.log.put("virial", ChunkData.of(new double[length]));
                trajectory.append(frame);
            }
        }
        Outcome outcome = new Outcome();
        new HoomdComparison(Json.root(READ_LOG_FAILS), outcome).compare("file", file);
        return outcome;
    }

    /** A quantity that changes its length has no series, neither in Python nor here. */
    @Test
    void whatPythonCannotReadAsASeriesIsRefusedWithWords() throws IOException {
        Outcome outcome = compare(1, 3);
        assertThat(outcome.differences()).isEmpty();
        assertThat(outcome.summary()).contains("read_log fails in Python, 1 of 2 series here");
    }

    @Test
    void whatPythonCannotReadMayBeReadHere() throws IOException {
        Outcome outcome = compare(3, 3);
        assertThat(outcome.differences()).isEmpty();
        assertThat(outcome.summary()).contains("read_log fails in Python, 0 of 2 series here");
    }
}
