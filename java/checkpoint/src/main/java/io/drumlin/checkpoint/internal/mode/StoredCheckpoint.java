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

/** One checkpoint of a level, as far as this rank's files of it exist. */
public interface StoredCheckpoint {

    /**
     * Returns the level. It may be more exact than the level searched, because differential checkpoints are found at
     * level 4 if metadata lie apart.
     */
    Level level();

    /** Returns the checkpoint id, the same on all ranks. */
    int ckptId();

    /**
     * Returns a number that all files of this checkpoint have, and those of other checkpoints with the same id do not;
     * empty if C FTI wrote the checkpoint. The same on all ranks.
     */
    OptionalLong identity();

    /** Returns the name of this rank's file of a kind. */
    String fileName(FileKind kind);

    /** Returns where the metadata lie, in the modes that keep them apart from the data. */
    default CommitSlot metadataSlot() {
        return CommitSlot.COMMITTED;
    }

    /** Returns the places where this rank has a file of a kind, by kind. */
    EnumMap<FileKind, List<FileLocation>> places();

    /**
     * Compares the size of a file with what the metadata say of it, as {@link #check} does first. Nothing if the file
     * has its own metadata, which were read.
     *
     * @throws IOException the file has another size
     */
    default void checkSize(FileKind kind, Path path) throws IOException {}

    /**
     * Reads a whole file and compares its digests.
     *
     * @param keep what is kept of a plain file
     * @throws IOException the file differs from what was written
     */
    void check(FileKind kind, Path path, RetainPolicy keep) throws IOException;

    /**
     * Returns the content of a file, if {@link #check} only compares its {@link StoredFile#toVerify} with digests.
     *
     * @throws IOException the metadata in the file cannot be read
     */
    default Optional<StoredFile> digested(FileKind kind, Path path) throws IOException {
        return Optional.empty();
    }

    /**
     * Returns whether the partner copies belong to the neighbours in the groups of this run, as far as that can be
     * determined. Collective, after all calls of {@link #check}.
     *
     * @param whole kinds of this rank's whole files
     */
    default boolean isOfTheseGroups(EnumSet<FileKind> whole) throws IOException {
        return true;
    }

    /**
     * Agrees with the other ranks on what is whole, if parts of a checkpoint can be whole. Collective, after all calls
     * of {@link #check}.
     */
    default void agreeOnWhole() throws IOException {}

    /**
     * Returns the size to which the files of the group were extended; empty if this rank has no file that records it.
     */
    default Optional<Long> extendedSize() {
        return Optional.empty();
    }

    /**
     * Returns the size of this rank's plain file after it was decoded.
     *
     * @param extended the file with its extension
     */
    default long plainSize(ByteSource extended) throws IOException {
        throw noRedundancy();
    }

    /**
     * Returns the last byte of this rank's plain file after all others were decoded. If the code does not determine it
     * (docs/formats/fti-ff.md, section 7), a digest does.
     *
     * @param decoded the file without extension
     * @return 0 to 255, or empty if no value fits the digests
     */
    default OptionalInt lastByte(ByteSource decoded) throws IOException {
        throw noRedundancy();
    }

    /**
     * Records that this rank's encoded file was rebuilt.
     *
     * @param md5 MD5 of its encoded part, lower-case hexadecimal
     */
    default void encodedAgain(String md5) {}

    /** Updates the metadata in their place after {@link #encodedAgain}. Collective. */
    default void updateMetadata() throws IOException {}

    /**
     * Returns how the files entered the group. Collective in the group at the first call; at least one of its ranks
     * must have a file.
     */
    default Encoding encoding() throws IOException {
        throw noRedundancy();
    }

    private static IllegalStateException noRedundancy() {
        return new IllegalStateException("differential checkpoints have no redundancy");
    }

    /**
     * Returns the content of a plain file of this checkpoint; the next plan continues it.
     *
     * @throws IOException the file cannot be read
     */
    StoredFile open(Path path) throws IOException;
}
