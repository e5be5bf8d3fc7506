package io.drumlin.cli.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.RunReport.State;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.base.Table;
import io.drumlin.internal.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prints runs and their checkpoints. */
final class RunListing {

    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    /** Width of a column; a run's id of 36 characters and the end of a branch's name fit. */
    private static final int WIDTH = 48;

    private static final int MOST_LISTED = 20;
    private static final int LINE = 400;

    private final Path config;
    private final RunCatalogue catalogue;
    private final List<Run> runs;

    RunListing(Path config, RunCatalogue catalogue, List<Run> runs) {
        this.config = config;
        this.catalogue = catalogue;
        this.runs = runs;
    }

    boolean isWhole() {
        return runs.stream()
                .allMatch(run -> run.problem() == null
                        && run.checkpoints().stream().allMatch(each -> each.state() == State.WHOLE));
    }

    void print(PrintWriter out) throws IOException {
        line(out, config + ": " + runs.size() + (runs.size() == 1 ? " run in " : " runs in ") + catalogue.metadata());
        line(out, "  " + nextStart());
        if (!runs.isEmpty()) {
            out.println();
            new Table("<", "<run", "checkpoint", "<in", "<state", "<time", "size", "ranks")
                    .print(out, () -> runs.stream().flatMap(RunListing::rows));
        }
        for (Run run : runs) {
            if (run.parent() != null) {
                line(out, run.execId() + " began with checkpoint " + run.parentCkptId() + " of " + run.parent());
            }
            if (run.problem() != null) {
                line(out, run.execId() + ": ? " + run.problem());
            } else if (run.checkpoints().stream().anyMatch(each -> each.state() == null)) {
                line(out, run.execId() + ": ? is what another number of ranks or another ckpt_io has stored");
            }
            if (run.isOpen()) {
                line(out, run.execId() + " is open, or its job was killed");
            }
        }
        for (Path each : catalogue.remains()) {
            line(out, "not made or not deleted to the end: " + each + "; drumlin run prune deletes it");
        }
    }

    private static void line(PrintWriter out, String text) {
        out.println(Printable.text(cut(text, LINE)));
    }

    private String nextStart() {
        return catalogue.failure() == 0
                ? "the next start is fresh, failure = 0"
                : "the next start restarts run " + catalogue.execId()
                        + (runs.stream().anyMatch(Run::isNamed) ? "" : ", which is not there")
                        + ", failure = " + catalogue.failure();
    }

    private static Stream<Object[]> rows(Run run) {
        String mark = run.isNamed() ? "*" : "";
        if (run.checkpoints().isEmpty()) {
            return Stream.<Object[]>of(new Object[] {mark, cut(run.execId(), WIDTH), "none", "", "", "", "", ""});
        }
        return run.checkpoints().stream().map(each -> new Object[] {
            mark,
            cut(run.execId(), WIDTH),
            each.ckptId(),
            cut(String.join(", ", each.folders()), WIDTH),
            state(each),
            each.time() == null ? "?" : local(each.time()),
            Sizes.brief(each.bytes()),
            each.ranks() == 0 ? "?" : each.ranks()
        });
    }

    private static String state(Checkpoint checkpoint) {
        State state = checkpoint.state();
        return state == null ? "?" : state.name().toLowerCase(Locale.ROOT);
    }

    private static String local(Instant time) {
        return LOCAL.format(time.atZone(ZoneId.systemDefault()));
    }

