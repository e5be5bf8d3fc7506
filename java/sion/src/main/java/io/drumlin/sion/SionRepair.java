package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.FileNames;
import io.drumlin.format.sion.internal.Meta2;
import io.drumlin.format.sion.internal.SionMeta;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.format.sion.internal.TaskStream;
import io.drumlin.sion.internal.MetaFile;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Makes the metadata of a physical file whose job died before it closed the file; docs/formats/sion.md, section 9. The
 * data stay untouched.
 *
 * <p>Such a file does not record how much each task wrote, unless the job died when only the tail of META1 was missing;
 * then the recorded sizes are used. Otherwise the last nonzero byte of a chunk counts as its end in plain streams. So
 * zeros that a task wrote last are lost, like all data that had not reached the file. Records with keys are followed,
 * so their end is exact, but an incomplete last record is left out.
 */
public final class SionRepair {

    /** Number of bytes that are examined together. */
    private static final int PART = 1 << 20;

    private static final int OLDEST_FORMAT = 3;

    private final StorageEngine storage;
    private final Path path;
    private final Meta1 meta1;
    private final List<long[]> sizes;
    private final Optional<TaskMapping> mapping;
    private final List<String> losses;

    private SionRepair(
            StorageEngine storage,
            Path path,
            Meta1 meta1,
            List<long[]> sizes,
            Optional<TaskMapping> mapping,
            List<String> losses) {
        this.storage = storage;
        this.path = path;
        this.meta1 = meta1;
        this.sizes = sizes;
        this.mapping = mapping;
        this.losses = losses;
    }

