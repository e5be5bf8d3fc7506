package io.drumlin.cli.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Table;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.RestartSearch;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.OptionalLong;

/** A prefix directory of SCR, with its index and datasets; docs/formats/scr.md. */
public final class PrefixDirectory {

    private final Path path;
    private final ScrPrefix prefix;
    private final ScrIndex index;
    private final StorageEngine storage = new NioEngine();

    private PrefixDirectory(Path path) throws IOException {
        this.path = path;
        this.prefix = new ScrPrefix(path);
        this.index = new IndexFile(prefix, storage).read();
    }

    /** Returns whether a directory has an index. */
    public static boolean isOne(Path path) throws IOException {
        return PathStatus.isDirectory(path) && PathStatus.exists(new ScrPrefix(path).index());
    }

    public static PrefixDirectory open(Path path) throws IOException {
        return new PrefixDirectory(path);
    }

    private String title() {
        return "SCR prefix directory, index of form " + index.format() + ", "
                + index.records().size() + " datasets";
    }

    public int inspect(PrintWriter out, boolean asJson) throws IOException {
        if (asJson) {
            write(out, "prefix", path, index);
            return ExitCode.OK;
        }
        out.println(path + ": " + title());
        new Table("dataset", "<kind", "<complete", "<flushed", "<failed", "files", "bytes", "<current", "<name")
                .print(out, () -> index.records().stream().map(this::row));
        return ExitCode.OK;
    }

    private Object[] row(IndexRecord record) {
        DatasetDescriptor descriptor = record.descriptor();
        return new Object[] {
            record.id(),
            record.isCheckpoint() ? "checkpoint" : "output",
            record.isComplete() ? "yes" : "no",
            record.flushed().orElse("-"),
            record.failed().orElse("-"),
            text(descriptor.files()),
            text(descriptor.size()),
            index.current().filter(record.name()::equals).isPresent() ? "*" : "",
            record.name()
        };
    }

    private static String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : "-";
    }

    /** Checks the metadata and files of every complete dataset, and the CRC of files that have one. */
    public int verify(PrintWriter out) {
        int damaged = 0;
        for (IndexRecord record : index.records()) {
            if (record.isComplete()) {
                try {
                    DatasetMetadata metadata = DatasetMetadata.of(prefix, record, storage);
                    metadata.checkContent(metadata.check());
                } catch (IOException e) {
                    damaged++;
                    out.println(path + ": dataset " + record.id() + ", " + Printable.text(record.name()) + ": "
                            + Printable.text(String.valueOf(e.getMessage())));
                }
            }
        }
        if (damaged > 0) {
            return ExitCode.DAMAGED;
        }
        out.println(path + ": " + title() + ": complete ones whole");
        return ExitCode.OK;
    }

    /** Writes the index for programs. */
    public static void write(PrintWriter out, String pathField, Path path, ScrIndex index) throws IOException {
        JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        json.writeStartObject();
        json.writeStringField(pathField, path.toString());
        json.writeStringField("form", index.format().name());
        json.writeStringField("current", index.current().orElse(null));
        json.writeArrayFieldStart("restart_order");
        for (String name : RestartSearch.order(index)) {
            json.writeString(name);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("datasets");
        for (IndexRecord record : index.records()) {
            write(json, index, record);
        }
        json.writeEndArray();
        json.writeEndObject();
        json.close();
        out.println();
        out.flush();
    }

    private static void write(JsonGenerator json, ScrIndex index, IndexRecord record) throws IOException {
        DatasetDescriptor descriptor = record.descriptor();
        json.writeStartObject();
        json.writeNumberField("id", record.id());
        json.writeStringField("name", record.name());
        json.writeBooleanField(
                "current", index.current().filter(record.name()::equals).isPresent());
        json.writeBooleanField("checkpoint", record.isCheckpoint());
        json.writeBooleanField("output", descriptor.isOutput());
        json.writeBooleanField("complete", record.isComplete());
        json.writeBooleanField("valid", record.isValid());
        json.writeStringField("flushed", record.flushed().orElse(null));
        json.writeStringField("failed", record.failed().orElse(null));
        json.writeArrayFieldStart("fetched");
        for (String time : record.fetched()) {
            json.writeString(time);
        }
        json.writeEndArray();
        write(json, "files", descriptor.files());
        write(json, "size", descriptor.size());
        write(json, "created_microseconds", descriptor.created());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String field, OptionalLong number) throws IOException {
        if (number.isPresent()) {
            json.writeNumberField(field, number.getAsLong());
        }
    }
}
