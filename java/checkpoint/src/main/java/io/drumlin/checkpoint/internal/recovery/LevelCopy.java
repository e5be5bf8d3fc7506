package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.FileCopy;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;

/**
 * Copies a checkpoint between levels: to the node at a restart from level 4, and to level 4 when the last checkpoint is
 * kept.
 */
public final class LevelCopy {

    private final Communicator app;
    private final Topology topology;
    private final RunDirectory directories;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final CheckpointReader reader;
    private final IoMode mode;

    public LevelCopy(RankContext context, RunDirectory directories, IoMode mode) {
        app = context.app();
        topology = context.topology();
        this.directories = directories;
        storage = context.storage();
        slabs = context.slabs();
        reader = context.reader();
        this.mode = mode;
    }

    /**
     * Puts a copy of this rank's file of a checkpoint into the directory {@code tmp} of a level: either the copy that
     * was written while the file was verified, or a new copy that is then verified. Collective.
     */
    public void copyToTmp(Path from, StoredFile file, Level level) throws IOException {
        String operation = "copying " + from + " to level " + level.number();
        Path copy = directories.tmp(level).resolve(mode.copyName(level, from));
        Agreement.run(app, operation, () -> {
            if (topology.isNodeMaster()) {
                DirectoryTree.make(directories.tmp(level), storage);
            }
        });
        long start = file.whole().map(StoredFile.Chunk::offset).orElse(0L);
        Optional<SharedFileWriter> shared = mode.shared(level);
        if (shared.isPresent()) {
            copyToShared(operation, from, file, shared.get(), copy);
        } else {
            Agreement.run(app, operation, () -> {
                Optional<Path> written = level == Level.L1 ? reader.copyOf(from) : Optional.empty();
                if (written.isPresent()) {
                    storage.rename(written.get(), copy);
                    return;
                }
                long size = file.whole().map(StoredFile.Chunk::length).orElse(PathStatus.size(from));
                new FileCopy(storage, slabs).copy(from, start, size, copy);
                // At a restart the data are recovered from the copy.
                reader.verify(
                        copy,
                        file.movedBy(-start),
                        level == Level.L1 ? RetainPolicy.IN_VARIABLES : RetainPolicy.NOTHING);
            });
        }
        Agreement.run(app, operation, () -> {
            if (topology.isNodeMaster()) {
                storage.syncDirectory(directories.tmp(level));
            }
        });
        mode.describeCopy(level);
    }

    private void copyToShared(String operation, Path from, StoredFile file, SharedFileWriter shared, Path copy)
            throws IOException {
        BlockFile[] opened = new BlockFile[1];
        ByteSource[] bytes = new ByteSource[1];
        try {
            Agreement.run(app, operation, () -> {
                opened[0] = storage.open(from, EnumSet.of(OpenMode.READ));
                bytes[0] = new BlockFileSource(opened[0]);
            });
            long start = shared.write(copy, bytes[0]).start();
            Agreement.run(app, operation, () -> reader.verify(copy, file.movedBy(start), RetainPolicy.NOTHING));
        } finally {
            // A rank with a failure must still take part in what the others do next.
            Agreement.run(app, operation, () -> {
                if (opened[0] != null) {
                    opened[0].close();
                }
            });
        }
    }
}
