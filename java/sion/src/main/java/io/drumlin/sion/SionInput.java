package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.internal.TaskStream;
import io.drumlin.sion.internal.DataFiles;
import io.drumlin.sion.internal.MetadataReader;
import io.drumlin.sion.internal.Owned;
import io.drumlin.sion.internal.ReadTask;
import io.drumlin.sion.internal.TaskFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A set of physical files that is open for reading; {@link SionFile} opens it. Reading a stream involves no other
 * process. All processes must call open, close and the methods marked <em>collective</em>.
 */
public final class SionInput implements Closeable {

    private final Communicator world;
    private final StorageEngine storage;
    private final SionOptions options;
    private final Path path;
    private final MetadataReader.Found found;
    private final Map<Integer, ReadTask> tasks = new LinkedHashMap<>();
    private final Map<Path, TaskFile> files = new HashMap<>();
    private final Map<Integer, SionReader> readers = new HashMap<>();
    private boolean open = true;

    private SionInput(
            Communicator world, StorageEngine storage, SionOptions options, Path path, MetadataReader.Found found) {
        this.world = world;
        this.storage = storage;
        this.options = options;
        this.path = path;
        this.found = found;
        for (ReadTask task : found.tasks()) {
            tasks.put(task.task(), task);
        }
    }

    /** Opens with one process per task. */
    static SionInput parallel(Path path, Communicator world, SionOptions options) throws IOException {
        return open(path, world, options, MetadataReader.Share.OWN, new int[] {world.rank()});
    }

    /** Opens with any number of processes. */
    static SionInput mapped(Path path, Communicator world, int[] tasks, SionOptions options) throws IOException {
        return open(path, world, options, MetadataReader.Share.NAMED, tasks);
    }

    /** Opens with any number of processes, which share the tasks equally. */
    static SionInput shared(Path path, Communicator world, SionOptions options) throws IOException {
        return open(path, world, options, MetadataReader.Share.EQUAL, new int[0]);
    }

    /** Opens all tasks for one process. */
    static SionInput serial(Path path, SionOptions options) throws IOException {
        return open(path, new SingleCommunicator(), options, MetadataReader.Share.EQUAL, new int[0]);
    }

    /** Opens one task for one process. */
    static SionInput oneTask(Path path, int task, SionOptions options) throws IOException {
        return open(path, new SingleCommunicator(), options, MetadataReader.Share.NAMED, new int[] {task});
    }

    private static SionInput open(
            Path path, Communicator world, SionOptions options, MetadataReader.Share share, int[] tasks)
            throws IOException {
        return Owned.by(
                () -> {
                    StorageEngine storage = SionOutput.storage(options);
                    MetadataReader.Found found = new MetadataReader(world, path, storage, share).read(tasks);
                    SionInput input = new SionInput(world, storage, options, path, found);
                    return Owned.by(input::opened, input::closeFiles);
                },
                world::close);
    }

    private SionInput opened() throws IOException {
        Agreement.run(world, "opening " + path, this::openFiles);
        return this;
    }

    private void openFiles() throws IOException {
        Set<OpenMode> modes = EnumSet.of(OpenMode.READ);
        if (options.io == SionIo.DIRECT) {
            modes.add(OpenMode.DIRECT);
        }
        DataFiles source = new DataFiles(storage, world, options.io, options.hints);
        for (ReadTask task : tasks.values()) {
            files.computeIfAbsent(task.file(), name -> new TaskFile(source, name, modes))
                    .open();
        }
    }

    /**
     * Returns the header of the first file.
     *
     * @return byte orders, block size, versions and name
     */
    public Header header() {
        return found.header();
    }

    /**
     * Returns the number of tasks in all files together.
     *
     * @return 1 or more
     */
    public int taskCount() {
        return found.taskCount();
    }

    /**
     * Returns the tasks that this process reads.
     *
     * @return their indexes in the set
     */
    public List<Integer> tasks() {
        return List.copyOf(tasks.keySet());
    }