    /**
     * Examines a file. Writes nothing.
     *
     * @param path a physical file
     * @param storage the engine that reads the file, and writes it in {@link #apply}
     * @return the data that can be saved; empty if the file was closed and needs no repair
     * @throws IOException the file cannot be read, or even the metadata from its opening are damaged
     */
    public static Optional<SionRepair> of(Path path, StorageEngine storage) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ));
                ReadWindow source = new ReadWindow(storage, file, PART)) {
            SionMeta meta = SionMeta.read(source);
            if (meta.closed()) {
                return Optional.empty();
            }
            Meta1 meta1 = meta.meta1();
            if (meta1.header().formatVersion() < OLDEST_FORMAT) {
                throw refusal(path, "files of format 2 cannot be repaired");
            }
            List<String> losses = new ArrayList<>();
            List<long[]> sizes = new ArrayList<>();
            Optional<TaskMapping> mapping = mapping(path, storage, meta1);
            Optional<Meta2> written = withoutTail(source, meta1, mapping);
            for (int task = 0; task < meta1.tasks(); task++) {
                Chunks chunks = new Chunks(source, meta1, task);
                if (written.isPresent()) {
                    sizes.add(written.get().sizes(task));
                } else {
                    sizes.add(meta1.header().keyValue() ? chunks.recorded(losses) : chunks.notZero());
                }
            }
            return Optional.of(new SionRepair(storage, path, meta1, sizes, mapping, losses));
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /**
     * Finds META2 at the end of a file whose job died just before it wrote the tail. The tail would give the offset of
     * META2.
     */
    private static Optional<Meta2> withoutTail(ByteSource source, Meta1 meta1, Optional<TaskMapping> mapping)
            throws IOException {
        long behind = mapping.map(
                        pairs -> (long) pairs.encode(meta1.header().order()).remaining())
                .orElse(0L);
        long end = 0;
        for (int blocks = 1; end < source.size(); blocks++) {
            end = meta1.startOfVarheader(blocks) + Meta2.length(meta1.tasks(), blocks) + behind;
            if (end == source.size()) {
                try {
                    return SionMeta.read(new WithTail(source, meta1.tailOffset(), meta1.encodeTail(blocks)))
                            .meta2();
                } catch (FormatException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /** A file with some bytes replaced. */
    private record WithTail(ByteSource file, long offset, ByteBuffer tail) implements ByteSource {

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void readFully(long position, ByteBuffer target) throws IOException {
            int start = target.position();
            file.readFully(position, target);
            for (int i = 0; i < tail.limit(); i++) {
                long at = offset + i - position;
                if (at >= 0 && at < target.position() - start) {
                    target.put(start + (int) at, tail.get(i));
                }
            }
        }
    }

    private static DrumlinException refusal(Path path, String problem) {
        return DrumlinException.during("repair").path(path).problem(problem).exception();
    }

    /** The bytes of a task that are on disk. */
    private static final class Chunks {

        private final ByteSource source;
        private final Meta1 meta1;
        private final int task;
        private final ByteBuffer part = ByteBuffer.allocate(PART);

        Chunks(ByteSource source, Meta1 meta1, int task) {
            this.source = source;
            this.meta1 = meta1;
            this.task = task;
        }

        /** Returns the number of bytes of a chunk that are within the file. */
        private long there(int block) {
            long start = meta1.start(task) + block * meta1.globalSkip();
            return Math.max(0, Math.min(meta1.chunkSize(task), source.size() - start));
        }

        /** Returns the number of blocks that are at least partly within the file. */
        private int blocks() {
            long bytes = source.size() - meta1.start(task);
            return meta1.chunkSize(task) == 0 || bytes <= 0
                    ? 0
                    : (int) Math.min(Integer.MAX_VALUE - 1, (bytes - 1) / meta1.globalSkip() + 1);
        }

        /** Returns the bytes of each block up to its last nonzero byte. */
        long[] notZero() throws IOException {
            long[] used = new long[blocks()];
            int last = 0;
            for (int block = 0; block < used.length; block++) {
                used[block] = notZero(block);
                last = used[block] > 0 ? block : last;
            }
            return Arrays.copyOf(used, last + 1);
        }

        private long notZero(int block) throws IOException {
            long start = meta1.start(task) + block * meta1.globalSkip();
            for (long end = there(block); end > 0; end -= part.capacity()) {
                int length = (int) Math.min(part.capacity(), end);
                source.readFully(start + end - length, part.clear().limit(length));
                for (int i = length - 1; i >= 0; i--) {
                    if (part.get(i) != 0) {
                        return end - length + i + 1;
                    }
                }
            }
            return 0;
        }

        /** Returns the bytes of each block up to the end of the last whole record. */
        long[] recorded(List<String> losses) throws IOException {
            long[] full = new long[Math.max(1, blocks())];
            Arrays.setAll(full, this::there);
            TaskStream stream = new TaskStream(source, meta1.start(task), meta1.globalSkip(), full);
            long end = lastNotZero(stream);
            ByteBuffer header = ByteBuffer.allocate(KeyValueRecord.HEADER_LENGTH)
                    .order(meta1.header().order());
            long position = 0;
            while (position < end) {
                long left = stream.size() - position - header.capacity();
                long length = -1;
                if (left >= 0) {
                    stream.readFully(position, header.clear());
                    length = header.getLong(Long.BYTES);
                }
                if (length < 0 || length > left) {
                    losses.add("task " + task + ": " + (end - position) + " bytes behind the last whole record");
                    break;
                }
                position += header.capacity() + length;
            }
            return cut(full, position);
        }

        private long lastNotZero(TaskStream stream) throws IOException {
            for (int block = stream.blocks() - 1; block >= 0; block--) {
                long used = notZero(block);
                if (used > 0) {
                    return stream.position(block) + used;
                }
            }
            return 0;
        }

        private static long[] cut(long[] full, long size) {
            long left = size;
            int blocks = 0;
            while (blocks < full.length && (left > 0 || blocks == 0)) {
                full[blocks] = Math.min(full[blocks], left);
                left -= full[blocks];
                blocks++;
            }
            return Arrays.copyOf(full, blocks);
        }
    }

    /** Rebuilds the mapping, which only the first of several files has, from the tasks of the other files. */
    private static Optional<TaskMapping> mapping(Path path, StorageEngine storage, Meta1 meta1) throws IOException {
        int files = meta1.header().files();
        if (files == 1 || meta1.header().fileNumber() != 0) {
            return Optional.empty();
        }
        List<Meta1> members = new ArrayList<>(List.of(meta1));
        long tasks = meta1.tasks();
        for (int number = 1; number < files; number++) {
            Path member = Path.of(FileNames.member(path.toString(), number));
            try (BlockFile file = storage.open(member, EnumSet.of(OpenMode.READ));
                    ReadWindow source = new ReadWindow(storage, file, PART)) {
                members.add(SionMeta.read(source).meta1());
            } catch (FormatException e) {
                throw e.in(member);
            }
            tasks += members.get(number).tasks();
        }
        int[] fileNumbers = new int[Math.toIntExact(tasks)];
        int[] localRanks = new int[fileNumbers.length];
        Arrays.fill(fileNumbers, -1);
        for (int number = 0; number < files; number++) {
            for (int lrank = 0; lrank < members.get(number).tasks(); lrank++) {
                long rank = members.get(number).globalRank(lrank);
                if (rank < 0 || rank >= tasks || fileNumbers[(int) rank] >= 0) {
                    throw refusal(
                            path,
                            "the tasks of the " + files + " files do not have the global ranks 0 to " + (tasks - 1)
                                    + ", so which is which is not known");
                }
                fileNumbers[(int) rank] = number;
                localRanks[(int) rank] = lrank;
            }
        }
        return Optional.of(TaskMapping.of(fileNumbers, localRanks));
    }

    /**
     * Returns META1 of the file.
     *
     * @return the metadata that were written at opening
     */
    public Meta1 meta1() {
        return meta1;
    }

    /**
     * Returns the sizes of the blocks found for a task.
     *
     * @param task index in the physical file
     * @return bytes in each of its blocks, at least one block
     */
    public long[] sizes(int task) {
        long[] found = sizes.get(task);
        return found.length == 0 ? new long[1] : found.clone();
    }

    /**
     * Returns the losses: parts of the file that cannot be saved.
     *
     * @return one clause for each
     */
    public List<String> losses() {
        return List.copyOf(losses);
    }

    /**
     * Writes the metadata into the file.
     *
     * @throws IOException the metadata could not be written; the file is either still unreadable or already repaired
     */
    public void apply() throws IOException {
        List<long[]> found =
                IntStream.range(0, meta1.tasks()).mapToObj(this::sizes).toList();
        int maxChunks = found.stream().mapToInt(each -> each.length).max().orElse(1);
        try (MetaFile file = MetaFile.open(storage, path, meta1)) {
            file.putRows(maxChunks, MetaFile.COUNTS, 1 + maxChunks, (row, task) -> {
                long[] ofTask = found.get(task);
                if (row == MetaFile.COUNTS) {
                    return ofTask.length;
                }
                return row <= ofTask.length ? ofTask[row - 1] : 0;
            });
            file.finish(
                    maxChunks, mapping.map(pairs -> pairs.encode(meta1.header().order())));
        }
    }
}
