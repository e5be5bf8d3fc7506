package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.storage.OwnDirectory;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directories of a run as one rank sees them (docs/formats/fti-run-directory.md, section 1).
 *
 * <p>The local and the global root, and that of metadata, each hold a checkpoint being written ({@code tmp}), committed ones
 * ({@code l1} to {@code l4}) and, only while a commit is under way, the one being replaced.
 */
final class RunDirectory {

    /** Where the checkpoint that is being replaced waits: C FTI neither looks into it nor cleans it. */
    private static final String REPLACED = "drumlin-replaced-";

    /** Differential checkpoints of the mode FTI-FF: what is in it is never restarted from. */
    private static final String SPARE = "drumlin-spare-dCP";

    /** Begins the name of a rank's file of an incremental checkpoint until all is in it. */
    private static final String INCREMENTAL = "drumlin-incremental-";

    /** How the names of checkpoint files end in all modes but HDF5. */
    static final String FTI = "fti";

    /** How they end in the mode HDF5. */
    static final String HDF5 = "h5";

    private static final Pattern RANK_FILE =
            Pattern.compile("Ckpt(\\d{1,10})-(Rank|Pcof|RSed)(\\d{1,10})\\.(?:fti|h5)");

    /** Of a rank: {@link #differentialName}, and in the mode POSIX numbered. */
    private static final Pattern DIFFERENTIAL_FILE =
            Pattern.compile("(?:dCPFile-Rank|dcp-id(\\d{1,10})-rank)(\\d{1,10})\\.fti");

    private final Path ckptRoot;
    private final Path local;
    private final Path glblRoot;
    private final Path global;
    private final Path metaRoot;
    private final Path meta;
    private final Optional<Path> nodeDirectory;
    private final boolean staging;
    private final Path globalStash;

    RunDirectory(FtiConfig config, String execId, int rank) {
        this(config, config.ckptDir(), execId, rank);
    }

