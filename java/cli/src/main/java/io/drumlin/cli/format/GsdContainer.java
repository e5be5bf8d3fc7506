package io.drumlin.cli.format;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.base.Table;
import io.drumlin.cli.file.FileRange;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.internal.GsdIndex;
import io.drumlin.format.gsd.internal.GsdMetadata;
import io.drumlin.format.gsd.internal.GsdVerifier;
import io.drumlin.format.gsd.internal.Header;
import io.drumlin.format.gsd.internal.IndexEntry;
import io.drumlin.format.internal.Findings;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.GsdFile;
import io.drumlin.internal.Printable;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An open GSD file.
 *
 * @param source the file
 * @param metadata empty if the C library would not open it
 */
public record GsdContainer(FileSource source, Optional<GsdMetadata> metadata, Findings findings)
        implements RecognisedFile {

    /** Largest number of chunks in a picture; more could not be distinguished. */
    private static final int MOST_RANGES = 20_000;

    private static final Pattern SELECTION = Pattern.compile("(.+),frame=(\\d{1,18})");

    /** The common properties of the chunks of one name. */
    private static final class Name {

        private final int id;
        private final String text;
        private long chunks;
        private long firstFrame;
        private long lastFrame;
        private long leastRows = Long.MAX_VALUE;
        private long mostRows;
        private long columns = -1;
        private String type = "";
        private long bytes;

        private Name(int id, String text) {
            this.id = id;
            this.text = text;
        }

        private void add(IndexEntry entry) {
            String label = entry.elementType().map(ElementType::label).orElse("?");
            firstFrame = chunks == 0 ? entry.frame() : firstFrame;
            lastFrame = entry.frame();
            type = chunks == 0 || type.equals(label) ? label : "various";
            columns = chunks == 0 || columns == entry.columns() ? entry.columns() : -1;
            leastRows = Math.min(leastRows, entry.rows());
            mostRows = Math.max(mostRows, entry.rows());
            bytes += entry.elementType().isPresent() ? entry.rows() * entry.rowBytes() : 0;
            chunks++;
        }

        private Object[] row() {
            String rows = leastRows == mostRows ? String.valueOf(mostRows) : leastRows + " to " + mostRows;
            return chunks == 0
                    ? new Object[] {id, text, "", "", "", 0, "", 0}
                    : new Object[] {
                        id,
                        text,
                        type,
                        rows,
                        columns < 0 ? "various" : columns,
                        chunks,
                        firstFrame + " to " + lastFrame,
                        bytes
                    };
        }
    }

    @Override
    public String title() {
        if (metadata.isEmpty()) {
            return "GSD, damaged";
        }
        Header header = metadata.get().header();
        return "GSD " + header.gsdVersion()
                + (header.schema().isEmpty()
                        ? ""
                        : ", schema " + Printable.text(header.schema()) + " " + header.schemaVersion());
    }

    @Override
    public void print(PrintWriter out) {
        if (metadata.isEmpty()) {
            return;
        }
        Header header = metadata.get().header();
        GsdIndex index = metadata.get().index();
        Map<Integer, Name> names = names();
        out.println("  written by        " + Printable.text(header.application()));
        out.println("  frames            " + frames());
        out.println("  chunks            " + index.used() + ", room for " + header.indexAllocatedEntries());
        out.println("  names             " + metadata.get().names().size());
        out.println("  data              "
                + Sizes.readable(
                        names.values().stream().mapToLong(name -> name.bytes).sum()));
        out.println();
        new Table("ID", "<NAME", "<TYPE", "ROWS", "COLUMNS", "CHUNKS", "FRAMES", "BYTES")
                .print(out, () -> names.values().stream().map(Name::row));
    }

    private long frames() {
        try {
            return metadata.orElseThrow().index().frames();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the whole index and adds its faults to the findings. */
    private Map<Integer, Name> names() {
        GsdMetadata open = metadata.orElseThrow();
        Map<Integer, Name> names = new TreeMap<>();
        for (int id = 0; id < open.names().size(); id++) {
            names.put(id, new Name(id, open.names().name(id)));
        }
        try {
            new GsdVerifier(open).verify(findings);
            for (long slot = 0; slot < open.index().used(); slot++) {
                IndexEntry entry = open.index().slot(slot);
                if (entry.isUsed()) {
                    names.computeIfAbsent(entry.id(), id -> new Name(id, "?")).add(entry);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("format", GsdMetadata.FORMAT);
        if (metadata.isEmpty()) {
            return;
        }
        Header header = metadata.get().header();
        json.writeStringField("gsd_version", header.gsdVersion().toString());
        json.writeStringField("schema", header.schema());
        json.writeStringField("schema_version", header.schemaVersion().toString());
        json.writeStringField("application", header.application());
        json.writeNumberField("nframes", frames());
        json.writeNumberField("index_location", header.indexLocation());
        json.writeNumberField("index_allocated_entries", header.indexAllocatedEntries());
        json.writeNumberField("index_entries", metadata.get().index().used());
        json.writeNumberField("namelist_location", header.namelistLocation());
        json.writeNumberField("namelist_allocated_entries", header.namelistAllocatedEntries());
        json.writeArrayFieldStart("names");
        for (Name name : names().values()) {
            json.writeStartObject();
            json.writeNumberField("id", name.id);
            json.writeStringField("name", name.text);
            json.writeNumberField("chunks", name.chunks);
            if (name.chunks > 0) {
                json.writeStringField("type", name.type);
                json.writeNumberField("first_frame", name.firstFrame);
                json.writeNumberField("last_frame", name.lastFrame);
                json.writeNumberField("least_rows", name.leastRows);
                json.writeNumberField("most_rows", name.mostRows);
                if (name.columns >= 0) {
                    json.writeNumberField("columns", name.columns);
                }
                json.writeNumberField("bytes", name.bytes);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    @Override
    public List<FileRange> ranges() {
        if (metadata.isEmpty()) {
            return List.of();
        }
        Header header = metadata.get().header();
        GsdIndex index = metadata.get().index();
        if (index.used() > MOST_RANGES) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    source.path() + ": " + index.used() + " chunks are too many for a picture");
        }
        List<FileRange> ranges = new ArrayList<>();
        ranges.add(FileRange.metadata("header", "", 0, Header.BYTES)
                .with("gsd_version", header.gsdVersion())
                .with("schema", header.schema())
                .with("application", header.application()));
        ranges.add(FileRange.metadata(
                        "index", "", header.indexLocation(), header.indexAllocatedEntries() * IndexEntry.BYTES)
                .with("index_allocated_entries", header.indexAllocatedEntries())
                .with(List.of(
                        FileRange.metadata("entries", "", header.indexLocation(), index.used() * IndexEntry.BYTES))));
        ranges.add(FileRange.metadata(
                        "names", "", header.namelistLocation(), header.namelistAllocatedEntries() * Header.NAME_UNIT)
                .with("namelist_allocated_entries", header.namelistAllocatedEntries()));
        try {
            addChunks(index, ranges);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ranges;
    }

    private void addChunks(GsdIndex index, List<FileRange> ranges) throws IOException {
        for (long slot = 0; slot < index.used(); slot++) {
            IndexEntry entry = index.slot(slot);
            boolean whole = entry.isUsed() && entry.check(index.limits(), slot, index.offset(slot), findings);
            if (whole && entry.rows() > 0) {
                String name = metadata.orElseThrow().names().name(entry.id());
                long bytes = entry.rows() * entry.rowBytes();
                ranges.add(FileRange.data(name, "of frame " + entry.frame(), entry.location(), bytes)
                        .with("frame", entry.frame())
                        .with("type", entry.elementType().orElseThrow().label())
                        .with("N", entry.rows())
                        .with("M", entry.columns())
                        .of(name));
            }
        }
    }

    /** The data have no digests. */
    @Override
    public void verify(ByteSource same) throws IOException {
        if (metadata.isPresent()) {
            GsdVerifier.verify(same, findings);
        }
    }

    /** Opens a file for commands that read and change existing files. */
    public static GsdFile open(Path path, Access access) throws IOException {
        return GsdFile.at(path).storage(new NioEngine()).open(access);
    }

    @Override
    public List<StoredData> data() throws IOException {
        List<StoredData> all = new ArrayList<>();
        for (int frame = 0; frame < parts(); frame++) {
            all.addAll(part(frame));
        }
        return all;
    }

    /** Returns the number of frames. */
    @Override
    public int parts() throws IOException {
        return Math.toIntExact(opened().frameCount());
    }

    private GsdFile opened() throws IOException {
        if (metadata.isEmpty()) {
            throw new FormatException(GsdMetadata.FORMAT, findings.list().get(0)).in(source.path());
        }
        return source.as(GsdFile.class, path -> open(path, Access.READ));
    }

    @Override
    public List<StoredData> part(int number) throws IOException {
        List<StoredData> chunks = new ArrayList<>();
        for (Chunk chunk : opened().frame(number).chunks()) {
            chunks.add(data(chunk.name(), number, chunk.location(), chunk.rows(), chunk.columns(), chunk.type()));
        }
        return chunks;
    }

    private StoredData data(String name, long frame, long location, long rows, long columns, ElementType type) {
        long bytes = rows * columns * type.bytes();
        return StoredData.of(
                        "chunk=" + name + ",frame=" + frame,
                        bytes,
                        false,
                        source,
                        List.of(new StoredData.Piece(location, bytes)))
                .typed(Optional.of(ValueType.of(type)), columns == 1 ? List.of(rows) : List.of(rows, columns));
    }

    @Override
    public StoredData select(Selection selection) throws IOException {
        GsdFile file = opened();
        Matcher matcher = SELECTION.matcher(selection.value());
        if (!selection.key().equals("chunk") || !matcher.matches()) {
            throw selection.wrong("of a GSD file select chunk=NAME,frame=I or chunk=NAME,frame=I,rows=A:B");
        }
        selection.requireNoRank(title());
        String name = matcher.group(1);
        long frame = Long.parseLong(matcher.group(2));
        Chunk chunk = file.findChunk(frame, name)
                .orElseThrow(() -> new CommandException(
                        ExitCode.NOT_RECOGNISED, source.path() + " has no chunk " + name + " in frame " + frame));
        return data(name, frame, chunk.location(), chunk.rows(), chunk.columns(), chunk.type());
    }
}
