package io.drumlin.cli.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.base.Table;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.format.GsdContainer;
import io.drumlin.cli.picture.LinePlot;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.ChunkData;
import io.drumlin.gsd.Frame;
import io.drumlin.gsd.GsdFile;
import io.drumlin.gsd.HoomdTrajectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin gsd}: shows the frames of a GSD file, and offers the C library's operations on a file. */
@Command(
        name = "gsd",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        synopsisSubcommandLabel = "COMMAND",
        description = "Works on GSD files.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the file is damaged",
            "2:not a GSD file, or it does not hold what was asked for",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
public final class GsdCommand implements Runnable {

    private static final String STEP = "configuration/step";
    private static final String LOG = "log/";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is needed: frames, log, plot, truncate or upgrade");
    }

    /** Number and size of the chunks of a frame. */
    private record FrameRow(long number, int chunks, long bytes) {}

    @Command(name = "frames", mixinStandardHelpOptions = true, description = "Shows how much each frame has.")
    int frames(
            @Parameters(paramLabel = "FILE", description = "The file.") Path path,
            @Option(names = "--json", description = "Print one JSON object.") boolean json)
            throws IOException {
        List<FrameRow> rows = new ArrayList<>();
        try (GsdFile file = open(path, Access.READ)) {
            for (Frame frame : file.frames()) {
                List<Chunk> chunks = frame.chunks();
                rows.add(new FrameRow(
                        frame.number(),
                        chunks.size(),
                        chunks.stream().mapToLong(Chunk::size).sum()));
            }
        }
        if (json) {
            write(path, generator -> {
                generator.writeArrayFieldStart("frames");
                for (FrameRow row : rows) {
                    generator.writeStartObject();
                    generator.writeNumberField("frame", row.number);
                    generator.writeNumberField("chunks", row.chunks);
                    generator.writeNumberField("bytes", row.bytes);
                    generator.writeEndObject();
                }
                generator.writeEndArray();
            });
        } else {
            new Table("FRAME", "CHUNKS", "BYTES")
                    .print(out(), () -> rows.stream().map(row -> new Object[] {row.number, row.chunks, row.bytes}));
            out().flush();
        }
        return ExitCode.OK;
    }

    @Command(
            name = "log",
            mixinStandardHelpOptions = true,
            description = {
                "Shows the quantities that a trajectory of hoomd logged, a line for each frame.",
                "What a frame did not log is that of the first frame. Without names, all that are a number or a text; with --json, those with more"
                        + " numbers too."
            })
    int log(
            @Parameters(index = "0", paramLabel = "FILE", description = "The file.") Path path,
            @Parameters(index = "1..*", paramLabel = "QUANTITY", description = "Names, with or without log/.") @Nullable
                    List<String> quantities,
            @Option(names = "--json", description = "Print one JSON object.") boolean json)
            throws IOException {
        Map<String, Object> columns = new LinkedHashMap<>();
        int frames;
        try (HoomdTrajectory trajectory = HoomdTrajectory.of(open(path, Access.READ))) {
            frames = Math.toIntExact(trajectory.frameCount());
            columns.put(STEP, trajectory.series(STEP, 0, frames));
            List<String> names = quantities == null ? trajectory.logNames() : named(trajectory, quantities);
            for (String name : names) {
                Chunk first = first(trajectory, name);
                if (first.type() == ElementType.CHARACTER) {
                    columns.put(name, trajectory.texts(name, 0, frames));
                } else if (isNumber(first)) {
                    columns.put(name, trajectory.series(name, 0, frames));
                } else if (json) {
                    columns.put(name, eachFrame(trajectory, name, frames));
                } else if (quantities != null) {
                    throw new CommandException(
                            ExitCode.NOT_RECOGNISED, path + ": " + name + " is more than a number; use --json");
                }
            }
        }
        if (json) {
            write(path, generator -> {
                for (Map.Entry<String, Object> column : columns.entrySet()) {
                    generator.writeFieldName(column.getKey());
                    write(generator, column.getValue());
                }
            });
        } else {
            String[] headings = columns.keySet().stream()
                    .map(name -> name.equals(STEP) ? "STEP" : name.substring(LOG.length()))
                    .toArray(String[]::new);
            new Table(headings)
                    .print(out(), () -> IntStream.range(0, frames).mapToObj(frame -> columns.values().stream()
                            .map(column -> cell(column, frame))
                            .toArray()));
            out().flush();
        }
        return ExitCode.OK;
    }

    /**
     * Even if a frame lists a name, it may not be found there, because the entries of a damaged index are in no order.
     */
    private static Chunk first(HoomdTrajectory trajectory, String name) throws IOException {
        return trajectory
                .file()
                .findChunk(0, name)
                .orElseThrow(() -> new CommandException(
                        ExitCode.DAMAGED,
                        trajectory.file().path() + ": frame 0 has chunk " + name
                                + ", but it is not found; the index is damaged, verify tells where"));
    }

    private static boolean isNumber(Chunk chunk) {
        return chunk.rows() == 1 && chunk.columns() == 1;
    }

    /** The number of elements may change from frame to frame. */
    private static List<ChunkData> eachFrame(HoomdTrajectory trajectory, String name, int frames) throws IOException {
        List<ChunkData> values = new ArrayList<>();
        for (int frame = 0; frame < frames; frame++) {
            values.add(trajectory.series(name, frame, frame + 1L));
        }
        return values;
    }

    /** Returns the full names of existing quantities. */
    private static List<String> named(HoomdTrajectory trajectory, List<String> quantities) throws IOException {
        List<String> known = trajectory.logNames();
        List<String> names = new ArrayList<>();
        for (String quantity : quantities) {
            String name = quantity.startsWith(LOG) ? quantity : LOG + quantity;
            if (!known.contains(name)) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        trajectory.file().path() + " has not logged " + quantity + " in its first frame; logged are "
                                + (known.isEmpty() ? "none" : String.join(", ", known)));
            }
            names.add(name);
        }
        return names;
    }

    /** Formats integers without a fraction. */
    private static Object cell(Object column, int frame) {
        if (column instanceof List<?> texts) {
            return texts.get(frame);
        }
        return number((ChunkData) column, frame);
    }

    private static Object number(ChunkData data, int element) {
        return switch (data.type()) {
            case FLOAT -> data.floats()[element];
            case DOUBLE -> data.doubles()[element];
            case UINT64 -> Long.toUnsignedString(data.longs()[element]);
            case INT64 -> data.longs()[element];
            default -> (long) data.toDoubles()[element];
        };
    }

    private static void write(JsonGenerator json, Object column) throws IOException {
        json.writeStartArray();
        if (column instanceof ChunkData data) {
            for (int i = 0; i < data.rows() * data.columns(); i++) {
                json.writeRawValue(json(number(data, i)));
            }
        } else {
            for (Object value : (List<?>) column) {
                if (value instanceof String text) {
                    json.writeString(text);
                } else {
                    write(json, value);
                }
            }
        }
        json.writeEndArray();
    }

    /** Formats a number for JSON, which has no NaN or infinity. */
    private static String json(Object number) {
        return number instanceof Number value && !Double.isFinite(value.doubleValue())
                ? "null"
                : String.valueOf(number);
    }

    @Command(
            name = "plot",
            mixinStandardHelpOptions = true,
            description =
                    "Draws logged quantities of a trajectory of hoomd over the steps. An existing picture is replaced.")
    int plot(
            @Parameters(paramLabel = "FILE", description = "The file.") Path path,
            @Option(
                            names = "--log",
                            required = true,
                            paramLabel = "QUANTITY",
                            description =
                                    "Its name, with or without log/; a number in each frame. May be given more than"
                                            + " once.")
                    List<String> quantities,
            @Option(
                            names = {"-o", "--output"},
                            required = true,
                            paramLabel = "FILE",
                            description = "The picture: FILE.svg.")
                    Path output)
            throws IOException {
        if (!output.toString().toLowerCase(Locale.ROOT).endsWith(".svg")) {
            throw new ParameterException(spec.commandLine(), "-o " + output + " must end in .svg");
        }
        LinePlot plot;
        try (HoomdTrajectory trajectory = HoomdTrajectory.of(open(path, Access.READ))) {
            int frames = Math.toIntExact(trajectory.frameCount());
            plot = new LinePlot(
                    path.getFileName() + ": " + String.join(", ", quantities),
                    "step",
                    trajectory.series(STEP, 0, frames).toDoubles());
            for (String name : named(trajectory, quantities)) {
                Chunk first = first(trajectory, name);
                if (first.type() == ElementType.CHARACTER || !isNumber(first)) {
                    throw new CommandException(
                            ExitCode.NOT_RECOGNISED, path + ": " + name + " is not a number in each frame");
                }
                plot.add(
                        name.substring(LOG.length()),
                        trajectory.series(name, 0, frames).toDoubles());
            }
        }
        StringWriter text = new StringWriter();
        plot.write(new PrintWriter(text));
        try (ReplacedFile target = ReplacedFile.create(output)) {
            target.stream().write(text.toString().getBytes(StandardCharsets.UTF_8));
            target.commit();
        }
        return ExitCode.OK;
    }

    @Command(
            name = "truncate",
            mixinStandardHelpOptions = true,
            description = "Deletes all frames and names. What the file says of its schema and application stays.")
    int truncate(@Parameters(paramLabel = "FILE", description = "The file.") Path path) throws IOException {
        try (GsdFile file = open(path, Access.READ_WRITE)) {
            long frames = file.frameCount();
            file.truncate();
            out().println(path + ": " + frames + (frames == 1 ? " frame" : " frames") + " deleted");
        }
        return ExitCode.OK;
    }

    @Command(
            name = "upgrade",
            mixinStandardHelpOptions = true,
            description =
                    "Makes a file of version 1.0 one of version 2.1, in place. A crash leaves the one or the other.")
    int upgrade(@Parameters(paramLabel = "FILE", description = "The file.") Path path) throws IOException {
        Version before;
        try (GsdFile file = open(path, Access.READ)) {
            before = file.gsdVersion();
        }
        if (!before.hasSlots()) {
            out().println(path + ": is of version " + before + " already");
            return ExitCode.OK;
        }
        try (GsdFile file = open(path, Access.READ_WRITE)) {
            file.upgrade();
            out().println(path + ": upgraded from version " + before + " to " + file.gsdVersion());
        }
        return ExitCode.OK;
    }

    private static GsdFile open(Path path, Access access) throws IOException {
        try (FileSource source = FileSource.open(path)) {
            RecognisedFile recognised = Formats.of(source);
            if (!(recognised instanceof GsdContainer)) {
                throw new CommandException(ExitCode.NOT_RECOGNISED, path + " is no GSD file but " + recognised.title());
            }
        }
        return GsdContainer.open(path, access);
    }

    /** Writes the members of an object. */
    private interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    private void write(Path path, Members members) throws IOException {
        JsonGenerator json = new JsonFactory()
                .createGenerator(out())
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        json.writeStartObject();
        json.writeStringField("path", path.toString());
        members.write(json);
        json.writeEndObject();
        json.close();
        out().println();
        out().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
