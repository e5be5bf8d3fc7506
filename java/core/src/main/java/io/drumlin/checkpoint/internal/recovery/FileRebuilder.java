package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.UnfinishedFile;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Incoming;
import io.drumlin.checkpoint.internal.redundancy.PartnerCopy.Outgoing;
import io.drumlin.checkpoint.internal.redundancy.ReedSolomonGroup;
import io.drumlin.checkpoint.internal.redundancy.VerifiedTransfer;
import io.drumlin.checkpoint.internal.redundancy.WindowHasher;
import io.drumlin.checkpoint.internal.redundancy.WindowHasher.Passing;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.ChunkSchedule;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Rebuilds the lost files of a checkpoint of level 2 or 3, so that it survives another loss
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>A file is rebuilt under another name, verified completely, and renamed. Existing files are therefore never
 * touched, and after a failure everything recoverable is still recoverable.
 */
public final class FileRebuilder {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Group group;
    private final StorageEngine storage;
    private final PartnerCopy partner;
    private final SlabPool slabs;

    /** Files that were received or rebuilt before the existing files were verified, by kind, under another name. */
    private final Map<FileKind, Path> ahead = new EnumMap<>(FileKind.class);

    /** The directory that was created for these files. */
    private Optional<Path> createdDirectory = Optional.empty();

    /** The files of level 3 rebuilt ahead, and this rank's files from which they were rebuilt. */
    private Optional<Rebuilt> rebuiltAhead = Optional.empty();

    /** Member of the group whose plain file is not used for rebuilding although it seems to be whole. */
    private OptionalInt leftOut = OptionalInt.empty();

    public FileRebuilder(Communicator app, Group group, StorageEngine storage, SlabPool slabs) {
        this.app = app;
        this.group = group;
        this.storage = storage;
        partner = new PartnerCopy(group, storage, slabs);
        this.slabs = slabs;
    }

