package io.drumlin.cli.stat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.storage.internal.PathStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the events of a log, or of a recording of the JDK, one after the other. */
final class StatReader {

    /** Steps in the order of a checkpoint. */
    static final List<String> STEPS = List.of("wait", "write", "exchange", "commit");

    /** A line of the log is shorter; a longer one is of another file. */
    private static final int MOST_CHARACTERS = 1 << 16;

    private static final byte[] MAGIC = {'F', 'L', 'R', 0};

    private final Path file;
    private final JsonFactory json = new JsonFactory();
    private long unreadable;

    StatReader(Path file) {
        this.file = file;
    }

    /** Returns how many lines were no events: a kill may have cut some. */
    long unreadable() {
        return unreadable;
    }

    /**
     * Reads all events.
     *
     * @throws IOException the file cannot be read
     */
    void forEach(Consumer<StatEvent> events) throws IOException {
        unreadable = 0;
        if (isRecording()) {
            readRecording(events);
            return;
        }
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            for (String line = next(lines); line != null; line = next(lines)) {
                if (!line.isBlank()) {
                    read(line, events);
                }
            }
        }
    }

    private boolean isRecording() throws IOException {
        PathStatus.requireNoDevice(file);
        try (InputStream start = Files.newInputStream(file)) {
            return Arrays.equals(start.readNBytes(MAGIC.length), MAGIC);
        }
    }

    private void readRecording(Consumer<StatEvent> events) throws IOException {
        try {
            RecordedEvents.forEach(file, events);
        } catch (LinkageError e) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, file + ": this Java has no module jdk.jfr, which recordings need");
        }
    }

    /** Returns the next line, cut to the length that a line of the log can have; null at the end. */
    private static @Nullable String next(BufferedReader lines) throws IOException {
        StringBuilder line = new StringBuilder();
        int each = lines.read();
        if (each < 0) {
            return null;
        }
        for (; each >= 0 && each != '\n'; each = lines.read()) {
            if (line.length() < MOST_CHARACTERS) {
                line.append((char) each);
            }
        }
        return line.toString();
    }

    private void read(String line, Consumer<StatEvent> events) {
        Map<String, String> fields = new HashMap<>();
        try {
            fields(line, fields);
            events.accept(event(fields));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            unreadable++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts the values of an object into a map, with the names of nested ones joined by points. */
    private void fields(String line, Map<String, String> fields) throws IOException {
        List<String> path = new ArrayList<>();
        try (JsonParser parser = json.createParser(line)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.START_OBJECT) {
                    path.add(parser.currentName() == null ? "" : parser.currentName() + ".");
                } else if (token == JsonToken.END_OBJECT) {
                    path.remove(path.size() - 1);
                } else if (token.isScalarValue() && !path.isEmpty()) {
                    fields.put(String.join("", path) + parser.currentName(), parser.getText());
                }
            }
        }
    }

    private static StatEvent event(Map<String, String> fields) {
        if (!fields.containsKey("time") || !fields.containsKey("event")) {
            throw new IllegalArgumentException("no event");
        }
        Instant time = Instant.parse(fields.get("time"));
        double seconds = number(fields, "seconds");
        String text = fields.getOrDefault("message", fields.getOrDefault("status", fields.getOrDefault("how", "")));
        return new StatEvent(
                fields.get("event"),
                (int) number(fields, "rank"),
                time.getEpochSecond() + time.getNano() / 1e9 - seconds,
                seconds,
                (int) number(fields, "id"),
                (int) number(fields, "level"),
                "true".equals(fields.get("differential")),
                (long) number(fields, "bytes"),
                number(fields, "stall"),
                steps(fields),
                text);
    }

    private static List<StatEvent.Step> steps(Map<String, String> fields) {
        List<StatEvent.Step> steps = new ArrayList<>();
        for (String name : STEPS) {
            if (fields.containsKey(name)) {
                String slowest = "slowest." + name + ".";
                Integer rank = fields.containsKey(slowest + "rank") ? (int) number(fields, slowest + "rank") : null;
                steps.add(new StatEvent.Step(name, number(fields, name), rank, number(fields, slowest + "seconds")));
            }
        }
        return steps;
    }

    private static double number(Map<String, String> fields, String name) {
        double value = Double.parseDouble(fields.getOrDefault(name, "0"));
        if (!Double.isFinite(value) || value < 0) {
            throw new IllegalArgumentException(name + " is " + value);
        }
        return value;
    }
}
