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
import io.drumlin.cli.file.ValueType;
import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.format.internal.Findings;
import io.drumlin.format.internal.RangeDigester;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.integrity.LaneDigester;
import io.drumlin.integrity.StripedDigester;
import io.drumlin.internal.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A data file of the modes POSIX and MPI-IO. Only the metadata describe its content; docs/formats/fti-posix.md. */
final class FtiDataFile implements RecognisedFile {

    private static final List<String> TYPES = List.of(
            "FTI_CHAR",
            "FTI_SHRT",
            "FTI_INTG",
            "FTI_LONG",
            "FTI_UCHR",
            "FTI_USHT",
            "FTI_UINT",
            "FTI_ULNG",
            "FTI_SFLT",
            "FTI_DBLE",
            "FTI_LDBE");

    private final FileSource source;
    private final String kind;
    private final int ckptId;
    private final Integrity integrity;
    private final List<Variable> variables;
    private final Findings findings = new Findings();

    /**
     * Makes a file whose metadata were found.
     *
     * @param size size in bytes according to the metadata
     * @param variables its variables; empty in an encoded file
     */
    FtiDataFile(FileSource source, String kind, int ckptId, long size, Integrity integrity, List<Variable> variables) {
        this.source = source;
        this.kind = kind;
        this.ckptId = ckptId;
        this.integrity = integrity;
        this.variables = variables;
        if (size != source.size()) {
            findings.add(new Finding(
                    "ckpt_file_size",
                    source.size(),
                    "the file has " + source.size() + " bytes, by the metadata it has " + size));
        }
    }

    /** The way in which the data are checked. */
    interface Integrity {

        /** Returns the digests that are compared, for people. */
        String text();

        /** Adds the faults of the data. */
        void verify(ByteSource data, Findings findings) throws IOException;
    }

    /** The metadata have no digest of the data. */
    record Unchecked() implements Integrity {

        @Override
        public String text() {
            return "none";
        }

        @Override
        public void verify(ByteSource data, Findings findings) {}
    }

    /** Returns the check for a checksum from the metadata, or none if it is null or empty. */
    static Integrity checksum(@Nullable String checksum) {
        return checksum == null || checksum.isEmpty() ? new Unchecked() : new Checksum(checksum);
    }

    /** Returns the check for a file that is described by an entry. */
    static Integrity checksum(FileEntry entry) {
        // If C FTI compares a digest, that one is verified here too.
        return entry.isOnlyStriped()
                ? new BlockDigests(List.of(new Block(new Range(0, entry.size()), entry.digest(), true)))
                : checksum(entry.checksum());
    }

    /** MD5 of the whole file. */
    record Checksum(String text) implements Integrity {

        @Override
        public void verify(ByteSource data, Findings findings) throws IOException {
            Range all = new Range(0, data.size());
            String computed = HexFormat.of()
                    .formatHex(new LaneDigester().digest(data, List.of(all)).get(0));
            if (!FileEntry.isDigestOf(text, computed)) {
                findings.add(new Finding(
                        "ckpt_checksum", 0, "is " + printable(text) + " in the metadata, the file has " + computed));
            }
        }
    }

    /** Digests of the blocks of the ranks in a file of all ranks, or in the copy of one; only Drumlin writes them down. */
    record BlockDigests(List<Block> blocks) implements Integrity {

        @Override
        public String text() {
            return blocks.size() == 1 ? blocks.get(0).digest() : "of " + blocks.size() + " blocks";
        }

        @Override
        public void verify(ByteSource data, Findings findings) throws IOException {
            verify(data, findings, false, new LaneDigester());
            verify(data, findings, true, new StripedDigester());
        }

        private void verify(ByteSource data, Findings findings, boolean striped, RangeDigester digester)
                throws IOException {
            List<Block> ofKind =
                    blocks.stream().filter(block -> block.striped() == striped).toList();
            List<byte[]> computed =
                    digester.digest(data, ofKind.stream().map(Block::range).toList());
            for (int i = 0; i < ofKind.size(); i++) {
                String found = HexFormat.of().formatHex(computed.get(i));
                Block block = ofKind.get(i);
                if (!FileEntry.isDigestOf(block.digest(), found)) {
                    findings.add(block.damage(found));
                }
            }
        }
    }

    /** The digest of each layer of a differential checkpoint. */
    record LayerDigests(DcpFile file) implements Integrity {

        @Override
        public String text() {
            return "of " + file.layers() + " layers";
        }

        @Override
        public void verify(ByteSource data, Findings findings) throws IOException {
            for (int layer = 0; layer < file.layers(); layer++) {
                if (!file.isWhole(layer, new LaneDigester())) {
                    findings.add(new Finding(
                            "dcp_layer" + layer + "_hash",
                            file.offset(layer),
                            "is not that of the blocks in this layer"));
                }
            }
        }
    }

    /**
     * A variable.
     *
     * @param rank its rank
     * @param parts ranges of the file, in the order of the variable
     */
    record Variable(int rank, VariableEntry entry, List<Range> parts) {}

