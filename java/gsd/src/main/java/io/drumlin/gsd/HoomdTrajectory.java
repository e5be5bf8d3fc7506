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
 * <p>Only changes are written. A value is left out if it equals that of the first frame, or if it is the default and
 * the first frame has no other value. A frame in which nothing changed has no chunks; at the end of a file such frames
 * are lost ({@link GsdFile}).
 *
 * <p>{@code of(GsdFile.create(path, "my program", "hoomd", DOUBLE_SCHEMA_VERSION))} makes a file of schema 2.0, which
 * can also hold {@link HoomdFrame#doubles}. A file that is opened keeps its schema.
 *
 * <p>Many ranks can write one trajectory. Each then gives its own particles, bonds and so on in every frame. The frame
 * holds those of all ranks in rank order. All ranks must set the same quantities. Values that a frame has once, such as
 * step, box and types, come from rank 0. The rules of {@link GsdFile} apply to collective methods and to durability.
 * Not thread-safe.
 */
public final class HoomdTrajectory implements Closeable {

    /** Schema version of new files. Since it became 1.4, all programs that know the schema read it. */
    public static final Version SCHEMA_VERSION = new Version(1, 4);

    /** The schema version that has numbers of type double and no state; gsd 5.0 and HOOMD-blue 7 read and write it. */
    public static final Version DOUBLE_SCHEMA_VERSION = new Version(2, 0);

    private static final String SCHEMA = "hoomd";
    private static final String APPLICATION = "drumlin";

    private final GsdFile file;
    private final HoomdWriter writer;
    /** Reads the file in its current state; {@code null} if it was written since the last read. */
    private @Nullable HoomdReader reader;

    private HoomdTrajectory(GsdFile file) {
        this.file = file;
        this.writer = new HoomdWriter(file);
    }

    /**
     * Makes a trajectory, or replaces the contents of a file.
     *
     * @param path the file
     * @return the trajectory, without frames
     * @throws IOException the file cannot be made
     */
    public static HoomdTrajectory create(Path path) throws IOException {
        return new HoomdTrajectory(GsdFile.create(path, APPLICATION, SCHEMA, SCHEMA_VERSION));
    }

    /**
     * Makes a trajectory of a version of the file layer, or replaces the contents of a file.
     *
     * @param path the file
     * @param version 1.0, 2.0 or 2.1; before 2.1, texts cannot be logged
     * @return the trajectory, without frames
     * @throws IOException the file cannot be made
     */
    public static HoomdTrajectory create(Path path, Version version) throws IOException {
        return new HoomdTrajectory(GsdFile.create(path, APPLICATION, SCHEMA, SCHEMA_VERSION, version));
    }

    /**
     * Makes a trajectory that many ranks write, or replaces the contents of a file. Collective.
     *
     * @param path the file, the same on every rank
     * @param ranks the writing ranks; the file uses a duplicate
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
     * @param access the purpose
     * @return the trajectory
     * @throws FormatException the file is not a GSD file, or is damaged
     * @throws IOException the file has another schema, or cannot be opened or read
     */
    public static HoomdTrajectory open(Path path, Access access) throws IOException {
        return of(GsdFile.open(path, access));
    }

    /**
     * Opens a trajectory that many ranks write. Collective, unless it is opened for {@link Access#READ}.
     *
     * @param path the file, the same on every rank
     * @param ranks the writing ranks; the file uses a duplicate
     * @param access the purpose
     * @return the trajectory
     * @throws FormatException the file is not a GSD file, or is damaged
     * @throws IOException the file has another schema, or cannot be opened or read
     */
    public static HoomdTrajectory open(Path path, Communicator ranks, Access access) throws IOException {
        return of(GsdFile.open(path, ranks, access));
    }

    /**
     * Makes a trajectory of a file that was opened or made with options. Collective if the file is.
     *
     * @param file an open file, which the trajectory closes, even if this call fails
     * @return the trajectory
     * @throws IOException the file has another schema
     */
    public static HoomdTrajectory of(GsdFile file) throws IOException {
        int major = file.schemaVersion().major();
        if (!file.schema().equals(SCHEMA) || major < SCHEMA_VERSION.major() || major > DOUBLE_SCHEMA_VERSION.major()) {
            DrumlinException other = DrumlinException.during("opening of a trajectory")
                    .path(file.path())
                    .problem("the schema is \"" + file.schema() + "\" " + file.schemaVersion()
                            + ", not hoomd 1.x or 2.x")
                    .advice("read its chunks with GsdFile")
                    .exception();
            file.close();
            throw other;
        }
        return new HoomdTrajectory(file);
    }

    /**
     * Returns the file, for data outside the schema.
     *
     * @return the open file, which is closed with the trajectory
     */
    public GsdFile file() {
        return file;
    }

    /**
     * Returns the number of frames, like {@link GsdFile#frameCount}.
     *
     * @return 0 or more
     * @throws IOException the file cannot be read
     */
    public long frameCount() throws IOException {
        return file.frameCount();
    }

    /**
     * Reads a frame. A missing quantity comes from the first frame, or is the default. Values of items come from the
     * first frame only if it has the same number of items. The call first flushes a file that is being written, which
     * makes it collective; every rank reads the whole frame.
     *
     * @param number 0 to {@link #frameCount()} - 1
     * @return a frame in which everything is set
     * @throws IOException the file cannot be read or flushed, or a chunk does not conform to the schema
     */
    public HoomdFrame read(long number) throws IOException {
        if (number < 0 || number >= frameCount()) {
            throw new IndexOutOfBoundsException("frame " + number + " of " + frameCount() + ": " + file.path());
        }
        return reader().read(number);
    }

    /**
     * Reads one quantity of many frames at once. As in {@link #read}, a missing value comes from the first frame, or is
     * the default. Collective if {@link #read} is.
     *
     * @param chunk full name, for example {@code particles/position} or {@code log/energy}
     * @param from first frame, 0 or more
     * @param to one more than the last frame, {@code from} to {@link #frameCount()}
     * @return the rows of all frames, one frame after the other
     * @throws IllegalArgumentException the quantity is a list of texts
     * @throws IOException the frames do not have equally many rows of one type, the rows do not fit into an array, a
     *     frame and the first one have no such chunk and there is no default, or the file cannot be read
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
     * Returns some of the frames.
     *
     * @param from number of the first one
     * @param to number after the last one, or before it if the step is below 0
     * @param step distance of two frames; below 0 to go backwards
     * @return the frames, which are read when they are asked for
     * @throws IOException the file cannot be flushed
     */
    public HoomdSlice slice(long from, long to, long step) throws IOException {
        return HoomdSlice.all(this).slice(from, to, step);
    }

    /**
     * Reads logged quantities of all frames.
     *
     * @param pattern names without {@code log/}; {@code *} stands for any characters, {@code ?} for one, and
     *     {@code [abc]} for one of several
     * @return the values of the quantities of {@link #logNames} that match
     * @throws IOException a quantity has another number of rows or another type in a later frame; or reading failed
     */
    public HoomdLog readLog(String pattern) throws IOException {
        return readLog(pattern, 0, frameCount());
    }

    /**
     * Reads logged quantities of consecutive frames.
     *
     * @param pattern as in {@link #readLog(String)}
     * @param from the first frame
     * @param to the frame after the last one
     * @return the values of the quantities of {@link #logNames} that match
     * @throws IOException a quantity has another number of rows or another type in a later frame; or reading failed
     */
    public HoomdLog readLog(String pattern, long from, long to) throws IOException {
        checkRange(from, to);
        return reader().log(pattern, from, to);
    }

    /**
     * Returns the logged quantities of the first frame, of which every frame has a value.
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
     * Adds a frame. The second call reads the first frame, and therefore flushes the file. Later frames stay in memory
     * for 10 seconds at most unless {@link GsdFile#setMaximumAge} sets another time; a kill loses those. With several
     * ranks, the last frames stay there until {@link #flush} or {@link #close}; see {@link GsdFile}. Collective.
     *
     * @param frame the values that are set in it are written if they differ; if its box is set, its dimensions must be
     *     set too
     * @throws IllegalArgumentException the length of an array does not match the number of items, a name of a type
     *     occurs twice, the schema has no such state or no type double, or a number is set as float and otherwise as
     *     double (with several ranks an {@link IOException} on all of them)
     * @throws IOException the file is open for reading only, or writing failed. Then the frame is not part of the file,
     *     and no other can be added before the file is opened again
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
     * @throws IOException the file is open for reading only, or not all data are in the file
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
     * @throws IOException not all frames are in the file; it is closed even so
     */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
