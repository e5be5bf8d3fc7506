package io.drumlin.cli.fti;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.base.Table;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.format.ByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A metadata file of the modes POSIX and MPI-IO. The files that it names are not read. */
final class FtiMetadataFile implements RecognisedFile {

    private final FileSource source;
    private final @Nullable GroupMetadata metadata;
    private final Findings findings;

    /**
     * Makes a file that was read.
     *
     * @param metadata its content; null if it is damaged
     * @param findings its faults
     */
    FtiMetadataFile(FileSource source, @Nullable GroupMetadata metadata, Findings findings) {
        this.source = source;
        this.metadata = metadata;
        this.findings = findings;
    }

    @Override
    public String title() {
        return metadata == null
                ? "damaged FTI metadata file"
                : "FTI metadata file of a group of " + metadata.files().size();
    }

    @Override
    public Findings findings() {
        return findings;
    }

    private static String type(GroupMetadata metadata) {
        return metadata.type().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void print(PrintWriter out) {
        if (metadata == null) {
            return;
        }
        out.printf(Locale.ROOT, "  %-15s%s%n", "checkpoint id", metadata.ckptId());
        out.printf(Locale.ROOT, "  %-15s%s%n", "type", type(metadata));
        out.println();
        new Table("group rank", "<file", "size", "", "variables", "layers", "<checksum")
                .print(out, () -> rows(metadata.files()));
    }

    private static Stream<Object[]> rows(List<FileEntry> files) {
        return IntStream.range(0, files.size()).mapToObj(i -> {
            FileEntry file = files.get(i);
            return new Object[] {
                i,
                FtiDataFile.printable(file.name()),
                file.size(),
                Sizes.unit(file.size()),
                file.variables().size(),
                file.layers().size(),
                FtiDataFile.printable(file.digest())
            };
        });
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("format", GroupMetadata.FORMAT);
        if (metadata == null) {
            return;
        }
        json.writeStringField("type", type(metadata));
        json.writeNumberField("ckpt_id", metadata.ckptId());
        json.writeArrayFieldStart("files");
        for (FileEntry file : metadata.files()) {
            json.writeStartObject();
            json.writeStringField("name", file.name());
            json.writeNumberField("size", file.size());
            json.writeStringField("checksum", file.digest());
            json.writeBooleanField("striped", file.isStriped());
            json.writeNumberField("variables", file.variables().size());
            json.writeNumberField("layers", file.layers().size());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** The metadata were completely checked when they were read. */
    @Override
    public void verify(ByteSource data) {}

    @Override
    public List<StoredData> data() {
        throw new CommandException(
                ExitCode.NOT_RECOGNISED, source.path() + " has no data; they are in the files that it names");
    }

    @Override
    public StoredData select(Selection selection) {
        throw new CommandException(
                ExitCode.NOT_RECOGNISED, source.path() + " has no data; extract from a file that it names");
    }
}
