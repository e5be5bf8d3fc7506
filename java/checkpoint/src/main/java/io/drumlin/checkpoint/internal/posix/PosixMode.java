package io.drumlin.checkpoint.internal.posix;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.inventory.MetadataOrigin;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.ListedMetadata;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.Origin;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The mode POSIX, with files of bare data, and for each group a file with the metadata of all its ranks
 * (docs/formats/fti-posix.md). The class also implements the modes MPI-IO and SIONlib, in which level 4 is one file
 * with the data of all ranks, and HDF5, in which the files of ranks are HDF5 files.
 *
 * <p>A directory of metadata describes one checkpoint. Its files may lie in another place, because a kill can stop a
 * commit between moving the two. A file belongs to the checkpoint if its name, size and digest are those in the
 * metadata. Therefore files of different checkpoints are never mixed, even if ids repeat.
 */
public final class PosixMode implements IoMode {

    private final Mode mode;
    private final RankContext context;
    private final Communicator app;
    private final Group group;
    private final Topology topology;
    private final int fileRank;
    private final Optional<SharedFileWriter> shared;
    private final PosixFileFormat content;
    private final Optional<PosixDifferential> differential;
    private final CheckpointDirectories levels;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final CheckpointReader reader;
    private final RejectedFiles rejected;

    /** Ids of the variables in the checkpoint that the next one continues, in its order. */
    private List<Integer> order = List.of();

    /** Name of this rank's file of that checkpoint in the metadata. */
    private String lastName = "";

    /** The metadata of that checkpoint, on the rank of the group that writes them. */
    private @Nullable GroupMetadata last;

    /** Directory of the metadata if a head has completed them. */
    private Path lastDirectory = Path.of("");

    /**
     * Creates the mode for a rank.
     *
     * @param mode one of these
     * @param shared writes level 4 in the modes in which all ranks share one file
     * @param content format of the other files
     * @param differential this rank's file of differential checkpoints, if there may be any
     */
    public PosixMode(
            RankContext context,
            Mode mode,
            Optional<SharedFileWriter> shared,
            PosixFileFormat content,
            Optional<PosixDifferential> differential,
            CheckpointDirectories levels) {
        this.mode = mode;
        this.context = context;
        app = context.app();
        group = context.group();
        topology = context.topology();
        fileRank = topology.fileRank();
        this.shared = shared;
        this.content = content;
        this.differential = differential;
        this.levels = levels;
        storage = context.storage();
        slabs = context.slabs();
        reader = context.reader();
        rejected = context.rejected();
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> data) throws IOException {
        Map<Integer, ProtectedData> ordered = new LinkedHashMap<>();
        order(data).forEach(id -> ordered.computeIfAbsent(id, data::get));
        return planFile(content, ckptId, ordered, data);
    }

    /**
     * Returns the ids of the stored variables, in their order in the metadata, followed by those of new variables in
     * the order of their first protection.
     */
    @Override
    public List<Integer> order(Map<Integer, ProtectedData> data) {
        Set<Integer> ids = new LinkedHashSet<>(order);
        ids.retainAll(data.keySet());
        ids.addAll(data.keySet());
        return List.copyOf(ids);
    }

    private FilePlan planFile(
            PosixFileFormat format, int ckptId, Map<Integer, ProtectedData> inFile, Map<Integer, ProtectedData> all)
            throws IOException {
        return format.planFile(ckptId, rankFileName(FileKind.PLAIN, ckptId), inFile, order(all));
    }

    @Override
    public IncrementalWriter incrementalWriter(Level level, Path path) throws IOException {
        if (level == Level.L4_DCP) {
            return differential.orElseThrow().begin(this::order);
        }
        return content.incrementalWriter(
                new ChunkedFile(storage, slabs, path), format -> (id, data, all) -> planFile(format, id, data, all));
    }

    @Override
    public Optional<SharedFileWriter> shared(Level level) {
        return shared.filter(writer -> level == Level.L4);
    }

    /** All ranks begin a new file or none, because a restart takes the same number of layers from each file. */
    @Override
    public void prepareDifferential(Map<Integer, ProtectedData> data) throws IOException {
        PosixDifferential files = differential.orElseThrow();
        boolean shrunk = Agreement.any(app, files.hasShrunk(data));
        files.beginAnew(shrunk);
    }

