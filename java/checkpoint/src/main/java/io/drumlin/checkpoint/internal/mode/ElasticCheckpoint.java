package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A checkpoint on the parallel file system from a run that may have had another number of ranks. Its ranks are numbered
 * as application ranks of that run, and every rank of this run can read the data of each.
 */
public interface ElasticCheckpoint {

    /** Returns level 4, differential or not. */
    Level level();

    int ckptId();

    /** Returns how many application ranks stored their data. */
    int ranks();

    /**
     * Returns the first file that is missing if more ranks stored their data.
     *
     * @param stored the assumed number of ranks, more than {@link #ranks}
     */
    Path missingFile(int stored);

    /** Returns where the files lie. */
    CommitSlot slot();

    /** Returns where the metadata lie, in the modes that keep them apart from the data. */
    default CommitSlot metadataSlot() {
        return CommitSlot.COMMITTED;
    }

    /** Returns whether the files may lack a mark that says whether they belong together. */
    default boolean mayBeUnmarked() {
        return true;
    }

    /**
     * Exchanges with the other ranks what {@link #part} needs. Collective.
     *
     * @throws IOException on all ranks, if it failed on any
     */
    default void prepareParts(Communicator app) throws IOException {}

    /**
     * Returns what a rank stored, and where.
     *
     * @param rank 0 to {@link #ranks} - 1
     * @throws IOException the data cannot be read
     */
    Part part(int rank) throws IOException;

    /**
     * Reads everything that a rank stored and compares the digests.
     *
     * @return checksums of the blocks that were compared, in the order of {@link StoredFile#toVerify}; empty if there
     *     are no digests
     * @throws IOException the data differ from what was written
     */
    List<BlockSums> check(int rank) throws IOException;

    /** Returns this checkpoint after it has been moved to its place. */
    ElasticCheckpoint inPlace();

    /**
     * The data that a rank stored.
     *
     * @param path its file, or that of all ranks
     * @param file the content of the file that belongs to this rank
     * @param common a number that all files of a checkpoint have in common; below 0 if it was not recorded
     */
    record Part(Path path, StoredFile file, long common) {}
}