    /**
     * Returns the stream of the only task of this process.
     *
     * @return its stream, the same at every call
     * @throws IOException the file cannot be read
     */
    public SionReader reader() throws IOException {
        return reader(only());
    }

    private int only() {
        if (tasks.size() != 1) {
            throw new IllegalStateException("this process has " + tasks.size() + " tasks; say which one");
        }
        return tasks.keySet().iterator().next();
    }

    /**
     * Returns the stream of a task of this process.
     *
     * @param task index of the task in the set
     * @return its stream, the same at every call until it is closed
     * @throws IOException the file cannot be read
     */
    public SionReader reader(int task) throws IOException {
        SionReader reader = readers.get(task);
        if (reader == null || !reader.isOpen()) {
            reader = newReader(task);
            readers.put(task, reader);
        }
        return reader;
    }

    /**
     * Returns another stream of a task of this process, with its own position.
     *
     * @param task index of the task in the set
     * @return its stream, which the caller must close
     * @throws IOException the file cannot be read
     */
    public SionReader newReader(int task) throws IOException {
        ReadTask place = task(task);
        StorageEngine engine = storage;
        TaskFile file = files.get(place.file());
        if (!open || file == null) {
            throw DrumlinException.during("read")
                    .path(path)
                    .problem("the file is closed")
                    .exception();
        }
        ReadWindow window = place.window(engine, file.open(), tasks.size());
        TaskStream stream = new TaskStream(window, place.start(), place.globalSkip(), place.sizes());
        ByteOrder order = header().bigEndianPayload() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        return new SionReader(stream, window, order);
    }

    /**
     * Returns a reader of the records of the only task of this process.
     *
     * @return its records, from the beginning
     * @throws IOException the file cannot be read
     */
    public KeyValueReader keyValueReader() throws IOException {
        return keyValueReader(only());
    }

    /**
     * Returns a reader of the records of a task of this process.
     *
     * @param task index of the task in the set
     * @return its records, from the beginning
     * @throws IOException the file cannot be read
     * @throws IllegalStateException the file holds plain streams
     */
    public KeyValueReader keyValueReader(int task) throws IOException {
        if (!header().keyValue()) {
            throw new IllegalStateException(path + " holds plain streams, not records with keys");
        }
        return new KeyValueReader(reader(task).stream(), header().order());
    }

    /**
     * Returns the physical file of a task of this process, or its buddy copy if the file is lost.
     *
     * @param task index of the task in the set
     * @return its path
     */
    public Path path(int task) {
        return task(task).file();
    }

    /**
     * Returns the stored global rank of a task of this process.
     *
     * @param task index of the task in the set
     * @return usually the rank of its writer in the writing job
     */
    public long globalRank(int task) {
        return task(task).globalRank();
    }

    /**
     * Returns the chunk size of a task of this process, its room in each block.
     *
     * @param task index of the task in the set
     * @return size in bytes
     */
    public long chunkSize(int task) {
        return task(task).chunkSize();
    }

    /** Returns the place of a task of this process. */
    ReadTask task(int task) {
        ReadTask place = tasks.get(task);
        if (place == null) {
            throw new IllegalArgumentException("task " + task + " is not one of this process");
        }
        return place;
    }

    /**
     * Reads from the only task like {@link SionReader#read}, but all processes get an exception if one of them cannot
     * read. Collective.
     *
     * @param target receives the bytes
     * @return number of bytes read; -1 at the end, if there was room
     * @throws IOException on every process
     */
    public int readCollective(ByteBuffer target) throws IOException {
        return Agreement.call(world, "collective read of " + path, () -> reader().read(target));
    }

    /**
     * Closes the files. Collective.
     *
     * @throws IOException a file could not be closed
     */
    @Override
    public void close() throws IOException {
        if (open) {
            open = false;
            readers.values().forEach(SionReader::close);
            try {
                closeFiles();
            } finally {
                world.close();
            }
        }
    }

    /** Returns the processes that opened the files together. */
    Communicator world() {
        return world;
    }

    private void closeFiles() throws IOException {
        for (TaskFile file : files.values()) {
            file.close();
        }
        files.clear();
    }
}