    @Override
    public Path differentialFile(RunDirectory directories) {
        return differential.orElseThrow().nextFile();
    }

    @Override
    public String plainName(Level level, int ckptId) {
        if (level == Level.L4_DCP) {
            return differential.orElseThrow().committedName();
        }
        return shared(level)
                .map(writer -> writer.fileName(ckptId))
                .orElseGet(() -> rankFileName(FileKind.PLAIN, ckptId));
    }

    @Override
    public String rankFileName(FileKind kind, int ckptId) {
        return FileNames.fileName(kind, ckptId, fileRank, content.suffix());
    }

    @Override
    public String copyName(Level level, Path from) {
        int ckptId = FileNames.ckptId(Path.of(lastName)).orElseThrow();
        return shared(level).map(writer -> writer.fileName(ckptId)).orElse(lastName);
    }

    private static PosixFilePlan own(FilePlan filePlan) {
        if (!(filePlan instanceof PosixFilePlan own)) {
            throw new IllegalArgumentException("a draft of another mode");
        }
        return own;
    }

    @Override
    public void committed(Level level, FilePlan filePlan) {
        order = own(filePlan).order();
        last = own(filePlan).metadata();
        lastName = own(filePlan).fileName();
        if (level == Level.L4_DCP) {
            differential.orElseThrow().committed();
        }
        differential.ifPresent(files -> files.completed(own(filePlan).ckptId()));
    }

    @Override
    public long changedBytes() {
        return differential.map(PosixDifferential::changedBytes).orElse(0L);
    }

    @Override
    public void recovered(RankCheckpoint source, Map<Integer, ProtectedData> data) {
        if (source.level() == Level.L4_DCP) {
            differential.ifPresent(files -> files.recovered(data));
        }
    }

    @Override
    public void deleteSuperseded(Level level) throws IOException {
        if (level == Level.L4_DCP) {
            differential.orElseThrow().deleteOthers();
        }
    }

    /** As in C FTI, differential checkpoints are not copied, because they continue a single file. */
    @Override
    public boolean isCopiedToNodes(Level level) {
        return level == Level.L4;
    }

    @Override
    public void finishedByHead(Level level, FilePlan filePlan) {
        committed(level, filePlan);
        last = null;
        lastDirectory = levels.metadataDirectory(level, CommitSlot.COMMITTED);
    }

    @Override
    public void describe(Level level, FilePlan filePlan, long timestamp, Optional<String> encodedMd5)
            throws IOException {
        describe(
                level,
                filePlan,
                timestamp,
                encodedMd5,
                (file, member) -> nameAt(level, own(filePlan).ckptId(), file));
    }

    /** Describes files for heads, when the ranks still have separate files with their own names. */
    @Override
    public void describeForHead(Level level, FilePlan filePlan, long timestamp) throws IOException {
        describe(level, filePlan, timestamp, Optional.empty(), (file, member) -> file.name());
    }

    private void describe(Level level, FilePlan filePlan, long timestamp, Optional<String> encodedMd5, Naming naming)
            throws IOException {
        PosixFilePlan own = own(filePlan);
        long largest = Arrays.stream(group.gather(filePlan.size())).max().orElseThrow();
        byte[] part = Agreement.call(app, "describing checkpoint " + own.ckptId(), () -> {
            FileEntry entry = own.entry(largest, encodedMd5);
            return MetadataFiles.bytes(new GroupMetadata(own.type(), own.ckptId(), List.of(entry)));
        });
        List<byte[]> parts = group.gatherAtFirst(part);
        Agreement.run(app, "writing the metadata of checkpoint " + own.ckptId(), () -> {
            if (group.index() == 0) {
                Origin origin = new Origin(timestamp, mode.number(), app.size(), group.sector(), group.id());
                GroupMetadata metadata = new GroupMetadata(
                        own.type(), own.ckptId(), join(parts), shared(level).isPresent(), Optional.of(origin));
                write(metadata, naming);
                own.describedBy(metadata);
            }
        });
    }

