package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.checkpoint.internal.dcp.BlockDigests;
import io.drumlin.checkpoint.internal.dcp.DifferentialFile;
import io.drumlin.checkpoint.internal.dcp.FileBlocks;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.UnfinishedFile;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a rank knows of its files of differential checkpoints in the mode FTI-FF: the last one, in its place, and the one before,
 * as a spare. Not thread-safe.
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
     * @param spare where it lies or will lie
     * @param committed the file of the last checkpoint
     * @param oldData bytes of the containers that are known
     */
    DifferentialFile begin(Path spare, Path committed, long oldData) throws IOException {
        // Until the next commit nobody knows what is in it.
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

    /** Bytes of the blocks that the checkpoint under way found changed. */
    long changedBytes() {
        return open == null ? 0 : open.changedBytes();
    }

    /** Takes note that the file was put in its place, and the one before becomes the spare. */
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
