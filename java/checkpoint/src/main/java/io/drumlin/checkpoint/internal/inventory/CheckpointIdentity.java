package io.drumlin.checkpoint.internal.inventory;

import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A number that all files of one of Drumlin's checkpoints have, and those of other checkpoints with the same id do not: in
 * FTI-FF a part of the stamp in each file, otherwise the time in the metadata.
 */
public final class CheckpointIdentity {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private CheckpointIdentity() {}

    /** Returns the identity of a checkpoint whose files have a {@link Stamp#common common stamp}. */
    public static long ofStamp(long common) {
        // The layouts E and F keep no more of it.
        return Integer.toUnsignedLong((int) common);
    }

    /**
     * Returns the identity of a checkpoint.
     *
     * @param paths its files with data, or with metadata in the modes that keep them apart, and directories of those
     * @return empty if C FTI wrote it, or nothing that can be read says it
     * @throws IOException a file cannot be read now, which does not mean that it is damaged
     */
    public static OptionalLong of(int ckptId, Collection<Path> paths, StorageEngine storage) throws IOException {
        for (Path file : files(paths)) {
            try {
                OptionalLong identity =
                        MetadataFiles.isOne(file) ? ofMetadata(ckptId, file, storage) : ofData(ckptId, file, storage);
                if (identity.isPresent()) {
                    return identity;
                }
            } catch (IOException e) {
                // Another file says it too, if this one is damaged.
                if (IoFailures.mayPass(e)) {
                    throw e;
                }
            }
        }
        return OptionalLong.empty();
    }

    /** Returns the identity of a checkpoint that may go: empty, so that it stays, also if a file cannot be read now. */
    public static OptionalLong forDeletion(int ckptId, Collection<Path> paths, StorageEngine storage) {
        try {
            return of(ckptId, paths, storage);
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "the age of a checkpoint is not known now", e);
            return OptionalLong.empty();
        }
    }

    /** Returns the files to look at, in this order: a run may have changed its mode, and the data say what is there. */
    private static List<Path> files(Collection<Path> paths) throws IOException {
        List<Path> data = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        for (Path path : paths) {
            for (Path file : PathStatus.isDirectory(path) ? PathStatus.entries(path) : List.of(path)) {
                if (MetadataFiles.isOne(file)) {
                    files.add(file);
                } else if (rank(file).isPresent()) {
                    data.add(file);
                }
            }
        }
        if (!data.isEmpty()) {
            files.add(0, data.remove(0));
        }
        files.addAll(data);
        return files;
    }

    private static OptionalInt rank(Path file) {
        String name = file.getFileName().toString();
        OptionalInt rank = FileNames.plainOwner(name);
        return rank.isPresent() ? rank : FileNames.differentialOwner(name);
    }

    private static OptionalLong ofMetadata(int ckptId, Path file, StorageEngine storage) throws IOException {
        GroupMetadata metadata = MetadataFiles.read(file, storage);
        return metadata.ckptId() == ckptId ? MetadataOrigin.identity(metadata) : OptionalLong.empty();
    }

    private static OptionalLong ofData(int ckptId, Path path, StorageEngine storage) throws IOException {
        if (!PathStatus.isRegularFile(path)) {
            return OptionalLong.empty();
        }
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            OptionalLong common = FtiFfFile.read(new BlockFileSource(file))
                    .stamp()
                    .common(ckptId, rank(path).orElseThrow());
            return common.isPresent() ? OptionalLong.of(ofStamp(common.getAsLong())) : common;
        }
    }
}
