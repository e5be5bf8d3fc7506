package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.file.ChunkedFile;
import io.drumlin.checkpoint.internal.file.FilePlan;
import io.drumlin.checkpoint.internal.file.IncrementalWriter;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.ListedFiles;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.integrity.LastByte;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The mode FTI-FF. Every file carries its own metadata (docs/formats/fti-ff.md), and the containers of a run keep their
 * places from one checkpoint to the next.
 *
 * <p>All files of a checkpoint of Drumlin carry a {@link Stamp} of the checkpoint and of their rank. Therefore files of
 * different checkpoints are never mixed, even if ids repeat, and files of different ranks are never exchanged. Files of
 * C FTI carry a clock reading of each rank. They are matched by id if they lie in the level's directory and no commit
 * of Drumlin was under way, and they are never combined with stamped files.
 */
public final class FtiFfMode implements IoMode {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final RankContext context;
    private final Group group;
    private final Topology topology;
    private final int fileRank;
    private final CheckpointDirectories levels;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final Optional<FtiFfDifferential> differential;
    private final FtiFfReader reader;
    private final RejectedFiles rejected;
    private final Layout layout;
    private final Packing packing;
    private ContainerPlan plan;

    /** Ids of the variables in the file from which the run was restarted, in file order. */
    private List<Integer> restored = List.of();

    /**
     * Creates the mode for a rank.
     *
     * @param layout of new files; files of all layouts are read
     */
    public FtiFfMode(
            RankContext context,
            CheckpointDirectories levels,
            Layout layout,
            Packing packing,
            Optional<DifferentialConfig> differential) {
        this.context = context;
        app = context.app();
        group = context.group();
        topology = context.topology();
        fileRank = topology.fileRank();
        this.levels = levels;
        storage = context.storage();
        slabs = context.slabs();
        rejected = context.rejected();
        reader = new FtiFfReader(storage, context.reader(), rejected);
        this.layout = layout;
        this.packing = packing;
        this.differential = differential.map(config -> new FtiFfDifferential(storage, slabs, config));
        plan = ContainerPlan.empty(packing);
    }

    @Override
    public FilePlan planFile(int ckptId, long timestamp, Map<Integer, ProtectedData> data) throws IOException {
        try {
            return new FtiFfFilePlan(
                    layout, plan.next(sizes(data)), data, ckptId, Stamp.of(timestamp, ckptId, fileRank));
        } catch (IllegalArgumentException e) {
            throw DrumlinException.during("laying out checkpoint " + ckptId)
                    .cause(e)
                    .exception();
        }
    }

    @Override
    public long identity(int ckptId, long timestamp) {
        return CheckpointIdentity.ofStamp(
                Stamp.of(timestamp, ckptId, 0).common(ckptId, 0).orElseThrow());
    }

    @Override
    public IncrementalWriter incrementalWriter(Level level, Path path) throws IOException {
        if (level != Level.L4_DCP) {
            return new FtiFfIncrementalWriter(new ChunkedFile(storage, slabs, path), layout, plan, fileRank);
        }
        Path committed = levels.directory(level, CommitSlot.COMMITTED).resolve(FileNames.differentialName(fileRank));
        return new FtiFfIncrementalWriter(
                differential.orElseThrow().begin(path, committed, plan.dataSize()), layout, plan, fileRank);
    }

    @Override
    public void requireIncrementalFiles() {
        if (!layout.atEnd()) {
            throw new IllegalArgumentException("there are no incremental or differential checkpoints in layout "
                    + layout + ": its checksum is over data that may have changed when it is made");
        }
    }

    @Override
    public Path differentialFile(RunDirectory directories) {
        return RunDirectory.spare(directories.global()).resolve(FileNames.differentialName(fileRank));
    }