    /**
     * Sends the files that replace lost ones of level 2, and writes the received ones under another name, in one pass.
     * The files are verified only afterwards, without being read again. If this is not possible, or fails,
     * {@link #restore} does the work in two passes. Collective.
     *
     * @param directory directory of this rank's files of the checkpoint
     * @param present kinds of the files that this rank has
     * @param reader receives the digests of the sent and rebuilt files
     */
    void sendAhead(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, CheckpointReader reader)
            throws IOException {
        try {
            if (Files.notExists(directory)) {
                createdDirectory = Optional.of(directory);
            }
            makeReady(directory);
            VerifiedTransfer transfer = new VerifiedTransfer(app, group, storage, slabs, reader);
            sendAhead(
                    transfer,
                    stored,
                    directory,
                    present,
                    FileKind.PLAIN,
                    group.right(),
                    FileKind.PARTNER,
                    group.left());
            sendAhead(
                    transfer,
                    stored,
                    directory,
                    present,
                    FileKind.PARTNER,
                    group.left(),
                    FileKind.PLAIN,
                    group.right());
        } catch (IOException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "the files that are left are verified before they are sent: {0}",
                    e.getMessage());
            reader.forget();
            deleteAhead();
        }
    }

    private void sendAhead(
            VerifiedTransfer transfer,
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            FileKind given,
            int to,
            FileKind wanted,
            int from)
            throws IOException {
        BitSet wantedThere = group.ranksWith(present.contains(wanted));
        BitSet givenThere = group.ranksWith(present.contains(given));
        Path source = path(directory, stored, given);
        Path target = path(directory, stored, wanted);
        Optional<VerifiedTransfer.Outgoing> outgoing = !wantedThere.get(to) && present.contains(given)
                ? Optional.of(new VerifiedTransfer.Outgoing(
                        to, source, given == FileKind.PLAIN, () -> plan(transfer, stored, given, source)))
                : Optional.empty();
        Optional<VerifiedTransfer.Incoming> incoming = !present.contains(wanted) && givenThere.get(from)
                ? Optional.of(new VerifiedTransfer.Incoming(
                        from, UnfinishedFile.unfinished(target), wanted == FileKind.PLAIN))
                : Optional.empty();
        if (incoming.isPresent()) {
            ahead.put(wanted, target);
        }
        if (!transfer.transfer(outgoing, incoming)) {
            ahead.remove(wanted);
        }
    }

    private static Optional<ChunkSchedule> plan(
            VerifiedTransfer transfer, StoredCheckpoint stored, FileKind kind, Path path) {
        try {
            long size = PathStatus.size(path);
            return stored.digested(kind, path).flatMap(meta -> transfer.plan(size, meta));
        } catch (IOException e) {
            // The verification of the file reports this failure.
            LOG.log(Logger.Level.DEBUG, "{0} is not sent ahead: {1}", path, e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Rebuilds lost files of level 3 under another name in the same pass that reads the existing files for
     * verification, in the groups in which this is possible. If it fails, {@link #restore} rebuilds the files.
     * Collective.
     *
     * @param directory directory of this rank's files of the checkpoint
     * @param present kinds of the files that this rank has
     * @param reader receives the digests of the files that were read
     * @param meanwhile work of ranks whose group does not take part
     */
    void rebuildAhead(
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            CheckpointReader reader,
            Agreement.Step meanwhile)
            throws IOException {
        WindowHasher[] hashes = new WindowHasher[1];
        EnumSet<FileKind> lost = EnumSet.noneOf(FileKind.class);
        try {
            Map<FileKind, Passing> own = new EnumMap<>(FileKind.class);
            Agreement.run(app, "looking at the files that are left of checkpoint " + stored.ckptId(), () -> {
                if (Files.notExists(directory)) {
                    createdDirectory = Optional.of(directory);
                }
                own.putAll(Passing.of(stored, paths(directory, stored, present), reader));
            });
            lost = rebuiltOnTheWay(stored, present, own.keySet());
            makeReady(directory);
            Agreement.run(app, "preparing to hash what is read", () -> hashes[0] = new WindowHasher(own));
            lost.stream()
                    .filter(kind -> !present.contains(kind))
                    .forEach(kind -> ahead.put(kind, path(directory, stored, kind)));
            Optional<Rebuilt> rebuilt =
                    rebuildKinds(stored, directory, present, lost, Optional.of(hashes[0]), meanwhile);
            rebuilt.ifPresent(files -> hashes[0].done(reader));
            rebuiltAhead = rebuilt;
        } catch (IOException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "the files that are left are verified before lost ones are made: {0}",
                    e.getMessage());
            // The other groups have verified their files meanwhile.
            if (!lost.isEmpty()) {
                reader.forget();
            }
            deleteAhead();
        } finally {
            if (hashes[0] != null) {
                hashes[0].close();
            }
        }
    }

    /**
     * Returns the kinds of the group's lost files that can be rebuilt while all existing files are hashed; none if no
     * file is lost, or some files cannot be hashed in this way. Collective in the group.
     *
     * @param hashed kinds of this rank's files that can be hashed
     */
    private EnumSet<FileKind> rebuiltOnTheWay(StoredCheckpoint stored, EnumSet<FileKind> present, Set<FileKind> hashed)
            throws IOException {
        int files = presence(present).cardinality();
        // If the size is odd, only its digest may determine the last byte of a plain file (docs/formats/fti-ff.md,
        // section 7).
        boolean even = extendedSize(stored) % Short.BYTES == 0;
        boolean possible = files >= group.size() && files < 2 * group.size() && even && hashed.containsAll(present);
        return group.onAll(possible) ? EnumSet.of(FileKind.PLAIN, FileKind.ENCODED) : EnumSet.noneOf(FileKind.class);
    }

    /** Deletes files received or rebuilt ahead for a checkpoint that is not made whole. */
    void deleteAhead() {
        for (Path target : ahead.values()) {
            try {
                storage.delete(UnfinishedFile.unfinished(target));
            } catch (IOException e) {
                LOG.log(
                        Logger.Level.WARNING,
                        "{0} is left over: {1}",
                        UnfinishedFile.unfinished(target),
                        e.getMessage());
            }
        }
        ahead.clear();
        rebuiltAhead = Optional.empty();
        // Removes a directory that did not exist before, because another one may be moved to its place.
        createdDirectory.ifPresent(directory -> {
            try {
                if (PathStatus.entries(directory).isEmpty()) {
                    storage.delete(directory);
                }
            } catch (IOException e) {
                LOG.log(Logger.Level.DEBUG, "{0} is left over: {1}", directory, e.getMessage());
            }
        });
        createdDirectory = Optional.empty();
    }

    /** Verifies the files that were received ahead, and renames them to their final names. */
    private void acceptSentAhead(StoredCheckpoint stored, EnumSet<FileKind> present) throws IOException {
        for (Map.Entry<FileKind, Path> file : ahead.entrySet()) {
            stored.check(file.getKey(), UnfinishedFile.unfinished(file.getValue()), RetainPolicy.NOTHING);
            UnfinishedFile.putInPlace(storage, file.getValue());
            present.add(file.getKey());
        }
        ahead.clear();
        createdDirectory = Optional.empty();
    }

    /**
     * Rebuilds the missing files of a checkpoint. Collective.
     *
     * @param directory directory of this rank's files of the checkpoint
     * @param present kinds of this rank's whole files; rebuilt ones are added
     * @throws IOException on all ranks, if it failed on any
     */
    void restore(Level level, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        if (isWhole(level, present)) {
            return;
        }
        if (level == Level.L3) {
            // First, because files that cannot be used are deleted, and possibly their directory.
            acceptRebuiltAhead(stored, present);
        }
        makeReady(directory);
        if (level == Level.L2) {
            Agreement.run(
                    app, "taking what came of checkpoint " + stored.ckptId(), () -> acceptSentAhead(stored, present));
        }
        if (level == Level.L2 && !isWhole(level, present)) {
            // First a lost copy is sent from the left neighbour, whose plain file exists; then a lost plain file from
            // the copy on the right.
            move(stored, directory, present, FileKind.PLAIN, group.right(), FileKind.PARTNER, group.left());
            move(stored, directory, present, FileKind.PARTNER, group.left(), FileKind.PLAIN, group.right());
        } else if (level == Level.L3) {
            if (!isWhole(level, present)) {
                rebuild(stored, directory, present);
            }
            stored.updateMetadata();
        }
        Agreement.run(app, "syncing " + directory, () -> storage.syncDirectory(directory));
    }

    /**
     * Rebuilds files of level 3 like {@link #restore}, but without the plain file of a group member, which is rebuilt
     * after the others. Collective.
     *
     * @param member the member of this rank's group; empty if all files of the group are used
     */
    void restoreWithout(OptionalInt member, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present)
            throws IOException {
        leftOut = member;
        try {
            restore(Level.L3, stored, directory, present);
        } finally {
            leftOut = OptionalInt.empty();
        }
        if (member.isPresent() && member.getAsInt() == group.index()) {
            present.remove(FileKind.PLAIN);
        }
        restore(Level.L3, stored, directory, present);
    }

    private boolean isWhole(Level level, EnumSet<FileKind> present) throws IOException {
        long[] missing = {present.containsAll(FileKind.of(level)) ? 0 : 1};
        app.allreduce(missing, Op.MAX);
        return missing[0] == 0;
    }

    private void makeReady(Path directory) throws IOException {
        Agreement.run(app, "preparing " + directory, () -> {
            DirectoryTree.make(directory, storage);
            slabs.fill();
        });
    }

    /** Sends the file of kind {@code given} to the neighbour that lacks its file of kind {@code wanted}. */
    private void move(
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            FileKind given,
            int to,
            FileKind wanted,
            int from)
            throws IOException {
        boolean lacks = !present.contains(wanted);
        boolean asked = group.gather(lacks ? 1 : 0)[to] == 1;
        Path made = path(directory, stored, wanted);
        SurvivingFiles.with(app, storage, stored.ckptId(), paths(directory, stored, present), own -> {
            long[] sizes = group.gather(own.size(given));
            Optional<Outgoing> outgoing = asked ? Optional.of(new Outgoing(to, own.get(given))) : Optional.empty();
            Optional<Incoming> incoming = lacks
                    ? Optional.of(new Incoming(from, sizes[from], UnfinishedFile.unfinished(made)))
                    : Optional.empty();
            Agreement.run(app, "fetching what is missing of checkpoint " + stored.ckptId(), () -> {
                partner.transfer(outgoing, incoming);
                if (lacks) {
                    finish(stored, wanted, made, present);
                }
            });
        });
    }

    /** Rebuilds all lost files of level 3. Collective. */
    private void rebuild(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        // All groups do the same, although only a group with an odd size needs it, because the following steps are
        // collective over the groups.
        long[] odd = {Math.floorMod(extendedSize(stored), (long) Short.BYTES)};
        app.allreduce(odd, Op.MAX);
        if (odd[0] != 0) {
            // Only its digest may determine the last byte of a plain file (docs/formats/fti-ff.md, section 7).
            decode(stored, directory, present);
        }
        rebuildKinds(stored, directory, present, EnumSet.of(FileKind.PLAIN, FileKind.ENCODED));
    }

    /**
     * Renames the files rebuilt ahead to their final names, in groups in which all source files are whole. Collective.
     */
    private void acceptRebuiltAhead(StoredCheckpoint stored, EnumSet<FileKind> present) throws IOException {
        boolean whole = rebuiltAhead.isPresent() && present.equals(rebuiltAhead.get().from);
        boolean take = group.onAll(whole);
        Agreement.run(app, "taking what was made of checkpoint " + stored.ckptId(), () -> {
            if (take) {
                finish(stored, rebuiltAhead.orElseThrow(), present);
                ahead.clear();
                rebuiltAhead = Optional.empty();
            }
            // Here, so that no rank deletes the directory while another one creates it again.
            deleteAhead();
        });
    }

    /** Rebuilds lost plain files of level 3 without their redundancy; otherwise like {@link #restore}. Collective. */
    public void decode(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        rebuildKinds(stored, directory, present, EnumSet.of(FileKind.PLAIN));
    }

    /** Rebuilds lost files of the given kinds in a single pass over the existing files. Collective. */
    private void rebuildKinds(
            StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, EnumSet<FileKind> kinds)
            throws IOException {
        Optional<Rebuilt> rebuilt = rebuildKinds(stored, directory, present, kinds, Optional.empty(), () -> {});
        Agreement.run(app, "naming what was made of checkpoint " + stored.ckptId(), () -> {
            if (rebuilt.isPresent()) {
                finish(stored, rebuilt.get(), present);
            }
        });
    }

    /**
     * Rebuilds lost files of the given kinds under other names, without verifying them. Collective.
     *
     * @param hashes receives this rank's files as they are read
     * @param otherwise work in a group that has lost no file
     * @return empty in such a group
     */
    private Optional<Rebuilt> rebuildKinds(
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            EnumSet<FileKind> kinds,
            Optional<WindowHasher> hashes,
            Agreement.Step otherwise)
            throws IOException {
        BitSet files = presence(present);
        BitSet lost = lost(files, kinds);
        leftOut.ifPresent(files::clear);
        EnumSet<FileKind> own = EnumSet.copyOf(kinds);
        own.removeAll(present);
        Encoding encoding = stored.encoding();
        long extendedSize = extendedSize(stored);
        Map<FileKind, Path> targets = new EnumMap<>(FileKind.class);
        own.forEach(kind -> targets.put(kind, UnfinishedFile.unfinished(path(directory, stored, kind))));
        Optional<Path> plain = Optional.ofNullable(targets.get(FileKind.PLAIN));
        String[] md5 = new String[1];
        EnumSet<FileKind> read = lost.isEmpty() ? EnumSet.noneOf(FileKind.class) : EnumSet.copyOf(present);
        SurvivingFiles.with(app, storage, stored.ckptId(), paths(directory, stored, read), had -> {
            Agreement.run(app, "rebuilding checkpoint " + stored.ckptId(), () -> {
                if (lost.isEmpty()) {
                    otherwise.run();
                    return;
                }
                md5[0] = new ReedSolomonGroup(group, storage, slabs)
                        .rebuild(
                                files,
                                lost,
                                had.all(),
                                extendedSize,
                                encoding,
                                targets,
                                () -> plain.isPresent() ? truncate(plain.get(), stored) : had.size(FileKind.PLAIN),
                                hashes);
            });
        });
        return lost.isEmpty()
                ? Optional.empty()
                : Optional.of(new Rebuilt(read, paths(directory, stored, own), md5[0]));
    }

    /**
     * Files of level 3 that were rebuilt and do not have their final names yet.
     *
     * @param from kinds of this rank's files from which the group's lost files were rebuilt
     * @param made the final names
     * @param md5 MD5 of the encoded part of the encoded file
     */
    private record Rebuilt(EnumSet<FileKind> from, Map<FileKind, Path> made, String md5) {}

    private void finish(StoredCheckpoint stored, Rebuilt rebuilt, EnumSet<FileKind> present) throws IOException {
        Path plain = rebuilt.made.get(FileKind.PLAIN);
        if (plain != null) {
            finish(stored, FileKind.PLAIN, plain, present);
        }
        Path encoded = rebuilt.made.get(FileKind.ENCODED);
        if (encoded != null) {
            // Not checked, because its only digest is that of the written bytes.
            stored.encodedAgain(rebuilt.md5);
            UnfinishedFile.putInPlace(storage, encoded);
            present.add(FileKind.ENCODED);
        }
    }

    /** Returns the numbers of the group's lost files of the given kinds. */
    private BitSet lost(BitSet files, EnumSet<FileKind> kinds) {
        BitSet lost = new BitSet();
        lost.set(
                kinds.contains(FileKind.PLAIN) ? 0 : group.size(),
                kinds.contains(FileKind.ENCODED) ? 2 * group.size() : group.size());
        lost.andNot(files);
        return lost;
    }

    /** Truncates a rebuilt plain file to its size, and returns the size. */
    private long truncate(Path extended, StoredCheckpoint stored) throws IOException {
        long size;
        try (BlockFile file = storage.open(extended, EnumSet.of(OpenMode.READ, OpenMode.WRITE))) {
            size = stored.plainSize(new BlockFileSource(file));
            if (size < 0 || size > file.size()) {
                throw DrumlinException.during("decoding")
                        .path(extended)
                        .problem("the file would have " + size + " bytes of the " + file.size() + " that were decoded")
                        .advice("the files of the group do not belong together")
                        .exception();
            }
            boolean endsInCutWord = size == file.size() && size % 2 == 1;
            file.truncate(size);
            if (endsInCutWord && !stored.encoding().embedsSize()) {
                OptionalInt last = stored.lastByte(new BlockFileSource(file));
                if (last.isPresent()) {
                    file.write(ByteBuffer.wrap(new byte[] {(byte) last.getAsInt()}), size - 1);
                }
            }
            file.sync();
        }
        return size;
    }

    /** Returns the numbers of the group's existing files. Collective in the group. */
    private BitSet presence(EnumSet<FileKind> present) throws IOException {
        BitSet files = group.ranksWith(present.contains(FileKind.PLAIN));
        group.ranksWith(present.contains(FileKind.ENCODED)).stream().forEach(rank -> files.set(group.size() + rank));
        return files;
    }

    private long extendedSize(StoredCheckpoint stored) throws IOException {
        long[] size = {stored.extendedSize().orElse(-1L)};
        group.comm().allreduce(size, Op.MAX);
        return size[0];
    }

    /** Verifies a rebuilt file and renames it to its final name. */
    private void finish(StoredCheckpoint stored, FileKind kind, Path made, EnumSet<FileKind> present)
            throws IOException {
        // Data are recovered only from a plain file.
        RetainPolicy keep = kind == FileKind.PLAIN ? RetainPolicy.IN_VARIABLES : RetainPolicy.NOTHING;
        stored.check(kind, UnfinishedFile.unfinished(made), keep);
        UnfinishedFile.putInPlace(storage, made);
        present.add(kind);
    }

    private static Path path(Path directory, StoredCheckpoint stored, FileKind kind) {
        return directory.resolve(stored.fileName(kind));
    }

    private static Map<FileKind, Path> paths(Path directory, StoredCheckpoint stored, EnumSet<FileKind> kinds) {
        Map<FileKind, Path> paths = new EnumMap<>(FileKind.class);
        kinds.forEach(kind -> paths.put(kind, path(directory, stored, kind)));
        return paths;
    }
}
