package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An I/O mode: how the data of a rank are written to files, and how a restart identifies them. {@code ckpt_io} of C
 * FTI. Not thread-safe.
 */
public interface IoMode {

    /**
     * Plans the file of a checkpoint of the present data; writes nothing.
     *
     * @param timestamp the same on all ranks
     * @param data the protected variables, in the order of their first protection
     * @throws IOException the mode cannot store these data
     */
    FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> data) throws IOException;

    /**
     * Begins this rank's file of a checkpoint whose variables are added a few at a time.
     *
     * @param path path of the file until it is complete; for a differential checkpoint the result of
     *     {@link #differentialFile}
     */
    IncrementalWriter incrementalWriter(Level level, Path path) throws IOException;

    /**
     * Checks that the mode supports incremental files.
     *
     * @throws IllegalArgumentException the file layout does not support them
     */
    default void requireIncrementalFiles() {}

    /**
     * Prepares a differential checkpoint, before its file is asked for. Collective.
     *
     * @param data the protected variables
     */
    default void prepareDifferential(Map<Integer, ProtectedData> data) throws IOException {}

    /** Returns the path at which this rank's file of a differential checkpoint is brought up to date. */
    default Path differentialFile(RunDirectory directories) {
        throw new IllegalStateException("this mode has no differential checkpoints");
    }

    /**
     * Returns the ids of the protected variables, in the order in which variables without a place in the file get one.
     */
    List<Integer> order(Map<Integer, ProtectedData> data);

    /** Returns the writer of one file for all ranks, at the levels that have such a file. */
    default Optional<SharedFileWriter> shared(Level level) {
        return Optional.empty();
    }

    /** Returns the name of the file with this rank's data of a new checkpoint. */
    String plainName(Level level, int ckptId);

    /** Returns the name of a file of a new checkpoint that belongs to this rank alone. */
    String rankFileName(FileKind kind, int ckptId);

    /**
     * Returns the file name of a copy at another level.
     *
     * @param from the file that was committed or opened last
     */
    default String copyName(Level level, Path from) {
        return from.getFileName().toString();
    }

    /**
     * Writes the metadata that a restart needs besides the files of a checkpoint durably into {@code tmp}. Collective.
     *
     * @param level level of the checkpoint
     * @param filePlan a sealed plan of this mode
     * @param timestamp time of the checkpoint, the same on all ranks
     * @param encodedMd5 at level 3, MD5 of the encoded part of this rank's Reed-Solomon file
     * @throws IOException on all ranks, if it failed on any
     */
    default void describe(Level level, FilePlan filePlan, long timestamp, Optional<String> encodedMd5)
            throws IOException {}

    /**
     * Writes the metadata of a checkpoint that heads are going to finish. At level 3 the heads add the digests of the
     * encoded parts; at level 4 the files still lie on the nodes. Collective.
     *
     * @param level level of the finished checkpoint
     * @param filePlan a sealed plan of this mode
     * @param timestamp time of the checkpoint, the same on all ranks
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeForHead(Level level, FilePlan filePlan, long timestamp) throws IOException {}

    /**
     * Writes the metadata of a copy of the checkpoint that was committed or opened last. Collective.
     *
     * @param level level of the copy
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeCopy(Level level) throws IOException {}

    /**
     * Returns the metadata that the receiver needs if the file opened last is sent to another node.
     *
     * @param md5 reads the file for its MD5, 32 lower-case hexadecimal digits; called if the metadata have no digest
     * @throws IOException the metadata cannot be read
     */
    default byte[] description(Agreement.Call<String> md5) throws IOException {
        return new byte[0];
    }

    /**
     * Reads a plain file that was sent here and compares its digests. Gives it what tells it from the other files of its
     * name on the node, if C FTI wrote it, which gives it nothing.
     *
     * @param description the metadata that came with the file
     * @param timestamp time of the move in nanoseconds since 1970, the same on all ranks
     * @throws IOException the file differs from what was written
     */
    void verifyMoved(Path path, byte[] description, int ckptId, long timestamp) throws IOException;

    /**
     * Writes the metadata of plain files of level 1 that were sent here; otherwise like {@link #describe}. Collective.
     *
     * @param description the metadata that came with this rank's file
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeMoved(byte[] description) throws IOException {}

    /** Returns the bytes of the changed blocks in the differential checkpoint that was written last. */
    default long changedBytes() {
        return 0;
    }

    /** Records that a planned file of this mode was committed at a level; the next plan continues it. */
    void committed(Level level, FilePlan filePlan);

    /** Records that the heads have finished and committed a checkpoint; otherwise like {@link #committed}. */
    default void finishedByHead(Level level, FilePlan filePlan) {
        committed(level, filePlan);
    }

    /**
     * Returns the checkpoints of a level of which any rank has a file, newest first. Collective. Each rank gets the
     * same number of checkpoints, and those at the same index belong together. Unreadable checkpoints are left out,
     * with a warning.
     */
    List<StoredCheckpoint> stored(Level level) throws IOException;

    /**
     * Finds the checkpoints on the parallel file system of a run on any number of ranks. One rank calls this.
     *
     * @param level level 4, differential or not
     * @param numbering numbering of the previous run's ranks, as far as it is known
     * @return one line per checkpoint, newest first; all ranks pass it to {@link #elasticCheckpoint}
     * @throws IOException the directories cannot be read, or do not record enough
     */
    List<String> findElasticCheckpoints(Level level, Numbering numbering) throws IOException;

    /**
     * Returns a checkpoint that was found.
     *
     * @throws IOException the checkpoint is not whole
     */
    ElasticCheckpoint elasticCheckpoint(Level level, String found) throws IOException;

    /**
     * Records that variables were recovered.
     *
     * @param source the checkpoint from which they were recovered
     */
    default void recovered(RankCheckpoint source, Map<Integer, ProtectedData> data) {}

    /** Returns the {@link StoredCheckpoint#identity} of a checkpoint that is taken at a time; the same on all ranks. */
    default long identity(int ckptId, long timestamp) {
        return timestamp;
    }

    /** Deletes superseded files that do not lie in the directories of levels. Not collective. */
    default void deleteSuperseded(Level level) throws IOException {}

    /** Returns whether a restart copies a checkpoint of a level to the nodes. */
    default boolean isCopiedToNodes(Level level) {
        return level.isGlobal();
    }
}