    private static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 3) + "...";
    }

    /** Joins the first of many texts. */
    static String first(Collection<?> texts) {
        List<String> some =
                texts.stream().limit(MOST_LISTED).map(String::valueOf).toList();
        return String.join(", ", some) + (texts.size() > MOST_LISTED ? " and " + (texts.size() - MOST_LISTED) : "");
    }

    void show(PrintWriter out) throws IOException {
        for (Run run : runs) {
            for (Checkpoint each : run.checkpoints()) {
                line(out, "checkpoint " + each.ckptId() + " of run " + run.execId());
                show(out, run, each);
            }
        }
    }

    private static void show(PrintWriter out, Run run, Checkpoint checkpoint) throws IOException {
        field(out, "level", checkpoint.level().number());
        field(out, "in", String.join(", ", checkpoint.folders()));
        field(out, "state", state(checkpoint));
        field(out, "written", checkpoint.time() == null ? "?" : local(checkpoint.time()));
        field(out, "size", Sizes.readable(checkpoint.bytes()));
        field(out, "ranks", checkpoint.ranks() == 0 ? "?" : checkpoint.ranks());
        if (run.parent() != null) {
            field(out, "branch", "began with checkpoint " + run.parentCkptId() + " of " + run.parent());
        }
        if (run.problem() != null) {
            field(out, "unknown", run.problem());
        }
        if (!checkpoint.missing().isEmpty()) {
            field(out, "missing", first(checkpoint.missing()));
        }
        if (!checkpoint.damaged().isEmpty()) {
            field(out, "damaged", first(checkpoint.damaged()));
        }
        List<String> start = fields(checkpoint.start());
        out.println(start.isEmpty() ? "  no start of the job is recorded" : "  taken after the start:");
        start.forEach(each -> line(out, "    " + each));
    }

    private static void field(PrintWriter out, String name, Object value) {
        line(out, String.format(Locale.ROOT, "  %-8s %s", name, value));
    }

    /** Returns the fields of a start as lines; none if it is damaged. */
    private static List<String> fields(@Nullable String json) throws IOException {
        List<String> lines = new ArrayList<>();
        if (!isObject(json)) {
            return lines;
        }
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                List<String> values = new ArrayList<>();
                if (parser.currentToken().isStructStart()) {
                    while (!parser.nextToken().isStructEnd()) {
                        values.add(parser.getText());
                    }
                } else {
                    values.add(parser.getText());
                }
                lines.add(String.format(Locale.ROOT, "%-10s %s", name, String.join(", ", values)));
            }
        }
        return lines;
    }

    /** Returns whether a text is a whole object whose fields are values or lists of values. */
    private static boolean isObject(@Nullable String json) {
        if (json == null) {
            return false;
        }
        int depth = 0;
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                depth += token == JsonToken.START_ARRAY ? 1 : token == JsonToken.END_ARRAY ? -1 : 0;
                if (depth > 1 || token == JsonToken.START_OBJECT) {
                    return false;
                }
            }
            return true;
        } catch (IOException damaged) {
            return false;
        }
    }

    void write(PrintWriter out) throws IOException {
        JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        json.writeStartObject();
        json.writeStringField("config", config.toString());
        json.writeStringField("exec_id", catalogue.execId());
        json.writeNumberField("failure", catalogue.failure());
        json.writeStringField("meta_dir", catalogue.metadata().toString());
        json.writeArrayFieldStart("runs");
        for (Run run : runs) {
            write(json, run);
        }
        json.writeEndArray();
        strings(json, "remains", catalogue.remains());
        json.writeEndObject();
        json.close();
        out.println();
    }

    private static void write(JsonGenerator json, Run run) throws IOException {
        json.writeStartObject();
        json.writeStringField("exec_id", run.execId());
        json.writeBooleanField("named", run.isNamed());
        json.writeBooleanField("open", run.isOpen());
        if (run.parent() != null) {
            json.writeStringField("parent", run.parent());
            json.writeNumberField("parent_checkpoint", run.parentCkptId());
        }
        if (run.problem() != null) {
            json.writeStringField("problem", run.problem());
        }
        json.writeArrayFieldStart("checkpoints");
        for (Checkpoint each : run.checkpoints()) {
            write(json, each);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Checkpoint checkpoint) throws IOException {
        json.writeStartObject();
        json.writeNumberField("ckpt_id", checkpoint.ckptId());
        json.writeNumberField("level", checkpoint.level().number());
        json.writeBooleanField("archived", checkpoint.isArchived());
        strings(json, "folders", checkpoint.folders());
        json.writeStringField("state", state(checkpoint));
        if (checkpoint.time() != null) {
            json.writeStringField("time", checkpoint.time().toString());
        }
        json.writeNumberField("bytes", checkpoint.bytes());
        json.writeNumberField("ranks", checkpoint.ranks());
        strings(json, "missing", checkpoint.missing());
        strings(json, "damaged", checkpoint.damaged());
        if (isObject(checkpoint.start())) {
            json.writeFieldName("start");
            try (JsonParser start = new JsonFactory().createParser(checkpoint.start())) {
                start.nextToken();
                json.copyCurrentStructure(start);
            }
        }
        json.writeEndObject();
    }

    private static void strings(JsonGenerator json, String field, Collection<?> values) throws IOException {
        json.writeArrayFieldStart(field);
        for (Object value : values) {
            json.writeString(value.toString());
        }
        json.writeEndArray();
    }
}
