package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.SharedFile;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the data of all ranks into one file, one behind the other: level 4 of the mode MPI-IO (docs/formats/fti-posix.md,
 * section 4). Through MPI-IO where MPI carries the messages, otherwise through the storage engine.
 */
final class MpiIoFileWriter implements SharedFileWriter {

    private final Communicator app;
    private final StorageEngine storage;
    private final SlabPool slabs;

    MpiIoFileWriter(Communicator app, StorageEngine storage, SlabPool slabs) {
        this.app = app;
        this.storage = storage;
        this.slabs = slabs;
    }

    @Override
    public String fileName(int ckptId) {
        return "Ckpt" + ckptId + "-mpiio.fti";
    }

    /** Where this rank's bytes begin: the sum of those of all lower ranks. Collective. */
    private long start(long size) throws IOException {
        ByteBuffer own = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        ByteBuffer all =
                ByteBuffer.allocate(Math.multiplyExact(Long.BYTES, app.size())).order(ByteOrder.nativeOrder());
        app.allgather(own.putLong(size).flip(), all);
        long start = 0;
        for (int rank = 0; rank < app.rank(); rank++) {
            start = Math.addExact(start, all.getLong(rank * Long.BYTES));
        }
        return start;
    }

    @Override
    public Locator locator(long size) throws IOException {
        long end = Math.addExact(start(size), size);
        return path -> {
            long found = Files.size(path);
            if (found < end) {
                throw DrumlinException.during("restart")
                        .path(path)
                        .problem("it has " + found + " bytes and the metadata say " + end)
                        .advice("the file is damaged; another level or an older checkpoint is needed")
                        .exception();
            }
            return end - size;
        };
    }

    @Override
    public Written write(Path path, ByteSource bytes) throws IOException {
        long start = start(bytes.size());
        long[] pieces = {(bytes.size() + SlabPool.SLAB_BYTES - 1) / SlabPool.SLAB_BYTES};
        app.allreduce(pieces, Op.MAX);
        byte[][] md5 = new byte[1][];
        Agreement.run(app, "preparing " + path, slabs::fill);
        SharedFile file = create(path);
        Agreement.run(app, "writing " + path, () -> {
            try (file) {
                md5[0] = write(file, bytes, start, pieces[0]);
            }
        });
        return new Written(start, List.of(md5[0]));
    }

    @Override
    public void write(Path path, List<ByteSource> parts, int first) throws IOException {
        // The ranks of a node follow each other, and so do the nodes.
        write(path, new JoinedSource(parts));
    }

    /** A rank that cannot read goes on, because the others may wait for it in each call. */
    private byte[] write(SharedFile file, ByteSource bytes, long start, long pieces) throws IOException {
        IOException failure = null;
        try (Md5Lanes md5 = DigestEngine.md5()) {
            md5.reset(0);
            for (long piece = 0; piece < pieces; piece++) {
                long offset = Math.min(piece * SlabPool.SLAB_BYTES, bytes.size());
                int length = (int) Math.min(SlabPool.SLAB_BYTES, bytes.size() - offset);
                ByteBuffer window = slabs.take().buffer().limit(length);
                IOException refused = Agreement.attempt(
                        app, "reading what is written", () -> bytes.readFully(offset, window.duplicate()));
                failure = failure == null ? refused : failure;
                file.writeAtAll(window, start + offset);
                md5.update(List.of(window));
            }
            file.sync();
            if (failure != null) {
                throw failure;
            }
            return md5.digest(0);
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
