package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicator.Request;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.FileNames;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.sion.internal.DataFiles;
import io.drumlin.sion.internal.MetaFile;
import io.drumlin.sion.internal.Owned;
import io.drumlin.sion.internal.TaskBlocks;
import io.drumlin.sion.internal.TaskFile;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One buddy copy of a set of files: the first process of each file also writes a copy of the file that is {@code copy +
 * 1} numbers after its own, modulo the number of files; docs/formats/sion.md, section 6. Not thread-safe.
 */
final class BuddyWriter implements Closeable {

    private static final int HEADER = 3 * Long.BYTES;

    /** Number of bytes that are sent and written at once. */
    private static final int PIECE = 1 << 20;

    private final Communicator world;
    private final ParallelFile place;
    private final Path path;
    private final DataFiles data;
    private final SionOptions options;
    private final int copy;

    /** For each file: the world rank of its first process. {@link #sizes} holds the number of its processes. */
    private final long[] roots;

    private final long[] sizes;

    /** At the first process of a file: the copy of another file that it writes. */
    private @Nullable Copied copied;

    /** The copy of a file and its contents. */
    private record Copied(
            MetaFile metadata, TaskFile data, int writers, List<TaskBlocks> blocks, AlignedBuffer piece) {}

    private BuddyWriter(
            Communicator world,
            ParallelFile place,
            Path path,
            DataFiles data,
            SionOptions options,
            int copy,
            long[] roots,
            long[] sizes) {
        this.world = world;
        this.place = place;
        this.path = path;
        this.data = data;
        this.options = options;
        this.copy = copy;
        this.roots = roots;
        this.sizes = sizes;
    }

    /** Returns all requested copies. Collective over the world. */
    static List<BuddyWriter> of(Communicator world, ParallelFile place, Path path, DataFiles data, SionOptions options)
            throws IOException {
        boolean first = place.group().rank() == 0;
        long[] roots = new long[place.files()];
        long[] sizes = new long[place.files()];
        if (first) {
            roots[place.number()] = world.rank();
            sizes[place.number()] = place.group().size();
        }
        world.allreduce(roots, Op.MAX);
        world.allreduce(sizes, Op.MAX);
        List<BuddyWriter> copies = new ArrayList<>();
        for (int copy = 0; copy < options.buddies; copy++) {
            copies.add(new BuddyWriter(world, place, path, data, options, copy, roots, sizes));
        }
        return copies;
    }

    /** Returns the file whose processes write the copy of a file. */
    private int writerOf(int file) {
        return Math.floorMod(file - copy - 1, place.files());
    }

    /** Returns the file whose copy is written by the processes of this file. */
    int copiedFile() {
        return Math.floorMod(place.number() + copy + 1, place.files());
    }

    private int rootOf(int file) {
        return (int) roots[file];
    }

    /**
     * Creates the copies. The first process of each file calls it.
     *
     * @param own META1 of its file
     */
    void open(Meta1 own) throws IOException {
        ByteBuffer mine = ByteBuffer.allocateDirect(2 * Long.BYTES * own.tasks());
        for (int task = 0; task < own.tasks(); task++) {
            mine.putLong(own.globalRank(task)).putLong(own.chunkSize(task));
        }
        Request sent = world.startSend(mine.flip(), rootOf(writerOf(place.number())), tag());
        int tasks = (int) sizes[copiedFile()];
        ByteBuffer others = ByteBuffer.allocateDirect(2 * Long.BYTES * tasks);
        world.receive(others, rootOf(copiedFile()), tag());
        sent.await();
        Meta1 meta1 = meta1(own, others, tasks);
        Path file = Path.of(FileNames.member(FileNames.buddy(path.toString(), copy), copiedFile()));
        MetaFile metadata = MetaFile.create(data, file, meta1);
        List<TaskBlocks> blocks = new ArrayList<>();
        for (int task = 0; task < meta1.tasks(); task++) {
            blocks.add(new TaskBlocks(meta1.start(task), meta1.globalSkip(), meta1.chunkSize(task)));
        }
        Set<OpenMode> modes = EnumSet.of(OpenMode.WRITE);
        AlignedBuffer piece = Owned.by(() -> data.storage().allocate(PIECE), metadata);
        copied = new Copied(metadata, new TaskFile(data, file, modes), own.tasks(), blocks, piece);
    }

