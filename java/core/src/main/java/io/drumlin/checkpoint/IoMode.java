package io.drumlin.checkpoint;

import io.drumlin.checkpoint.LevelDirectories.Slot;
import io.drumlin.checkpoint.NodeOrder.Numbering;
import io.drumlin.comm.Communicator;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** How the data of a rank become files, and how a restart knows them again: {@code ckpt_io} of C FTI. Not thread-safe. */
interface IoMode {

    /**
     * The mode that a configuration asks for.
     *
     * @param topology where this rank stands
     * @param places where files are looked for
     * @param packing of new FTI-FF files
     */
    static IoMode of(
            FtiConfig config,
            Communicator app,
            Group group,
            Topology topology,
            Places places,
            StorageEngine storage,
            SlabPool slabs,
            CheckpointReader reader,
            Refusals refusals,
            Packing packing) {
        if (config.ioMode() == FtiConfig.IO_FTIFF) {
            return new FtiFfMode(
                    app,
                    group,
                    topology,
                    places,
                    storage,
                    slabs,
                    reader,
                    refusals,
                    config.layout(),
                    packing,
                    config.differential());
        }
        Optional<SharedFileWriter> shared =
                switch (config.ioMode()) {
                    case FtiConfig.IO_MPI -> Optional.of(new MpiIoFileWriter(app, storage, slabs));
                    case FtiConfig.IO_SIONLIB -> Optional.of(new SionFileWriter(app, storage, slabs));
                    default -> Optional.empty();
                };
        FileContent content =
                config.ioMode() == FtiConfig.IO_HDF5 ? new Hdf5Content(storage, slabs) : new BareContent();
        Optional<PosixDifferential> differential = config.ioMode() == FtiConfig.IO_POSIX
                ? config.differential().map(sizes -> new PosixDifferential(storage, places, topology.fileRank(), sizes))
                : Optional.empty();
        return new PosixMode(
                config.ioMode(),
                app,
                group,
                topology,
                shared,
                content,
                differential,
                places,
                storage,
                slabs,
                reader,
                refusals);
    }

    /**
     * The file of a checkpoint of the present data. Nothing is written.
     *
     * @param timestamp the same on all ranks
     * @param data what is protected, in the order of the first protection
     * @throws IOException the mode cannot hold these data
     */
    Draft draft(int ckptId, long timestamp, Map<Integer, ProtectedData> data) throws IOException;

    /**
     * Begins this rank's file of a checkpoint whose variables come a few at a time.
     *
     * @param path where it lies meanwhile; of a differential checkpoint as {@link #differentialFile} gives it
     */
    Gathering gathering(Level level, Path path) throws IOException;

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
    default void describe(Level level, Draft draft, long timestamp, Optional<String> encodedMd5) throws IOException {}

    /**
     * Does the same for a checkpoint that heads are going to finish: of level 3 they add the digests of encoded parts, of level
     * 4 the files lie on the nodes. Collective.
     *
     * @param level of the finished checkpoint
     * @param draft of this mode, sealed
     * @param timestamp of the checkpoint, the same on all ranks
     * @throws IOException on all ranks, if it failed on any
     */
    default void describeForHead(Level level, Draft draft, long timestamp) throws IOException {}

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
    void committed(Level level, Draft draft);

    /** The same when the heads have finished and committed the checkpoint. */
    default void finishedByHead(Level level, Draft draft) {
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
    FormerCheckpoint former(Level level, String found) throws IOException;

    /**
     * Takes note of variables that were brought back.
     *
     * @param source from which
     */
    default void recovered(Source source, Map<Integer, ProtectedData> data) {}

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

    /** One checkpoint of a level, as far as this rank's files of it are there. */
    interface StoredCheckpoint {

        /** The level, more exactly than it was asked for: where metadata lie apart, differential checkpoints are found at level 4. */
        Level level();

        /** The same on all ranks. */
        int ckptId();

        /** What its files have in common, and those of no other with its id; empty where C FTI wrote it. The same on all ranks. */
        OptionalLong identity();

        /** The name of this rank's file of a kind. */
        String fileName(FileKind kind);

        /** Where the metadata lie, in the modes that keep them apart from the data. */
        default Slot metadataSlot() {
            return Slot.COMMITTED;
        }

        /** The places where this rank has a file of a kind, by kind. */
        EnumMap<FileKind, List<Place>> places();

        /**
         * Reads a whole file and compares its digests.
         *
         * @param keep what is going to become of what is read
         * @throws IOException it is not what was written
         */
        void check(FileKind kind, Path path, Keep keep) throws IOException;

        /**
         * What a file holds, if {@link #check} compares {@link StoredFile#toVerify} of it with digests and does nothing else.
         *
         * @throws IOException the metadata in the file cannot be read
         */
        default Optional<StoredFile> digested(FileKind kind, Path path) throws IOException {
            return Optional.empty();
        }

        /** Whether chunks of plain files have digests of their own: what is read for the variables is compared then. */
        default boolean digestsChunks() {
            return false;
        }

        /**
         * Whether the copies that ranks have are those of their neighbours in the groups of this run, as far as that can be seen.
         * Collective, behind all {@link #check}.
         *
         * @param whole kinds of the files that this rank has and that are whole
         */
        default boolean isOfTheseGroups(EnumSet<FileKind> whole) throws IOException {
            return true;
        }

        /** Comes to an agreement on what is whole, where a checkpoint can be so in parts. Collective, behind all {@link #check}. */
        default void agree() throws IOException {}

        /** Bytes to which the files of the group were extended; empty when this rank has no file that says it. */
        Optional<Long> extendedSize();

        /**
         * The size of this rank's plain file, once it was decoded.
         *
         * @param extended the file with its extension
         */
        long plainSize(ByteSource extended) throws IOException;

        /**
         * The last byte of this rank's plain file, once all others were decoded: where it does not follow from the code
         * (docs/formats/fti-ff.md, section 7), a digest tells it.
         *
         * @param decoded the file without extension
         * @return 0 to 255, or empty if the digests fit none
         */
        OptionalInt lastByte(ByteSource decoded) throws IOException;

        /**
         * Takes note that this rank's encoded file was made again.
         *
         * @param md5 of its encoded part, lower-case hexadecimal
         */
        default void encodedAgain(String md5) {}

        /** Brings the metadata, where they lie, up to date with {@link #encodedAgain}. Collective. */
        default void updateMetadata() throws IOException {}

        /** How the files entered the group. Collective in the group at the first call; a rank of it has a file. */
        Encoding encoding() throws IOException;

        /**
         * What a plain file of this checkpoint holds; the next draft continues it.
         *
         * @throws IOException the file cannot be read
         */
        StoredFile open(Path path) throws IOException;
    }

    /** Where a file lies. */
    record Place(Slot slot, Path path) {}

    /** Where the files of a run lie, on this rank. */
    interface Places {

        /** Where the files of a level lie. */
        Path directory(Level level, Slot slot);

        /** Where the metadata of a level lie, in the modes that keep them apart from the data. */
        Path metadataDirectory(Level level, Slot slot);
    }
}
