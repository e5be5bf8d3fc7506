package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.Providers;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.StripedMd5;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the data of all ranks into one file, one after the other: level 4 of the mode MPI-IO
 * (docs/formats/fti-posix.md, section 4). Whole blocks of one rank are written with direct I/O
 * (docs/adr/005-mpi-io-rank-by-rank.md). The rest, or everything if the file system refuses direct I/O, is written
 * through MPI-IO if MPI carries the messages, and through the storage engine otherwise.
 */
public final class MpiIoFileWriter implements SharedFileWriter {

    /** Bytes that each rank writes at a time: large, because the ranks agree on the outcome each time. */
    private static final int PIECE_BYTES = 8 << 20;

    private final Communicator app;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final Map<String, String> hints;

    /**
     * Writes with hints.
     *
     * @param hints keys and values of {@code MPI_Info}
     */
    public MpiIoFileWriter(Communicator app, StorageEngine storage, SlabPool slabs, Map<String, String> hints) {
        this.hints = hints;
        this.app = app;
        this.storage = storage;
        this.slabs = slabs;
    }

    @Override
    public String fileName(int ckptId) {
        return "Ckpt" + ckptId + "-mpiio.fti";
    }

    @Override
    public Locator locator(long size) throws IOException {
        // Metadata may contain any value.
        long end = app.exscan(size) + size;
        return path -> start(path, size, end);
    }

    @Override
    public long start(Path path, int rank, long[] sizes) throws IOException {
        return start(path, sizes[rank], Arrays.stream(sizes, 0, rank + 1).sum());
    }

    private static long start(Path path, long size, long end) throws IOException {
        long found = PathStatus.size(path);
        if (found < end || end < size) {
            throw DrumlinException.during("restart")
                    .path(path)
                    .problem("it has " + found + " bytes and the metadata say " + end)
                    .advice("the file is damaged; another level or an older checkpoint is needed")
                    .exception();
        }
        return end - size;
    }

    @Override
    public Written write(Path path, ByteSource bytes) throws IOException {
        long start = app.exscan(bytes.size());
        List<byte[]> digests = new ArrayList<>();
        SharedFile file = create(path);
        Agreement.run(app, "writing " + path, () -> {
            try (file;
                    SharedFileRegion region = new SharedFileRegion(storage, slabs, path, start, bytes.size())) {
                digests.addAll(
                        allTake(path, region, start + bytes.size())
                                ? writeDirect(path, file, region, bytes)
                                : writeShared(path, file, bytes, start));
            }
        });
        return new Written(start, digests);
    }

    /** Returns whether all ranks can write directly to the file; if so, the space of the file is reserved. */
    private boolean allTake(Path path, SharedFileRegion region, long end) throws IOException {
        Agreement.run(app, "opening " + path, region::open);
        long[] most = {end, region.isDirect() ? 0 : 1};
        app.allreduce(most, Op.MAX);
        if (most[1] > 0) {
            return false;
        }
        // The space is reserved because direct writes that extend a file wait for each other.
        Agreement.run(app, "reserving space for " + path, () -> {
            if (app.rank() == 0) {
                region.reserve(most[0]);
            }
        });
        return true;
    }

    /**
     * Writes blocks of this rank alone directly while their bytes are hashed, and the other blocks through the shared
     * file.
     */
    private List<byte[]> writeDirect(Path path, SharedFile file, SharedFileRegion region, ByteSource bytes)
            throws IOException {
        SharedFileRegion.Written written = Agreement.call(app, "writing " + path, () -> region.write(bytes));
        // Only now, after the adjacent blocks are in the file, because a page of the cache may be larger than a block.
        Agreement.run(app, "writing " + path, () -> {
            for (SharedFileRegion.Edge edge : List.of(written.head(), written.tail())) {
                file.writeAtAll(edge.bytes(), edge.offset());
            }
            file.sync();
        });
        return written.digests();
    }

    @Override
    public void write(Path path, List<ByteSource> parts, int first) throws IOException {
        // The ranks of a node follow each other, and so do the nodes, so the parts are adjacent in the file.
        write(path, new JoinedSource(parts));
    }

