package io.drumlin.format.sion.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.internal.FindingSink;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.Meta1;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Reads and checks metadata; docs/formats/sion.md, section 8. One instance reads one file. */
final class MetaReader {

    /** Offsets in META1 of the fields before the name. */
    private static final int ENDIANNESS = 4;

    private static final int VERSION = 8;
    private static final int PATCH_LEVEL = 12;
    private static final int FORMAT_VERSION = 16;
    private static final int FS_BLOCK_SIZE = 20;
    private static final int TASKS = 24;
    private static final int FILES = 28;
    private static final int FILE_NUMBER = 32;
    private static final int FLAG1 = 36;
    private static final int FLAG2 = 44;

    /** C SIONlib refuses older formats. */
    private static final int OLDEST_FORMAT = 2;

    /** Up to this format, the sizes of chunks were stored as they were requested. */
    private static final int LAST_UNALIGNED_FORMAT = 3;

    /** Number of bytes of META2 that are read at once, if a row is not longer. */
    private static final int BATCH = 1 << 16;

    private static final int PAIR = 2 * Integer.BYTES;

    private final ByteSource source;
    private final FindingSink problems;

    MetaReader(ByteSource source, FindingSink problems) {
        this.source = source;
        this.problems = problems;
    }

    Optional<SionMeta> read() throws IOException {
        if (!SionMeta.recognises(source)) {
            add("magic", 0, "is not \"sion\"; the file has " + source.size() + " bytes");
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(Header.LENGTH);
        bytes.limit((int) Math.min(bytes.capacity(), source.size()));
        source.readFully(0, bytes);
        bytes.clear();
        bytes.order((bytes.get(ENDIANNESS) & 1) == 1 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        int format = bytes.getInt(FORMAT_VERSION);
        if (!range("fileformat_version", FORMAT_VERSION, format, OLDEST_FORMAT, Integer.MAX_VALUE)) {
            return Optional.empty();
        }
        int length = format == OLDEST_FORMAT ? Header.LENGTH_OF_FORMAT_2 : Header.LENGTH;
        if (source.size() < length) {
            add("prefix", length - Header.PREFIX_BYTES, "ends behind the file, which has " + source.size() + " bytes");
            return Optional.empty();
        }
        Header header = header(bytes, format, length - Header.PREFIX_BYTES);
        if (!range("fsblksize", FS_BLOCK_SIZE, header.fsBlockSize(), 1, Integer.MAX_VALUE)) {
            return Optional.empty();
        }
        int tasks = bytes.getInt(TASKS);
        // The arrays of META1 must fit into the file and into a buffer.
        long most = Math.min(source.size() - length, Integer.MAX_VALUE - length) / (2 * Long.BYTES);
        if (!range("ntasks", TASKS, tasks, 1, most)) {
            return Optional.empty();
        }
        return Optional.of(meta(header, tasks, length));
    }

    private static Header header(ByteBuffer bytes, int format, int prefixOffset) {
        byte[] name = new byte[Header.PREFIX_BYTES];
        bytes.get(prefixOffset, name);
        int end = 0;
        while (end < name.length && name[end] != 0) {
            end++;
        }
        boolean old = format == OLDEST_FORMAT;
        return new Header(
                bytes.order(),
                (bytes.get(ENDIANNESS + 1) & 1) == 1,
                bytes.getInt(VERSION),
                bytes.getInt(PATCH_LEVEL),
                format,
                bytes.getInt(FS_BLOCK_SIZE),
                bytes.getInt(FILES),
                old ? 1 : bytes.getInt(FILE_NUMBER),
                old ? 0 : bytes.getLong(FLAG1),
                old ? 0 : bytes.getLong(FLAG2),
                new String(name, 0, end, StandardCharsets.UTF_8));
    }

    private SionMeta meta(Header header, int tasks, int headerLength) throws IOException {
        boolean filesAreRight = range("nfiles", FILES, header.files(), 1, Integer.MAX_VALUE);
        if (filesAreRight && header.formatVersion() > OLDEST_FORMAT) {
            // The only file of a set has number 0 or, if one process wrote it, 1.
            range("filenumber", FILE_NUMBER, header.fileNumber(), 0, Math.max(header.files(), 2) - 1L);
        }
        int mode = (int) (header.flag1() >>> Integer.SIZE);
        if (mode != 0 && mode != Header.PLAIN && mode != Header.KEY_VALUE) {
            add("flag1", FLAG1, "has the mode " + mode + " in its upper half, allowed 0, 50 and 51");
        }
        ByteBuffer arrays = ByteBuffer.allocate(2 * Long.BYTES * tasks).order(header.order());
        source.readFully(headerLength, arrays);
        arrays.flip();
        long[] globalRanks = new long[tasks];
        long[] chunkSizes = new long[tasks];
        arrays.asLongBuffer().get(globalRanks).get(chunkSizes);
        checkChunkSizes(header, chunkSizes, headerLength + (long) Long.BYTES * tasks);
        Meta1 meta1 = new Meta1(header, globalRanks, chunkSizes);
        long tail = headerLength + 2L * Long.BYTES * tasks;
        Optional<Meta2> meta2 = meta2(meta1, tail);
        Optional<TaskMapping> mapping = meta2.isPresent() ? mapping(meta1, meta2.get()) : Optional.empty();
        return new SionMeta(meta1, meta2, mapping);
    }

    /** Replaces invalid sizes, so that the following code can rely on sums. */
    private void checkChunkSizes(Header header, long[] chunkSizes, long offset) throws FormatException {
        int block = header.formatVersion() <= LAST_UNALIGNED_FORMAT ? header.fsBlockSize() : 1;
        long room = Long.MAX_VALUE - block - Meta1.roundUp(Meta1.length(chunkSizes.length), header.fsBlockSize());
        for (int task = 0; task < chunkSizes.length; task++) {
            long size = chunkSizes[task];
            boolean fits = range("chunksize", offset + (long) Long.BYTES * task, size, 0, room);
            chunkSizes[task] = fits ? Meta1.roundUp(size, block) : 0;
            room = Math.max(0, room - chunkSizes[task]);
        }
    }

    /** Returns empty if the file was not closed, or if META2 is wrong. */
    private Optional<Meta2> meta2(Meta1 meta1, long tailOffset) throws IOException {
        if (source.size() - tailOffset < Meta1.TAIL_LENGTH) {
            return Optional.empty();
        }
        ByteBuffer tail =
                ByteBuffer.allocate(Meta1.TAIL_LENGTH).order(meta1.header().order());
        source.readFully(tailOffset, tail);
        int maxChunks = tail.getInt(0);
        long start = tail.getLong(Integer.BYTES);
        if (maxChunks == 0 && start == 0) {
            return Optional.empty();
        }
        long most = source.size() / Long.BYTES / meta1.tasks() - 1;
        if (!range("maxchunks", tailOffset, maxChunks, 1, Math.min(most, Integer.MAX_VALUE - 1))) {
            return Optional.empty();
        }
        long expected = Math.multiplyHigh(meta1.globalSkip(), maxChunks) == 0
                        && meta1.globalSkip() * maxChunks <= source.size() - meta1.startOfData()
                        && meta1.globalSkip() * maxChunks >= 0
                ? meta1.startOfVarheader(maxChunks)
                : Long.MAX_VALUE;
        long last = source.size() - Meta2.length(meta1.tasks(), maxChunks);
        if (start != expected || start > last) {
            String allowed = expected > last ? "none: META2 would end behind the file" : String.valueOf(expected);
            add("start_of_varheader", tailOffset + Integer.BYTES, "is " + start + ", allowed " + allowed);
            return Optional.empty();
        }
        return Optional.of(blocks(meta1, maxChunks, start));
    }

    /** Reads block by block, because the sizes of all tasks in a block are stored together. */
    private Meta2 blocks(Meta1 meta1, int maxChunks, long start) throws IOException {
        int tasks = meta1.tasks();
        int rowLength = Long.BYTES * tasks;
        int rows = Math.min(maxChunks, Math.max(1, BATCH / rowLength));
        ByteBuffer batch =
                ByteBuffer.allocate(rowLength * rows).order(meta1.header().order());
        source.readFully(start, batch.limit(rowLength));
        long[][] sizes = new long[tasks][];
        for (int task = 0; task < tasks; task++) {
            long count = batch.getLong(Long.BYTES * task);
            boolean fits = range("blockcount", start + (long) Long.BYTES * task, count, 1, maxChunks);
            sizes[task] = new long[fits ? (int) count : 1];
        }
        for (int block = 0; block < maxChunks; block++) {
            int row = block % rows;
            long offset = start + rowLength * (1L + block);
            if (row == 0) {
                source.readFully(offset, batch.clear().limit(rowLength * Math.min(rows, maxChunks - block)));
            }
            for (int task = 0; task < tasks; task++) {
                if (block < sizes[task].length) {
                    long size = batch.getLong(rowLength * row + Long.BYTES * task);
                    boolean fits =
                            range("blocksize", offset + (long) Long.BYTES * task, size, 0, meta1.chunkSize(task));
                    sizes[task][block] = fits ? size : 0;
                }
            }
        }
        return new Meta2(maxChunks, sizes);
    }

    private Optional<TaskMapping> mapping(Meta1 meta1, Meta2 meta2) throws IOException {
        boolean needed = meta1.header().files() > 1 && meta1.header().fileNumber() == 0;
        long offset = meta1.startOfVarheader(meta2.maxChunks()) + Meta2.length(meta1.tasks(), meta2.maxChunks());
        long left = source.size() - offset;
        if (left < Integer.BYTES) {
            if (needed) {
                add("mapping_size", offset, left + " bytes are left for the mapping of a set of files");
            }
            return Optional.empty();
        }
        ByteBuffer size =
                ByteBuffer.allocate(Integer.BYTES).order(meta1.header().order());
        source.readFully(offset, size);
        int tasks = size.getInt(0);
        long most = Math.min(left - Integer.BYTES, Integer.MAX_VALUE - PAIR) / PAIR;
        if (!needed) {
            // A file that replaced a longer one may end with old bytes.
            boolean exact = tasks > 0 && tasks <= most && left == Integer.BYTES + (long) PAIR * tasks;
            return exact ? Optional.of(pairs(meta1, tasks, offset)) : Optional.empty();
        }
        if (!range("mapping_size", offset, tasks, 1, most)) {
            return Optional.empty();
        }
        TaskMapping mapping = pairs(meta1, tasks, offset);
        return check(meta1, mapping, offset + Integer.BYTES) ? Optional.of(mapping) : Optional.empty();
    }

    private TaskMapping pairs(Meta1 meta1, int tasks, long offset) throws IOException {
        ByteBuffer pairs =
                ByteBuffer.allocate(PAIR * tasks).order(meta1.header().order());
        source.readFully(offset + Integer.BYTES, pairs);
        return TaskMapping.decode(pairs.flip());
    }

    /** Checks that each task of this file occurs once, and no location in another file twice. */
    private boolean check(Meta1 meta1, TaskMapping mapping, long offset) throws FormatException {
        long[] places = new long[mapping.tasks()];
        int here = 0;
        boolean right = true;
        for (int task = 0; task < places.length; task++) {
            long at = offset + (long) PAIR * task;
            int file = mapping.fileNumber(task);
            int lrank = mapping.localRank(task);
            long most = file == 0 ? meta1.tasks() - 1L : Integer.MAX_VALUE;
            right &= range(
                    "filenumber of the mapping", at, file, 0, meta1.header().files() - 1L);
            right &= range("lrank of the mapping", at + Integer.BYTES, lrank, 0, most);
            places[task] = (long) file << Integer.SIZE | lrank;
            here += file == 0 ? 1 : 0;
        }
        Arrays.sort(places);
        for (int i = 1; i < places.length; i++) {
            if (places[i] == places[i - 1]) {
                add(
                        "mapping",
                        offset,
                        "has task " + (int) places[i] + " of file " + (places[i] >>> Integer.SIZE) + " twice");
                return false;
            }
        }
        // The tasks that write a buddy file have negative ranks and are not in its mapping.
        int tasks = 0;
        for (int task = 0; task < meta1.tasks(); task++) {
            tasks += meta1.globalRank(task) >= 0 ? 1 : 0;
        }
        if (right && here != tasks) {
            add("mapping", offset, "has " + here + " tasks in this file, which has " + tasks);
            return false;
        }
        return right;
    }

    private boolean range(String field, long offset, long value, long least, long most) throws FormatException {
        if (value >= least && value <= most) {
            return true;
        }
        String allowed = least == most ? String.valueOf(least) : least > most ? "none" : least + " to " + most;
        add(field, offset, "is " + value + ", allowed " + allowed);
        return false;
    }

    private void add(String field, long offset, String problem) throws FormatException {
        problems.add(new Finding(field, offset, problem));
    }
}
