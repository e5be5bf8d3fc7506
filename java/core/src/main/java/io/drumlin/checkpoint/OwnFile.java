package io.drumlin.checkpoint;

import io.drumlin.checkpoint.CheckpointWriter.Seal;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** This rank's own file of a checkpoint, and how its bytes get there. Not thread-safe. */
interface OwnFile extends Closeable {

    /**
     * What the file is to hold.
     *
     * @param timestamp the same on all ranks
     * @throws IOException there can be no such file
     */
    Draft draft(int ckptId, long timestamp) throws IOException;

    /**
     * Makes the file, whole and durable; the directory entry is the caller's business.
     *
     * @param path the file, replaced when it exists
     * @param draft as {@link #draft} gave it
     * @param seal completes the draft
     */
    void write(Path path, Draft draft, Seal seal) throws IOException;

    /**
     * The bytes of the file: all of them after {@link #write}, before it those of {@link Draft#chunks}.
     *
     * @param draft as {@link #draft} gave it
     */
    ByteSource image(Draft draft) throws IOException;

    /** Lets go of the file; it is deleted unless it was written to where it belongs. A second call does nothing. */
    @Override
    default void close() throws IOException {}

    /** A file of the present data of all variables, to which they are added all at once. */
    static OwnFile of(IncrementalFile file, List<Integer> ids) {
        return new OwnFile() {
            @Override
            public Draft draft(int ckptId, long timestamp) throws IOException {
                file.add(ids);
                return file.draft(ckptId, timestamp);
            }

            @Override
            public void write(Path path, Draft draft, Seal seal) throws IOException {
                file.write(path, draft, seal);
            }

            @Override
            public ByteSource image(Draft draft) throws IOException {
                return file.image(draft);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    /** A file of the present data, written in one pass. */
    static OwnFile of(Map<Integer, ProtectedData> data, IoMode mode, StorageEngine storage, SlabPool slabs) {
        return new OwnFile() {
            @Override
            public Draft draft(int ckptId, long timestamp) throws IOException {
                return mode.draft(ckptId, timestamp, data);
            }

            @Override
            public void write(Path path, Draft draft, Seal seal) throws IOException {
                new CheckpointWriter(storage, slabs).write(path, draft, seal);
            }

            @Override
            public ByteSource image(Draft draft) {
                return draft.image();
            }
        };
    }
}
