package io.drumlin.mpi;

import static io.drumlin.mpi.Results.check;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.Arguments;
import io.drumlin.nativecore.mpi.MpiLibrary;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.files.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One file that all ranks of a communicator write and read together, through MPI-IO.
 *
 * <p>All calls except {@link #size()} are collective over the communicator with which the file was opened. Every rank
 * makes them, each for its own region, which may be empty. Buffers may be heap or direct. Their position and limit
 * bound the region, and a call changes neither. If MPI reports a failure on one rank, the call fails on all, and the
 * others name that rank and its reason. A file of {@link #openAlone} has only one rank, so no call on it is collective.
 * Not thread-safe.
 */
public final class MpiFile implements SharedFile {

    private final Path path;

    /** The number of this rank, for messages. */
    private final int rank;

    /** The ranks that agree on the outcome of each call. */
    private final Communicator ranks;

    private final long file;

    private boolean closed;

    /** Whether this rank does not know what the others have agreed on. They are not met again. */
    private boolean unmet;

    private MpiFile(Path path, int rank, Communicator ranks, long file) {
        this.path = path;
        this.rank = rank;
        this.ranks = ranks;
        this.file = file;
    }

    /**
     * Opens a file on all ranks. Collective.
     *
     * @param ranks an MPI communicator, on which the ranks agree on the outcome of each call
     * @param path the same on all ranks
     * @param modes the same on all ranks; MPI-IO does not support {@link OpenMode#DIRECT}
     * @return the open file, which the caller must close
     * @throws IOException the file cannot be opened
     * @throws IllegalArgumentException the communicator does not belong to MPI, or the modes are invalid
     */
    public static MpiFile open(Communicator ranks, Path path, Set<OpenMode> modes) throws IOException {
        return open(ranks, path, modes, Map.of());
    }

    /**
     * Opens a file on all ranks, with hints for MPI. Collective.
     *
     * @param ranks an MPI communicator, on which the ranks agree on the outcome of each call
     * @param path the same on all ranks
     * @param modes the same on all ranks; MPI-IO does not support {@link OpenMode#DIRECT}
     * @param hints keys and values of {@code MPI_Info}, the same on all ranks; MPI ignores those that it does not know
     * @return the open file, which the caller must close
     * @throws IOException the file cannot be opened, or MPI does not take a hint
     * @throws IllegalArgumentException the communicator does not belong to MPI, or the modes are invalid
     */
    public static MpiFile open(Communicator ranks, Path path, Set<OpenMode> modes, Map<String, String> hints)
            throws IOException {
        bits(modes);
        handle(ranks);
        String operation = "opening " + path;
        AtomicReference<@Nullable MpiFile> opened = new AtomicReference<>();
        try {
            // Rank 0 makes the file before the others look for it.
            for (boolean first : new boolean[] {true, false}) {
                Agreement.run(ranks, operation, () -> {
                    if (first == (ranks.rank() == 0)) {
                        opened.set(open(ranks, ranks, path, first ? modes : existing(modes), hints));
                    }
                });
            }
            return Objects.requireNonNull(opened.get());
        } catch (Throwable e) {
            closeAfter(e, opened.get());
            throw e;
        }
    }

    /**
     * Opens a file on this rank alone. Neither this call nor any on the file is collective then.
     *
     * @param ranks an MPI communicator of this rank and others; it may be closed while the file is open
     * @param path the file
     * @param modes MPI-IO does not support {@link OpenMode#DIRECT}
     * @param hints keys and values of {@code MPI_Info}; MPI ignores those that it does not know
     * @return the open file, which the caller must close
     * @throws IOException the file cannot be opened, or MPI does not take a hint
     * @throws IllegalArgumentException the communicator does not belong to MPI, or the modes are invalid
     */
    public static MpiFile openAlone(Communicator ranks, Path path, Set<OpenMode> modes, Map<String, String> hints)
            throws IOException {
        return open(ranks, new SingleCommunicator(), path, modes, hints);
    }

    private static long handle(Communicator ranks) {
        return ranks.nativeHandle()
                .orElseThrow(() -> new IllegalArgumentException("MPI-IO needs a communicator of MPI, this is a "
                        + ranks.getClass().getSimpleName()));
    }

    /** Opens a file for this rank; those that agree on its calls may be all ranks or this one alone. */
    private static MpiFile open(
            Communicator ranks, Communicator agreeing, Path path, Set<OpenMode> modes, Map<String, String> hints)
            throws IOException {
        int bits = bits(modes);
        long comm = handle(ranks);
        try (Payload name = Payload.from(nulTerminated(bytes(path)));
                Payload lines = Payload.from(nulTerminated(lines(hints)))) {
            long file = check(
                    MpiLibrary.drumlin_mpi_file_open_alone(comm, name.address(), bits, lines.address()),
                    DrumlinException.during("MPI_File_open").path(path).rank(ranks.rank()));
            MpiFile opened = new MpiFile(path, ranks.rank(), agreeing, file);
            try {
                if (modes.contains(OpenMode.TRUNCATE)) {
                    opened.cut(0);
                }
                return opened;
            } catch (Throwable e) {
                closeAfter(e, opened);
                throw e;
            }
        }
    }

    /** Closes on this rank what a failure has left open. */
    private static void closeAfter(Throwable failure, @Nullable MpiFile opened) {
        if (opened != null) {
            try {
                opened.closeHere();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }

    private static Set<OpenMode> existing(Set<OpenMode> modes) {
        Set<OpenMode> existing = EnumSet.copyOf(modes);
        existing.removeAll(EnumSet.of(OpenMode.CREATE, OpenMode.EXCLUSIVE, OpenMode.TRUNCATE));
        return existing;
    }

    private static int bits(Set<OpenMode> modes) {
        OpenMode.check(modes);
        if (modes.contains(OpenMode.DIRECT)) {
            throw new IllegalArgumentException("MPI-IO has no direct mode: " + modes);
        }
        if (modes.contains(OpenMode.PRIVATE)) {
            throw new IllegalArgumentException("MPI-IO cannot choose permissions: " + modes);
        }
        int bits = 0;
        bits |= modes.contains(OpenMode.READ) ? MpiLibrary.DRUMLIN_MPI_FILE_READ() : 0;
        bits |= modes.contains(OpenMode.WRITE) ? MpiLibrary.DRUMLIN_MPI_FILE_WRITE() : 0;
        bits |= modes.contains(OpenMode.CREATE) ? MpiLibrary.DRUMLIN_MPI_FILE_CREATE() : 0;
        bits |= modes.contains(OpenMode.EXCLUSIVE) ? MpiLibrary.DRUMLIN_MPI_FILE_EXCLUSIVE() : 0;
        return bits;
    }

    /** Returns whether MPI can open a file with this path. It has less room for a path than file systems have. */
    static boolean takes(Path path) {
        return bytes(path).length <= MpiLibrary.DRUMLIN_MPI_FILE_MOST_PATH();
    }

    private static byte[] bytes(Path path) {
        Charset ofNames = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        return path.toString().getBytes(ofNames);
    }

    private static byte[] lines(Map<String, String> hints) {
        return hints.entrySet().stream()
                .map(hint -> hint.getKey() + "=" + hint.getValue())
                .collect(Collectors.joining("\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static ByteBuffer nulTerminated(byte[] text) {
        return ByteBuffer.allocate(text.length + 1).put(0, text);
    }

    /**
     * Writes the remaining bytes of this rank's buffer. Collective.
     *
     * @param source its position and limit bound the bytes
     * @param offset byte offset in the file, 0 or above
     * @throws IOException on this rank or another one not everything was written
     */
    @Override
    public void writeAtAll(ByteBuffer source, long offset) throws IOException {
        checkOpen();
        agree("writing", () -> {
            try (Payload payload = Payload.from(source)) {
                check(
                        MpiLibrary.drumlin_mpi_file_write_at_all(file, offset, payload.address(), payload.length()),
                        during("MPI_File_write_at").range(offset, payload.length()));
            }
        });
    }

    /**
     * Reads into the remaining bytes of this rank's buffer, up to the end of the file. Collective.
     *
     * @param target its position and limit bound the bytes
     * @param offset byte offset in the file, 0 or above
     * @return number of bytes read: fewer than requested only at the end of the file
     * @throws IOException on this rank or another one the bytes cannot be read
     */
    @Override
    public int readAtAll(ByteBuffer target, long offset) throws IOException {
        checkOpen();
        Arguments.checkWritable(target);
        int[] read = {0};
        agree("reading", () -> {
            try (Payload payload = Payload.into(target)) {
                read[0] = (int) check(
                        MpiLibrary.drumlin_mpi_file_read_at_all(file, offset, payload.address(), payload.length()),
                        during("MPI_File_read_at").range(offset, payload.length()));
                payload.deliver(read[0]);
            }
        });
        return read[0];
    }

    /**
     * Cuts or extends the file. Collective.
     *
     * @param size new length in bytes, the same on all ranks
     * @throws IOException the length cannot be set
     */
    public void setSize(long size) throws IOException {
        checkOpen();
        agree("resizing", () -> {
            if (ranks.rank() == 0) {
                cut(size);
            }
        });
    }

    private void cut(long size) throws IOException {
        check(
                MpiLibrary.drumlin_mpi_file_set_size(file, size),
                during("MPI_File_set_size").range(-1, size));
    }

    /**
     * Returns the current length of the file. Not collective.
     *
     * @return length in bytes
     * @throws IOException the file system does not report it
     */
    @Override
    public long size() throws IOException {
        checkOpen();
        return check(MpiLibrary.drumlin_mpi_file_size(file), during("MPI_File_get_size"));
    }

    /**
     * Makes the bytes that all ranks have written durable, and visible to the other ranks. Collective.
     *
     * @throws IOException some bytes may not have reached the device
     */
    @Override
    public void sync() throws IOException {
        checkOpen();
        agree("syncing", () -> check(MpiLibrary.drumlin_mpi_file_sync(file), during("MPI_File_sync")));
    }

    /**
     * Closes the file; a second call does nothing. Collective.
     *
     * @throws IOException closing reported an error
     */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        if (unmet) {
            closeHere();
        } else {
            agree("closing", this::closeHere);
        }
    }

    private void closeHere() throws IOException {
        closed = true;
        check(MpiLibrary.drumlin_mpi_file_close(file), during("MPI_File_close"));
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the file is closed: " + path);
        }
    }

    private DrumlinException.Context during(String operation) {
        return DrumlinException.during(operation).path(path).rank(rank);
    }

    private void agree(String operation, Agreement.Step step) throws IOException {
        try {
            Agreement.run(ranks, operation + " " + path, step);
        } catch (MeetingException e) {
            unmet = true;
            throw e;
        }
    }
}
