package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.Version;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A trajectory in a GSD file of schema hoomd, which hoomd, Ovito, VMD and Python's {@code gsd.hoomd} read.
 *
 * <pre>{@code
 * try (var trajectory = HoomdTrajectory.create(path)) {
 *     var frame = new HoomdFrame();
 *     frame.configuration.step = 1000L;
 *     frame.particles.n = 2;
 *     frame.particles.position = new float[] {0, 0, 0, 1, 0, 0};
 *     frame.log.put("energy", ChunkData.of(-1.5));
 *     trajectory.append(frame);
 * }
 * }</pre>
 *
 * <p>Only what changed is written: nothing that equals the first frame, and nothing that has its default value, unless the first frame
 * has another. A frame in which nothing changed has no chunks; at the end of a file such frames are lost ({@link GsdFile}).
 *
 * <p>Many ranks can write one trajectory. Each then gives its own particles, bonds and so on in every frame, which become those of the
 * frame in the order of the ranks; all ranks set the same quantities, and what a frame has once, such as step, box and types, is that
 * of rank 0. Which methods are collective and when frames are durable is as in {@link GsdFile}. Not thread-safe.
 */
public final class HoomdTrajectory implements Closeable {

    /** Version of the schema of new files. */
    public static final Version SCHEMA_VERSION = new Version(1, 4);

    private static final String SCHEMA = "hoomd";
    private static final String APPLICATION = "drumlin";

    private final GsdFile file;
    private final HoomdWriter writer;
    /** Of the file as it is; {@code null} when it was not read since it was written. */
    private @Nullable HoomdReader reader;

    private HoomdTrajectory(GsdFile file) {
        this.file = file;
        this.writer = new HoomdWriter(file);
    }

    /**
     * Makes a trajectory, or replaces what a file holds.
     *
     * @param path the file
     * @return the trajectory, without frames
     * @throws IOException the file cannot be made
     */
    public static HoomdTrajectory create(Path path) throws IOException {
        return new HoomdTrajectory(GsdFile.create(path, APPLICATION, SCHEMA, SCHEMA_VERSION));
    }

    /**
     * Makes a trajectory that many ranks write, or replaces what a file holds. Collective.
     *
     * @param path the file, the same on every rank
     * @param ranks who writes; the file uses a duplicate
     * @return the trajectory, without frames
     * @throws IOException the file cannot be made
     */
    public static HoomdTrajectory create(Path path, Communicator ranks) throws IOException {
        return new HoomdTrajectory(GsdFile.create(path, ranks, APPLICATION, SCHEMA, SCHEMA_VERSION));
    }

    /**
     * Opens a trajectory.
     *
     * @param path the file
     * @param access what for
     * @return the trajectory
     * @throws FormatException it is not a GSD file, or a damaged one
     * @throws IOException the file has another schema, or cannot be opened or read
     */
    public static HoomdTrajectory open(Path path, Access access) throws IOException {
        return of(GsdFile.open(path, access));
    }

    /**
     * Opens a trajectory that many ranks write. Collective, unless it is opened for {@link Access#READ}.
     *
     * @param path the file, the same on every rank
     * @param ranks who writes; the file uses a duplicate
     * @param access what for
     * @return the trajectory
     * @throws FormatException it is not a GSD file, or a damaged one
     * @throws IOException the file has another schema, or cannot be opened or read
     */
    public static HoomdTrajectory open(Path path, Communicator ranks, Access access) throws IOException {
        return of(GsdFile.open(path, ranks, access));
    }

    /**
     * The trajectory in a file that was opened or made in a way of its own. Collective where the file is.
     *
     * @param file an open file, which the trajectory closes, also when this fails
     * @return the trajectory
     * @throws IOException the file has another schema
     */
    public static HoomdTrajectory of(GsdFile file) throws IOException {
        if (!file.schema().equals(SCHEMA) || file.schemaVersion().major() != SCHEMA_VERSION.major()) {
            DrumlinException other = DrumlinException.during("opening of a trajectory")
                    .path(file.path())
                    .problem("the schema is \"" + file.schema() + "\" " + file.schemaVersion() + ", not hoomd 1.x")
                    .advice("read its chunks with GsdFile")
                    .exception();
            file.close();
            throw other;
        }
        return new HoomdTrajectory(file);
    }

