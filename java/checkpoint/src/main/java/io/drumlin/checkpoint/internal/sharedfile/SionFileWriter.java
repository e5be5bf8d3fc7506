package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.StripedMd5;
import io.drumlin.sion.MappedTask;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import io.drumlin.sion.SionReader;
import io.drumlin.sion.SionWriter;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a SION file with a task for each rank, whose chunk is as large as its data: level 4 of the mode SIONlib
 * (docs/formats/fti-posix.md, section 4).
 */
public final class SionFileWriter implements SharedFileWriter {

    private final Communicator app;
    private final StorageEngine storage;
    private final SlabPool slabs;

    public SionFileWriter(Communicator app, StorageEngine storage, SlabPool slabs) {
        this.app = app;
        this.storage = storage;
        this.slabs = slabs;
    }

    @Override
    public String fileName(int ckptId) {
        return "Ckpt" + ckptId + "-sionlib.fti";
    }

    /** Returns the name that the head of C FTI writes. */
    @Override
    public String nameInMetadata(int ckptId, String rankFileName) {
        return fileName(ckptId);
    }

    private SionOptions options() {
        return SionOptions.defaults().storage(storage);
    }

    @Override
    public Written write(Path path, ByteSource bytes) throws IOException {
        return writeTasks(path, List.of(bytes), app.rank()).get(0);
    }

    @Override
    public void write(Path path, List<ByteSource> parts, int first) throws IOException {
        writeTasks(path, parts, first);
    }

    private List<Written> writeTasks(Path path, List<ByteSource> parts, int first) throws IOException {
        Agreement.run(app, "preparing " + path, slabs::fill);
        // C FTI uses the interface for mapped tasks, which writes other metadata.
        List<MappedTask> tasks = new ArrayList<>();
        for (ByteSource part : parts) {
            int task = first + tasks.size();
            tasks.add(new MappedTask(task, 0, task, part.size()));
        }
        List<Written> written = new ArrayList<>();
        SionOutput output = SionFile.createMapped(path, app, tasks, options());
        try {
            Agreement.run(app, "writing " + path, () -> {
                for (ByteSource part : parts) {
                    written.add(write(output.writer(first + (long) written.size()), part));
                }
            });
        } catch (IOException e) {
            output.abandon();
            throw e;
        }
        output.close();
        return written;
    }

    private Written write(SionWriter writer, ByteSource bytes) throws IOException {
        long start = writer.fileOffset();
        try (StripedMd5 md5 = new StripedMd5()) {
            for (long offset = 0; offset < bytes.size(); offset += slabs.slabBytes()) {
                int length = (int) Math.min(slabs.slabBytes(), bytes.size() - offset);
                ByteBuffer window = slabs.take().buffer().limit(length);
                bytes.readFully(offset, window.duplicate());
                writer.write(window.duplicate());
                md5.update(window);
            }
            return new Written(start, List.of(md5.digest()));
        }
    }

    @Override
    public Locator locator(long size) {
        return path -> start(path, app.rank(), size);
    }

    @Override
    public long start(Path path, int rank, long[] sizes) throws IOException {
        return start(path, rank, sizes[rank]);
    }

    private long start(Path path, int task, long size) throws IOException {
        try (SionInput input = SionFile.openTask(path, task, options().buffered())) {
            SionReader reader = input.reader();
            if (reader.size() != size || reader.blockSize(0) != size) {
                throw DrumlinException.during("restart")
                        .path(path)
                        .problem("task " + task + " has " + reader.size() + " bytes in " + reader.blocks()
                                + " blocks and the metadata say " + size + " in one")
                        .advice("the file is damaged; another level or an older checkpoint is needed")
                        .exception();
            }
            return reader.fileOffset();
        }
    }
}
