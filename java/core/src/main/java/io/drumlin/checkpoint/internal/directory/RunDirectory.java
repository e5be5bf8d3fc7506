package io.drumlin.checkpoint.internal.directory;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.storage.OwnDirectory;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * The directories of a run as one rank sees them (docs/formats/fti-run-directory.md, section 1).
 *
 * <p>The local and the global root, and that of metadata, each hold a checkpoint being written ({@code tmp}), committed ones
 * ({@code l1} to {@code l4}) and, only while a commit is under way, the one being replaced.
 */
public final class RunDirectory {

    /** Where the checkpoint that is being replaced waits: C FTI neither looks into it nor cleans it. */
    private static final String REPLACED = "drumlin-replaced-";

    /** Differential checkpoints of the mode FTI-FF: what is in it is never restarted from. */
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

    public RunDirectory(FtiConfig config, String execId, int rank) {
        this(config, config.ckptDir(), execId, rank);
    }

    /**
     * The directories of a run as a rank sees them; makes none.
     *
     * @param ckptDir where the storage of this rank's node is
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
    }

    /** Makes the directories of the run that are missing; the parents of the configured ones must exist, as for C FTI. */
    public void create(StorageEngine storage) throws IOException {
        requireOwn();
        DirectoryTree.make(ckptRoot, storage);
        if (nodeDirectory.isPresent()) {
            DirectoryTree.make(nodeDirectory.get(), storage);
        }
        DirectoryTree.make(local, storage);
        if (staging) {
            DirectoryTree.make(stage(), storage);
        }
        DirectoryTree.make(glblRoot, storage);
        DirectoryTree.make(global, storage);
        DirectoryTree.make(metaRoot, storage);
        DirectoryTree.make(meta, storage);
        // Somebody may have been faster.
        requireOwn();
    }

    /** What a node has, often below /tmp, must be this user's; on the parallel file system a run may be that of a project. */
    private void requireOwn() throws IOException {
        if (nodeDirectory.isPresent()) {
            OwnDirectory.require(nodeDirectory.get());
        }
        OwnDirectory.require(local);
        for (Path entry : PathStatus.entries(local)) {
            OwnDirectory.require(entry);
        }
        OwnDirectory.requireNoLink(global);
        OwnDirectory.requireNoLink(meta);
    }

    public Path local() {
        return local;
    }

    public Path global() {
        return global;
    }

    /** Where the files of a level lie: L1 to L3 on the node, L4 on the parallel file system. */
    public Path root(Level level) {
        return level.isGlobal() ? global : local;
    }

    /** Where the metadata of all levels lie, in the modes that keep them apart from the data. */
    public Path meta() {
        return meta;
    }

    /** Where files wait that are to be sent to the parallel file system. */
    public Path stage() {
        return local.resolve("stage");
    }

    /** Where a checkpoint lies on the node that the program has put aside. */
    public Path localStash(long stashId) {
        return local.resolve("stash").resolve(Long.toString(stashId));
    }

    /** Where it lies on the parallel file system, below a directory of all runs. */
    public Path globalStash(long stashId) {
        return globalStash.resolve(Long.toString(stashId));
    }

    /**
     * Where the local files of a checkpoint stay that heads have copied to the parallel file system.
     *
     * @param asLevel1 in place of a checkpoint of level 1, as C FTI does in the mode POSIX
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

    /** Where the files of the differential checkpoint before the last are brought up to date for the next. */
    public static Path spare(Path root) {
        return root.resolve(SPARE);
    }

    public Path archive() {
        return global.resolve("l4_archive");
    }

    public Path topologyFile() {
        return meta.resolve("Topology.fti");
    }

    /** Who writes to the run's directories. */
    public Path lease() {
        return meta.resolve("drumlin-lease");
    }

    /** In which order checkpoints were taken. */
    public Path commitLog() {
        return meta.resolve("drumlin-commits");
    }

    public Path checkpointList() {
        return meta.resolve("Checkpoint.fti");
    }

    public Path metaArchive() {
        return meta.resolve("l4_archive");
    }

    /** Deletes what incremental checkpoints have left below a root that were never completed. */
    static void deleteIncremental(Path root, StorageEngine storage) throws IOException {
        for (Path entry : PathStatus.entries(root)) {
            if (FileNames.isIncremental(entry)) {
                storage.delete(entry);
            }
        }
    }

    /**
     * The checkpoint files of a kind that a rank has in a directory; empty when the directory is missing.
     *
     * @param topology of this run
     * @throws IOException the directory cannot be read, or was written by a run of other ranks, of which this run would recover
     *     a part
     */
    public static List<Path> rankFiles(Path directory, FileKind kind, int rank, Topology topology) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path entry : PathStatus.entries(directory)) {
            Matcher name = FileNames.RANK_FILE.matcher(entry.getFileName().toString());
            // Only files: opening a pipe would wait for its other end.
            if (!name.matches() || !PathStatus.isRegularFile(entry)) {
                continue;
            }
            long owner = Long.parseLong(name.group(3));
            requireRank(entry, owner, topology);
            if (owner == rank && name.group(2).equals(kind.word())) {
                found.add(entry);
            }
        }
        return found;
    }

    /** Refuses a directory with a file of differential checkpoints of a rank that the application does not have. */
    public static void requireRanks(Path directory, Topology topology) throws IOException {
        for (Path entry : PathStatus.entries(directory)) {
            Matcher name =
                    FileNames.DIFFERENTIAL_FILE.matcher(entry.getFileName().toString());
            if (name.matches()) {
                requireRank(entry, Long.parseLong(name.group(2)), topology);
            }
        }
    }

    private static void requireRank(Path entry, long owner, Topology topology) throws DrumlinException {
        if (owner >= topology.ranks()) {
            throw DrumlinException.during("restart")
                    .path(entry)
                    .problem("this is the file of rank " + owner + " and the run has " + topology.ranks() + " ranks")
                    .advice("restart with the number of ranks of the run that wrote it")
                    .exception();
        }
        if (!topology.isOfApplication((int) owner)) {
            throw DrumlinException.during("restart")
                    .path(entry)
                    .problem("this is the file of rank " + owner + ", which is a head now and would not get its data")
                    .advice("restart with the head and node_size of the run that wrote it")
                    .exception();
        }
    }

    /**
     * Deletes the run's files on this node; other runs below the same root stay.
     *
     * @param keepStage whether files that were to be sent stay too
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
