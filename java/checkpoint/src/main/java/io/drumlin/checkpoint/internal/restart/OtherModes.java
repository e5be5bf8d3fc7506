package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.Mode;
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
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Finds checkpoints of a run in other modes than the configured one, for a restart that found none, or not the newest,
 * in the configured mode.
 */
public final class OtherModes {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final int fileRank;
    private final Mode mode;
    private final CheckpointDirectories places;
    private final StorageEngine storage;

    /** By mode the highest level with a checkpoint, from 1; 0 if there is none. */
    private final long[] levels = new long[Mode.values().length + 1];

    public OtherModes(Engine engine) {
        app = engine.app();
        fileRank = engine.run().topology().fileRank();
        mode = engine.config().mode();
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
        for (Mode each : Mode.values()) {
            if (each != mode && levels[each.number()] > 0) {
                found.add(each + " at level " + levels[each.number()]);
            }
        }
        return found;
    }

    /** Returns the mode of a checkpoint of which there is a file, if it says one. */
    @FunctionalInterface
    private interface Look {
        Optional<Mode> mode(Path file) throws IOException;
    }

    private void look(Level level, Path directory, Look look) {
        try {
            Optional<Mode> said = Optional.empty();
            for (Path path : PathStatus.entries(directory)) {
                said = said.isPresent() ? said : look.mode(path);
            }
            said.ifPresent(each -> levels[each.number()] = Math.max(levels[each.number()], level.number()));
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "level {0} is not looked at: {1}", level, e.getMessage());
        }
    }

    /**
     * Returns the mode of this rank's file, or of any file on this node, because the nodes may be in another order than
     * when the files were written. FTI-FF files record their mode.
     */
    private Optional<Mode> ofFile(Level level, Path path) throws IOException {
        String name = path.getFileName().toString();
        OptionalInt owner = level == Level.L4_DCP ? FileNames.differentialOwner(name) : FileNames.plainOwner(name);
        if (level.isGlobal() ? !owner.equals(OptionalInt.of(fileRank)) : owner.isEmpty()) {
            return Optional.empty();
        }
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return Recognition.of(new BlockFileSource(file))
                    .filter(Recognition::signed)
                    .map(signed -> Mode.FTI_FF);
        }
    }

    /** Returns the mode recorded in metadata, or derived from the names in them. */
    private Optional<Mode> ofMetadata(Path path) throws IOException {
        if (!MetadataFiles.isOne(path)) {
            return Optional.empty();
        }
        GroupMetadata metadata = MetadataFiles.read(path, storage);
        return Mode.of(MetadataOrigin.mode(metadata)).or(() -> Optional.of(ofNames(metadata)));
    }

    private Mode ofNames(GroupMetadata metadata) {
        if (MetadataOrigin.isHdf5(metadata)) {
            return Mode.HDF5;
        }
        // The other modes have the same form of names at most levels.
        return mode.bare() ? mode : Mode.POSIX;
    }
}
