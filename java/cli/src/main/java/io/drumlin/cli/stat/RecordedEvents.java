package io.drumlin.cli.stat;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** The events of Drumlin in a recording of the JDK. Loaded only for a recording, because a JDK may lack the module. */
final class RecordedEvents {

    private static final String PREFIX = "drumlin.";

    private RecordedEvents() {}

    static void forEach(Path file, Consumer<StatEvent> events) throws IOException {
        try (RecordingFile recording = parsed(file, () -> new RecordingFile(file))) {
            while (parsed(file, recording::hasMoreEvents)) {
                RecordedEvent event = parsed(file, recording::readEvent);
                if (event.getEventType().getName().startsWith(PREFIX)) {
                    events.accept(parsed(file, () -> event(event)));
                }
            }
        }
    }

    /** A damaged file makes the JDK's parser throw anything. */
    private static <T> T parsed(Path file, Callable<T> step) throws IOException {
        try {
            return step.call();
        } catch (IOException e) {
            throw e;
        } catch (Exception | OutOfMemoryError | StackOverflowError | InternalError e) {
            throw new CommandException(ExitCode.DAMAGED, file + ": the recording is damaged: " + e);
        }
    }

    private static StatEvent event(RecordedEvent event) {
        String name = event.getEventType().getName().substring(PREFIX.length()).toLowerCase(Locale.ROOT);
        String kind =
                switch (name) {
                    case "recover" -> "recovery";
                    case "write", "exchange", "commit" -> "step";
                    default -> name;
                };
        double seconds = seconds(event.getDuration());
        Instant start = event.getStartTime();
        int slowest = event.getInt("slowestRank");
        StatEvent.Step step = new StatEvent.Step(
                name, seconds, slowest < 0 ? null : slowest, seconds(event.getDuration("slowestTime")));
        return new StatEvent(
                kind,
                event.getInt("rank"),
                start.getEpochSecond() + start.getNano() / 1e9,
                seconds,
                event.getInt("ckptId"),
                event.getInt("level"),
                false,
                event.getLong("bytes"),
                seconds,
                kind.equals("step") ? List.of(step) : List.of(),
                "");
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
