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
 * A checkpoint on the parallel file system, of a run that may have had another number of ranks. Its ranks are numbered as those of
 * its application, and every rank of this run can read the data of each.
 */
public interface ElasticCheckpoint {

    /** Level 4, differential or not. */
    Level level();

    int ckptId();

    /** How many ranks of the application stored their data. */
    int ranks();

    /**
     * The first file that would be there if more ranks had stored their data.
     *
     * @param stored how many, more than {@link #ranks}
     */
    Path missingFile(int stored);

    /** Where the files lie. */
    CommitSlot slot();

    /** Where the metadata lie, in the modes that keep them apart from the data. */
    default CommitSlot metadataSlot() {
        return CommitSlot.COMMITTED;
    }

    /** Whether its files may be such that nothing tells whether they belong together. */
    default boolean mayBeUnmarked() {
        return true;
    }

    /**
     * Learns together with the other ranks what {@link #part} must know. Collective.
     *
     * @throws IOException on all ranks, if it failed on any
     */
    default void meet(Communicator app) throws IOException {}

    /**
     * What a rank stored, and where.
     *
     * @param rank 0 to {@link #ranks} - 1
     * @throws IOException it cannot be read
     */
    Part part(int rank) throws IOException;

    /**
     * Reads all that a rank stored and compares its digests.
     *
     * @return checksums of the blocks of all that was compared, in the order of {@link StoredFile#toVerify}; empty if it has no
     *     digests
     * @throws IOException it is not what was written
     */
    List<BlockSums> check(int rank) throws IOException;

    /** The same when it has been brought to its place. */
    ElasticCheckpoint inPlace();

    /**
     * What a rank stored.
     *
     * @param path its file, or that of all ranks
     * @param file what is in it of this rank
     * @param common what the files of one checkpoint have in common; below 0 if nothing was written that tells it
     */
    record Part(Path path, StoredFile file, long common) {}
}