    @Override
    public String title() {
        return "FTI " + kind + (integrity instanceof Unchecked ? " without a checksum" : "");
    }

    @Override
    public Findings findings() {
        return findings;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "  %-15s%s%n", "checkpoint id", ckptId);
        out.printf(Locale.ROOT, "  %-15s%s%n", "file size", Sizes.readable(source.size()));
        out.printf(Locale.ROOT, "  %-15s%s%n", "checksum", printable(integrity.text()));
        if (!variables.isEmpty()) {
            out.println();
            new Table("rank", "variable", "<type", "size", "", "offset", "<name", "<attribute", "<dimensions")
                    .print(out, this::rows);
        }
    }

    private Stream<Object[]> rows() {
        return variables.stream().map(variable -> {
            VariableEntry entry = variable.entry();
            return new Object[] {
                variable.rank(),
                entry.id(),
                type(entry),
                entry.size(),
                Sizes.unit(entry.size()),
                variable.parts().isEmpty() ? "-" : variable.parts().get(0).offset(),
                printable(entry.idChar()),
                printable(entry.name()),
                entry.dims().stream().map(String::valueOf).collect(Collectors.joining("x"))
            };
        });
    }

    private static String type(VariableEntry entry) {
        return entry.typeId() >= 0 && entry.typeId() < TYPES.size()
                ? TYPES.get(entry.typeId())
                : entry.typeSize() + " bytes";
    }

    /** Damaged metadata may hold control characters. */
    static String printable(String name) {
        return Printable.text(name);
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("format", "FTI");
        json.writeStringField("kind", kind);
        json.writeNumberField("ckpt_id", ckptId);
        json.writeStringField("checksum", integrity.text());
        json.writeArrayFieldStart("variables");
        for (Variable variable : variables) {
            VariableEntry entry = variable.entry();
            json.writeStartObject();
            json.writeNumberField("rank", variable.rank());
            json.writeNumberField("id", entry.id());
            json.writeNumberField("typeid", entry.typeId());
            json.writeNumberField("typesize", entry.typeSize());
            json.writeNumberField("size", entry.size());
            json.writeStringField("name", entry.name());
            json.writeStringField("idchar", entry.idChar());
            json.writeArrayFieldStart("dims");
            for (long dim : entry.dims()) {
                json.writeNumber(dim);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("parts");
            for (Range part : variable.parts()) {
                json.writeStartObject();
                json.writeNumberField("offset", part.offset());
                json.writeNumberField("length", part.length());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    @Override
    public void verify(ByteSource data) throws IOException {
        // If the file was cut or has grown, its digest shows nothing more.
        if (findings.isEmpty()) {
            integrity.verify(data, findings);
        }
    }

    @Override
    public List<StoredData> data() throws IOException {
        requireWhole();
        if (variables.isEmpty()) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, source.path() + ": no variables are in this " + kind);
        }
        return variables.stream().map(this::data).toList();
    }

    private StoredData data(Variable variable) {
        VariableEntry entry = variable.entry();
        List<StoredData.Piece> pieces = variable.parts().stream()
                .map(part -> new StoredData.Piece(part.offset(), part.length()))
                .toList();
        boolean verified = !(integrity instanceof Unchecked);
        StoredData data = StoredData.of("var=" + entry.id(), entry.size(), verified, source, pieces)
                .typed(ValueType.ofFti(entry.typeId(), entry.typeSize()), entry.dims());
        return variable.rank() < 0 ? data : data.ofRank(variable.rank());
    }

    private void requireWhole() throws FormatException {
        if (!findings.isEmpty()) {
            throw new FormatException(GroupMetadata.FORMAT, findings.list().get(0)).in(source.path());
        }
    }

    @Override
    public long checkedBytes() {
        return source.size();
    }

    @Override
    public void check(ByteSource watched, List<StoredData> wanted) throws IOException {
        verify(watched);
        requireWhole();
    }

    @Override
    public List<Block> digestsInOrder() {
        if (integrity instanceof Checksum whole) {
            return List.of(new Block(new Range(0, source.size()), whole.text(), false));
        }
        return integrity instanceof BlockDigests digests ? digests.blocks() : List.of();
    }

    /** Selects {@code var=ID}, or with a rank if the file has the data of several ranks. */
    @Override
    public StoredData select(Selection asked) {
        Selection selection = asked.splitRank();
        List<Variable> found = variables.stream()
                .filter(variable -> selection.key().equals("var")
                        && String.valueOf(variable.entry().id()).equals(selection.value())
                        && (selection.rank().isEmpty() || selection.rank().getAsInt() == variable.rank()))
                .toList();
        if (found.size() == 1) {
            return data(found.get(0));
        }
        String problem = source.path() + " has " + found.size()
                + " of this; select var=ID, or var=ID@RANK where a file has several ranks";
        throw found.isEmpty() ? asked.missing(problem) : asked.wrong(problem);
    }
}
