package io.drumlin.cli.fti;

import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.DrumlinException;
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
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.format.hdf5.StoredDataset.Chunk;
import io.drumlin.format.hdf5.UnsupportedFeatureException;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An HDF5 file, either by itself or as the file of a rank whose metadata were found; docs/formats/fti-hdf5.md. */
public final class Hdf5Datasets implements RecognisedFile {

    private static final String FORMAT = "HDF5";
    private final FileSource source;
    private final String title;

    /** The check of the whole file; there is none without metadata, or if C FTI wrote them. */
    private final FtiDataFile.Integrity integrity;

    /** Whether metadata describe the file. */
    private final boolean isOfRank;

    private final Findings findings = new Findings();

    /** Null if the file is damaged. */
    private final @Nullable Hdf5Reader reader;

    private final List<StoredDataset> datasets;

    private Hdf5Datasets(FileSource source, String title, FtiDataFile.Integrity integrity, boolean isOfRank)
            throws IOException {
        this.isOfRank = isOfRank;
        this.source = source;
        this.title = title;
        this.integrity = integrity;
        this.reader = read();
        this.datasets = reader == null ? List.of() : reader.datasets();
    }

    /** Makes a file without metadata. */
    public static Hdf5Datasets of(FileSource source) throws IOException {
        return new Hdf5Datasets(source, "HDF5 file", new FtiDataFile.Unchecked(), false);
    }

    /**
     * Makes a file of a rank.
     *
     * @param kind whether it is the checkpoint file or a copy
     * @param entry the entry of the checkpoint file
     */
    static Hdf5Datasets ofRank(FileSource source, String kind, FileEntry entry) throws IOException {
        return new Hdf5Datasets(source, "FTI " + kind + ", HDF5", FtiDataFile.checksum(entry.ownChecksum()), true);
    }

    private @Nullable Hdf5Reader read() throws IOException {
        try {
            return source.as(Hdf5Reader.class, path -> Hdf5Reader.open(source, path, false));
        } catch (DrumlinException e) {
            boolean damaged = e instanceof FormatException && !(e instanceof UnsupportedFeatureException);
            if (damaged) {
                findings.add(((FormatException) e).finding());
            } else {
                // Where there is a digest, it tells a damaged file from one of another kind.
                integrity.verify(source, findings);
            }
            if (findings.isEmpty()) {
                throw e instanceof UnsupportedFeatureException kind ? kind.in(source.path()) : e;
            }
            return null;
        }
    }

