package io.drumlin.cli.fti;

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
import io.drumlin.cli.file.StoredData.Digest;
import io.drumlin.cli.file.StoredData.Piece;
import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfVerifier;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.format.internal.Findings;
import io.drumlin.integrity.LaneDigester;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** An FTI-FF file of any layout. */
public final class FtiFfCheckpoint implements RecognisedFile {

    private final FileSource source;
    private final FtiFfFile file;
    private final Findings findings;

    FtiFfCheckpoint(FileSource source, FtiFfFile file, Findings findings) {
        this.source = source;
        this.file = file;
        this.findings = findings;
    }

    public FtiFfFile file() {
        return file;
    }

    @Override
    public String title() {
        return "FTI-FF layout " + file.layoutLabel() + ", "
                + (file.encoded() ? "Reed-Solomon file" : "checkpoint file");
    }

    @Override
    public Findings findings() {
        return findings;
    }

    @Override
    public List<FileRange> ranges() {
        return new FtiFfRanges(file).ranges();
    }

    @Override
    public void verify(ByteSource data) throws IOException {
        new FtiFfVerifier(data, file, new LaneDigester()).verify(findings);
    }

    @Override
    public void print(PrintWriter out) {
        FileMeta meta = file.meta();
        line(out, "written by", writer());
        if (file.layout().atEnd()) {
            line(out, "checkpoint id", meta.ckptId());
        }
        line(out, "file size", Sizes.readable(source.size()));
        if (file.encoded()) {
            line(out, "encoded bytes", Sizes.readable(meta.fs()));
            line(out, "plain file", Sizes.readable(meta.ckptSize()));
            line(out, "checksum", meta.checksum());
            return;
        }
        long metaSize = file.layout().metaSize(file.blocks());
        line(out, "data", Sizes.readable(file.layout().atEnd() ? meta.dataSize() : meta.fs() - metaSize));
        line(out, "metadata", Sizes.readable(file.layout().atEnd() ? meta.metaSize() : metaSize));
        line(
                out,
                "checksum",
                meta.checksum()
                        + switch (file.checksumRule()) {
                            case CONTENT, BYTES -> "";
                            case ALL -> " (counts emptied containers: C FTI itself refuses this file)";
                            case NONE -> " (not that of the stored hashes)";
                        });
        line(out, "partner copy", meta.ptFs() == -1 ? "none" : Sizes.readable(meta.ptFs()) + " beside this file");
        line(out, "encoded size", meta.maxFs() == -1 ? "not encoded" : Sizes.readable(meta.maxFs()));
        line(
                out,
                "timestamp",
                meta.timestamp()
                        + " (nanoseconds since 1970"
                        + (file.layout().timestampIsCut() ? ", low 32 bits)" : ")"));
        out.println();
        new Table("variable", "size", "", "containers").print(out, this::variableRows);
        out.println();
        new Table("block", "variable", "container", "offset", "in variable", "used", "reserved", "<hash")
                .print(out, this::containerRows);
    }

    private String writer() {
        return switch (file.layout()) {
            case A -> "C FTI v1.1 or Drumlin";
            case B -> "C FTI v1.2";
            case C -> "C FTI v1.3";
            case D -> file.encoded() ? "C FTI v1.3 or v1.4.0" : "C FTI v1.4.0";
            case E -> "C FTI v1.4.1 to v1.6 or Drumlin";
            case F -> "C FTI head or Drumlin";
        };
    }

    private static void line(PrintWriter out, String name, Object value) {
        out.printf(Locale.ROOT, "  %-15s%s%n", name, value);
    }

    /** Size and number of containers of a variable. */
    private static final class Extent {
        private long size;
        private int containers;
    }

    private Map<Integer, Extent> variables() {
        Map<Integer, Extent> variables = new LinkedHashMap<>();
        file.containers().forEach(container -> {
            Extent extent = variables.computeIfAbsent(container.id(), id -> new Extent());
            extent.size += container.chunkSize();
            extent.containers++;
        });
        return variables;
    }

    private Stream<Object[]> variableRows() {
        return variables().entrySet().stream().map(entry -> new Object[] {
            entry.getKey(), entry.getValue().size, Sizes.unit(entry.getValue().size), entry.getValue().containers
        });
    }

    private Stream<Object[]> containerRows() {
        List<BlockMeta> blocks = file.blocks();
        return IntStream.range(0, blocks.size()).boxed().flatMap(b -> blocks.get(b).variables().stream()
                .map(container -> new Object[] {
                    b,
                    container.id(),
                    container.containerId(),
                    container.fptr(),
                    container.dptr(),
                    container.hasContent() ? container.chunkSize() : "-",
                    container.containerSize(),
                    container.hash()
                }));
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        FileMeta meta = file.meta();
        json.writeStringField("format", FtiFfFile.FORMAT);
        json.writeStringField("layout", file.layoutLabel());
        json.writeStringField("kind", file.encoded() ? "rs_encoded" : "plain");
        json.writeObjectFieldStart("file_meta");
        json.writeStringField("checksum", meta.checksum());
        json.writeStringField("myHash", meta.myHash());
        if (file.layout().atEnd()) {
            json.writeNumberField("ckptId", meta.ckptId());
        }
        json.writeNumberField("ckptSize", meta.ckptSize());
        if (file.layout().atEnd()) {
            json.writeNumberField("metaSize", meta.metaSize());
            json.writeNumberField("dataSize", meta.dataSize());
        }
        json.writeNumberField("fs", meta.fs());
        json.writeNumberField("maxFs", meta.maxFs());
        json.writeNumberField("ptFs", meta.ptFs());
        json.writeNumberField("timestamp", meta.timestamp());
        json.writeEndObject();
        if (!file.encoded()) {
            writeBlocks(json);
        }
    }

