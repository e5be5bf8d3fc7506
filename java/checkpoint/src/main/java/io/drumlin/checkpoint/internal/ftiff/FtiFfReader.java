package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.format.FormatException;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads and verifies the files of the mode FTI-FF (docs/formats/fti-ff.md).
 *
 * @param rejected receives the files that cannot be used
 */
record FtiFfReader(StorageEngine storage, CheckpointReader reader, RejectedFiles rejected) {

    /** The common value of files without a stamp. */
    static final long UNMARKED = -1;

    /**
     * Returns the value that a file shares with the others of its checkpoint.
     *
     * @param ckptId id in the file's name
     * @param rank rank in the file's name; for a partner copy, the rank of the copied file
     * @param ranks number of ranks that wrote the checkpoint
     * @return {@link #UNMARKED} for a file of C FTI
     * @throws DrumlinException the file was stamped under another name
     */
    static long common(Path path, FtiFfFile file, int ckptId, int rank, int ranks) throws DrumlinException {
        OptionalLong common = file.stamp().common(ckptId, rank);
        // Unstamped files are compared only with each other, so a set of stamped files must not pass for unstamped
        // ones.
        if (common.isEmpty()
                && (file.stamp().isOfSomeRank(ckptId, ranks)
                        || file.stamp().isOfSomeRank(file.meta().ckptId(), ranks))) {
            throw unusable(path, "it was written under the name of another rank or checkpoint");
        }
        return common.orElse(UNMARKED);
    }

    /** Checks the id in a file, except in encoded files that C FTI has rebuilt, which have a random id. */
    static void requireId(FileKind kind, Path path, FtiFfFile file, int ckptId, long common) throws DrumlinException {
        boolean known = file.layout().atEnd() && (kind != FileKind.ENCODED || common != UNMARKED);
        if (known && file.meta().ckptId() != ckptId) {
            throw unusable(path, "it is of checkpoint " + file.meta().ckptId() + " and has the name of another");
        }
    }

    /** Gives a stamp to a file of C FTI, durably. C FTI reads neither the timestamp nor the mark. */
    void stamp(Path path, FtiFfFile read, Stamp stamp) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.WRITE))) {
            file.write(read.record(stamp), read.recordOffset());
            file.sync();
        }
    }

    /** Reads the metadata of a file of a kind. */
    FtiFfFile metadata(FileKind kind, Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            FtiFfFile read = FtiFfFile.read(new BlockFileSource(file));
            if (read.encoded() != (kind == FileKind.ENCODED)) {
                throw unusable(path, read.encoded() ? "this is a Reed-Solomon file" : "this is no Reed-Solomon file");
            }
            if (!read.encoded() && read.checksumRule() == ChecksumRule.NONE) {
                throw unusable(path, "checksum does not fit the hashes");
            }
            return read;
        } catch (FormatException e) {
            throw DrumlinException.during("reading the metadata")
                    .path(path)
                    .cause(e)
                    .exception();
        }
    }

    /** Reads the metadata of a plain file, and rejects a file that cannot be used. */
    Optional<FtiFfFile> readable(Path path) {
        List<FtiFfFile> read = new ArrayList<>(1);
        rejected.succeeds("reading", path, () -> read.add(metadata(FileKind.PLAIN, path)));
        return read.stream().findFirst();
    }

    static DrumlinException unusable(Path path, String problem) {
        return DrumlinException.during("reading the metadata")
                .path(path)
                .problem(problem)
                .advice("the file is damaged; another level or an older checkpoint is needed")
                .exception();
    }

    /** Compares everything that has a digest with its digest. */
    void check(FileKind kind, Path path, FtiFfFile file, RetainPolicy keep) throws IOException {
        if (kind == FileKind.ENCODED) {
            reader.verify(path, 0, file.meta().fs(), file.meta().checksum());
            return;
        }
        reader.verify(path, FtiFfFilePlan.stored(file.meta().ckptId(), file.blocks()), keep);
        checkWhole(path, file);
    }

    /** Checks a plain file like {@link #check}, and returns checksums of the blocks of everything that has a digest. */
    List<BlockSums> checkBlocks(Path path, FtiFfFile file) throws IOException {
        checkWhole(path, file);
        return reader.verifyBlocks(path, FtiFfFilePlan.stored(file.meta().ckptId(), file.blocks()));
    }

    private void checkWhole(Path path, FtiFfFile file) throws IOException {
        if (file.layout() == Layout.A) {
            // Only in this layout the checksum covers bytes that no hash covers: everything after the file record.
            long start = file.layout().fileMetaLength();
            reader.verify(path, start, file.meta().fs() - start, file.meta().checksum());
        }
    }
}
