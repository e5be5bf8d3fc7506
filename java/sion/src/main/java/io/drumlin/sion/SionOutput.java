package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.sion.internal.FileNames;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.sion.MetadataWriter.SetKind;
import io.drumlin.sion.internal.DataFiles;
import io.drumlin.sion.internal.Owned;
import io.drumlin.sion.internal.StreamSlabs;
import io.drumlin.sion.internal.TaskBlocks;
import io.drumlin.sion.internal.TaskFile;
import io.drumlin.sion.internal.TaskLocation;
import io.drumlin.sion.internal.WriteStage;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.PathStatus;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set of physical files that is being written; {@link SionFile} makes it. Readers refuse it until it is closed.
 *
 * <p>Every process that created the set must call the methods marked <em>collective</em>, in the same order. If such a
 * call fails on one process, it throws on all. One thread per process makes these calls; different threads may write
 * different tasks.
 */
public final class SionOutput implements Closeable {

    private final Communicator world;
    private final ParallelFile place;
    private final Path path;
    private final SionOptions options;
    private final StorageEngine storage;
    private final DataFiles data;
    private final MetadataWriter metadata;
    private final List<MappedTask> tasks;
    private final boolean isSerial;
    private final Map<Integer, TaskFile> files = new HashMap<>();
    private final List<SionWriter> writers = new ArrayList<>();
    private final Map<Long, Integer> indexes = new HashMap<>();
    private List<BuddyWriter> buddies = List.of();
    private Optional<CollectiveWriter> collective = Optional.empty();
    private int fsBlockSize;
    private boolean open = true;

    /** Whether a collective write failed. Then the file must not become valid. */
    private boolean incomplete;

    private SionOutput(
            Communicator world,
            ParallelFile place,
            Path path,
            SionOptions options,
            SetKind kind,
            List<MappedTask> tasks)
            throws IOException {
        this.world = world;
        this.place = place;
        this.path = path;
        this.options = options;
        this.storage = storage(options);
        this.data = new DataFiles(storage, world, options.io, options.hints);
        this.tasks = tasks;
        this.isSerial = kind == SetKind.SERIAL;
        this.metadata = new MetadataWriter(place.group(), path, options, data, kind, place.files());
        for (MappedTask task : tasks) {
            indexes.put(kind == SetKind.SERIAL ? (long) task.localRank() : task.globalRank(), indexes.size());
        }
    }

    static StorageEngine storage(SionOptions options) throws IOException {
        Optional<StorageEngine> given = options.storage;
        return given.isPresent() ? given.get() : StorageEngines.best();
    }

    /** Creates the set for several processes with one task each. */
    static SionOutput parallel(Path path, Communicator world, long chunkSize, SionOptions options) throws IOException {
        return Owned.by(
                () -> {
                    ParallelFile place = ParallelFile.of(world, options);
                    int lrank = place.group().rank();
                    List<MappedTask> task = List.of(new MappedTask(world.rank(), place.number(), lrank, chunkSize));
                    return created(world, place, path, options, SetKind.PARALLEL, task);
                },
                world::close);
    }

    /** Creates the set for several processes with any number of tasks each. */
    static SionOutput mapped(Path path, Communicator world, List<MappedTask> tasks, SionOptions options)
            throws IOException {
        return Owned.by(
                () -> {
                    if (options.collective || options.buddies > 0) {
                        throw new IllegalArgumentException(
                                "tasks that are mapped to processes are not written collectively");
                    }
                    ParallelFile place = ParallelFile.all(world, options.files);
                    return created(world, place, path, options, SetKind.MAPPED, List.copyOf(tasks));
                },
                world::close);
    }

    /** Creates the set for one process. */
    static SionOutput serial(Path path, long[] chunkSizes, long[] globalRanks, SionOptions options) throws IOException {
        if (options.collective || options.buddies > 0 || options.files > 1) {
            throw new IllegalArgumentException("one process writes one file, and not collectively");
        }
        Communicator world = new SingleCommunicator();
        List<MappedTask> tasks = new ArrayList<>();
        for (int task = 0; task < chunkSizes.length; task++) {
            tasks.add(new MappedTask(globalRanks[task], 0, task, chunkSizes[task]));
        }
        ParallelFile place = ParallelFile.all(world, 1);
        return created(world, place, path, options, SetKind.SERIAL, tasks);
    }

    private static SionOutput created(
            Communicator world,
            ParallelFile place,
            Path path,
            SionOptions options,
            SetKind kind,
            List<MappedTask> tasks)
            throws IOException {
        return Owned.by(() -> new SionOutput(world, place, path, options, kind, tasks).created(), place::close);
    }