    /**
     * Returns the ids in the order of the file: after a restart first the variables of the file, in their order there,
     * then the others in the order of their first protection.
     */
    @Override
    public List<Integer> order(Map<Integer, ProtectedData> data) {
        Set<Integer> ids = new LinkedHashSet<>(restored);
        ids.retainAll(data.keySet());
        ids.addAll(data.keySet());
        return List.copyOf(ids);
    }

    private List<VariableSize> sizes(Map<Integer, ProtectedData> data) {
        List<VariableSize> sizes = new ArrayList<>();
        for (int id : order(data)) {
            ProtectedData variable = data.get(id);
            if (variable != null) {
                sizes.add(new VariableSize(id, variable.size()));
            }
        }
        return sizes;
    }

    @Override
    public String rankFileName(FileKind kind, int ckptId) {
        return FileNames.fileName(kind, ckptId, fileRank);
    }

    @Override
    public String plainName(Level level, int ckptId) {
        return level == Level.L4_DCP
                ? FileNames.differentialName(fileRank)
                : FileNames.fileName(FileKind.PLAIN, ckptId, fileRank);
    }

    @Override
    public long changedBytes() {
        return differential.map(FtiFfDifferential::changedBytes).orElse(0L);
    }

    @Override
    public void committed(Level level, FilePlan filePlan) {
        if (!(filePlan instanceof FtiFfFilePlan own)) {
            throw new IllegalArgumentException("a draft of another mode");
        }
        plan = own.plan();
        if (level == Level.L4_DCP) {
            // From now on all containers are part of a differential checkpoint.
            plan = ContainerPlan.of(plan.blocks(), packing);
            differential.orElseThrow().committed();
        }
    }

    /**
     * A file of this rank whose metadata are whole.
     *
     * @param common the value that all files of the checkpoint share, or {@link FtiFfReader#UNMARKED}
     */
    private record Candidate(FileKind kind, FileLocation place, int ckptId, long common, FtiFfFile file) {}

    /** The id and the value that all files of a checkpoint share. */
    private record Key(int ckptId, long common) {
        boolean matches(Candidate candidate) {
            return candidate.ckptId == ckptId && candidate.common == common;
        }
    }

    @Override
    public List<StoredCheckpoint> stored(Level level) throws IOException {
        List<Candidate> own = new ArrayList<>();
        // A copy is a byte-for-byte copy of the left neighbour's file.
        int left = (int) group.gather(fileRank)[group.left()];
        ListedFiles listed = ListedFiles.of(context, levels, level);
        for (CommitSlot slot : CommitSlot.values()) {
            for (FileKind kind : FileKind.values()) {
                candidates(level, slot, kind, kind == FileKind.PARTNER ? left : fileRank, listed, own);
            }
        }
        Path replaced = levels.directory(level, CommitSlot.REPLACED);
        boolean[] replacing = {false};
        if (context.sharing(level).rank() == 0) {
            rejected.succeeds("looking for", replaced, () -> replacing[0] = PathStatus.exists(replaced));
        }
        boolean isReplacing = Agreement.any(app, replacing[0]);
        own.removeIf(candidate -> candidate.common == FtiFfReader.UNMARKED
                && (isReplacing || candidate.place.slot() != CommitSlot.COMMITTED));
        List<StoredCheckpoint> stored = new ArrayList<>();
        for (Key key : keys(own)) {
            List<Candidate> files = own.stream().filter(key::matches).toList();
            if (key.common != FtiFfReader.UNMARKED || mayBeOfOneCheckpoint(level, key, files)) {
                stored.add(new Remains(level, key, files, left));
            }
        }
        return stored;
    }

