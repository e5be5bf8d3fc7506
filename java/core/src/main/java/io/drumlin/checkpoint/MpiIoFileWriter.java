package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.SharedFile;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.Writeback;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the data of all ranks into one file, one behind the other: level 4 of the mode MPI-IO (docs/formats/fti-posix.md,
 * section 4). Through MPI-IO where MPI carries the messages, otherwise through the storage engine.
 */
final class MpiIoFileWriter implements SharedFileWriter {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Bytes that each rank writes at a time: large, because the ranks agree on the outcome each time. */
    private static final int PIECE_BYTES = 8 << 20;

    /** One is filled while another is hashed. */
    private static final int BUFFERS = 2;

    private final Communicator app;
    private final StorageEngine storage;

    MpiIoFileWriter(Communicator app, StorageEngine storage) {
        this.app = app;
        this.storage = storage;
    }

    @Override
    public String fileName(int ckptId) {
        return "Ckpt" + ckptId + "-mpiio.fti";
    }

    @Override
    public Locator locator(long size) throws IOException {
        // Metadata may say anything.
        long end = app.exscan(size) + size;
        return path -> start(path, size, end);
    }

    @Override
    public long start(Path path, int rank, long[] sizes) throws IOException {
        return start(path, sizes[rank], Arrays.stream(sizes, 0, rank + 1).sum());
    }

    private static long start(Path path, long size, long end) throws IOException {
        long found = Files.size(path);
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
        long[] pieces = {(bytes.size() + PIECE_BYTES - 1) / PIECE_BYTES};
        app.allreduce(pieces, Op.MAX);
        byte[][] md5 = new byte[1][];
        List<AlignedBuffer> memory = new ArrayList<>();
        @Nullable StreamDigest[] digest = new StreamDigest[1];
        try {
            Agreement.run(app, "preparing " + path, () -> {
                digest[0] = new StreamDigest();
                for (int i = 0; i < BUFFERS; i++) {
                    memory.add(storage.allocate(PIECE_BYTES));
                }
            });
            SharedFile file = create(path);
            Agreement.run(app, "writing " + path, () -> {
                try (file;
                        Beside beside = new Beside(path)) {
                    md5[0] = write(file, beside, bytes, start, pieces[0], memory, digest[0]);
                }
            });
        } finally {
            if (digest[0] != null) {
                digest[0].close();
            }
            memory.forEach(AlignedBuffer::close);
        }
        return new Written(start, List.of(md5[0]));
    }

    @Override
    public void write(Path path, List<ByteSource> parts, int first) throws IOException {
        // The ranks of a node follow each other, and so do the nodes.
        write(path, new JoinedSource(parts));
    }

    /** A rank that cannot read goes on, because the others may wait for it in each call. */
    private byte[] write(
            SharedFile file,
            Beside beside,
            ByteSource bytes,
            long start,
            long pieces,
            List<AlignedBuffer> memory,
            StreamDigest md5)
            throws IOException {
        IOException failure = null;
        for (long piece = 0; piece < pieces; piece++) {
            long offset = Math.min(piece * PIECE_BYTES, bytes.size());
            int length = (int) Math.min(PIECE_BYTES, bytes.size() - offset);
            ByteBuffer window =
                    memory.get((int) (piece % BUFFERS)).buffer().clear().limit(length);
            IOException refused = Agreement.attempt(
                    app, "reading what is written", () -> bytes.readFully(offset, window.duplicate()));
            failure = failure == null ? refused : failure;
            // The piece before has been hashed while this one was read; this one will be while it is written.
            md5.update(window.duplicate());
            file.writeAtAll(window, start + offset);
            beside.written(start + offset, length);
        }
        file.sync();
        if (failure != null) {
            throw failure;
        }
        return md5.digest();
    }

    /**
     * The file as the storage engine has it, to let the device begin with what was written. Where that cannot be done the sync takes
     * longer, and what fails on the device fails the sync.
     */
    private final class Beside implements Closeable {

        private final Path path;
        private @Nullable BlockFile file;
        private @Nullable Writeback writeback;

        Beside(Path path) {
            this.path = path;
            attempt(() -> {
                file = storage.open(path, EnumSet.of(OpenMode.WRITE));
                writeback = new Writeback(file);
            });
        }

        void written(long offset, int length) {
            attempt(() -> {
                if (writeback != null) {
                    writeback.written(offset, length);
                }
            });
        }

        private void attempt(Agreement.Step step) {
            try {
                step.run();
            } catch (IOException e) {
                writeback = null;
                LOG.log(Logger.Level.DEBUG, "{0} is written without beginning early: {1}", path, e.getMessage());
            }
        }

        @Override
        public void close() {
            attempt(() -> {
                if (file != null) {
                    file.close();
                }
            });
        }
    }

    private SharedFile create(Path path) throws IOException {
        Optional<SharedFile> carried = Communicators.create(app, path);
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
            file.closeAfter(e);
            throw e;
        }
        return file;
    }

    /** The file as one rank has it open. Ranks do not meet in its calls. */
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
        public void sync() throws IOException {
            file().sync();
        }

        @Override
        public void close() throws IOException {
            if (opened != null) {
                opened.close();
            }
        }

        void closeAfter(Throwable failure) {
            try {
                close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
