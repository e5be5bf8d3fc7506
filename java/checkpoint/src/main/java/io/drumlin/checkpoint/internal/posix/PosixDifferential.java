package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FileNames.Differential;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.dcp.BlockDigests;
import io.drumlin.checkpoint.internal.dcp.DcpLayerState;
import io.drumlin.checkpoint.internal.dcp.VariableDigests;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.UnfinishedFile;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rank's file of differential checkpoints in the mode POSIX. Each checkpoint adds a layer to it. After
 * {@code dcp_stack_size} layers, or when a variable has shrunk, a new file follows. Not thread-safe.
 */
public final class PosixDifferential {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final StorageEngine storage;
    private final CheckpointDirectories places;
    private int fileRank;
    private DifferentialConfig config;
    private @Nullable DcpLayerState committed;
    private @Nullable DcpLayerWriter open;
    private int lastCkptId;

    /** The number of the next file that does not follow another one; -1 if not known yet. */
    private int freshNumber = -1;

    private @Nullable IOException unlisted;

    /**
     * The names of this rank's files, whether whole or not; {@code null} if not known yet. All ranks share the directory,
     * so it is listed once and not at each checkpoint.
     */
    private @Nullable Set<String> names;

    /** Whether the next checkpoint begins a file although there is room in the last one. */
    private boolean anew;

    public PosixDifferential(
            StorageEngine storage, CheckpointDirectories places, int fileRank, DifferentialConfig config) {
        this.storage = storage;
        this.places = places;
        this.fileRank = fileRank;
        this.config = config;
    }

    private String name(int number) {
        return FileNames.differentialName(number, fileRank);
    }

    private Path directory() {
        return places.directory(Level.L4_DCP, CommitSlot.COMMITTED);
    }

    /** Returns the name of the file with the last differential checkpoint. */
    String committedName() {
        return Objects.requireNonNull(committed).fileName();
    }

    /** Returns the file for the next differential checkpoint. */
    Path nextFile() {
        return directory().resolve(next().fileName());
    }

    private DcpLayerState next() {
        DcpLayerState last = committed;
        if (last == null) {
            return empty(freshNumber());
        }
        return last.layers().size() < config.stackSize() && !anew ? last.after(lastCkptId) : empty(last.number() + 1);
    }

    /** Returns whether C FTI could not read the file with a further layer of these variables. */
    boolean hasShrunk(Map<Integer, ProtectedData> data) {
        return committed != null && committed.hasShrunk(data);
    }

    /** Says whether the next checkpoint begins a new file in any case; the same on all ranks. */
    void beginAnew(boolean now) {
        anew = now;
    }

    private DcpLayerState empty(int number) {
        return new DcpLayerState(number, name(number), List.of(), Map.of(), lastCkptId);
    }

    /**
     * Returns a number after those of all existing files, because the metadata of an unused checkpoint may refer to the
     * last of them.
     */
    private int freshNumber() {
        if (freshNumber < 0) {
            freshNumber = 0;
            try {
                for (String name : names()) {
                    freshNumber = Math.max(
                            freshNumber,
                            FileNames.differential(name).orElseThrow().number() + 1);
                }
            } catch (IOException e) {
                // Thrown later, where all ranks learn of it.
                unlisted = e;
            }
        }
        return freshNumber;
    }

    private Set<String> names() throws IOException {
        Set<String> known = names;
        if (known == null) {
            known = PathStatus.entries(directory()).stream()
                    .map(file -> file.getFileName().toString())
                    .filter(this::isOwn)
                    .collect(Collectors.toCollection(TreeSet::new));
            names = known;
        }
        return known;
    }

    private boolean isOwn(String name) {
        return FileNames.differential(name)
                .filter(known -> known.rank() == fileRank)
                .isPresent();
    }

    /**
     * Opens the file for the next checkpoint.
     *
     * @param order order of the variables in the metadata
     */
    DcpLayerWriter begin(Function<Map<Integer, ProtectedData>, List<Integer>> order) throws IOException {
        DcpLayerState state = next();
        if (unlisted != null) {
            freshNumber = -1;
            IOException failure = unlisted;
            unlisted = null;
            throw failure;
        }
        DirectoryTree.make(directory(), storage);
        names().add(state.fileName());
        Path path = directory().resolve(state.fileName());
        if (state.layers().isEmpty()) {
            UnfinishedFile.putDirectoryAside(storage, path);
        }
        DcpLayerWriter file = new DcpLayerWriter(storage, path, config, state, order);
        open = file;
        return file;
    }

    /** Returns the bytes of the changed blocks in the checkpoint under way. */
    long changedBytes() {
        return open == null ? 0 : open.changedBytes();
    }

    /** Records that the checkpoint under way is in its place. */
    void committed() {
        committed = Objects.requireNonNull(open).next();
        anew = false;
        open = null;
    }

    /** Records a checkpoint of any level that is in its place or from which the run was restarted. */
    void completed(int ckptId) {
        lastCkptId = ckptId;
    }

    /**
     * Continues after the layers that a restart has found. The block size and the number of layers of the file do not
     * change.
     *
     * @param fileName name of this rank's file
     * @param file the file after these layers
     * @param isContinued whether the next layer may follow them. Otherwise later layers may be whole when they are read
     *     again, or are of another layout: the file is left unchanged and the next checkpoint begins another one
     */
    void resume(String fileName, DcpFile file, boolean isContinued) {
        DifferentialConfig adopted = config.with((int) file.blockSize(), (int) file.stackSize());
        if (!adopted.equals(config)) {
            LOG.log(
                    Logger.Level.WARNING,
                    "{0} has blocks of {1} bytes and {2} layers: for this run dcp_block_size = {3} and dcp_stack_size"
                            + " = {4} of the configuration have no effect",
                    fileName,
                    file.blockSize(),
                    file.stackSize(),
                    config.blockSize(),
                    config.stackSize());
            config = adopted;
        }
        Differential name = FileNames.differential(fileName).orElseThrow();
        // Ranks in file names come from the run that began the file; the files that follow it have the same rank.
        fileRank = name.rank();
        names = null;
        committed =
                isContinued ? new DcpLayerState(name.number(), fileName, file.entries(), Map.of(), lastCkptId) : null;
    }

    /**
     * Records that a restart has recovered variables from the last differential checkpoint. Of these variables only
     * later changes are written.
     */
    void recovered(Map<Integer, ProtectedData> data) {
        DcpLayerState last = committed;
        if (last == null) {
            return;
        }
        Map<Integer, VariableDigests> known = new HashMap<>(last.digests());
        try (BlockDigests blocks = new BlockDigests(config, config.blockSize())) {
            data.forEach((id, variable) -> known.computeIfAbsent(
                    id, i -> VariableDigests.of(variable, blocks).withoutFullLast()));
        }
        committed = new DcpLayerState(last.number(), last.fileName(), last.layers(), known, last.lastCkptId());
    }

    /** Deletes this rank's files except the file of the last checkpoint. Directories of their names are not its own. */
    void deleteOthers() throws IOException {
        Set<String> known = names();
        for (String name : List.copyOf(known)) {
            Path file = directory().resolve(name);
            if (name.equals(committedName())) {
                continue;
            }
            if (!PathStatus.isDirectory(file)) {
                storage.delete(file);
            }
            known.remove(name);
        }
    }
}
