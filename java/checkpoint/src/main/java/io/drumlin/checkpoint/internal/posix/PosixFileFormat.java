package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FileDescription;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The format of a file that belongs to one rank, in the modes that keep metadata apart from the files. */
public interface PosixFileFormat extends FileDescription {

    /** Returns the suffix of the files. */
    String suffix();

    /**
     * Plans the file of a checkpoint.
     *
     * @param fileName name of the file in the metadata
     * @param data the variables in the order of the file
     * @param order ids of the variables in the order of the metadata
     * @throws IOException the file cannot hold the data
     */
    PosixFilePlan planFile(int ckptId, String fileName, Map<Integer, ProtectedData> data, List<Integer> order)
            throws IOException;

    /**
     * Begins a file whose variables are added one by one.
     *
     * @param file the file to write; closed with the result
     * @param planner plans it in a format
     */
    IncrementalWriter incrementalWriter(
            ChunkedFile file, Function<PosixFileFormat, PosixIncrementalWriter.FilePlanner> planner);

    /**
     * Looks for damage in a file that has no digest in the metadata.
     *
     * @throws IOException the file differs from what was written
     */
    default void check(Path path) throws IOException {}
}