    /** @param ckptDir where the storage of this rank's node is */
    RunDirectory(FtiConfig config, Path ckptDir, String execId, int rank) {
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
    void create(StorageEngine storage) throws IOException {
        requireOwn();
        makeDirectory(ckptRoot, storage);
        if (nodeDirectory.isPresent()) {
            makeDirectory(nodeDirectory.get(), storage);
        }
        makeDirectory(local, storage);
        if (staging) {
            makeDirectory(stage(), storage);
        }
        makeDirectory(glblRoot, storage);
        makeDirectory(global, storage);
        makeDirectory(metaRoot, storage);
        makeDirectory(meta, storage);
        // Somebody may have been faster.
        requireOwn();
    }

    /** What a node has, often below /tmp, must be this user's; on the parallel file system a run may be that of a project. */
    private void requireOwn() throws IOException {
        if (nodeDirectory.isPresent()) {
            OwnDirectory.require(nodeDirectory.get());
        }
        OwnDirectory.require(local);
        for (Path entry : entries(local)) {
            OwnDirectory.require(entry);
        }
        OwnDirectory.requireNoLink(global);
        OwnDirectory.requireNoLink(meta);
    }

    /** Makes a directory, durably, or does nothing when it exists. */
    static void makeDirectory(Path directory, StorageEngine storage) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw DrumlinException.during("mkdir")
                    .path(directory)
                    .errno("ENOENT")
                    .problem("its parent directory does not exist")
                    .advice("create it, or correct ckpt_dir, glbl_dir or meta_dir in the configuration file")
                    .exception();
        }
        storage.createDirectories(directory);
        if (parent != null) {
            storage.syncDirectory(parent);
        }
    }

    Path local() {
        return local;
    }

    Path global() {
        return global;
    }

    /** Where the files of a level lie: L1 to L3 on the node, L4 on the parallel file system. */
    Path root(Level level) {
        return level.isGlobal() ? global : local;
    }

    /** Where the metadata of all levels lie, in the modes that keep them apart from the data. */
    Path meta() {
        return meta;
    }

    /** Where files wait that are to be sent to the parallel file system. */
    Path stage() {
        return local.resolve("stage");
    }

    /** Where a checkpoint lies that the program has put aside; on the parallel file system below a directory of all runs. */
    Path stash(Stash.Layer layer, long stashId) {
        Path all = layer == Stash.Layer.LOCAL ? local.resolve("stash") : globalStash;
        return all.resolve(Long.toString(stashId));
    }

    /**
     * Where the local files of a checkpoint stay that heads have copied to the parallel file system.
     *
     * @param asLevel1 in place of a checkpoint of level 1, as C FTI does in the mode POSIX
     */
    Path replica(boolean asLevel1) {
        return asLevel1 ? committed(Level.L1) : local.resolve("lL4Dir");
    }

    Path tmp(Level level) {
        return tmp(root(level));
    }

    Path committed(Level level) {
        return committed(root(level), level);
    }

    static Path tmp(Path root) {
        return root.resolve("tmp");
    }

    static Path committed(Path root, Level level) {
        return root.resolve(name(level));
    }

    private static String name(Level level) {
        return level == Level.L4_DCP ? "dCP" : "l" + level.number();
    }

    static Path replaced(Path root, Level level) {
        return root.resolve(REPLACED + name(level));
    }

    /** Where the files of the differential checkpoint before the last are brought up to date for the next. */
    static Path spare(Path root) {
        return root.resolve(SPARE);
    }

    /** The name of a rank's file of differential checkpoints in the mode FTI-FF. */
    static String differentialName(int rank) {
        return "dCPFile-" + FileKind.PLAIN.word() + rank + ".fti";
    }

    /** The name of a rank's file of differential checkpoints in the mode POSIX. */
    static String differentialName(int number, int rank) {
        return "dcp-id" + number + "-rank" + rank + "." + FTI;
    }

    /** What the name of a file of differential checkpoints in the mode POSIX tells. */
    record Differential(int number, int rank) {}

    /** The same, from a name; empty if no such file has it. */
    static Optional<Differential> differential(String fileName) {
        Matcher name = DIFFERENTIAL_FILE.matcher(fileName);
        if (!name.matches() || name.group(1) == null) {
            return Optional.empty();
        }
        long number = Long.parseLong(name.group(1));
        long rank = Long.parseLong(name.group(2));
        // There must be a next number.
        return number < Integer.MAX_VALUE && rank <= Integer.MAX_VALUE
                ? Optional.of(new Differential((int) number, (int) rank))
                : Optional.empty();
    }

    Path archive() {
        return global.resolve("l4_archive");
    }

    Path topologyFile() {
        return meta.resolve("Topology.fti");
    }

    /** Who writes to the run's directories. */
    Path lease() {
        return meta.resolve("drumlin-lease");
    }

    /** In which order checkpoints were taken. */
    Path commitLog() {
        return meta.resolve("drumlin-commits");
    }

    Path checkpointList() {
        return meta.resolve("Checkpoint.fti");
    }

    Path metaArchive() {
        return meta.resolve("l4_archive");
    }

    static String fileName(FileKind kind, int ckptId, int rank) {
        return fileName(kind, ckptId, rank, FTI);
    }

    static String fileName(FileKind kind, int ckptId, int rank, String suffix) {
        return "Ckpt" + ckptId + "-" + kind.word() + rank + "." + suffix;
    }

    /** The name of a rank's file of an incremental checkpoint until all is in it. */
    static String incrementalName(int rank) {
        return INCREMENTAL + FileKind.PLAIN.word() + rank + ".fti";
    }

    /** Deletes what incremental checkpoints have left below a root that were never completed. */
    static void deleteIncremental(Path root, StorageEngine storage) throws IOException {
        for (Path entry : entries(root)) {
            if (entry.getFileName().toString().startsWith(INCREMENTAL)) {
                storage.delete(entry);
            }
        }
    }

    /** The checkpoint whose id a file of the name carries; empty if that does not fit into 32 bits. */
    static OptionalInt ckptId(Path file) {
        Matcher name = RANK_FILE.matcher(file.getFileName().toString());
        long id = name.matches() ? Long.parseLong(name.group(1)) : Long.MAX_VALUE;
        return id > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) id);
    }

    /** The rank whose file has a name; empty if no checkpoint file of a rank has such a name. */
    static OptionalInt owner(String fileName) {
        Matcher name = RANK_FILE.matcher(fileName);
        long rank = name.matches() ? Long.parseLong(name.group(3)) : Long.MAX_VALUE;
        return rank > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) rank);
    }

    /** The rank whose plain file has a name, in the modes without HDF5; empty if it is the name of another file. */
    static OptionalInt plainOwner(String fileName) {
        Matcher name = RANK_FILE.matcher(fileName);
        boolean plain = name.matches() && name.group(2).equals(FileKind.PLAIN.word()) && fileName.endsWith(FTI);
        return plain ? owner(fileName) : OptionalInt.empty();
    }

    /** The rank whose file of differential checkpoints in the mode FTI-FF has a name; empty if it is the name of another file. */
    static OptionalInt differentialOwner(String fileName) {
        Matcher name = DIFFERENTIAL_FILE.matcher(fileName);
        long rank = name.matches() && name.group(1) == null ? Long.parseLong(name.group(2)) : Long.MAX_VALUE;
        return rank > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) rank);
    }

    /**
     * The checkpoint files of a kind that a rank has in a directory; empty when the directory is missing.
     *
     * @param topology of this run
     * @throws IOException the directory cannot be read, or was written by a run of other ranks, of which this run would recover
     *     a part
     */
    static List<Path> rankFiles(Path directory, FileKind kind, int rank, Topology topology) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path entry : entries(directory)) {
            Matcher name = RANK_FILE.matcher(entry.getFileName().toString());
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
    static void requireRanks(Path directory, Topology topology) throws IOException {
        for (Path entry : entries(directory)) {
            Matcher name = DIFFERENTIAL_FILE.matcher(entry.getFileName().toString());
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

    /** Deletes a file or a directory with all below it; nothing happens when it is missing. */
    static void delete(Path path, StorageEngine storage) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : entries(path)) {
                delete(entry, storage);
            }
        }
        storage.delete(path);
    }

    /** What is in a directory, in the order of names; empty when it is missing. */
    static List<Path> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (UncheckedIOException | IOException e) {
            throw DrumlinException.during("listing the directory")
                    .path(directory)
                    .cause(e)
                    .exception();
        }
    }

    /**
     * Deletes the run's files on this node; other runs below the same root stay.
     *
     * @param keepStage whether files that were to be sent stay too
     */
    void deleteLocal(StorageEngine storage, boolean keepStage) throws IOException {
        for (Path entry : entries(local)) {
            if (!keepStage || !entry.equals(stage())) {
                delete(entry, storage);
            }
        }
        if (keepStage) {
            return;
        }
        storage.delete(local);
        if (nodeDirectory.isPresent() && entries(nodeDirectory.get()).isEmpty()) {
            storage.delete(nodeDirectory.get());
        }
    }

    /** Deletes the run's files on the parallel file system. */
    void deleteGlobal(StorageEngine storage) throws IOException {
        delete(global, storage);
        delete(meta, storage);
    }
}