    /** Writes all bytes through the shared file, a large piece of each rank at a time. */
    private List<byte[]> writeShared(Path path, SharedFile file, ByteSource bytes, long start) throws IOException {
        long pieces = Agreement.max(app, (bytes.size() + PIECE_BYTES - 1) / PIECE_BYTES);
        List<AlignedBuffer> memory = new ArrayList<>();
        @Nullable StripedMd5[] md5 = new StripedMd5[1];
        try {
            Agreement.run(app, "preparing " + path, () -> {
                md5[0] = new StripedMd5();
                memory.add(storage.allocate(PIECE_BYTES));
            });
            return write(file, bytes, start, pieces, memory.get(0), md5[0]);
        } finally {
            if (md5[0] != null) {
                md5[0].close();
            }
            memory.forEach(AlignedBuffer::close);
        }
    }

    /**
     * Writes the pieces. A rank that cannot read its bytes continues, because the others may wait for it in each call.
     */
    private List<byte[]> write(
            SharedFile file, ByteSource bytes, long start, long pieces, AlignedBuffer memory, StripedMd5 md5)
            throws IOException {
        IOException failure = null;
        for (long piece = 0; piece < pieces; piece++) {
            long offset = Math.min(piece * PIECE_BYTES, bytes.size());
            int length = (int) Math.min(PIECE_BYTES, bytes.size() - offset);
            ByteBuffer window = memory.buffer().clear().limit(length);
            if (failure == null) {
                failure = Agreement.attempt(app, "reading what is written", () -> {
                    bytes.readFully(offset, window.duplicate());
                    md5.update(window.duplicate());
                });
            }
            file.writeAtAll(window, start + offset);
        }
        file.sync();
        if (failure != null) {
            throw failure;
        }
        return List.of(md5.digest());
    }

    private SharedFile create(Path path) throws IOException {
        Optional<SharedFile> carried = Providers.create(app, path, hints);
        if (carried.isPresent()) {
            return carried.get();
        }
        Agreement.run(app, "making " + path, () -> {
            if (app.rank() == 0) {
                storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE))
                        .close();
            }
        });
        EngineFile file = new EngineFile();
        try {
            Agreement.run(app, "opening " + path, () -> file.opened = storage.open(path, EnumSet.of(OpenMode.WRITE)));
        } catch (IOException e) {
            Closeables.closeAfter(e, List.of(file::close));
            throw e;
        }
        return file;
    }

    /** The file as opened by one rank. Its calls are not collective. */
    private static final class EngineFile implements SharedFile {

        private @Nullable BlockFile opened;

        private BlockFile file() {
            if (opened == null) {
                throw new IllegalStateException("not open");
            }
            return opened;
        }

        @Override
        public void writeAtAll(ByteBuffer source, long offset) throws IOException {
            if (source.hasRemaining()) {
                file().write(source.duplicate(), offset);
            }
        }

        @Override
        public int readAtAll(ByteBuffer target, long offset) throws IOException {
            return file().read(target, offset);
        }

        @Override
        public long size() throws IOException {
            return file().size();
        }

        @Override
        public void sync() throws IOException {
            file().sync();
        }

        @Override
        public void close() throws IOException {
            if (opened != null) {
                opened.close();
            }
        }
    }

    /** A source that joins several sources one after the other. */
    private static final class JoinedSource implements ByteSource {

        private final List<ByteSource> parts;

        JoinedSource(List<ByteSource> parts) {
            this.parts = List.copyOf(parts);
        }

        @Override
        public long size() {
            return parts.stream().mapToLong(ByteSource::size).sum();
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            int limit = target.limit();
            long position = offset;
            long start = 0;
            for (ByteSource part : parts) {
                long left = start + part.size() - position;
                if (left > 0 && target.position() < limit) {
                    int length = (int) Math.min(left, limit - target.position());
                    part.readFully(position - start, target.limit(target.position() + length));
                    target.limit(limit);
                    position += length;
                }
                start += part.size();
            }
        }
    }
}