    /**
     * Returns whether files without a stamp may belong to one checkpoint: of C FTI, in which each rank reads a clock. If
     * files share a timestamp, they belong to two checkpoints, or two are copies of one file. Collective.
     */
    private boolean mayBeOfOneCheckpoint(Level level, Key key, List<Candidate> files) throws IOException {
        Optional<FtiFfFile> plain = files.stream()
                .filter(file -> file.kind == FileKind.PLAIN)
                .map(Candidate::file)
                .findFirst();
        ByteBuffer own = ByteBuffer.allocate(2 * Long.BYTES);
        own.putLong(plain.map(file -> file.meta().timestamp()).orElse(FtiFfReader.UNMARKED));
        own.putLong(plain.map(file -> (long) file.layout().name().charAt(0)).orElse(FtiFfReader.UNMARKED));
        ByteBuffer all = ByteBuffer.allocate(app.rank() == 0 ? Math.multiplyExact(own.capacity(), app.size()) : 0);
        app.gather(own.flip(), all, 0);
        boolean may = app.rank() != 0 || UnmarkedFiles.mayBeOfOneCheckpoint(all.clear());
        if (!may) {
            Path directory = levels.directory(level, CommitSlot.COMMITTED);
            rejected.refuse("reading", directory, UnmarkedFiles.mixed(directory, key.ckptId));
        }
        return Agreement.all(app, may);
    }

    private void candidates(
            Level level, CommitSlot slot, FileKind kind, int rank, ListedFiles listed, List<Candidate> found) {
        for (String name : listed.ofRank(slot, fileRank)) {
            if (!isOf(level, kind, name)) {
                continue;
            }
            Path path = levels.directory(level, slot).resolve(name);
            rejected.succeeds("reading", path, () -> {
                // A pipe does not count, because opening it would wait for its other end.
                if (!PathStatus.isRegularFile(path)) {
                    return;
                }
                FtiFfFile file = reader.metadata(kind, path);
                int ckptId = FileNames.ckptId(path).orElse(file.meta().ckptId());
                long common = FtiFfReader.common(path, file, ckptId, rank, topology.ranks());
                FtiFfReader.requireId(kind, path, file, ckptId, common);
                found.add(new Candidate(kind, new FileLocation(slot, path), ckptId, common, file));
            });
        }
    }

    private boolean isOf(Level level, FileKind kind, String name) {
        return level == Level.L4_DCP
                ? kind == FileKind.PLAIN && name.equals(FileNames.differentialName(fileRank))
                : name.contains("-" + kind.word());
    }

    /**
     * Returns the distinct keys, newest first: sorted by place, then by descending id, because ids may repeat and
     * decrease. A whole checkpoint has files in every group, so only the first group proposes keys; it has few ranks,
     * while the run may have thousands.
     */
    private List<Key> keys(List<Candidate> candidates) throws IOException {
        Map<Key, Integer> own = new HashMap<>();
        if (context.isOfFirstGroup()) {
            candidates.forEach(each -> own.merge(
                    new Key(each.ckptId, each.common), each.place.slot().age(), Math::min));
        }
        List<Key> keys = new ArrayList<>();
        while (true) {
            long slot = highest(own.values().stream().mapToLong(place -> -place));
            if (slot == Long.MIN_VALUE) {
                return keys;
            }
            long id = highest(own.entrySet().stream()
                    .filter(each -> -each.getValue() == slot)
                    .mapToLong(each -> each.getKey().ckptId));
            long common = highest(own.entrySet().stream()
                    .filter(each -> -each.getValue() == slot && each.getKey().ckptId == id)
                    .mapToLong(each -> each.getKey().common));
            Key key = new Key((int) id, common);
            own.remove(key);
            keys.add(key);
        }
    }

    /** Returns the highest value of all ranks. */
    private long highest(LongStream values) throws IOException {
        return Agreement.max(app, values.max().orElse(Long.MIN_VALUE));
    }

    @Override
    public void verifyMoved(Path path, byte[] description, int ckptId, long timestamp) throws IOException {
        FtiFfFile file = reader.metadata(FileKind.PLAIN, path);
        reader.check(FileKind.PLAIN, path, file, RetainPolicy.NOTHING);
        if (file.stamp().common(ckptId, fileRank).isEmpty()) {
            reader.stamp(path, file, Stamp.of(timestamp, ckptId, fileRank));
        }
    }