    /**
     * The file, for what the schema does not have.
     *
     * @return the open file, which is closed with the trajectory
     */
    public GsdFile file() {
        return file;
    }

    /**
     * How many frames there are; see {@link GsdFile#frameCount}.
     *
     * @return 0 or more
     * @throws IOException the file cannot be read
     */
    public long frameCount() throws IOException {
        return file.frameCount();
    }

    /**
     * Reads a frame. Where it does not have a quantity, it has that of the first frame, or the default; what belongs to items
     * comes from the first frame only if that has as many of them. A file that is being written is flushed first, which makes the call collective; every rank
     * reads the whole frame.
     *
     * @param number 0 to {@link #frameCount()} - 1
     * @return a frame in which everything is set
     * @throws IOException the file cannot be read or flushed, or a chunk is not what the schema says
     */
    public HoomdFrame read(long number) throws IOException {
        if (number < 0 || number >= frameCount()) {
            throw new IndexOutOfBoundsException("frame " + number + " of " + frameCount() + ": " + file.path());
        }
        return reader().read(number);
    }

    /**
     * Reads one quantity of many frames at once. What a frame does not have comes from the first frame, or is the default, as in
     * {@link #read}. Collective as that is.
     *
     * @param chunk full name, for example {@code particles/position} or {@code log/energy}
     * @param from first frame, 0 or more
     * @param to one more than the last frame, {@code from} to {@link #frameCount()}
     * @return the rows of all frames, one frame behind the other
     * @throws IllegalArgumentException the quantity is a list of texts
     * @throws IOException the frames do not have equally many rows of one type, the rows do not fit an array, a frame and the first one have
     *     no such chunk and there is no default, or the file cannot be read
     */
    public ChunkData series(String chunk, long from, long to) throws IOException {
        checkRange(from, to);
        return reader().series(chunk, from, to);
    }

    /**
     * Reads one logged text of many frames; see {@link #series}.
     *
     * @param chunk full name, for example {@code log/category}
     * @param from first frame, 0 or more
     * @param to one more than the last frame, {@code from} to {@link #frameCount()}
     * @return a text for each frame
     * @throws IllegalArgumentException the quantity is not of type character
     * @throws IOException a frame and the first one have no such chunk, or the file cannot be read
     */
    public List<String> texts(String chunk, long from, long to) throws IOException {
        checkRange(from, to);
        return reader().texts(chunk, from, to);
    }

    private void checkRange(long from, long to) throws IOException {
        if (from < 0 || to < from || to > frameCount()) {
            throw new IndexOutOfBoundsException(
                    "frames " + from + " to " + to + " of " + frameCount() + ": " + file.path());
        }
    }

    /**
     * The logged quantities of the first frame, of which every frame has a value.
     *
     * @return full names, which begin with {@code log/}, in the order in which they were first written
     * @throws IOException the file cannot be read or flushed
     */
    public List<String> logNames() throws IOException {
        return reader().logNames();
    }

    private HoomdReader reader() throws IOException {
        if (reader == null) {
            reader = new HoomdReader(file);
        }
        return reader;
    }

    /**
     * Adds a frame. The second one reads the first, and flushes the file therefore. Collective.
     *
     * @param frame what is set in it is written where it differs; with a box that is set, dimensions are set too
     * @throws IllegalArgumentException an array has not as many elements as there are items, a name of a type is there twice, or the schema
     *     has no such state (with several ranks an {@link IOException} on all of them)
     * @throws IOException the file is open for reading only, or writing failed; the frame is then not part of the file, and no other can
     *     be added before the file was opened again
     */
    public void append(HoomdFrame frame) throws IOException {
        writer.append(frame);
        if (file.frameCount() == 1) {
            reader = null;
        }
    }

    /**
     * Makes all frames durable; see {@link GsdFile#flush}. Collective.
     *
     * @throws IOException the file is open for reading only, or not all is in the file
     */
    public void flush() throws IOException {
        file.flush();
    }

    /**
     * Deletes all frames; see {@link GsdFile#truncate}. Collective.
     *
     * @throws IOException the file is open for reading only, or writing failed
     */
    public void truncate() throws IOException {
        writer.forget();
        reader = null;
        file.truncate();
    }

    /**
     * Flushes and closes the file; a second call does nothing. Collective.
     *
     * @throws IOException not all frames are in the file; it is closed anyway
     */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
