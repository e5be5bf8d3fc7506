package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is in the file of a rank alone, in the modes that keep metadata apart from it. */
public interface PosixFileFormat extends FileDescription {

    /** How the names of the files end. */
    String suffix();

    /**
     * The file of a checkpoint.
     *
     * @param fileName the name that the metadata give it
     * @param data in the order of the file
     * @param order ids of the variables in the order in which the metadata tell of them
     * @throws IOException there can be no such file
     */
    PosixFilePlan draft(int ckptId, String fileName, Map<Integer, ProtectedData> data, List<Integer> order)
            throws IOException;

    /**
     * Begins a file whose variables come one by one.
     *
     * @param file is written, and closed with what is returned
     */
    IncrementalWriter gathering(ChunkedFile file, PosixIncrementalWriter.Drafts drafts);

    /**
     * Looks for damage in a file of which the metadata have no digest.
     *
     * @throws IOException it is not what was written
     */
    default void check(Path path) throws IOException {}
}