    /**
     * Makes META1 of a copy. The writing tasks come first, without room and with negative ranks; the tasks whose data
     * the copy holds follow.
     */
    private Meta1 meta1(Meta1 own, ByteBuffer others, int tasks) {
        Header header = own.header();
        Header copiedHeader = Header.of(
                header.order(),
                header.bigEndianPayload(),
                header.keyValue(),
                header.fsBlockSize(),
                header.files(),
                copiedFile(),
                header.prefix());
        long[] globalRanks = new long[own.tasks() + tasks];
        long[] chunkSizes = new long[globalRanks.length];
        for (int task = 0; task < globalRanks.length; task++) {
            if (task < own.tasks()) {
                globalRanks[task] = -own.globalRank(task) - 1;
            } else {
                globalRanks[task] = others.getLong();
                chunkSizes[task] = others.getLong();
            }
        }
        return new Meta1(copiedHeader, globalRanks, chunkSizes);
    }

    private int tag() {
        return 2 + copy;
    }

    /** Allocates the message of a task that has written so many bytes. */
    static ByteBuffer message(int bytes) {
        return ByteBuffer.allocateDirect(HEADER + bytes);
    }

    /**
     * Copies what this task has just written into one block. All processes call it.
     *
     * @param message memory from {@link #message}
     * @param data the written data, or none; its position does not change
     */
    void write(ByteBuffer message, ByteBuffer data, TaskBlocks blocks) throws IOException {
        int block = blocks.blocks() - 1;
        message.clear()
                .putLong(block)
                .putLong(blocks.used(block) - data.remaining())
                .putLong(data.remaining())
                .put(data.duplicate())
                .flip();
        List<Request> sent = new ArrayList<>();
        int root = rootOf(writerOf(place.number()));
        sent.add(world.startSend(message.slice(0, HEADER), root, tag()));
        for (int done = HEADER; done < message.limit(); done += PIECE) {
            int length = Math.min(PIECE, message.limit() - done);
            sent.add(world.startSend(message.slice(done, length), root, tag()));
        }
        IOException failure = null;
        if (copied != null) {
            for (int task = copied.writers; task < copied.blocks.size(); task++) {
                failure = receive(copied, task, copied.piece.buffer(), failure);
            }
        }
        for (Request request : sent) {
            request.await();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private @Nullable IOException receive(Copied to, int task, ByteBuffer piece, @Nullable IOException earlier)
            throws IOException {
        int sender = (int) to.metadata.meta1().globalRank(task);
        ByteBuffer header = ByteBuffer.allocate(HEADER);
        world.receive(header, sender, tag());
        int block = (int) header.getLong();
        long used = header.getLong();
        long length = header.getLong();
        TaskBlocks blocks = to.blocks.get(task);
        blocks.follow(block, used);
        IOException failure = earlier;
        for (long left = length; left > 0; left -= piece.limit()) {
            world.receive(piece.clear().limit((int) Math.min(PIECE, left)), sender, tag());
            if (failure == null) {
                failure = Agreement.attempt(world, "collective write", () -> {
                    BlockFile file = to.data.open();
                    file.write(piece, blocks.offset());
                });
            }
            blocks.add(piece.limit());
        }
        return failure;
    }

    /** Makes the data durable. */
    void sync() throws IOException {
        if (copied != null) {
            copied.data.sync();
            copied.data.close();
        }
    }

    /**
     * Collects the location of each task in this copy. Collective over the world.
     *
     * @return the mapping, at the process that writes the copy of file 0
     */
    Optional<TaskMapping> mapping() throws IOException {
        return place.mapping(world, rootOf(writerOf(0)), (int) sizes[writerOf(place.number())]);
    }

    /** Writes the metadata. */
    void finish(Optional<TaskMapping> mapping) throws IOException {
        Copied to = copied;
        if (to == null) {
            return;
        }
        int maxChunks = to.blocks.stream().mapToInt(TaskBlocks::blocks).max().orElse(1);
        to.metadata.putRows(maxChunks, 0, maxChunks + 1, (row, task) -> {
            TaskBlocks blocks = to.blocks.get(task);
            if (row == MetaFile.COUNTS) {
                return blocks.blocks();
            }
            return row <= blocks.blocks() ? blocks.used(row - 1) : 0;
        });
        to.metadata.finish(maxChunks, mapping.map(pairs -> pairs.encode(options.metadataOrder)));
    }

    @Override
    public void close() throws IOException {
        if (copied != null) {
            copied.piece.close();
            copied.data.close();
            copied.metadata.close();
        }
    }
}
