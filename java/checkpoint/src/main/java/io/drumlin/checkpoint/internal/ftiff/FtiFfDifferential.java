package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.checkpoint.internal.dcp.BlockDigests;
import io.drumlin.checkpoint.internal.dcp.DifferentialFile;
import io.drumlin.checkpoint.internal.dcp.FileBlocks;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.UnfinishedFile;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rank's files of differential checkpoints in the mode FTI-FF: the last one, in its place, and the previous one, as a
 * spare. Not thread-safe.
 */
final class FtiFfDifferential {

    private final StorageEngine storage;
    private final SlabPool slabs;
    private final DifferentialConfig config;
    private @Nullable FileBlocks last;
    private @Nullable DifferentialFile open;
    private boolean spareUsable;

    FtiFfDifferential(StorageEngine storage, SlabPool slabs, DifferentialConfig config) {
        this.storage = storage;
        this.slabs = slabs;
        this.config = config;
    }

    /**
     * Opens the spare file for the next checkpoint.
     *
     * @param spare path of the spare file, which may not exist yet
     * @param committed the file of the last checkpoint
     * @param oldData bytes of the containers that are known
     */
    DifferentialFile begin(Path spare, Path committed, long oldData) throws IOException {
        // The content of the spare file is undefined until the next commit.
        boolean update = spareUsable && last != null && PathStatus.isRegularFile(spare);
        spareUsable = false;
        DirectoryTree.make(Objects.requireNonNull(spare.toAbsolutePath().getParent()), storage);
        UnfinishedFile.putDirectoryAside(storage, spare);
        DifferentialFile file = new DifferentialFile(
                storage,
                slabs,
                spare,
                PathStatus.isRegularFile(committed) ? committed : null,
                new BlockDigests(config, config.blockSize()),
                last,
                update,
                oldData);
        open = file;
        return file;
    }

    /** Returns the bytes of the changed blocks in the checkpoint under way. */
    long changedBytes() {
        return open == null ? 0 : open.changedBytes();
    }

    /** Records that the file was put in its place; the previous file becomes the spare. */
    void committed() {
        DifferentialFile file = open;
        if (file == null) {
            throw new IllegalStateException("no differential checkpoint is under way");
        }
        last = file.blocks();
        spareUsable = true;
        open = null;
    }
}
