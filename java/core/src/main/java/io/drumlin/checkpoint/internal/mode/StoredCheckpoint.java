package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** One checkpoint of a level, as far as this rank's files of it are there. */
public interface StoredCheckpoint {

    /** The level, more exactly than it was asked for: where metadata lie apart, differential checkpoints are found at level 4. */
    Level level();

    /** The same on all ranks. */
    int ckptId();

    /** What its files have in common, and those of no other with its id; empty where C FTI wrote it. The same on all ranks. */
    OptionalLong identity();

    /** The name of this rank's file of a kind. */
    String fileName(FileKind kind);

    /** Where the metadata lie, in the modes that keep them apart from the data. */
    default CommitSlot metadataSlot() {
        return CommitSlot.COMMITTED;
    }

    /** The places where this rank has a file of a kind, by kind. */
    EnumMap<FileKind, List<FileLocation>> places();

    /**
     * Reads a whole file and compares its digests.
     *
     * @param keep what is kept of a plain file
     * @throws IOException it is not what was written
     */
    void check(FileKind kind, Path path, RetainPolicy keep) throws IOException;

    /**
     * What a file holds, if {@link #check} compares {@link StoredFile#toVerify} of it with digests and does nothing else.
     *
     * @throws IOException the metadata in the file cannot be read
     */
    default Optional<StoredFile> digested(FileKind kind, Path path) throws IOException {
        return Optional.empty();
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
