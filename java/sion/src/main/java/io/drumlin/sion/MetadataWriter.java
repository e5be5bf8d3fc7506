package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.ChunkLayout;
import io.drumlin.format.sion.internal.FileNames;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.sion.internal.DataFiles;
import io.drumlin.sion.internal.FileRequest;
import io.drumlin.sion.internal.MetaFile;
import io.drumlin.sion.internal.TaskBlocks;
import io.drumlin.sion.internal.TaskLocation;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the metadata of the files that a group of processes shares. The first process, the root, gathers them and
 * alone needs memory for all tasks. Every other process receives the locations of its own tasks. The number of
 * collective calls does not depend on the number of tasks.
 */
final class MetadataWriter implements Closeable {

    /** Bytes of block sizes that the root holds at once. */
    private static final long BATCH = 16L << 20;

    /** Block size that C SIONlib uses if the file system reports none or an implausible one. */
    private static final int USUAL_BLOCK = 2 << 20;

    private static final int LARGEST_BLOCK = 32 << 20;

    /** Length of the suffix in the names of further files. No name may become longer than the file system allows. */
    private static final int SUFFIX = 7;

    private final Communicator group;
    private final Path path;
    private final SionOptions options;
    private final DataFiles data;
    private final SetKind kind;
    private final int files;

    /** At the root: its knowledge of each file. */
    private final List<RootFile> rootFiles = new ArrayList<>();

    private int perProcess;

    /** The way a set of files is written; its metadata show it. */
    enum SetKind {
        /** One process writes all tasks, without a communicator. */
        SERIAL,
        /** One task for each process; each file has a group of its own. */
        PARALLEL,
        /** Any number of tasks for each process. */
        MAPPED
    }

    /**
     * A file and the seats of its tasks.
     *
     * @param seats for each task: its index among the tasks of all processes
     */
    private record RootFile(MetaFile file, List<Integer> seats) {}

    MetadataWriter(Communicator group, Path path, SionOptions options, DataFiles data, SetKind kind, int files) {
        this.group = group;
        this.path = path;
        this.options = options;
        this.data = data;
        this.kind = kind;
        this.files = files;
    }

    /**
     * Creates the files and writes META1. A second call, before anything else was written, changes the chunk sizes.
     * Collective over the group.
     *
     * @param tasks the tasks of this process
     * @return their locations, in the same order
     * @throws IOException on every process of the group
     */
    List<TaskLocation> open(List<MappedTask> tasks) throws IOException {
        long most = Agreement.max(group, tasks.size());
        perProcess = (int) most;
        ByteBuffer part = ByteBuffer.allocate(FileRequest.BYTES * perProcess);
        tasks.forEach(task -> FileRequest.put(part, task));
        while (part.hasRemaining()) {
            FileRequest.putNone(part);
        }
        boolean root = group.rank() == 0;
        long seats = root ? (long) group.size() * perProcess : 0;
        ByteBuffer[] memory = new ByteBuffer[2];
        Agreement.run(group, "creation of " + path, () -> {
            memory[0] = ByteBuffer.allocate(Math.toIntExact(seats * FileRequest.BYTES));
            memory[1] = ByteBuffer.allocate(Math.toIntExact(seats * TaskLocation.BYTES));
        });
        ByteBuffer all = memory[0];
        ByteBuffer locations = memory[1];
        group.gather(part.flip(), all, 0);
        Agreement.run(group, "creation of " + path, () -> {
            if (root) {
                layOut(all, locations);
            }
        });
        ByteBuffer own = ByteBuffer.allocate(TaskLocation.BYTES * perProcess);
        group.scatter(locations, own, 0);
        List<TaskLocation> result = new ArrayList<>();
        for (int task = 0; task < tasks.size(); task++) {
            result.add(TaskLocation.get(own));
        }
        return result;
    }

