package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.RankFileWriter.Seal;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** A file of a mode that gets its variables a few at a time. Not thread-safe. */
public interface IncrementalWriter extends Closeable {

    /**
     * Writes variables as they are now.
     *
     * @param variables by id, in the order of the file; none of them was added before
     * @param all what is protected now, by id in the order of the first protection
     */
    void add(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException;

    /** The variables that were added, by id in the order in which they came. */
    Map<Integer, ProtectedData> added();

    /**
     * The file with all that was added. Its image is not to be used: the data may have changed since.
     *
     * @param timestamp the same on all ranks
     * @param all what is protected now
     * @throws IOException the mode has no place for what was added
     */
    FilePlan draft(int ckptId, long timestamp, Map<Integer, ProtectedData> all) throws IOException;

    /**
     * Completes the file and makes its content durable.
     *
     * @param draft as {@link #draft} gave it
     * @param seal completes the draft
     */
    void finish(FilePlan draft, Seal seal) throws IOException;
}
