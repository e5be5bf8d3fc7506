package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of a program shows, and a Java that cannot record. */
class RecordedHeat2DIT {

    private static final int RANKS = 4;

    private static final int CHECKPOINTS = 3;

    @TempDir
    Path folder;

    private String run(String option) throws IOException, InterruptedException {
        RunFolder run = RunFolder.create(Files.createDirectory(folder.resolve("run")), 1, false);
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("group_size +=.*", "group_size = 2"));
        List<String> command = new ArrayList<>(JavaCommand.of(
                "io.drumlin.examples.Heat2D",
                "--config",
                run.config().toString(),
                "--threads",
                Integer.toString(RANKS),
                "--size",
                "64",
                "--iterations",
                Integer.toString(20 * CHECKPOINTS + 10),
                "--every",
                "20",
                "--level",
                "2"));
        command.add(1, option);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void theEventsAreInTheRecording() throws IOException, InterruptedException {
        Path recording = folder.resolve("heat.jfr");
        run("-XX:StartFlightRecording:filename=" + recording);
        Map<String, Long> events = RecordingFile.readAllEvents(recording).stream()
                .map(RecordedEvent::getEventType)
                .filter(type -> type.getName().startsWith("drumlin."))
                .collect(Collectors.groupingBy(
                        type -> type.getName().substring("drumlin.".length()), Collectors.counting()));
        long each = (long) RANKS * CHECKPOINTS;
        assertThat(events).isEqualTo(Map.of("Checkpoint", each, "Write", each, "Exchange", each, "Commit", each));
    }

    @Test
    void aJavaWithoutTheRecorderTakesCheckpoints() throws IOException, InterruptedException {
        assertThat(run("--limit-modules=java.se,jdk.unsupported")).contains("checkpoint " + CHECKPOINTS + " (L2)");
    }
}