    @Override
    public List<String> findElasticCheckpoints(Level level, Numbering numbering) throws IOException {
        if (numbering == Numbering.OTHER) {
            throw DrumlinException.during("restart")
                    .problem(
                            "the ranks of the former run were not numbered node by node, its data belong to places in the"
                                    + " order of nodes, and the files of the mode FTI-FF do not say where the ranks were that wrote"
                                    + " them")
                    .advice("restart with the number of ranks of the run that wrote them; or let mpirun or srun fill"
                            + " one node after the other, in both")
                    .exception();
        }
        return FtiFfElasticCheckpoint.find(reader, levels, level);
    }

    @Override
    public ElasticCheckpoint elasticCheckpoint(Level level, String found) throws IOException {
        return FtiFfElasticCheckpoint.of(reader, levels, level, found);
    }

    /** The files of one checkpoint. */
    private final class Remains implements StoredCheckpoint {

        private final Level level;
        private final Key key;
        private final List<Candidate> files;
        private final int left;
        private @Nullable FtiFfEncoding encoding;

        /** @param left rank in the name of the left neighbour's files */
        Remains(Level level, Key key, List<Candidate> files, int left) {
            this.left = left;
            this.level = level;
            this.key = key;
            this.files = files;
        }

        @Override
        public Level level() {
            return level;
        }

        @Override
        public int ckptId() {
            return key.ckptId;
        }

        @Override
        public OptionalLong identity() {
            return key.common == FtiFfReader.UNMARKED
                    ? OptionalLong.empty()
                    : OptionalLong.of(CheckpointIdentity.ofStamp(key.common));
        }

        @Override
        public String fileName(FileKind kind) {
            return level == Level.L4_DCP
                    ? FileNames.differentialName(fileRank)
                    : FileNames.fileName(kind, key.ckptId, fileRank);
        }

        @Override
        public EnumMap<FileKind, List<FileLocation>> places() {
            EnumMap<FileKind, List<FileLocation>> places = new EnumMap<>(FileKind.class);
            for (FileKind kind : FileKind.values()) {
                places.put(
                        kind,
                        files.stream()
                                .filter(file -> file.kind == kind)
                                .map(Candidate::place)
                                .toList());
            }
            return places;
        }

        /** Checks rebuilt files too, which shows from which checkpoint's files they were rebuilt. */
        @Override
        public void check(FileKind kind, Path path, RetainPolicy keep) throws IOException {
            reader.check(kind, path, metadata(kind, path), keep);
        }

        /** Reads metadata, and compares them with their stamp on this very read: it has a sum of the records. */
        private FtiFfFile metadata(FileKind kind, Path path) throws IOException {
            FtiFfFile file = reader.metadata(kind, path);
            long common = FtiFfReader.common(
                    path, file, key.ckptId, kind == FileKind.PARTNER ? left : fileRank, topology.ranks());
            FtiFfReader.requireId(kind, path, file, key.ckptId, common);
            if (common != key.common) {
                throw FtiFfReader.unusable(path, "it is of another checkpoint " + key.ckptId + ", or of another rank");
            }
            return file;
        }

        @Override
        public Optional<StoredFile> digested(FileKind kind, Path path) throws IOException {
            FtiFfFile file = metadata(kind, path);
            if (kind == FileKind.ENCODED) {
                return Optional.of(
                        StoredFile.of(key.ckptId, file.meta().fs(), file.meta().checksum()));
            }
            return file.layout() == Layout.A
                    ? Optional.empty()
                    : Optional.of(FtiFfFilePlan.stored(key.ckptId, file.blocks()));
        }

