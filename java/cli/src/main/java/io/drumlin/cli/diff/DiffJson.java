package io.drumlin.cli.diff;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a comparison has found, for programs. Without a member {@code equal} the comparison has failed. */
final class DiffJson implements DiffReport {

    /** A list of labels that is written at the end must not grow without bounds. */
    private static final int MOST_ONLY = 100_000;

    private final PrintWriter out;
    private final JsonGenerator json;
    private final List<String> onlyA = new ArrayList<>();
    private final List<String> onlyB = new ArrayList<>();

    DiffJson(PrintWriter out) throws IOException {
        this.out = out;
        json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
    }

    @Override
    public void begin(ComparedSide a, ComparedSide b) throws IOException {
        json.writeStartObject();
        json.writeStringField("a", a.title());
        json.writeStringField("b", b.title());
        json.writeArrayFieldStart("data");
    }

    @Override
    public void pair(ComparedPair pair) throws IOException {
        ElementErrors errors = pair.errors();
        json.writeStartObject();
        json.writeStringField("name", pair.name());
        if (pair.rank().isPresent()) {
            json.writeNumberField("rank", pair.rank().getAsInt());
        }
        json.writeStringField("type", errors.type().toString());
        json.writeNumberField("size_a", pair.a().size());
        json.writeNumberField("size_b", pair.b().size());
        json.writeBooleanField("equal", !pair.isDifferent());
        json.writeBooleanField("verified", pair.isVerified());
        json.writeNumberField("elements", errors.elements());
        json.writeNumberField("different", errors.different());
        json.writeNumberField("within_tolerance", errors.tolerated());
        json.writeNumberField("only_bits", errors.onlyBits());
        if (errors.different() > 0) {
            writeFirst(pair);
        }
        if (!errors.decades().isEmpty() || errors.unbounded() > 0) {
            writeErrors(errors);
        }
        strings("other_differences", pair.otherwise());
        json.writeEndObject();
    }

    private void writeFirst(ComparedPair pair) throws IOException {
        json.writeObjectFieldStart("first");
        json.writeNumberField("element", pair.errors().first());
        json.writeArrayFieldStart("index");
        for (long index : pair.first()) {
            json.writeNumber(index);
        }
        json.writeEndArray();
        json.writeStringField("a", pair.errors().firstA());
        json.writeStringField("b", pair.errors().firstB());
        json.writeEndObject();
    }

    private void writeErrors(ElementErrors errors) throws IOException {
        json.writeNumberField("max_absolute_error", errors.mostAbsolute());
        json.writeNumberField("max_relative_error", errors.mostRelative());
        json.writeNumberField("infinite_or_nan", errors.unbounded());
        json.writeObjectFieldStart("errors_by_decade");
        for (Map.Entry<Integer, Long> decade : errors.decades().entrySet()) {
            json.writeNumberField("1e" + decade.getKey(), decade.getValue());
        }
        json.writeEndObject();
    }

    private void strings(String field, List<String> values) throws IOException {
        json.writeArrayFieldStart(field);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    @Override
    public void only(String side, String label) {
        List<String> labels = side.equals("A") ? onlyA : onlyB;
        if (labels.size() < MOST_ONLY) {
            labels.add(label);
        }
    }

    @Override
    public void end(DiffSummary summary) throws IOException {
        json.writeEndArray();
        strings("only_in_a", onlyA);
        strings("only_in_b", onlyB);
        json.writeNumberField("only_in_a_count", summary.onlyA());
        json.writeNumberField("only_in_b_count", summary.onlyB());
        json.writeNumberField("equal_count", summary.equal());
        json.writeNumberField("different_count", summary.different());
        json.writeNumberField("unverified_count", summary.unverifiedCount());
        json.writeBooleanField("equal", !summary.isDifferent());
        json.writeEndObject();
    }

    @Override
    public void close() throws IOException {
        json.close();
        out.println();
        out.flush();
    }
}
