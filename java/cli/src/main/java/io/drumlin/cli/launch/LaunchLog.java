package io.drumlin.cli.launch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
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
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@code drumlin launch} or {@code drumlin scavenge} did: a JSON object a line. Thread-safe. */
final class LaunchLog implements AutoCloseable {

    /** The event of a start, with what the configuration file said before. */
    static final String START = "start";

    static final String CONFIG = "config";
    static final String EXEC_ID = "exec_id";
    static final String FAILURE = "failure";

    /** The event of a process that was started. */
    static final String RUNNING = "running";

    static final String PID = "pid";
    static final String SINCE = "since";

    /** What another reading of the clock may say of the start of the same process. */
    private static final long CLOCK_MILLIS = 2000;

    private static final Pattern PROCESS = Pattern.compile("\"" + PID + "\":(\\d+),\"" + SINCE + "\":(\\d+)");

    private static final Pattern EVENT = Pattern.compile("\"event\":\"(\\w+)\"");

    private static final Pattern BEFORE = Pattern.compile("\"" + CONFIG + "\":\"((?:[^\"\\\\]|\\\\.)*)\",\"" + EXEC_ID
            + "\":\"([^\"\\\\]*)\",\"" + FAILURE + "\":(\\d)");

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
     * Finds what a configuration file said before the last start of a launch that was killed.
     *
     * @return null if the log ends in another way or with a job of another file, or there is none
     */
    static LaunchedRun.@Nullable Entry killedStart(Path file, Path config) throws IOException {
        // Reading a pipe would wait for what this process is going to write.
        if (!Files.isRegularFile(file)) {
            return null;
        }
        String quoted = new String(JsonStringEncoder.getInstance().quoteAsString(name(config)));
        LaunchedRun.Entry last = null;
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            Matcher event = EVENT.matcher(line);
            String name = event.find() ? event.group(1) : "";
            Matcher before = BEFORE.matcher(line);
            if (List.of("done", "come_again", "given_up").contains(name)) {
                last = null;
            } else if (name.equals(START) && before.find()) {
                last = before.group(1).equals(quoted)
                        ? new LaunchedRun.Entry(before.group(2), Integer.parseInt(before.group(3)))
                        : null;
            }
        }
        return last;
    }

    /** Returns the process of the last start, if it still runs on this machine. */
    static Optional<ProcessHandle> orphan(Path file) throws IOException {
        Optional<ProcessHandle> last = Optional.empty();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            Matcher process = PROCESS.matcher(line);
            if (process.find()) {
                long since = Long.parseLong(process.group(2));
                last = ProcessHandle.of(Long.parseLong(process.group(1)))
                        .filter(found -> Math.abs(since(found) - since) < CLOCK_MILLIS);
            }
        }
        return last;
    }

    /** Returns when a process was started, in milliseconds since 1970; 0 if that is not known. */
    static long since(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** Returns the name of a configuration file in the log. */
    static String name(Path config) {
        return config.toAbsolutePath().normalize().toString();
    }

    /**
     * Writes a line.
     *
     * @param details numbers, truth values, texts and lists of texts
     */
    synchronized void write(String event, Map<String, ?> details) throws IOException {
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
