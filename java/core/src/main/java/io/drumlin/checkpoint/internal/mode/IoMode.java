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
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the data of a rank become files, and how a restart knows them again: {@code ckpt_io} of C FTI. Not thread-safe. */
public interface IoMode {

    /**
     * The file of a checkpoint of the present data. Nothing is written.
     *
     * @param timestamp the same on all ranks
     * @param data what is protected, in the order of the first protection
     * @throws IOException the mode cannot hold these data
     */
    FilePlan draft(int ckptId, long timestamp, Map<Integer, ProtectedData> data) throws IOException;

    /**
     * Begins this rank's file of a checkpoint whose variables come a few at a time.
     *
     * @param path where it lies meanwhile; of a differential checkpoint as {@link #differentialFile} gives it
     */
    IncrementalWriter gathering(Level level, Path path) throws IOException;

    /**
     * Makes sure that there can be such a file.
     *
     * @throws IllegalArgumentException the layout of files has none
     */
    default void requireGathering() {}

    /** Where this rank's file of a differential checkpoint is brought to its new state. */
    default Path differentialFile(RunDirectory directories) {
        throw new IllegalStateException("this mode has no differential checkpoints");
    }

    /** Ids of what is protected, in the order in which variables that have no place yet get one. */
    List<Integer> order(Map<Integer, ProtectedData> data);

    /** Writes the data of all ranks into one file, at the levels that have such a file. */
    default Optional<SharedFileWriter> shared(Level level) {
        return Optional.empty();
    }

    /** The name of the file in which this rank's data of a new checkpoint are. */
    String plainName(Level level, int ckptId);

    /** The name of a file of a new checkpoint that is this rank's alone. */
    String rankFileName(FileKind kind, int ckptId);

    /**
     * The name of the file that a copy at another level gets.
     *
     * @param from the file that was committed or opened last
     */
    default String copyName(Level level, Path from) {
        return from.getFileName().toString();
    }

    /**
     * Writes into {@code tmp}, durably, what a restart must know of a checkpoint besides its files. Collective.
     *
     * @param level of the checkpoint
     * @param draft of this mode, sealed
     * @param timestamp of the checkpoint, the same on all ranks
     * @param encodedMd5 at level 3, MD5 of the encoded part of this rank's Reed-Solomon file
     * @throws IOException on all ranks, if it failed on any
     */
    default void describe(Level level, FilePlan draft, long timestamp, Optional<String> encodedMd5)
            throws IOException {}

    /**
     * Does the same for a checkpoint that heads are going to finish: of level 3 they add the digests of encoded parts, of level
     * 4 the files lie on the nodes. Collective.
     *
     * @param level of the finished checkpoint
     * @param draft of this mode, sealed
     * @param timestamp of the checkpoint, the same on all ranks
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeForHead(Level level, FilePlan draft, long timestamp) throws IOException {}

    /**
     * Does the same for a copy of the checkpoint that was committed or opened last. Collective.
     *
     * @param level of the copy
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeCopy(Level level) throws IOException {}

    /**
     * What must be known of the file that was opened last, besides what is in it, where it is sent to another node.
     *
     * @throws IOException the metadata cannot be read
     */
    default byte[] description() throws IOException {
        return new byte[0];
    }

    /**
     * Reads a plain file that was sent here and compares its digests.
     *
     * @param description that came with it
     * @throws IOException it is not what was written
     */
    void verifyMoved(Path path, byte[] description) throws IOException;

    /**
     * Does the same as {@link #describe} for plain files of level 1 that were sent here. Collective.
     *
     * @param description that came with this rank's file
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeMoved(byte[] description) throws IOException {}

    /** Bytes of the blocks that the differential checkpoint that was written last found changed. */
    default long changedBytes() {
        return 0;
    }

    /** Takes note that a draft of this mode was committed at a level: the next one continues it. */
    void committed(Level level, FilePlan draft);

    /** The same when the heads have finished and committed the checkpoint. */
    default void finishedByHead(Level level, FilePlan draft) {
        committed(level, draft);
    }

    /**
     * The checkpoints of a level of which any rank has a file, newest first. Collective; each rank gets the same number, and
     * those at one index belong together. What cannot be read is left out, with a warning.
     */
    List<StoredCheckpoint> stored(Level level) throws IOException;

    /**
     * The checkpoints on the parallel file system, of a run of any number of ranks: what one rank finds, newest first.
     *
     * @param level 4, differential or not
     * @param numbering of the ranks of the former run, as far as that is known
     * @return lines for {@link #former}, which the other ranks get
     * @throws IOException the directories cannot be read, or do not tell enough
     */
    List<String> findFormer(Level level, Numbering numbering) throws IOException;

    /**
     * A checkpoint that was found.
     *
     * @throws IOException it is not whole
     */
    ElasticCheckpoint former(Level level, String found) throws IOException;

    /**
     * Takes note of variables that were brought back.
     *
     * @param source from which
     */
    default void recovered(RankCheckpoint source, Map<Integer, ProtectedData> data) {}

    /** {@link StoredCheckpoint#identity} of a checkpoint that is taken at a time, which is the same on all ranks. */
    default long identity(int ckptId, long timestamp) {
        return timestamp;
    }

    /** Deletes what a committed checkpoint supersedes besides what lies in the directories of levels. Not collective. */
    default void deleteSuperseded(Level level) throws IOException {}

    /** Whether a restart brings a checkpoint of a level to the nodes. */
    default boolean isCopiedToNodes(Level level) {
        return level.isGlobal();
    }
}
