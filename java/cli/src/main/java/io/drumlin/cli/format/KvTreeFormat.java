package io.drumlin.cli.format;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Format;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.Findings;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.format.kvtree.KvTreeText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** kvtree, the files that SCR keeps; docs/formats/kvtree.md. */
final class KvTreeFormat implements Format {

    @Override
    public Optional<RecognisedFile> recognise(FileSource source) throws IOException {
        if (!KvTreeFile.isRecognised(source)) {
            return Optional.empty();
        }
        Findings findings = new Findings();
        KvTreeFile file = new KvTreeFile(new KvTree(), 0, 0);
        try {
            file = KvTreeFile.read(source);
        } catch (FormatException e) {
            findings.add(e.finding());
        }
        return Optional.of(new Opened(source, file, findings));
    }

    /** Writes keys and values as the members of a JSON object; an empty object is a value. */
    static void write(JsonGenerator json, KvTree tree) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, KvTree> entry : tree.entries().entrySet()) {
            json.writeFieldName(KvTreeText.printable(entry.getKey()));
            write(json, entry.getValue());
        }
        json.writeEndObject();
    }

    private record Opened(FileSource source, KvTreeFile file, Findings findings) implements RecognisedFile {

        @Override
        public String title() {
            return "kvtree";
        }

        @Override
        public void print(PrintWriter out) {
            KvTreeText.keyValues(file.tree()).forEach(out::println);
            if (payload() > 0) {
                out.println("  and " + Sizes.readable(payload()) + " behind the tree");
            }
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            json.writeStringField("format", "kvtree");
            json.writeBooleanField("crc", (file.flags() & KvTreeFile.CRC) != 0);
            json.writeNumberField("payload_size", payload());
            json.writeFieldName("tree");
            KvTreeFormat.write(json, file.tree());
        }

        private long payload() {
            return findings.isEmpty() ? source.size() - file.length() : 0;
        }

        /** The CRC was checked when the tree was read. The bytes after the tree have none. */
        @Override
        public void verify(ByteSource same) {}

        @Override
        public List<StoredData> data() {
            throw noData();
        }

        private CommandException noData() {
            return new CommandException(
                    ExitCode.NOT_RECOGNISED, source.path() + ": a kvtree has no raw data; use inspect --json");
        }

        @Override
        public StoredData select(Selection selection) {
            throw noData();
        }
    }
}