    /** Joins metadata that each describe one file. */
    private static List<FileEntry> join(List<byte[]> parts) throws IOException {
        List<FileEntry> files = new ArrayList<>();
        for (byte[] part : parts) {
            files.addAll(GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(part)))
                    .files());
        }
        return files;
    }

    private void write(GroupMetadata metadata, Naming naming) throws IOException {
        Path directory = levels.metadataDirectory(Level.L1, CommitSlot.TMP);
        DirectoryTree.make(directory, storage);
        MetadataFiles.write(directory.resolve(MetadataFiles.name(group)), withNames(metadata, naming), storage);
    }

    /** Returns the name of a file in the metadata of a level. */
    private String nameAt(Level level, int ckptId, FileEntry file) {
        return shared(level)
                .map(writer -> writer.nameInMetadata(ckptId, file.name()))
                .orElse(file.name());
    }

    /** Returns the name of the file of a group member. */
    private interface Naming {
        String name(FileEntry file, int member);
    }

    private static GroupMetadata withNames(GroupMetadata metadata, Naming naming) {
        List<FileEntry> files = new ArrayList<>();
        for (FileEntry file : metadata.files()) {
            files.add(named(file, naming.name(file, files.size())));
        }
        return metadata.withFiles(files);
    }

    /** Gives an entry another name, and keeps the rank if the other name does not tell it. */
    private static FileEntry named(FileEntry file, String name) {
        boolean tells = FileNames.owner(name).isPresent();
        return file.withName(name, tells ? -1 : FileNames.owner(file.name()).orElse(file.rank()));
    }

    @Override
    public void describeCopy(Level level) throws IOException {
        Agreement.run(app, "writing the metadata of a copy", () -> {
            if (group.index() == 0) {
                GroupMetadata metadata = last();
                GroupMetadata copied = metadata.withBlocksDigested(shared(level).isPresent());
                write(copied, (file, member) -> nameAt(level, metadata.ckptId(), file));
            }
        });
    }

    @Override
    public byte[] description(Agreement.Call<String> md5) throws IOException {
        GroupMetadata metadata = last();
        FileEntry own = metadata.files().get(group.index());
        // C FTI may have named it by another rank.
        FileEntry named = own.withName(rankFileName(FileKind.PLAIN, metadata.ckptId()), -1);
        // Where it comes to, there may be another file of its name and size.
        FileEntry digested = own.digest().isEmpty() ? named.withOwnChecksum(md5.call()) : named;
        return MetadataFiles.bytes(metadata.withFiles(List.of(digested)));
    }

    private static GroupMetadata described(byte[] description) throws IOException {
        return GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(description)));
    }

    @Override
    public void verifyMoved(Path path, byte[] description, int ckptId, long timestamp) throws IOException {
        GroupMetadata metadata = described(description);
        FileEntry own = metadata.files().get(0);
        if (!own.name().equals(path.getFileName().toString())) {
            throw MetadataOrigin.refused(
                    path, "it came as " + own.name(), "this is an error of Drumlin: please report it");
        }
        if (own.digest().isEmpty()) {
            content.check(path);
        } else {
            reader.verify(path, content.stored(metadata.ckptId(), own), RetainPolicy.NOTHING);
        }
    }

    @Override
    public void describeMoved(byte[] description) throws IOException {
        List<byte[]> parts = group.gatherAtFirst(description);
        Agreement.run(app, "writing the metadata of files that were moved", () -> {
            if (group.index() == 0) {
                List<FileEntry> files = join(parts);
                long largest = files.stream().mapToLong(FileEntry::size).max().orElseThrow();
                List<FileEntry> ofLevel1 = files.stream()
                        .map(file -> file.withMaxSize(largest).withRsedChecksum(null))
                        .toList();
                GroupMetadata own = described(description);
                Optional<Origin> origin = own.origin()
                        .map(from -> new Origin(from.time(), from.ioMode(), from.ranks(), group.sector(), group.id()));
                write(
                        new GroupMetadata(CkptType.FULL, own.ckptId(), ofLevel1, false, origin),
                        (file, member) -> file.name());
            }
        });
    }

    private GroupMetadata last() throws IOException {
        return last != null ? last : MetadataFiles.read(lastDirectory.resolve(MetadataFiles.name(group)), storage);
    }

    @Override
    public List<StoredCheckpoint> stored(Level level) throws IOException {
        List<StoredCheckpoint> stored = new ArrayList<>();
        if (level == Level.L4_DCP) {
            return stored;
        }
        long[] fileRanks = group.gather(fileRank);
        ListedMetadata listed = ListedMetadata.of(context, levels, level);
        for (CommitSlot slot : CommitSlot.values()) {
            if (!listed.places().contains(slot)) {
                continue;
            }
            // What a checkpoint of another mode has replaced is older than that one, and nobody here can read that one.
            if (slot == CommitSlot.REPLACED && ListedMetadata.isOfAnotherMode(context, levels, level, mode)) {
                continue;
            }
            GroupMetadata[] own = new GroupMetadata[1];
            Path path = levels.metadataDirectory(level, slot).resolve(MetadataFiles.name(group));
            byte[] content = ListedMetadata.ofGroup(context, path);
            if (content.length > 0) {
                rejected.succeeds("reading", path, () -> own[0] = metadata(level, path, content, fileRanks));
            }
            GroupMetadata metadata = own[0] != null && mayBeOfAnotherLevel(level, slot, own[0]) ? null : own[0];
            long time = metadata == null ? 0 : MetadataOrigin.time(metadata);
            long[] ids = metadata == null
                    ? new long[] {0, 0, 0, 0, 0}
                    : new long[] {1, metadata.ckptId(), -metadata.ckptId(), time, -time};
            app.allreduce(ids, Op.MIN);
            // Metadata of groups left by different checkpoints do not form one checkpoint, even if the ids are equal.
            if (metadata != null && ids[0] == 1 && ids[1] == -ids[2] && ids[3] == -ids[4]) {
                stored.add(metadata.type() == CkptType.DCP ? layers(slot, metadata) : remains(level, slot, metadata));
            }
        }
        return stored;
    }

    /**
     * Returns whether metadata may be those of an interrupted checkpoint of another level, which has the same directory
     * {@code tmp}. In a file of all ranks they would be taken for the places of other bytes, if they have no digests.
     */
    private boolean mayBeOfAnotherLevel(Level level, CommitSlot slot, GroupMetadata metadata) {
        return shared(level).isPresent() && slot != CommitSlot.COMMITTED && !metadata.blocksDigested();
    }

    @Override
    public List<String> findElasticCheckpoints(Level level, Numbering numbering) throws IOException {
        if (!content.suffix().equals(FileNames.FTI)) {
            throw DrumlinException.during("restart")
                    .problem("files of the mode HDF5 are read by as many ranks as wrote them")
                    .advice("restart with the number of ranks of the run that wrote them, or take checkpoints in"
                            + " another mode")
                    .exception();
        }
        if (numbering != Numbering.NODE) {
            throw DrumlinException.during("restart")
                    .problem(
                            "the ranks of the former run were not numbered node by node, and the metadata are in the order of"
                                    + " nodes")
                    .advice(
                            "restart with the number of ranks of the run that wrote them; or let mpirun or srun fill one"
                                    + " node after the other, or take checkpoints in the mode FTI-FF")
                    .exception();
        }
        return level == Level.L4 ? PosixElasticCheckpoint.find(run(), rejected) : List.of();
    }

    @Override
    public ElasticCheckpoint elasticCheckpoint(Level level, String found) {
        return PosixElasticCheckpoint.of(run(), found);
    }

    private PosixRun run() {
        return new PosixRun(mode, shared, content, levels, storage, reader);
    }

    private DcpStoredCheckpoint layers(CommitSlot slot, GroupMetadata metadata) throws IOException {
        FileEntry own = metadata.files().get(group.index());
        Path path = levels.directory(Level.L4_DCP, CommitSlot.COMMITTED).resolve(own.name());
        return new DcpStoredCheckpoint(
                storage,
                app,
                rejected,
                slot,
                path,
                own,
                metadata.ckptId(),
                MetadataOrigin.identity(metadata),
                this::opened);
    }

    private void opened(DcpStoredCheckpoint.Opened layers) {
        order = layers.entry().variables().stream().map(VariableEntry::id).toList();
        lastName = layers.entry().name();
        differential.ifPresent(files -> {
            files.completed(layers.ckptId());
            files.resume(layers.entry().name(), layers.file(), layers.isContinued());
        });
    }

    /** Returns the checkpoint that metadata describe. Collective. */
    private PosixStoredCheckpoint remains(Level level, CommitSlot slot, GroupMetadata metadata) throws IOException {
        return new PosixStoredCheckpoint(
                run(), app, group, rejected, level, slot, metadata, locator(level, metadata), this::opened);
    }

    private void opened(GroupMetadata metadata) {
        FileEntry own = metadata.files().get(group.index());
        order = own.variables().stream().map(VariableEntry::id).toList();
        last = metadata;
        lastName = own.name();
        differential.ifPresent(files -> files.completed(metadata.ckptId()));
    }

    /** Finds this rank's bytes in its file. Collective. */
    private SharedFileWriter.Locator locator(Level level, GroupMetadata metadata) throws IOException {
        Optional<SharedFileWriter> writer = shared(level);
        return writer.isPresent()
                ? writer.get().locator(metadata.files().get(group.index()).size())
                : path -> 0;
    }

    /**
     * Returns the metadata of this rank's group, with file names as if each rank had its own file.
     *
     * @param content what the first rank of the group has read
     * @param fileRanks the ranks in the names of the members' files
     */
    private @Nullable GroupMetadata metadata(Level level, Path path, byte[] content, long[] fileRanks)
            throws IOException {
        GroupMetadata metadata = MetadataFiles.read(path, content);
        MetadataOrigin.require(path, metadata, level, mode, group.sector(), group.id());
        requireRanks(path, metadata);
        if (metadata.type() == CkptType.DCP && level != Level.L4) {
            throw MetadataOrigin.refused(path, "this is a differential checkpoint", "there are none at this level");
        }
        if (metadata.files().size() != group.size()) {
            throw MetadataOrigin.refused(
                    path,
                    "the group had " + metadata.files().size() + " ranks and has " + group.size() + " now",
                    "restart with the number of ranks, node_size and group_size of the run that wrote it");
        }
        Optional<String> sharedName = shared(level).map(writer -> writer.fileName(metadata.ckptId()));
        FileEntry own = metadata.files().get(group.index());
        if (metadata.origin().isEmpty()
                && sharedName.equals(Optional.of(own.name()))
                && !(context.byPlace() || topology.isNumberedByNode())) {
            throw notTold(path, "the metadata of C FTI do not say which ranks were on which node");
        }
        GroupMetadata named = withNames(
                metadata,
                (file, member) -> sharedName.equals(Optional.of(file.name()))
                        ? FileNames.fileName(
                                FileKind.PLAIN,
                                metadata.ckptId(),
                                file.rank() < 0 ? (int) fileRanks[member] : file.rank())
                        : file.name());
        String name = named.files().get(group.index()).name();
        boolean known = metadata.type() == CkptType.DCP
                ? FileNames.differential(name).isPresent()
                : FileNames.owner(name).isPresent();
        if (!known) {
            throw MetadataOrigin.refused(
                    path, "[" + group.index() + "] ckpt_file_name is " + name, "the metadata are damaged");
        }
        return isOfTheseRanks(path, named, fileRanks) ? named : null;
    }

    /**
     * Returns whether the ranks were dealt out to the nodes in this way when metadata were written. Metadata go by
     * place: otherwise a rank would take the file of another one for its own.
     */
    private boolean isOfTheseRanks(Path path, GroupMetadata metadata, long[] fileRanks) throws DrumlinException {
        for (int member = 0; member < fileRanks.length; member++) {
            String name = metadata.files().get(member).name();
            int owner = FileNames.differential(name)
                    .map(FileNames.Differential::rank)
                    .orElse(FileNames.owner(name).orElse(-1));
            if (owner >= 0
                    && owner != fileRanks[member]
                    && (metadata.origin().isPresent() || !context.isPlaceOfCFti(owner))) {
                if (metadata.origin().isEmpty()) {
                    throw notTold(path, "at the place of rank " + fileRanks[member] + " is the file of rank " + owner);
                }
                return false;
            }
        }
        return true;
    }

    private static DrumlinException notTold(Path path, String problem) {
        return MetadataOrigin.refused(
                path,
                problem + ": it cannot be told whose data C FTI has put there",
                "let mpirun (--map-by) or srun (--distribution) place the ranks on the nodes as in the run that wrote it");
    }

    private void requireRanks(Path path, GroupMetadata metadata) throws DrumlinException {
        int now = topology.ranksOfApplication();
        int ranks = metadata.origin().map(Origin::ranks).orElse(now);
        if (ranks != now) {
            throw MetadataOrigin.refused(
                    path,
                    "the checkpoint is of " + ranks + " ranks, and there are " + now + " now",
                    "restart with the number of ranks of the run that wrote it");
        }
    }
}
