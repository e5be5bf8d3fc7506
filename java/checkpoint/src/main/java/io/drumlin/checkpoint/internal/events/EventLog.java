package io.drumlin.checkpoint.internal.events;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A file with a line of JSON for each event. A restart adds to the file. A line is one write, so a kill can at most cut
 * the last one. A failure of the log does not fail the run. Thread-safe.
 */
final class EventLog implements Closeable {

    /** The system property that names the file. */
    static final String PROPERTY = "drumlin.log";

    /** Stands for the rank in the name of the file. */
    private static final String RANK = "%r";

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Path path;
    private final FileChannel file;
    private final String execId;
    private final int rank;
    private boolean failed;

    private EventLog(Path path, FileChannel file, String execId, int rank) {
        this.path = path;
        this.file = file;
        this.execId = execId;
        this.rank = rank;
    }

    /**
     * Opens the log if the system property asks for it and this rank writes one: the first rank, or every rank if the
     * name of the file has the rank in it.
     *
     * @param first whether this is the first rank of the application
     */
    static Optional<EventLog> open(String execId, int rank, boolean first) {
        String name = System.getProperty(PROPERTY, "");
        if (name.isEmpty() || (!first && !name.contains(RANK))) {
            return Optional.empty();
        }
        String own = name.replace(RANK, Integer.toString(rank));
        try {
            Path path = Path.of(own);
            boolean cut = endsInCutLine(path);
            FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (cut) {
                file.write(ByteBuffer.wrap(new byte[] {'\n'}));
            }
            return Optional.of(new EventLog(path, file, execId, rank));
        } catch (IOException | RuntimeException e) {
            LOG.log(Logger.Level.WARNING, "no events are logged, {0} cannot be opened: {1}", own, e.toString());
            return Optional.empty();
        }
    }

    /** Returns whether a kill has cut the last line. */
    private static boolean endsInCutLine(Path file) throws IOException {
        if (Files.notExists(file) || Files.size(file) == 0) {
            return false;
        }
        try (FileChannel log = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return log.read(last, log.size() - 1) == 1 && last.get(0) != '\n';
        }
    }

    /** Begins a line with what all lines have. */
    JsonLine line(String event) {
        return new JsonLine()
                .add("time", Instant.now().truncatedTo(ChronoUnit.MICROS).toString())
                .add("event", event)
                .add("run", execId)
                .add("rank", rank);
    }

    synchronized void write(JsonLine line) {
        if (failed) {
            return;
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(line.line().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            failed = true;
            LOG.log(Logger.Level.WARNING, "no more events are logged in {0}: {1}", path, e.toString());
        }
    }

    @Override
    public synchronized void close() {
        failed = true;
        try {
            file.close();
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "the log of events, {0}, may be cut: {1}", path, e.toString());
        }
    }
}
