package io.drumlin.checkpoint.internal.file;

import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** This rank's own file of a checkpoint, and how its bytes get there. Not thread-safe. */
public interface RankFileWriter extends Closeable {

    /** Makes the records of a file once its digests are known. */
    @FunctionalInterface
    interface Seal {
        List<Piece> seal(List<byte[]> digests) throws IOException;
    }

    /**
     * What the file is to hold.
     *
     * @param timestamp the same on all ranks
     * @throws IOException there can be no such file
     */
    FilePlan draft(int ckptId, long timestamp) throws IOException;

    /**
     * Makes the file, whole and durable; the directory entry is the caller's business.
     *
     * @param path the file, replaced when it exists
     * @param draft as {@link #draft} gave it
     * @param seal completes the draft
     */
    void write(Path path, FilePlan draft, Seal seal) throws IOException;

    /**
     * The bytes of the file: all of them after {@link #write}, before it those of {@link FilePlan#chunks}.
     *
     * @param draft as {@link #draft} gave it
     */
    ByteSource image(FilePlan draft) throws IOException;

    /** Lets go of the file; it is deleted unless it was written to where it belongs. A second call does nothing. */
    @Override
    default void close() throws IOException {}
}
