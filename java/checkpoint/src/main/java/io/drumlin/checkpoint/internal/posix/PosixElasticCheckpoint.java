package io.drumlin.checkpoint.internal.posix;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.inventory.MetadataOrigin;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint in the modes POSIX, MPI-IO and SIONlib. The rank count is derived from the metadata, which have a file
 * for each group with a section for each member; {@code RecordedRankCounts} checks that none is missing.
 */
final class PosixElasticCheckpoint implements ElasticCheckpoint {

    /**
     * The groups of a checkpoint. Each sector has the same number of groups.
     *
     * @param time time of the checkpoint; below 0 if C FTI has written it
     * @param first number of the first group with metadata in a sector; with heads the first group is that of the
     *     heads, which has none
     * @param size members of each group
     */
    private record Groups(long time, int sectors, int first, int count, int size) {}

    private final PosixRun run;
    private final CommitSlot metadataSlot;
    private final CommitSlot slot;
    private final int ckptId;
    private final Groups groups;
    private final boolean mustHaveDigests;

    /** Bytes of each rank, in the modes in which all ranks share a file. */
    private long[] sizes = {};

    /** Metadata of the groups that were read so far. */
    private final Map<Integer, GroupMetadata> metadata = new HashMap<>();

    private int sector = -1;

    private PosixElasticCheckpoint(
            PosixRun run,
            CommitSlot metadataSlot,
            CommitSlot slot,
            int ckptId,
            Groups groups,
            boolean mustHaveDigests,
            long[] sizes) {
        this.run = run;
        this.metadataSlot = metadataSlot;
        this.slot = slot;
        this.ckptId = ckptId;
        this.groups = groups;
        this.mustHaveDigests = mustHaveDigests;
        this.sizes = sizes;
    }

    /**
     * Finds the checkpoints on one rank. A place whose metadata say too little is left out.
     *
     * @return one line per checkpoint for {@link #of}, newest first, to be sent to the other ranks
     */
    static List<String> find(PosixRun run, RejectedFiles rejected) throws IOException {
        boolean replacing = exists(run, CommitSlot.REPLACED) || existsMetadata(run, CommitSlot.REPLACED);
        List<String> found = new ArrayList<>();
        for (CommitSlot metadata : CommitSlot.values()) {
            // The directory tmp may have metadata of another level or of an unfinished checkpoint.
            if (existsMetadata(run, metadata) && (metadata != CommitSlot.TMP || replacing)) {
                Path directory = run.places().metadataDirectory(Level.L4, metadata);
                rejected.succeeds("reading the metadata in", directory, () -> {
                    String groups = groups(run, directory);
                    for (CommitSlot slot : CommitSlot.values()) {
                        if (exists(run, slot)) {
                            found.add(String.format(Locale.ROOT, "%s %s %b %s", metadata, slot, replacing, groups));
                        }
                    }
                });
            }
        }
        return found;
    }

    private static boolean exists(PosixRun run, CommitSlot slot) throws IOException {
        return PathStatus.isDirectory(run.places().directory(Level.L4, slot));
    }

    private static boolean existsMetadata(PosixRun run, CommitSlot slot) throws IOException {
        return PathStatus.isDirectory(run.places().metadataDirectory(Level.L4, slot));
    }

    /** Returns the id of the checkpoint and its groups as text. */
    private static String groups(PosixRun run, Path directory) throws IOException {
        Set<List<Integer>> numbers = new HashSet<>();
        for (Path file : PathStatus.entries(directory)) {
            Matcher name = FileNames.METADATA_FILE.matcher(file.getFileName().toString());
            if (name.matches()) {
                numbers.add(List.of(Integer.parseInt(name.group(1)), Integer.parseInt(name.group(2))));
            }
        }
        if (numbers.isEmpty()) {
            throw refused(directory, "there are no metadata in it");
        }
        int sectors = 1 + numbers.stream().mapToInt(each -> each.get(0)).max().orElseThrow();
        int first = numbers.stream().mapToInt(each -> each.get(1)).min().orElseThrow();
        int count =
                1 - first + numbers.stream().mapToInt(each -> each.get(1)).max().orElseThrow();
        if (numbers.size() != (long) sectors * count) {
            throw refused(
                    directory,
                    "there are metadata of " + numbers.size() + " groups and not of " + (long) sectors * count);
        }
        GroupMetadata one = MetadataFiles.read(directory.resolve(GroupMetadata.fileName(0, first)), run.storage());
        MetadataOrigin.require(directory, one, Level.L4, run.mode(), 0, first);
        if (one.type() == CkptType.DCP) {
            throw DrumlinException.during("restart")
                    .path(directory)
                    .problem("the checkpoint is a differential one of the mode POSIX")
                    .advice("restart with the number of ranks of the run that wrote it")
                    .exception();
        }
        return MetadataOrigin.time(one) + " " + one.ckptId() + " " + sectors + " " + first + " " + count + " "
                + one.files().size();
    }

    /** Returns a checkpoint that {@link #find} found. */
    static PosixElasticCheckpoint of(PosixRun run, String line) {
        String[] words = line.split(" ", -1);
        CommitSlot metadata = CommitSlot.valueOf(words[0]);
        CommitSlot slot = CommitSlot.valueOf(words[1]);
        boolean inPlace =
                metadata == CommitSlot.COMMITTED && slot == CommitSlot.COMMITTED && !Boolean.parseBoolean(words[2]);
        Groups groups = new Groups(
                Long.parseLong(words[3]), number(words[5]), number(words[6]), number(words[7]), number(words[8]));
        return new PosixElasticCheckpoint(run, metadata, slot, number(words[4]), groups, !inPlace, new long[0]);
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }

    @Override
    public Level level() {
        return Level.L4;
    }

    @Override
    public int ckptId() {
        return ckptId;
    }

    @Override
    public int ranks() {
        return groups.sectors * groups.count * groups.size;
    }

    @Override
    public Path missingFile(int stored) {
        boolean sectors = stored % (groups.count * groups.size) == 0;
        String name = sectors
                ? GroupMetadata.fileName(groups.sectors, groups.first)
                : GroupMetadata.fileName(0, groups.first + groups.count);
        return run.places().metadataDirectory(Level.L4, metadataSlot).resolve(name);
    }

    @Override
    public CommitSlot slot() {
        return slot;
    }

    @Override
    public CommitSlot metadataSlot() {
        return metadataSlot;
    }

    @Override
    public void prepareParts(Communicator app) throws IOException {
        if (run.shared().isEmpty()) {
            return;
        }
        long[] found = new long[ranks()];
        Agreement.run(app, "reading the metadata of checkpoint " + ckptId, () -> {
            for (int rank = app.rank(); rank < ranks(); rank += app.size()) {
                found[rank] = entry(rank).size();
            }
        });
        app.allreduce(found, Op.SUM);
        sizes = found;
    }

    /** Returns the entry of a rank. The ranks of a node follow each other, and each is in a different group. */
    private FileEntry entry(int rank) throws IOException {
        int node = rank / groups.count;
        GroupMetadata group = group(node / groups.size, groups.first + rank % groups.count);
        FileEntry entry = group.files().get(node % groups.size);
        int owner = FileNames.owner(entry.name()).orElse(entry.rank());
        // Names count the heads, which are the first ranks of each node.
        int fileRank = rank + (node + 1) * groups.first;
        // After a restart in another order C FTI names files by the new ranks, as in PosixMode.
        boolean isNamedAgain = group.origin().isEmpty() && (owner - fileRank) % (groups.first + groups.count) == 0;
        if (owner >= 0 && owner != fileRank && !isNamedAgain) {
            throw refused(
                    run.places().metadataDirectory(Level.L4, metadataSlot),
                    "at the place of rank " + fileRank + " is the file of rank " + owner
                            + ": the ranks were dealt out to the nodes in another way");
        }
        // C FTI writes arbitrary checksums of blocks.
        return run.shared().isPresent() && !group.blocksDigested() ? entry.withChecksum("") : entry;
    }

    private GroupMetadata group(int ofSector, int number) throws IOException {
        if (ofSector != sector) {
            metadata.clear();
            sector = ofSector;
        }
        @Nullable GroupMetadata known = metadata.get(number);
        if (known == null) {
            Path path = run.places()
                    .metadataDirectory(Level.L4, metadataSlot)
                    .resolve(GroupMetadata.fileName(ofSector, number));
            known = MetadataFiles.read(path, run.storage());
            MetadataOrigin.require(path, known, Level.L4, run.mode(), ofSector, number);
            if (known.type() != CkptType.FULL
                    || known.ckptId() != ckptId
                    || MetadataOrigin.time(known) != groups.time
                    || known.files().size() != groups.size) {
                throw refused(
                        path,
                        "its type is " + known.type() + ", its checkpoint " + known.ckptId() + ", and it has "
                                + known.files().size() + " members; or it was taken at another time; that of group "
                                + groups.first + " is checkpoint "
                                + ckptId + " and has " + groups.size);
            }
            metadata.put(number, known);
        }
        return known;
    }

    private Path path(FileEntry entry) throws DrumlinException {
        Path directory = run.places().directory(Level.L4, slot);
        if (run.shared().isPresent()) {
            return directory.resolve(run.shared().get().fileName(ckptId));
        }
        if (FileNames.plainOwner(entry.name()).isEmpty()) {
            throw refused(directory, "the metadata call one of its files " + entry.name());
        }
        return directory.resolve(entry.name());
    }

    private long start(int rank, FileEntry entry, Path path) throws IOException {
        if (run.shared().isPresent()) {
            return run.shared().get().start(path, rank, sizes);
        }
        long found = PathStatus.size(path);
        if (found != entry.size()) {
            throw refused(path, "it has " + found + " bytes and the metadata say " + entry.size());
        }
        return 0;
    }

    @Override
    public Part part(int rank) throws IOException {
        FileEntry entry = entry(rank);
        Path path = path(entry);
        return new Part(path, run.content().stored(ckptId, entry).movedBy(start(rank, entry, path)), 0);
    }

    @Override
    public List<BlockSums> check(int rank) throws IOException {
        Part part = part(rank);
        if (!entry(rank).digest().isEmpty()) {
            return run.reader().verifyBlocks(part.path(), part.file());
        }
        if (mustHaveDigests) {
            throw refused(
                    part.path(),
                    "the metadata have no digest by which it could be known, and a commit was interrupted");
        }
        return List.of();
    }

    @Override
    public ElasticCheckpoint inPlace() {
        return new PosixElasticCheckpoint(
                run, CommitSlot.COMMITTED, CommitSlot.COMMITTED, ckptId, groups, mustHaveDigests, sizes);
    }

    private static DrumlinException refused(Path path, String problem) {
        return DrumlinException.during("restart")
                .path(path)
                .problem(problem)
                .advice("it is damaged or not whole; another checkpoint is needed")
                .exception();
    }
}