        /**
         * Only the name of a file says to which rank it belongs. With another group_size the copies belong to other
         * ranks.
         */
        @Override
        public boolean isOfTheseGroups(EnumSet<FileKind> whole) throws IOException {
            if (level != Level.L2) {
                return true;
            }
            long copy = digest(FileKind.PARTNER, whole);
            long left = group.gather(digest(FileKind.PLAIN, whole))[group.left()];
            boolean fits = Agreement.all(app, copy == 0 || left == 0 || copy == left);
            if (!fits && app.rank() == 0) {
                LOG.log(
                        Logger.Level.WARNING,
                        "checkpoint {0} of level 2 was written with another group_size: its copies are not of the"
                                + " neighbours of this run; it is not used",
                        Integer.toString(key.ckptId));
            }
            return fits;
        }

        /** Returns a part of the digest of a file; 0 if there is no file. */
        private long digest(FileKind kind, EnumSet<FileKind> whole) {
            return files.stream()
                    .filter(candidate -> candidate.kind == kind && whole.contains(kind))
                    .findFirst()
                    .map(candidate -> HexFormat.fromHexDigitsToLong(
                            candidate.file.meta().checksum().substring(0, Long.BYTES * 2)))
                    .orElse(0L);
        }

        @Override
        public Optional<Long> extendedSize() {
            return files.stream()
                    .map(candidate -> candidate.file.meta().maxFs())
                    .filter(size -> size > 0)
                    .findFirst();
        }

        @Override
        public long plainSize(ByteSource extended) throws IOException {
            Layout written = encoding().layout();
            if (written.atEnd()) {
                ByteBuffer size = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                extended.readFully(extended.size() - Long.BYTES, size);
                return size.getLong(0);
            }
            ByteBuffer record = ByteBuffer.allocate(written.fileMetaLength());
            extended.readFully(0, record);
            return written.fileMeta(record.flip()).fs();
        }

        @Override
        public OptionalInt lastByte(ByteSource decoded) throws IOException {
            FtiFfFile file = FtiFfFile.read(decoded);
            long end = decoded.size();
            if (file.layout() == Layout.A) {
                return lastByte(
                        decoded, file.layout().fileMetaLength(), file.meta().checksum());
            }
            Optional<VariableMeta> last = file.containers()
                    .filter(container -> container.chunkSize() > 0 && container.fptr() + container.chunkSize() == end)
                    .findFirst();
            // After the last chunk there are zeros.
            return last.isEmpty()
                    ? OptionalInt.of(0)
                    : lastByte(decoded, last.get().fptr(), last.get().hash());
        }

        private OptionalInt lastByte(ByteSource decoded, long from, String md5) throws IOException {
            return LastByte.of(decoded, from, HexFormat.of().parseHex(md5));
        }

        @Override
        public FtiFfEncoding encoding() throws IOException {
            if (encoding != null) {
                return encoding;
            }
            // A rank that has lost its files takes the layout, and the timestamp of C FTI, from the other ranks of its
            // group.
            long[] known = {Long.MIN_VALUE, Long.MIN_VALUE};
            for (Candidate candidate : files) {
                known[0] = candidate.file.layout().name().charAt(0);
                known[1] = candidate.file.meta().timestamp();
            }
            group.comm().allreduce(known, Op.MAX);
            Stamp stamp = key.common == FtiFfReader.UNMARKED
                    ? Stamp.unmarked(known[1])
                    : Stamp.ofCommon(key.common, key.ckptId, fileRank);
            encoding = new FtiFfEncoding(Layout.valueOf(Character.toString((char) known[0])), key.ckptId, stamp);
            return encoding;
        }

        @Override
        public StoredFile open(Path path) throws IOException {
            FtiFfFile file = metadata(FileKind.PLAIN, path);
            boolean unmarked = key.common == FtiFfReader.UNMARKED;
            if (unmarked && !metadata(FileKind.PLAIN, path).blocks().equals(file.blocks())) {
                // C FTI's files have no sum of the records, but a wrong bit on the way does not come twice.
                throw FtiFfReader.unusable(path, "two reads of its records differ");
            }
            plan = ContainerPlan.of(file.blocks(), packing);
            restored = plan.variables().stream().map(VariableSize::id).toList();
            return FtiFfFilePlan.stored(key.ckptId, file.blocks());
        }
    }
}
