package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.inventory.MetadataOrigin;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.ftiff.Recognition;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;

/**
 * Finds checkpoints of a run in other modes than the configured one, for a restart that found none, or not the newest,
 * in the configured mode.
 */
public final class OtherModes {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final int fileRank;
    private final int ioMode;
    private final CheckpointDirectories places;
    private final StorageEngine storage;

    /** For each mode the highest level with a checkpoint, from 1; 0 if there is none. */
    private final long[] levels = new long[FtiConfig.IO_HDF5 + 1];

    public OtherModes(Engine engine) {
        app = engine.app();
        fileRank = engine.run().topology().fileRank();
        ioMode = engine.config().ioMode();
        places = engine.levels();
        storage = engine.storage();
    }

    /**
     * Finds the modes that have a checkpoint, whole or not. Collective.
     *
     * @return descriptions of the checkpoints, the same on all ranks
     */
    public List<String> find() throws IOException {
        for (Level level : Level.values()) {
            look(level, places.directory(level, CommitSlot.COMMITTED), path -> ofFile(level, path));
            if (app.rank() == 0) {
                look(level, places.metadataDirectory(level, CommitSlot.COMMITTED), this::ofMetadata);
            }
        }
        app.allreduce(levels, Op.MAX);
        List<String> found = new ArrayList<>();
        for (int mode = 1; mode < levels.length; mode++) {
            if (mode != ioMode && levels[mode] > 0) {
                found.add(FtiConfig.nameOfMode(mode) + " at level " + levels[mode]);
            }
        }
        return found;
    }

    /** Returns the mode of a checkpoint of which there is a file; 0 if it does not say one. */
    @FunctionalInterface
    private interface Look {
        int mode(Path file) throws IOException;
    }

    private void look(Level level, Path directory, Look look) {
        try {
            int mode = 0;
            for (Path path : PathStatus.entries(directory)) {
                mode = mode > 0 ? mode : look.mode(path);
            }
            levels[mode] = Math.max(levels[mode], level.number());
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "level {0} is not looked at: {1}", level, e.getMessage());
        }
    }

    /**
     * Returns the mode of this rank's file, or of any file on this node, because the nodes may be in another order than
     * when the files were written. FTI-FF files record their mode.
     */
    private int ofFile(Level level, Path path) throws IOException {
        String name = path.getFileName().toString();
        OptionalInt owner = level == Level.L4_DCP ? FileNames.differentialOwner(name) : FileNames.plainOwner(name);
        if (level.isGlobal() ? !owner.equals(OptionalInt.of(fileRank)) : owner.isEmpty()) {
            return 0;
        }
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return Recognition.of(new BlockFileSource(file))
                            .filter(Recognition::signed)
                            .isPresent()
                    ? FtiConfig.IO_FTIFF
                    : 0;
        }
    }

    /** Returns the mode recorded in metadata, or derived from the names in them. */
    private int ofMetadata(Path path) throws IOException {
        if (!MetadataFiles.isOne(path)) {
            return 0;
        }
        GroupMetadata metadata = MetadataFiles.read(path, storage);
        int mode = MetadataOrigin.mode(metadata);
        return mode > 0 && mode < levels.length ? mode : ofNames(metadata);
    }

    private int ofNames(GroupMetadata metadata) {
        if (MetadataOrigin.isHdf5(metadata)) {
            return FtiConfig.IO_HDF5;
        }
        // The other modes have the same form of names at most levels.
        boolean here = ioMode == FtiConfig.IO_POSIX || ioMode == FtiConfig.IO_MPI || ioMode == FtiConfig.IO_SIONLIB;
        return here ? ioMode : FtiConfig.IO_POSIX;
    }
}