    private void writeBlocks(JsonGenerator json) throws IOException {
        json.writeStringField("checksum_rule", file.checksumRule().name().toLowerCase(java.util.Locale.ROOT));
        json.writeArrayFieldStart("variables");
        for (Map.Entry<Integer, Extent> variable : variables().entrySet()) {
            json.writeStartObject();
            json.writeNumberField("id", variable.getKey());
            json.writeNumberField("size", variable.getValue().size);
            json.writeNumberField("containers", variable.getValue().containers);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("blocks");
        for (BlockMeta block : file.blocks()) {
            json.writeStartObject();
            json.writeNumberField("numvars", block.variables().size());
            json.writeNumberField("dbsize", block.dbsize());
            json.writeArrayFieldStart("vars");
            for (VariableMeta container : block.variables()) {
                writeContainer(json, container);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeContainer(JsonGenerator json, VariableMeta container) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", container.id());
        if (container.idx() != VariableMeta.NO_IDX) {
            json.writeNumberField("idx", container.idx());
        }
        json.writeNumberField("containerid", container.containerId());
        json.writeBooleanField("hascontent", container.hasContent());
        if (file.layout() != Layout.A) {
            json.writeBooleanField("hasCkpt", container.hasCkpt());
        }
        json.writeNumberField("dptr", container.dptr());
        json.writeNumberField("fptr", container.fptr());
        json.writeNumberField("chunksize", container.chunkSize());
        json.writeNumberField("containersize", container.containerSize());
        json.writeStringField("hash", container.hash());
        json.writeEndObject();
    }

    @Override
    public List<StoredData> data() throws IOException {
        requireWhole();
        if (file.encoded()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, source.path() + ": no variables are in a Reed-Solomon file");
        }
        return variables().entrySet().stream()
                .map(variable -> data(variable.getKey(), variable.getValue().size))
                .toList();
    }

    @Override
    public StoredData select(Selection selection) throws IOException {
        requireWhole();
        int id = id(selection);
        selection.requireNoRank(title());
        if (file.containers().noneMatch(container -> container.id() == id)) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, source.path() + " has no variable " + id + "; " + variablesThereAre());
        }
        long bytes = file.containers()
                .filter(container -> container.id() == id && container.hasContent())
                .mapToLong(VariableMeta::chunkSize)
                .sum();
        return data(id, bytes);
    }

    private void requireWhole() throws FormatException {
        if (!findings.isEmpty()) {
            throw new FormatException(FtiFfFile.FORMAT, findings.list().get(0)).in(source.path());
        }
    }

    private StoredData data(int id, long bytes) {
        return StoredData.of("var=" + id, bytes, true, source, () -> pieces(id).iterator());
    }

    /** Files can have more containers than fit into memory as objects, so none are kept. */
    private Stream<Piece> pieces(int id) {
        List<BlockMeta> blocks = file.blocks();
        return IntStream.range(0, blocks.size()).boxed().flatMap(b -> {
            List<VariableMeta> containers = blocks.get(b).variables();
            return IntStream.range(0, containers.size())
                    .filter(v ->
                            containers.get(v).id() == id && containers.get(v).hasContent())
                    .mapToObj(v -> piece(containers.get(v), file.hashOffset(b, v)));
        });
    }

    private Piece piece(VariableMeta container, long hashOffset) {
        Digest digest = new Digest(container.hash(), computed -> damage(container, hashOffset, computed));
        return new Piece(container.fptr(), container.chunkSize(), Optional.of(digest));
    }

    private static int id(Selection selection) {
        try {
            if (selection.key().equals("var") && Integer.parseInt(selection.value()) >= 0) {
                return Integer.parseInt(selection.value());
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw selection.wrong("of an FTI-FF file select var=ID, ID from 0 to " + Integer.MAX_VALUE);
    }

    private String variablesThereAre() {
        if (file.encoded()) {
            return "a Reed-Solomon file has none";
        }
        String ids =
                variables().keySet().stream().limit(50).map(String::valueOf).collect(Collectors.joining(", "));
        return ids.isEmpty() ? "it has none" : "it has " + ids;
    }

    private FormatException damage(VariableMeta container, long offset, String computed) {
        String problem = "is " + container.hash() + ", the " + container.chunkSize() + " bytes at " + container.fptr()
                + " (variable " + container.id() + ", container " + container.containerId() + ") have " + computed;
        return new FormatException(FtiFfFile.FORMAT, new Finding("hash", offset, problem)).in(source.path());
    }
}
