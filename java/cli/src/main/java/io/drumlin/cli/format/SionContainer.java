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
import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.Findings;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.KeyValueScanner;
import io.drumlin.format.sion.internal.Meta2;
import io.drumlin.format.sion.internal.SionMeta;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.format.sion.internal.TaskStream;
import io.drumlin.internal.Printable;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * An open physical file of SIONlib.
 *
 * @param source the file
 * @param meta empty if not even the number of tasks is plausible
 */
public record SionContainer(FileSource source, Optional<SionMeta> meta, Findings findings) implements RecognisedFile {

    /** Largest number of ranges in a picture; more could not be distinguished. */
    private static final int MOST_RANGES = 20_000;

    @Override
    public String title() {
        if (meta.isEmpty()) {
            return "SION, damaged";
        }
        Header header = header();
        String kind = header.keyValue() ? ", records with keys" : "";
        String set = header.files() > 1 ? ", file " + header.fileNumber() + " of " + header.files() : "";
        return "SION, format " + header.formatVersion() + set + kind
                + (meta.get().closed() ? "" : ", never closed");
    }

    private Header header() {
        return meta.orElseThrow().meta1().header();
    }

    @Override
    public void print(PrintWriter out) {
        if (meta.isEmpty()) {
            return;
        }
        Meta1 meta1 = meta.get().meta1();
        Header header = header();
        out.println("  name              " + Printable.text(header.prefix()));
        out.println("  written by        SIONlib " + version(header));
        out.println("  tasks             " + meta1.tasks());
        out.println("  block size        " + Sizes.readable(header.fsBlockSize()));
        out.println("  byte order        " + order(header.order()) + " metadata, "
                + (header.bigEndianPayload() ? "big" : "little") + "-endian data");
        out.println("  start of data     " + meta1.startOfData());
        out.println("  globalskip        " + Sizes.readable(meta1.globalSkip()));
        meta.get().meta2().ifPresent(blocks -> {
            out.println("  blocks            " + blocks.maxChunks());
            out.println("  data              "
                    + Sizes.readable(LongStream.range(0, meta1.tasks())
                            .map(task -> bytes(blocks, (int) task))
                            .sum()));
        });
        meta.get()
                .mapping()
                .ifPresent(mapping -> out.println("  mapping           " + mapping.tasks() + " tasks in the set"));
        out.println();
        new Table("TASK", "GLOBALRANK", "START", "CHUNKSIZE", "BLOCKS", "BYTES")
                .print(out, () -> IntStream.range(0, meta1.tasks()).mapToObj(this::row));
    }

    private static String version(Header header) {
        return header.version() / 1000 + "." + header.version() % 1000 + "." + header.patchLevel();
    }

    private static String order(ByteOrder order) {
        return order == ByteOrder.BIG_ENDIAN ? "big-endian" : "little-endian";
    }

    private Object[] row(int task) {
        Meta1 meta1 = meta.orElseThrow().meta1();
        Optional<Meta2> blocks = meta.get().meta2();
        return new Object[] {
            task,
            meta1.globalRank(task),
            meta1.start(task),
            meta1.chunkSize(task),
            blocks.isPresent() ? blocks.get().blocks(task) : "?",
            blocks.isPresent() ? bytes(blocks.get(), task) : "?"
        };
    }

    private static long bytes(Meta2 blocks, int task) {
        return LongStream.of(blocks.sizes(task)).sum();
    }