    /** At the root: lays out the files that the processes request, or changes the files that exist already. */
    private void layOut(ByteBuffer entries, ByteBuffer locations) throws IOException {
        boolean again = !rootFiles.isEmpty();
        checkName();
        int block = fsBlockSize();
        // In a parallel open, a group holds the tasks of one file of the set only.
        List<FileRequest> requests = FileRequest.of(entries, files, kind == SetKind.PARALLEL ? 1 : files, path);
        if (kind == SetKind.MAPPED) {
            FileRequest.checkGlobalRanks(requests, path);
        }
        for (int index = 0; index < requests.size(); index++) {
            FileRequest request = requests.get(index);
            ChunkLayout layout = layout(request.chunkSizes(), block);
            Meta1 meta1 = new Meta1(header(block, request.file()), request.globalRanks(), layout.sizes());
            if (again) {
                rootFiles.get(index).file.change(meta1);
            } else {
                Path member = Path.of(FileNames.member(path.toString(), request.file()));
                List<Integer> seats = Arrays.stream(request.seats()).boxed().toList();
                deleteCopies(request.file());
                rootFiles.add(new RootFile(MetaFile.create(data, member, meta1), seats));
            }
            for (int task = 0; task < meta1.tasks(); task++) {
                TaskLocation.of(meta1, layout, task)
                        .put(locations.position(TaskLocation.BYTES * request.seats()[task]));
            }
        }
        locations.clear();
    }

    /** Until the new file is closed, readers would take a buddy copy of an older file of that name in its place. */
    private void deleteCopies(int file) throws IOException {
        boolean more = true;
        for (int copy = 0; more; copy++) {
            Path old = Path.of(FileNames.member(FileNames.buddy(path.toString(), copy), file));
            more = Files.deleteIfExists(old);
        }
    }

    private Header header(int block, int file) {
        return Header.of(
                options.metadataOrder,
                options.payloadOrder == ByteOrder.BIG_ENDIAN,
                options.keyValue,
                block,
                files,
                kind == SetKind.SERIAL ? 1 : file,
                path.toString());
    }

    private ChunkLayout layout(long[] requests, int block) {
        if (options.collective) {
            return ChunkLayout.collective(requests, block, options.groupSize, options.merge);
        }
        return options.buddies > 0 ? ChunkLayout.oneGroup(requests, block) : ChunkLayout.aligned(requests, block);
    }

    private void checkName() throws DrumlinException {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        int most = files > 1 ? Header.MAX_PREFIX - SUFFIX : Header.MAX_PREFIX;
        if (length > most) {
            throw DrumlinException.during("creation")
                    .path(path)
                    .problem("the name has " + length + " bytes, the format has room for " + most)
                    .advice("use a relative path")
                    .exception();
        }
    }

    private int fsBlockSize() {
        if (options.fsBlockSize > 0) {
            return options.fsBlockSize;
        }
        Path directory = path.toAbsolutePath().getParent();
        long block = 0;
        try {
            block = Files.getFileStore(directory == null ? path : directory).getBlockSize();
        } catch (IOException | UnsupportedOperationException e) {
            // Falls back to the usual size. The JDK knows none in a chroot that is no mount point.
        }
        return block > 0 && block <= LARGEST_BLOCK ? (int) block : USUAL_BLOCK;
    }

    /** At the root of a parallel file: returns its META1. */
    Meta1 meta1() {
        return rootFiles.get(0).file.meta1();
    }

    /**
     * Completes the metadata after all data are written: META2, the mapping, and last the tail of META1, which makes
     * the file valid. Collective over the group.
     *
     * @param blocks the blocks of the tasks of this process
     * @param mapping present at the root of a parallel file that has one
     * @throws IOException on the root; the caller must tell the other processes
     */
    void finish(List<TaskBlocks> blocks, Optional<TaskMapping> mapping) throws IOException {
        long most = Agreement.max(
                group, blocks.stream().mapToInt(TaskBlocks::blocks).max().orElse(0));
        long[] counts = gather(blocks, 0, 1, (list, row) -> list.blocks());
        int seats = Math.max(1, group.size() * perProcess);
        int rows = (int) Math.max(1, Math.min(most, BATCH / Long.BYTES / seats));
        @Nullable IOException failure = null;
        for (int first = 0; first < most; first += rows) {
            int start = first;
            long[] sizes = gather(blocks, first, rows, (list, row) -> row < list.blocks() ? list.used(row) : unused());
            if (failure == null) {
                failure = Agreement.attempt(group, operation(), () -> putSizes(start, rows, sizes, counts));
            }
        }
        if (failure == null) {
            failure = Agreement.attempt(group, operation(), () -> end(counts, mapping));
        }
        if (failure != null) {
            throw failure;
        }
    }

