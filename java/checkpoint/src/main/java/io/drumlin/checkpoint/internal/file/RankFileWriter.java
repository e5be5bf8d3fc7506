package io.drumlin.checkpoint.internal.file;

import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes this rank's own file of a checkpoint. Not thread-safe. */
public interface RankFileWriter extends Closeable {

    /** Makes the records of a file after its digests are known. */
    @FunctionalInterface
    interface Seal {
        List<Piece> seal(List<byte[]> digests) throws IOException;
    }

    /**
     * Returns the plan of the file.
     *
     * @param timestamp the same on all ranks
     * @throws IOException the file cannot hold the data
     */
    FilePlan planFile(int ckptId, long timestamp) throws IOException;

    /**
     * Writes the file and makes its content durable. The caller makes the directory entry durable.
     *
     * @param path the file, replaced if it exists
     * @param filePlan the plan that {@link #planFile} returned
     * @param seal completes the plan
     */
    void write(Path path, FilePlan filePlan, Seal seal) throws IOException;

    /**
     * Returns the bytes of the file: all of them after {@link #write}, and before it those of {@link FilePlan#chunks}.
     *
     * @param filePlan the plan that {@link #planFile} returned
     */
    ByteSource image(FilePlan filePlan) throws IOException;

    /** Closes the file, and deletes it unless it was written to its place. A second call does nothing. */
    @Override
    default void close() throws IOException {}
}