    @Override
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("format", SionMeta.FORMAT);
        if (meta.isEmpty()) {
            return;
        }
        Meta1 meta1 = meta.get().meta1();
        Header header = header();
        json.writeStringField("prefix", header.prefix());
        json.writeStringField("version", version(header));
        json.writeNumberField("fileformat_version", header.formatVersion());
        json.writeBooleanField("metadata_big_endian", header.order() == ByteOrder.BIG_ENDIAN);
        json.writeBooleanField("data_big_endian", header.bigEndianPayload());
        json.writeNumberField("fsblksize", header.fsBlockSize());
        json.writeNumberField("ntasks", meta1.tasks());
        json.writeNumberField("nfiles", header.files());
        json.writeNumberField("filenumber", header.fileNumber());
        json.writeBooleanField("keyval", header.keyValue());
        json.writeBooleanField("closed", meta.get().closed());
        json.writeNumberField("start_of_data", meta1.startOfData());
        json.writeNumberField("globalskip", meta1.globalSkip());
        Optional<Meta2> blocks = meta.get().meta2();
        if (blocks.isPresent()) {
            json.writeNumberField("maxchunks", blocks.get().maxChunks());
            json.writeNumberField(
                    "start_of_varheader", meta1.startOfVarheader(blocks.get().maxChunks()));
        }
        json.writeArrayFieldStart("tasks");
        for (int task = 0; task < meta1.tasks(); task++) {
            json.writeStartObject();
            json.writeNumberField("globalrank", meta1.globalRank(task));
            json.writeNumberField("start", meta1.start(task));
            json.writeNumberField("chunksize", meta1.chunkSize(task));
            if (blocks.isPresent()) {
                json.writeFieldName("blocksizes");
                json.writeArray(blocks.get().sizes(task), 0, blocks.get().blocks(task));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        if (meta.get().mapping().isPresent()) {
            TaskMapping mapping = meta.get().mapping().get();
            json.writeArrayFieldStart("mapping");
            for (int task = 0; task < mapping.tasks(); task++) {
                json.writeArray(new int[] {mapping.fileNumber(task), mapping.localRank(task)}, 0, 2);
            }
            json.writeEndArray();
        }
    }

    @Override
    public List<FileRange> ranges() {
        if (meta.isEmpty()) {
            return List.of();
        }
        Meta1 meta1 = meta.get().meta1();
        List<FileRange> ranges = new ArrayList<>();
        ranges.add(FileRange.metadata("META1", "", 0, Meta1.length(meta1.tasks()))
                .with("ntasks", meta1.tasks())
                .with("fsblksize", header().fsBlockSize())
                .with("nfiles", header().files())
                .with("filenumber", header().fileNumber()));
        if (meta.get().meta2().isPresent()) {
            Meta2 blocks = meta.get().meta2().get();
            if ((long) blocks.maxChunks() * meta1.tasks() > MOST_RANGES) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        source.path() + ": " + blocks.maxChunks() + " blocks of " + meta1.tasks()
                                + " tasks are too many for a picture");
            }
            for (int block = 0; block < blocks.maxChunks(); block++) {
                ranges.add(block(meta1, blocks, block));
            }
            long start = meta1.startOfVarheader(blocks.maxChunks());
            long length = Meta2.length(meta1.tasks(), blocks.maxChunks());
            ranges.add(FileRange.metadata("META2", "", start, length).with("maxchunks", blocks.maxChunks()));
            if (start + length < source.size()) {
                ranges.add(FileRange.metadata("mapping", "", start + length, source.size() - start - length));
            }
        } else if (meta1.startOfData() < source.size()) {
            ranges.add(FileRange.data("blocks", "", meta1.startOfData(), source.size() - meta1.startOfData()));
        }
        return ranges;
    }

    private static FileRange block(Meta1 meta1, Meta2 blocks, int block) {
        List<FileRange> chunks = new ArrayList<>();
        for (int task = 0; task < meta1.tasks(); task++) {
            long start = meta1.start(task) + block * meta1.globalSkip();
            if (block < blocks.blocks(task) && meta1.chunkSize(task) > 0) {
                chunks.add(FileRange.data("chunk", task + "." + block, start, meta1.chunkSize(task))
                        .with("task", task)
                        .with("globalrank", meta1.globalRank(task))
                        .with("chunksize", meta1.chunkSize(task))
                        .with("blocksize", blocks.size(task, block))
                        .with(List.of(FileRange.data("data", task + "." + block, start, blocks.size(task, block))))
                        .of("task " + task));
            }
        }
        return FileRange.data(
                        "block",
                        String.valueOf(block),
                        meta1.startOfData() + block * meta1.globalSkip(),
                        meta1.globalSkip())
                .with(chunks);
    }

    @Override
    public void verify(ByteSource same) throws IOException {
        if (meta.isEmpty() || !meta.get().closed()) {
            return;
        }
        if (header().keyValue()) {
            for (int task = 0; task < meta.get().meta1().tasks(); task++) {
                TaskStream stream = meta.get().stream(same, task);
                try {
                    KeyValueScanner scanner = new KeyValueScanner(stream, header().order());
                    while (scanner.next().isPresent()) {
                        // Each header is checked.
                    }
                } catch (FormatException e) {
                    findings.add(e.finding());
                }
            }
        }
        if (meta.get().mapping().isPresent() && header().fileNumber() == 0 && findings.isEmpty()) {
            verifySet();
        }
    }

    /** Checks that the other files exist and belong to this one. */
    private void verifySet() {
        try (SionInput set = SionFile.open(source.path(), options())) {
            set.header(); // Opening was the check.
        } catch (IOException e) {
            findings.add(
                    new Finding("mapping", meta.orElseThrow().meta1().tailOffset(), String.valueOf(e.getMessage())));
        }
    }

    /** Returns options for commands that read existing files. */
    public static SionOptions options() {
        return SionOptions.defaults().storage(new NioEngine()).buffered();
    }

    @Override
    public List<StoredData> data() throws IOException {
        SionInput set = openSet();
        List<StoredData> tasks = new ArrayList<>();
        for (int task = 0; task < set.taskCount(); task++) {
            if (header().keyValue()) {
                for (SionStreams.OfKey values : SionStreams.OfKey.all(set, task)) {
                    tasks.add(data(task, values).ofRank(task));
                }
            } else {
                tasks.add(data(set, task).ofRank(task));
            }
        }
        return tasks;
    }

    private static StoredData data(SionInput set, int task) throws IOException {
        SionStreams.OfTask stream = new SionStreams.OfTask(set, task);
        return StoredData.of(
                "task=" + task, stream.size(), false, stream, List.of(new StoredData.Piece(0, stream.size())));
    }

    private SionInput openSet() throws IOException {
        if (!findings.isEmpty()) {
            throw new FormatException(SionMeta.FORMAT, findings.list().get(0)).in(source.path());
        }
        return source.as(SionInput.class, path -> SionFile.open(path, options()));
    }

    @Override
    public StoredData select(Selection selected) throws IOException {
        Map<String, String> selection = selection(selected);
        int task = (int) number("task", selection, selected);
        selected.requireNoRank(title());
        SionInput set = openSet();
        if (task < 0 || task >= set.taskCount()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    source.path() + " has no task " + task + "; it has 0 to " + (set.taskCount() - 1));
        }
        if (!selection.containsKey("key")) {
            return data(set, task);
        }
        long key = number("key", selection, selected);
        return data(task, SionStreams.OfKey.of(set, task, key, source.path()));
    }

    private static StoredData data(int task, SionStreams.OfKey values) {
        return StoredData.of(
                "task=" + task + ",key=" + values.name(),
                values.size(),
                false,
                values,
                List.of(new StoredData.Piece(0, values.size())));
    }

    /** Parses {@code task=3,key=7}, which comes as {@code task} and {@code 3,key=7}. */
    private static Map<String, String> selection(Selection selected) {
        Map<String, String> selection = new LinkedHashMap<>();
        for (String part : (selected.key() + "=" + selected.value()).split(",", -1)) {
            String[] sides = part.split("=", 2);
            if (sides.length != 2 || !(sides[0].equals("task") || sides[0].equals("key"))) {
                throw wrong(selected);
            }
            selection.put(sides[0], sides[1]);
        }
        return selection;
    }

    private static long number(String name, Map<String, String> selection, Selection selected) {
        try {
            String text = selection.getOrDefault(name, "");
            return name.equals("task") ? Integer.parseInt(text) : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw wrong(selected);
        }
    }

    private static CommandException wrong(Selection selected) {
        return selected.wrong("of a SION file select task=N or task=N,key=K; keys are unsigned");
    }
}
