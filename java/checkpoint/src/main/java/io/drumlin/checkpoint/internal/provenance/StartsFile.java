package io.drumlin.checkpoint.internal.provenance;

import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file {@code drumlin-starts} in a run's directory of metadata: a line of JSON for each start of the run
 * (docs/formats/fti-run-directory.md, section 15).
 */
public final class StartsFile {

    private static final String FILE = "drumlin-starts";

    private static final long MOST_BYTES = 1 << 20;

    /** Each line begins with the time. */
    private static final Pattern LINE = Pattern.compile("\\{\"time\":\"([0-9TZ:.-]{1,40})\".*\\}");

    private StartsFile() {}

    /**
     * A start.
     *
     * @param time when it was
     * @param json what is known of it, an object of JSON
     */
    public record Start(Instant time, String json) {}

    /** Returns the file of a run. */
    public static Path file(Path meta) {
        return meta.resolve(FILE);
    }

    /**
     * Reads the starts of a run, in their order. Lines of other forms are left out, because a kill leaves a part of one.
     *
     * @param meta the run's directory of metadata
     */
    public static List<Start> read(Path meta) throws IOException {
        List<Start> starts = new ArrayList<>();
        for (String line : lines(file(meta))) {
            time(line).ifPresent(time -> starts.add(new Start(time, line)));
        }
        return starts;
    }

    private static Optional<Instant> time(String line) {
        Matcher time = LINE.matcher(line);
        try {
            return time.matches() ? Optional.of(Instant.parse(time.group(1))) : Optional.empty();
        } catch (DateTimeException noTime) {
            return Optional.empty();
        }
    }

    private static List<String> lines(Path file) throws IOException {
        if (!PathStatus.isRegularFile(file) || PathStatus.size(file) > 2 * MOST_BYTES) {
            return List.of();
        }
        return PathStatus.readText(file).lines().toList();
    }

    /**
     * Adds a line. If the file would be larger than 1 MiB, its older half goes.
     *
     * @param line ends with a line break
     */
    static void add(Path meta, String line) throws IOException {
        Path file = file(meta);
        PathStatus.requireNoDevice(file);
        boolean exists = PathStatus.exists(file);
        long size = exists ? PathStatus.size(file) : 0;
        if (size + line.length() > MOST_BYTES) {
            List<String> lines = lines(file);
            Path shorter = file.resolveSibling(FILE + ".new");
            Files.write(shorter, lines.subList(lines.size() / 2, lines.size()), StandardCharsets.ISO_8859_1);
            Files.move(shorter, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.writeString(
                file,
                exists && isCut(file) ? "\n" + line : line,
                StandardCharsets.US_ASCII,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Returns whether a kill has cut the last line. */
    private static boolean isCut(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return channel.size() > 0 && channel.read(last, channel.size() - 1) == 1 && last.get(0) != '\n';
        }
    }
}