    private boolean isDecoded() {
        return reader != null && reader.isDecoded();
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Findings findings() {
        return findings;
    }

    @Override
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "  %-15s%s%n", "file size", Sizes.readable(source.size()));
        out.printf(Locale.ROOT, "  %-15s%s%n", "checksum", integrity.text());
        out.println();
        new Table("<dataset", "<dimensions", "bytes each", "size", "", "chunks", "offset", "<checksums")
                .print(out, this::rows);
    }

    private Stream<Object[]> rows() {
        return datasets.stream().map(dataset -> {
            List<Chunk> chunks = dataset.chunks();
            return new Object[] {
                FtiDataFile.printable(dataset.path()),
                dataset.dimensions().stream().map(String::valueOf).collect(Collectors.joining("x")),
                dataset.elementSize(),
                dataset.bytes(),
                Sizes.unit(dataset.bytes()),
                chunks.size(),
                chunks.isEmpty() || isDecoded() ? "-" : chunks.get(0).offset(),
                checksums(dataset)
            };
        });
    }

    private String checksums(StoredDataset dataset) {
        if (isUnwritten(dataset)) {
            return "never written";
        }
        if (isDecoded()) {
            return "decoded by the HDF5 library";
        }
        return dataset.chunks().stream().anyMatch(chunk -> chunk.stored() > 0) ? "Fletcher-32" : "none";
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("format", FORMAT);
        json.writeStringField("checksum", integrity.text());
        if (isDecoded()) {
            json.writeBooleanField("decoded_by_library", true);
        }
        json.writeArrayFieldStart("datasets");
        for (StoredDataset dataset : datasets) {
            json.writeStartObject();
            json.writeStringField("path", dataset.path());
            json.writeArrayFieldStart("dimensions");
            for (long dimension : dataset.dimensions()) {
                json.writeNumber(dimension);
            }
            json.writeEndArray();
            json.writeNumberField("element_size", dataset.elementSize());
            json.writeNumberField("size", dataset.bytes());
            json.writeNumberField("stored_size", dataset.storedBytes());
            json.writeArrayFieldStart("chunks");
            for (Chunk chunk : isDecoded() ? List.<Chunk>of() : dataset.chunks()) {
                json.writeStartObject();
                json.writeNumberField("offset", chunk.offset());
                json.writeNumberField("length", chunk.length());
                json.writeBooleanField("fletcher32", chunk.stored() > 0);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    @Override
    public void verify(ByteSource data) throws IOException {
        verify(data, datasets);
    }

    /** @param wanted datasets that must have been written */
    private void verify(ByteSource data, List<StoredDataset> wanted) throws IOException {
        if (!findings.isEmpty()) {
            return;
        }
        try {
            if (reader != null && reader.isDecoded()) {
                integrity.verify(source, findings);
                reader.verify();
            } else {
                integrity.verify(data, findings);
                Hdf5File.read(data).verify();
            }
        } catch (FormatException e) {
            findings.add(e.finding());
        }
        for (StoredDataset dataset : wanted) {
            if (isUnwritten(dataset)) {
                addUnwritten(dataset);
            }
        }
    }

    private static boolean isUnwritten(StoredDataset dataset) {
        return dataset.storedBytes() < dataset.bytes();
    }

    /** A checkpoint lacks data then; a file without metadata may be meant to be so. */
    private void addUnwritten(StoredDataset dataset) throws FormatException {
        Finding unwritten = new Finding(
                "elements of " + dataset.path(),
                0,
                "the dataset was made but never written: " + dataset.storedBytes() + " of its " + dataset.bytes()
                        + " bytes are in the file");
        if (isOfRank) {
            findings.add(unwritten);
        } else if (findings.isEmpty()) {
            throw new UnsupportedFeatureException(unwritten).in(source.path());
        }
    }

    @Override
    public List<StoredData> data() throws IOException {
        requireWhole();
        return datasets.stream().map(this::data).toList();
    }

    private static String name(StoredDataset dataset) {
        return "dataset=" + dataset.path();
    }

    private StoredData data(StoredDataset dataset) {
        List<StoredData.Piece> pieces = dataset.chunks().stream()
                .map(chunk -> new StoredData.Piece(chunk.offset(), chunk.length()))
                .toList();
        boolean verified = !(integrity instanceof FtiDataFile.Unchecked)
                || dataset.chunks().stream().allMatch(chunk -> chunk.stored() > 0);
        ByteSource elements = reader == null ? source : reader.elements();
        return StoredData.of(name(dataset), dataset.bytes(), verified, elements, pieces)
                .typed(Optional.of(ValueType.of(dataset.type())), dataset.dimensions());
    }

    private void requireWhole() throws FormatException {
        if (!findings.isEmpty()) {
            throw new FormatException(FORMAT, findings.list().get(0)).in(source.path());
        }
    }

    @Override
    public long checkedBytes() {
        return isDecoded() ? 0 : source.size();
    }

    @Override
    public void check(ByteSource watched, List<StoredData> wanted) throws IOException {
        Set<String> names = wanted.stream().map(StoredData::name).collect(Collectors.toSet());
        verify(
                watched,
                datasets.stream()
                        .filter(dataset -> names.contains(name(dataset)))
                        .toList());
        requireWhole();
    }

    /** Selects {@code dataset=PATH}, with or without the slash of the root. */
    @Override
    public StoredData select(Selection selection) throws IOException {
        requireWhole();
        boolean isDataset = selection.key().equals("dataset");
        String path = selection.value().startsWith("/") ? selection.value() : "/" + selection.value();
        Optional<StoredDataset> found = isDataset ? dataset(path) : Optional.empty();
        if (found.isPresent()) {
            selection.requireNoRank(title());
            return data(found.get());
        }
        String problem = source.path()
                + " has no such dataset; select dataset=PATH, where PATH is one of those that inspect shows";
        throw isDataset ? selection.missing(problem) : selection.wrong(problem);
    }

    private Optional<StoredDataset> dataset(String path) {
        return datasets.stream().filter(dataset -> dataset.path().equals(path)).findFirst();
    }
}
