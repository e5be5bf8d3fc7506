package io.drumlin.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What {@code drumlin launch} or {@code drumlin scavenge} did: a JSON object a line. Not thread-safe. */
final class LaunchLog implements AutoCloseable {

    private final PrintWriter out;
    private final boolean own;

    private LaunchLog(PrintWriter out, boolean own) {
        this.out = out;
        this.own = own;
    }

    /**
     * Opens the log.
     *
     * @param file the file to append to, or null
     * @param otherwise where the lines go without a file
     */
    static LaunchLog to(@Nullable Path file, PrintWriter otherwise) throws IOException {
        if (file == null) {
            return new LaunchLog(otherwise, false);
        }
        return new LaunchLog(
                new PrintWriter(Files.newBufferedWriter(
                        file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND)),
                true);
    }

    /**
     * Writes a line.
     *
     * @param details numbers, truth values, texts and lists of texts
     */
    void write(String event, Map<String, ?> details) throws IOException {
        JsonGenerator json = new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        json.writeStartObject();
        json.writeStringField(
                "time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        json.writeStringField("event", event);
        for (Map.Entry<String, ?> detail : new TreeMap<>(details).entrySet()) {
            json.writeFieldName(detail.getKey());
            write(json, detail.getValue());
        }
        json.writeEndObject();
        json.close();
        out.println();
        out.flush();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof List<?> texts) {
            json.writeStartArray();
            for (Object text : texts) {
                json.writeString(text.toString());
            }
            json.writeEndArray();
        } else if (value instanceof Number number) {
            json.writeNumber(number.toString());
        } else if (value instanceof Boolean is) {
            json.writeBoolean(is);
        } else {
            json.writeString(value.toString());
        }
    }

    @Override
    public void close() {
        if (own) {
            out.close();
        }
    }
}
