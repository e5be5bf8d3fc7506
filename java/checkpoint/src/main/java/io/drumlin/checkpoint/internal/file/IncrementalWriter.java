package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.RankFileWriter.Seal;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** Writes a file in the format of a mode, a few variables at a time. Not thread-safe. */
public interface IncrementalWriter extends Closeable {

    /**
     * Writes variables with their present values.
     *
     * @param variables the variables by id, in the order of the file; none of them has been added yet
     * @param all all protected variables, by id in the order of their first protection
     */
    void add(Map<Integer, ProtectedData> variables, Map<Integer, ProtectedData> all) throws IOException;

    /** Returns the added variables, by id in the order in which they were added. */
    Map<Integer, ProtectedData> added();

    /**
     * Returns the plan of the file with all added variables. Its image must not be used, because the data may have
     * changed.
     *
     * @param timestamp the same on all ranks
     * @param all all protected variables
     * @throws IOException the mode cannot store the added variables
     */
    FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> all) throws IOException;

    /**
     * Completes the file and makes its content durable.
     *
     * @param filePlan the plan that {@link #planFile} returned
     * @param seal completes the plan
     */
    void finish(FilePlan filePlan, Seal seal) throws IOException;
}
