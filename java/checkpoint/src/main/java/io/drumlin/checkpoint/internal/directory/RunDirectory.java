package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.SingleFileConfig;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.OwnDirectory;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The directories of a run as one rank sees them (docs/formats/fti-run-directory.md, section 1).
 *
 * <p>The local root, the global root and the root of metadata each hold the checkpoint being written ({@code tmp}),
 * committed ones ({@code l1} to {@code l4}) and, only while a commit is under way, the one being replaced.
 */
public final class RunDirectory {

    /** Prefix of the directory with the checkpoint being replaced. C FTI neither looks into it nor cleans it. */
    private static final String REPLACED = "drumlin-replaced-";

    /** Spare directory for differential checkpoints in the mode FTI-FF. No restart uses its files. */
    private static final String SPARE = "drumlin-spare-dCP";

    private final Path ckptRoot;
    private final Path local;
    private final Path glblRoot;
    private final Path global;
    private final Path metaRoot;
    private final Path meta;
    private final Optional<Path> nodeDirectory;
    private final boolean staging;
    private final Path globalStash;
    private final Optional<Path> singleFiles;

    public RunDirectory(FtiConfig config, String execId, int rank) {
        this(config, config.ckptDir(), execId, rank);
    }

    /**
     * Describes the directories of a run as a rank sees them; creates none.
     *
     * @param ckptDir directory on the storage of this rank's node
     */
    public RunDirectory(FtiConfig config, Path ckptDir, String execId, int rank) {
        ckptRoot = ckptDir;
        nodeDirectory = config.localTest()
                ? Optional.of(ckptRoot.resolve("node" + rank / config.nodeSize()))
                : Optional.empty();
        local = nodeDirectory.orElse(ckptRoot).resolve(execId);
        glblRoot = config.glblDir();
        global = glblRoot.resolve(execId);
        metaRoot = config.metaDir();
        meta = metaRoot.resolve(execId);
        staging = config.staging();
        globalStash = config.glblStashDir().resolve("stash");
        singleFiles = Optional.of(config.singleFile())
                .filter(SingleFileConfig::enable)
                .map(SingleFileConfig::directory);
    }

    /**
     * Makes the missing directories of the run on this rank's node. Refuses those of another user, because they are often
     * below /tmp, and makes nothing in them. The parents of the configured directories must exist, as for C FTI.
     */
    public void createLocal(StorageEngine storage) throws IOException {
        boolean top = true;
        for (Path own : nodeDirectory.isPresent() ? List.of(nodeDirectory.get(), local) : List.of(local)) {
            if (!PathStatus.isDirectory(own)) {
                if (top) {
                    DirectoryTree.make(ckptRoot, storage);
                }
                DirectoryTree.make(own, storage);
            }
            // After that, because another user may have made it meanwhile.
            OwnDirectory.require(own);
            top = false;
        }
        if (staging) {
            DirectoryTree.make(stage(), storage);
        }
    }

    /**
     * Makes the missing directories of the run on the parallel file system. A run may belong to a project there, so only
     * links of another user are refused.
     */
    public void createShared(StorageEngine storage) throws IOException {
        for (Path shared : List.of(global, meta)) {
            if (!PathStatus.isDirectory(shared)) {
                DirectoryTree.make(shared.equals(global) ? glblRoot : metaRoot, storage);
                DirectoryTree.make(shared, storage);
            }
            OwnDirectory.requireNoLink(shared);
        }
        if (singleFiles.isPresent()) {
            DirectoryTree.make(singleFiles.get(), storage);
        }
    }

    /** Returns the directories that all nodes see, by the keys of the configuration. */
    public Map<String, Path> shared() {
        return Map.of("glbl_dir", global, "meta_dir", meta);
    }

    /** Refuses directories and files of another user among those of the run on this node. */
    public void requireOwnEntries() throws IOException {
        for (Path entry : PathStatus.entries(local)) {
            OwnDirectory.require(entry);
        }
    }

    public Path local() {
        return local;
    }

    public Path global() {
        return global;
    }

    /** Returns the root of a level's files: on the node for L1 to L3, on the parallel file system for L4. */
    public Path root(Level level) {
        return level.isGlobal() ? global : local;
    }

    /** Returns the root of the metadata of all levels, in the modes that keep them apart from the data. */
    public Path meta() {
        return meta;
    }

    /** Returns the directory of files that wait to be sent to the parallel file system. */
    public Path stage() {
        return local.resolve("stage");
    }

    /** Returns the directory on the node with a checkpoint that the program has put aside. */
    public Path localStash(long stashId) {
        return local.resolve("stash").resolve(Long.toString(stashId));
    }

    /** Returns the directory of a stash on the parallel file system, below a directory shared by all runs. */
    public Path globalStash(long stashId) {
        return globalStash.resolve(Long.toString(stashId));
    }

    /**
     * Returns where the local files of a checkpoint are kept after heads have copied it to the parallel file system.
     *
     * @param asLevel1 whether they take the place of a checkpoint of level 1, as C FTI does in the mode POSIX
     */
    public Path replica(boolean asLevel1) {
        return asLevel1 ? committed(Level.L1) : local.resolve("lL4Dir");
    }

    public Path tmp(Level level) {
        return tmp(root(level));
    }

    public Path committed(Level level) {
        return committed(root(level), level);
    }

    public static Path tmp(Path root) {
        return root.resolve("tmp");
    }

    public static Path committed(Path root, Level level) {
        return root.resolve(name(level));
    }

    private static String name(Level level) {
        return level == Level.L4_DCP ? "dCP" : "l" + level.number();
    }

    public static Path replaced(Path root, Level level) {
        return root.resolve(REPLACED + name(level));
    }

    /**
     * Returns the spare directory, where the files of the last but one differential checkpoint are brought up to date
     * for the next one.
     */
    public static Path spare(Path root) {
        return root.resolve(SPARE);
    }

    public Path archive() {
        return global.resolve("l4_archive");
    }

    public Path topologyFile() {
        return meta.resolve("Topology.fti");
    }

    /** Returns the lease file, which names the process that writes to the run's directories. */
    public Path lease() {
        return meta.resolve("drumlin-lease");
    }

    /** Returns the commit log, which records the order in which checkpoints were taken. */
    public Path commitLog() {
        return meta.resolve("drumlin-commits");
    }

    public Path checkpointList() {
        return meta.resolve("Checkpoint.fti");
    }

    public Path metaArchive() {
        return meta.resolve("l4_archive");
    }

    /** Deletes the remains of incremental checkpoints below a root that were never completed. */
    static void deleteIncremental(Path root, StorageEngine storage) throws IOException {
        for (Path entry : PathStatus.entries(root)) {
            if (FileNames.isIncremental(entry)) {
                storage.delete(entry);
            }
        }
    }

    /**
     * Deletes the run's files on this node, but not those of other runs below the same root.
     *
     * @param keepStage whether to keep files that wait to be sent
     */
    public void deleteLocal(StorageEngine storage, boolean keepStage) throws IOException {
        for (Path entry : PathStatus.entries(local)) {
            if (!keepStage || !entry.equals(stage())) {
                DirectoryTree.delete(entry, storage);
            }
        }
        if (keepStage) {
            return;
        }
        storage.delete(local);
        if (nodeDirectory.isPresent() && PathStatus.entries(nodeDirectory.get()).isEmpty()) {
            storage.delete(nodeDirectory.get());
        }
    }

    /** Deletes the run's files on the parallel file system. */
    public void deleteGlobal(StorageEngine storage) throws IOException {
        DirectoryTree.delete(global, storage);
        DirectoryTree.delete(meta, storage);
    }
}