    private SionOutput created() throws IOException {
        try {
            checkBuddies();
            // If one member fails, its whole group fails, and waits here for the other groups.
            Agreement.run(world, "creation of " + path, () -> open(metadata.open(tasks), List.of()));
            if (place.files() > 1) {
                Agreement.run(world, "creation of " + path, this::requireAllFiles);
            }
            if (options.buddies > 0) {
                buddies = BuddyWriter.of(world, place, path, data, options);
                Agreement.run(world, "creation of the buddy copies of " + path, this::openBuddies);
            }
            return this;
        } catch (Throwable e) {
            open = false;
            try {
                release();
            } catch (IOException late) {
                e.addSuppressed(late);
            }
            throw e;
        }
    }

    /** The first process of all must see what the others have made: a node may lack the file system. */
    private void requireAllFiles() throws IOException {
        for (int number = 0; number < place.files() && world.rank() == place.first(); number++) {
            Path member = Path.of(FileNames.member(path.toString(), number));
            if (!PathStatus.exists(member)) {
                throw DrumlinException.during("creation")
                        .path(member)
                        .rank(world.rank())
                        .problem("another rank has made this file of the set, and this rank does not see it")
                        .advice("see that the file system of this path is mounted on all nodes")
                        .exception();
            }
        }
    }

    /** All processes come to the same result. */
    private void checkBuddies() {
        if (options.buddies > 0 && options.buddies >= place.files()) {
            throw new IllegalArgumentException(
                    options.buddies + " buddy copies need more than " + place.files() + " files");
        }
        if (options.buddies > 0 && (options.keyValue || options.merge)) {
            throw new IllegalArgumentException("buddy copies are made of plain streams, of which none is merged");
        }
    }