    private String operation() {
        return "close of " + path;
    }

    private long unused() {
        return kind == SetKind.MAPPED ? -1 : 0;
    }

    /** A number that META2 holds for a task. */
    private interface Value {
        long of(TaskBlocks list, int row);
    }

    /** At the root: returns {@code rows} numbers of each seat, in the order of the seats. */
    private long[] gather(List<TaskBlocks> blocks, int first, int rows, Value value) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(Long.BYTES * rows * perProcess);
        for (TaskBlocks list : blocks) {
            for (int row = first; row < first + rows; row++) {
                part.putLong(value.of(list, row));
            }
        }
        int all = group.rank() == 0 ? group.size() * part.capacity() : 0;
        ByteBuffer collected = ByteBuffer.allocate(all);
        group.gather(part.clear(), collected, 0);
        long[] numbers = new long[all / Long.BYTES];
        collected.asLongBuffer().get(numbers);
        return numbers;
    }

    private void putSizes(int first, int rows, long[] sizes, long[] counts) throws IOException {
        for (RootFile root : rootFiles) {
            int maxChunks = maxChunks(root, counts);
            int there = Math.min(maxChunks - first, rows);
            if (there > 0) {
                root.file.putRows(
                        maxChunks,
                        first + 1,
                        there,
                        (row, task) -> sizes[root.seats.get(task) * rows + row - first - 1]);
            }
        }
    }

    private static int maxChunks(RootFile root, long[] counts) {
        return (int) root.seats.stream().mapToLong(seat -> counts[seat]).max().orElse(1);
    }

    private void end(long[] counts, Optional<TaskMapping> mapping) throws IOException {
        for (RootFile root : rootFiles) {
            int maxChunks = maxChunks(root, counts);
            root.file.putRows(maxChunks, MetaFile.COUNTS, 1, (row, task) -> counts[root.seats.get(task)]);
            root.file.finish(maxChunks, mapping(root, mapping));
        }
        Path directory = path.toAbsolutePath().getParent();
        if (!rootFiles.isEmpty() && directory != null) {
            data.storage().syncDirectory(directory);
        }
    }

    private Optional<ByteBuffer> mapping(RootFile root, Optional<TaskMapping> mapping) {
        ByteOrder order = options.metadataOrder;
        if (kind == SetKind.SERIAL) {
            return Optional.of(TaskMapping.of(new int[0], new int[0]).encode(order));
        } else if (kind == SetKind.MAPPED) {
            boolean first = root.file.meta1().header().fileNumber() == 0;
            return first ? Optional.of(mappingOfAll().encode(order)) : Optional.empty();
        }
        return mapping.map(pairs -> pairs.encode(order));
    }

    /** At the root of a mapped set, which knows all files: returns the mapping. */
    private TaskMapping mappingOfAll() {
        int tasks = rootFiles.stream().mapToInt(root -> root.seats.size()).sum();
        int[] fileNumbers = new int[tasks];
        int[] localRanks = new int[tasks];
        for (RootFile root : rootFiles) {
            Meta1 meta1 = root.file.meta1();
            for (int lrank = 0; lrank < meta1.tasks(); lrank++) {
                int task = (int) meta1.globalRank(lrank);
                fileNumbers[task] = meta1.header().fileNumber();
                localRanks[task] = lrank;
            }
        }
        return TaskMapping.of(fileNumbers, localRanks);
    }

    /** Closes the files of a root in their current state. */
    @Override
    public void close() throws IOException {
        for (RootFile root : rootFiles) {
            root.file.close();
        }
    }
}