    private void openBuddies() throws IOException {
        IOException failure = null;
        if (place.group().rank() == 0) {
            for (BuddyWriter copy : buddies) {
                // Each copy needs the answers of other processes, even if an earlier copy failed here.
                failure = first(failure, Agreement.attempt(world, "creation", () -> copy.open(metadata.meta1())));
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable IOException first(@Nullable IOException earlier, @Nullable IOException later) {
        return earlier == null ? later : earlier;
    }

    /** Makes the writers. {@code limits} holds the usable bytes of each chunk, or is empty if all are usable. */
    private void open(List<TaskLocation> locations, List<Long> limits) throws IOException {
        boolean byGroups = options.collective || options.buddies > 0;
        boolean aligned = !byGroups && locations.stream().allMatch(TaskLocation::isAligned);
        Set<OpenMode> modes = EnumSet.of(OpenMode.WRITE);
        if (aligned && options.io == SionIo.DIRECT) {
            modes.add(OpenMode.DIRECT);
        }
        for (SionWriter writer : writers) {
            writer.abandon();
        }
        writers.clear();
        closeFiles();
        for (int i = 0; i < locations.size(); i++) {
            TaskLocation location = locations.get(i);
            fsBlockSize = location.fsBlockSize();
            int number = tasks.get(i).fileNumber();
            Path member = Path.of(FileNames.member(path.toString(), number));
            TaskFile file = files.computeIfAbsent(number, n -> new TaskFile(data, member, modes));
            long limit = limits.isEmpty() ? location.chunkSize() : limits.get(i);
            TaskBlocks blocks = new TaskBlocks(location.start(), location.globalSkip(), limit);
            WriteStage stage = new WriteStage(storage, file, blocks, location.chunkSize(), locations.size());
            writers.add(new SionWriter(blocks, stage, options.payloadOrder));
            if (location.collector() == tasks.get(i).localRank()) {
                file.open();
            }
            if (byGroups) {
                collective = Optional.of(collectiveWriter(location, writers.get(0), file));
            }
        }
    }

    private CollectiveWriter collectiveWriter(TaskLocation location, SionWriter writer, TaskFile file) {
        int piece = options.merge ? location.fsBlockSize() : StreamSlabs.MOST_BYTES;
        return new CollectiveWriter(place.group(), location, writer, file, options.merge, piece, storage);
    }

    /**
     * Returns the stream of the only task of this process.
     *
     * @return its stream
     * @throws IllegalStateException this process has none or several
     */
    public SionWriter writer() {
        if (writers.size() != 1) {
            throw new IllegalStateException("this process has " + writers.size() + " tasks; say which one");
        }
        return plain(writers.get(0));
    }

    /**
     * Returns the stream of a task of this process.
     *
     * @param task its global rank; its index if one process writes all tasks
     * @return its stream
     */
    public SionWriter writer(long task) {
        return plain(stream(task));
    }

    private SionWriter plain(SionWriter writer) {
        if (options.buddies > 0) {
            throw new IllegalStateException("a file with buddy copies is written with writeCollective only");
        }
        if (options.keyValue) {
            throw new IllegalStateException("a file in key/value mode is written with keyValueWriter only");
        }
        return writer;
    }

    /**
     * Returns a writer of the records of the only task of this process. Key/value mode only.
     *
     * @return its records
     * @throws IllegalStateException this process has none or several, or the file holds plain streams
     */
    public KeyValueWriter keyValueWriter() {
        if (writers.size() != 1) {
            throw new IllegalStateException("this process has " + writers.size() + " tasks; say which one");
        }
        return records(writers.get(0));
    }

    /**
     * Returns a writer of the records of a task of this process. Key/value mode only.
     *
     * @param task its global rank; its index if one process writes all tasks
     * @return its records
     * @throws IllegalStateException the file holds plain streams
     */
    public KeyValueWriter keyValueWriter(long task) {
        return records(stream(task));
    }

    private KeyValueWriter records(SionWriter writer) {
        if (!options.keyValue) {
            throw new IllegalStateException("the file was not created in key/value mode");
        }
        return new KeyValueWriter(writer, options.metadataOrder);
    }

    /** Returns the stream of a task of this process, plain or with records. */
    SionWriter stream(long task) {
        return writers.get(index(task));
    }

    private int index(long task) {
        Integer index = indexes.get(task);
        if (index == null) {
            throw new IllegalArgumentException("task " + task + " is not one of this process");
        }
        return index;
    }

    /**
     * Returns the tasks that this process writes.
     *
     * @return the tasks as the caller gave them, or the one task of this process
     */
    public List<MappedTask> tasks() {
        return tasks;
    }

    int files() {
        return place.files();
    }

    /** Returns the processes of this process's file. */
    Communicator group() {
        return place.group();
    }

    /** Returns the number of the file of a task of this process, as it is in the file. */
    int fileNumber(long task) {
        return isSerial ? 1 : tasks.get(index(task)).fileNumber();
    }

    boolean isSerial() {
        return isSerial;
    }

    boolean isKeyValue() {
        return options.keyValue;
    }

    int buddies() {
        return buddies.size();
    }

    /** Returns the files with buddy copies in which a task of this process has a part. */
    List<SionFileRole> roles(long task) {
        long bytes = stream(task).size();
        List<SionFileRole> roles = new ArrayList<>();
        roles.add(new SionFileRole(path(task), bytes, SionFileRole.WRITER));
        int receiver = place.group().rank() == 0 ? SionFileRole.COLLECTOR : SionFileRole.NOWRITER;
        for (int copy = 0; copy < buddies.size(); copy++) {
            String name = FileNames.buddy(path.toString(), copy);
            Path sent = Path.of(FileNames.member(name, place.number()));
            Path received = Path.of(FileNames.member(name, buddies.get(copy).copiedFile()));
            roles.add(new SionFileRole(sent, bytes, SionFileRole.SENDER));
            roles.add(new SionFileRole(received, 0, receiver));
        }
        return roles;
    }

    /** Returns the block size from the options or the file system; 0 on a process without tasks. */
    int fsBlockSize() {
        return fsBlockSize;
    }

    ByteOrder payloadOrder() {
        return options.payloadOrder;
    }

    /**
     * Returns the physical file of a task of this process.
     *
     * @param task its global rank; its index if one process writes all tasks
     * @return its path
     */
    public Path path(long task) {
        return Path.of(FileNames.member(path.toString(), tasks.get(index(task)).fileNumber()));
    }

    /**
     * Starts again with chunks of another size, before anything was written. The task may use exactly the requested
     * bytes of each chunk, although the chunk is rounded up. Collective.
     *
     * @param chunkSize size in bytes, for the only task of this process
     * @throws IOException on every process
     */
    public void reinit(long chunkSize) throws IOException {
        MappedTask old = tasks.get(0);
        List<MappedTask> changed =
                List.of(new MappedTask(old.globalRank(), old.fileNumber(), old.localRank(), chunkSize));
        boolean fits = tasks.size() == 1
                && writers.get(0).size() == 0
                && writers.get(0).block() == 0;
        Agreement.run(world, "new chunk sizes for " + path, () -> {
            if (!fits || options.collective || options.buddies > 0) {
                throw DrumlinException.during("new chunk sizes for " + path)
                        .problem("something was written, or the file is not one with a task for each process")
                        .exception();
            }
        });
        Agreement.run(world, "new chunk sizes for " + path, () -> open(metadata.open(changed), List.of(chunkSize)));
    }

    /**
     * Writes the bytes of all tasks at once, through the collectors if the file has them. Every process calls it, with
     * any number of bytes that fit into its chunk. Collective.
     *
     * @param source its position moves to its limit
     * @throws IOException on every process; any part of the data may have been written
     */
    public void writeCollective(ByteBuffer source) throws IOException {
        if (writers.size() != 1 || options.keyValue) {
            throw new IllegalStateException(
                    "only plain streams, of which each process has one, are written collectively");
        }
        String operation = "collective write to " + path;
        SionWriter writer = writers.get(0);
        // A process that cannot take part must say so before others wait for its data.
        ByteBuffer message = Agreement.call(world, operation, () -> {
            if (!options.merge) {
                writer.requireRoom(source.remaining());
            }
            return BuddyWriter.message(buddies.isEmpty() ? 0 : source.remaining());
        });
        boolean before = incomplete;
        incomplete = true;
        ByteBuffer data = source.duplicate();
        IOException failure = Agreement.attempt(world, operation, () -> {
            if (collective.isPresent()) {
                collective.get().write(source);
            } else {
                writer.write(source);
            }
        });
        for (BuddyWriter copy : buddies) {
            // The others wait for the data of this task, even if there are none.
            ByteBuffer copied = failure == null ? data : ByteBuffer.allocate(0);
            failure = first(
                    failure, Agreement.attempt(world, operation, () -> copy.write(message, copied, writer.blocks())));
        }
        Agreement.agree(world, operation, failure);
        incomplete = before;
    }

    /**
     * Writes the remaining data, then the metadata, and makes all of it durable. If any write has failed on any
     * process, the files get no metadata, so that readers refuse them. Collective.
     *
     * @throws IOException on every process: the files are not complete
     */
    @Override
    public void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        try {
            Agreement.run(world, "close of " + path, this::finishData);
            Optional<TaskMapping> mapping = place.mapping(world);
            List<Optional<TaskMapping>> copies = new ArrayList<>();
            for (BuddyWriter copy : buddies) {
                copies.add(copy.mapping());
            }
            List<TaskBlocks> blocks = writers.stream().map(SionWriter::blocks).toList();
            Agreement.run(world, "close of " + path, () -> {
                metadata.finish(blocks, mapping);
                for (int copy = 0; copy < copies.size(); copy++) {
                    buddies.get(copy).finish(copies.get(copy));
                }
            });
        } finally {
            release();
        }
    }

    private void finishData() throws IOException {
        if (incomplete) {
            throw DrumlinException.during("close of " + path)
                    .problem("an earlier collective write failed, so that the file lacks data")
                    .advice("write the file again")
                    .exception();
        }
        for (SionWriter writer : writers) {
            writer.close();
            if (writer.isBroken()) {
                // The program here has already closed the task and got the error; the other processes have not.
                throw DrumlinException.during("close of " + path)
                        .problem("a write of a task failed before, so that the file lacks data")
                        .advice("write the file again")
                        .exception();
            }
        }
        for (TaskFile file : files.values()) {
            file.sync();
        }
        for (BuddyWriter copy : buddies) {
            copy.sync();
        }
        closeFiles();
    }

    private void closeFiles() throws IOException {
        for (TaskFile file : files.values()) {
            file.close();
        }
        files.clear();
    }

    /**
     * Ends without metadata, for a process that cannot continue. Flushed data stay in the files. Readers refuse them,
     * but {@code drumlin sion repair} may save them. Not collective.
     *
     * @throws IOException a file could not be closed
     */
    public void abandon() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        release();
    }

    /** Closes everything, even after failures. */
    private void release() throws IOException {
        List<Closeable> all = new ArrayList<>();
        writers.forEach(writer -> all.add(writer::abandon));
        all.addAll(files.values());
        all.add(files::clear);
        all.add(metadata);
        all.addAll(buddies);
        collective.ifPresent(all::add);
        all.add(place::close);
        all.add(world::close);
        IOException failure = null;
        for (Closeable each : all) {
            failure = first(failure, Agreement.attempt(world, "close of " + path, each::close));
        }
        if (failure != null) {
            throw failure;
        }
    }
}
