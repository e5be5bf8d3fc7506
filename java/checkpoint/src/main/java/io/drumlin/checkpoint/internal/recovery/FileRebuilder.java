package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.UnfinishedFile;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.redundancy.ReedSolomonGroup;
import io.drumlin.checkpoint.internal.redundancy.VerifiedTransfer;
import io.drumlin.checkpoint.internal.redundancy.WindowHasher;
import io.drumlin.checkpoint.internal.redundancy.WindowHasher.Passing;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.ChunkSchedule;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Rebuilds the lost files of a checkpoint of level 2 or 3, so that it survives another loss
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>A pass reads what is left once and writes the lost files under other names. The first pass also hashes what it
 * reads. After all files were verified, the new ones are renamed, and passes follow until no file is lost. Existing
 * files are therefore never touched, and after a failure everything recoverable is still recoverable.
 */
public final class FileRebuilder {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Group group;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final CheckpointReader reader;

    /** The lost files that a pass has made, by kind, with their final names. They still have other names. */
    private final Map<FileKind, Path> made = new EnumMap<>(FileKind.class);

    /** Kinds of this rank's files from which the group has made them. */
    private EnumSet<FileKind> sources = EnumSet.noneOf(FileKind.class);

    /** MD5 of the encoded part of the encoded file that was made. */
    private String encodedMd5 = "";

    /** The directory that was created for these files. */
    private Optional<Path> createdDirectory = Optional.empty();

    /** Member of the group whose plain file is not used for rebuilding although it seems to be whole. */
    private OptionalInt leftOut = OptionalInt.empty();

    /** @param reader verifies the files, and receives the digests of those that are hashed in a pass */
    public FileRebuilder(
            Communicator app, Group group, StorageEngine storage, SlabPool slabs, CheckpointReader reader) {
        this.app = app;
        this.group = group;
        this.storage = storage;
        this.slabs = slabs;
        this.reader = reader;
    }

    /**
     * Makes lost files of a checkpoint under other names, in one pass over files that were not verified. What is read
     * is hashed, so that its verification afterwards need not read it again. The pass may fail; {@link #restore} makes
     * what is still lost. Collective.
     *
     * @param directory directory of this rank's files of the checkpoint
     * @param present kinds of the files that this rank has
     * @param meanwhile work in a group that has lost no file of level 3
     */
    void rebuildUnverified(
            Level level, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, Agreement.Step meanwhile)
            throws IOException {
        EnumSet<FileKind> wanted = FileKind.of(level);
        if (isWhole(present, wanted)) {
            return;
        }
        try {
            pass(level, stored, directory, present, wanted, true, meanwhile);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "the files that are left are verified before lost ones are made: {0}",
                    e.getMessage());
            // Groups in which nothing is made have verified their files meanwhile.
            if (!sources.isEmpty() || !made.isEmpty()) {
                reader.forget();
            }
            deleteMade();
        }
    }

    /**
     * Makes a checkpoint whole whose remaining files were verified. Files from {@link #rebuildUnverified} are used in
     * groups in which all files from which they were made are whole. Collective.
     *
     * @param directory directory of this rank's files of the checkpoint
     * @param present kinds of this rank's whole files; rebuilt ones are added
     * @param wanted kinds of this rank's files that are to be whole afterwards
     * @throws IOException on all ranks, if it failed on any; what is in {@code present} is whole nevertheless
     */
    void restore(
            Level level, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, EnumSet<FileKind> wanted)
            throws IOException {
        if (isWhole(present, wanted)) {
            return;
        }
        useMade(level, stored, present);
        while (!isWhole(present, wanted)) {
            try {
                pass(level, stored, directory, present, wanted, false, () -> {});
            } catch (IOException e) {
                // Nothing of it may be put in place by a later pass.
                deleteMade();
                throw e;
            }
            useMade(level, stored, present);
        }
        Agreement.run(app, "syncing " + directory, () -> storage.syncDirectory(directory));
    }

    /** Puts what the last pass has made in place, also in the metadata. Collective. */
    private void useMade(Level level, StoredCheckpoint stored, EnumSet<FileKind> present) throws IOException {
        putMadeInPlace(stored, present);
        if (level == Level.L3) {
            stored.updateMetadata();
        }
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
            restore(Level.L3, stored, directory, present, FileKind.of(Level.L3));
        } finally {
            leftOut = OptionalInt.empty();
        }
        if (member.isPresent() && member.getAsInt() == group.index()) {
            present.remove(FileKind.PLAIN);
        }
        restore(Level.L3, stored, directory, present, FileKind.of(Level.L3));
    }

    /** Rebuilds lost plain files of level 3 without their redundancy; otherwise like {@link #restore}. Collective. */
    public void decode(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        rebuild(stored, directory, present, EnumSet.of(FileKind.PLAIN), false, () -> {});
        putMadeInPlace(stored, present);
    }

    /**
     * Makes lost files under other names. Collective.
     *
     * @param kinds kinds of this rank's files that are made if they are lost
     * @param unverified whether the files that are left were not verified yet
     * @param otherwise work in a group that has lost no file of level 3
     */
    private void pass(
            Level level,
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            EnumSet<FileKind> kinds,
            boolean unverified,
            Agreement.Step otherwise)
            throws IOException {
        makeReady(directory);
        if (level == Level.L2) {
            sources = EnumSet.copyOf(present);
            VerifiedTransfer transfer = new VerifiedTransfer(app, group, storage, slabs, reader);
            EnumSet<FileKind> lost = kinds.clone();
            lost.removeAll(present);
            send(transfer, stored, directory, lost, FileKind.PLAIN, group.right(), FileKind.PARTNER, group.left());
            send(transfer, stored, directory, lost, FileKind.PARTNER, group.left(), FileKind.PLAIN, group.right());
        } else {
            rebuild(stored, directory, present, kinds, unverified, otherwise);
        }
    }

    private void makeReady(Path directory) throws IOException {
        Agreement.run(app, "preparing " + directory, () -> {
            if (!PathStatus.exists(directory)) {
                createdDirectory = Optional.of(directory);
            }
            DirectoryTree.make(directory, storage);
            slabs.fill();
        });
    }

    /** Sends the file of kind {@code given} to the neighbour that lacks its file of kind {@code wanted}. */
    private void send(
            VerifiedTransfer transfer,
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> lost,
            FileKind given,
            int to,
            FileKind wanted,
            int from)
            throws IOException {
        boolean lacks = lost.contains(wanted);
        boolean asked = group.ranksWith(lacks).get(to);
        Path source = path(directory, stored, given);
        Path target = path(directory, stored, wanted);
        if (lacks) {
            made.put(wanted, target);
        }
        transfer.transfer(
                asked
                        ? Optional.of(new VerifiedTransfer.Outgoing(
                                to, source, given == FileKind.PLAIN, () -> plan(transfer, stored, given, source)))
                        : Optional.empty(),
                lacks
                        ? Optional.of(new VerifiedTransfer.Incoming(
                                from, UnfinishedFile.unfinished(target), wanted == FileKind.PLAIN))
                        : Optional.empty());
    }

    private static ChunkSchedule plan(VerifiedTransfer transfer, StoredCheckpoint stored, FileKind kind, Path path)
            throws IOException {
        Optional<StoredFile> digested = Optional.empty();
        try {
            digested = stored.digested(kind, path);
        } catch (IOException e) {
            // The verification of the file reports this failure.
            LOG.log(Logger.Level.DEBUG, "{0} is not hashed while it is sent: {1}", path, e.getMessage());
        }
        return transfer.plan(PathStatus.size(path), stored.ckptId(), digested);
    }

    /**
     * Makes lost files of level 3. Collective.
     *
     * @param kinds kinds of this rank's files that are made if they are lost
     * @param unverified whether what is read must be hashed; a group with files that cannot be hashed waits for their
     *     verification
     * @param otherwise work in a group that makes no files
     */
    private void rebuild(
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            EnumSet<FileKind> kinds,
            boolean unverified,
            Agreement.Step otherwise)
            throws IOException {
        Map<FileKind, Passing> hashed = new EnumMap<>(FileKind.class);
        WindowHasher[] hashes = new WindowHasher[1];
        try {
            Agreement.run(app, "preparing to hash what is read", () -> {
                if (unverified) {
                    hashed.putAll(Passing.of(stored, paths(directory, stored, present), reader));
                }
                hashes[0] = new WindowHasher(hashed);
            });
            boolean possible = group.onAll(!unverified || hashed.keySet().containsAll(present));
            EnumSet<FileKind> wanted = possible ? kinds : EnumSet.noneOf(FileKind.class);
            rebuild(stored, directory, present, wanted, hashes[0], otherwise);
            if (!sources.isEmpty()) {
                hashes[0].done(reader);
            }
        } finally {
            if (hashes[0] != null) {
                hashes[0].close();
            }
        }
    }

    private void rebuild(
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            EnumSet<FileKind> kinds,
            WindowHasher hashes,
            Agreement.Step otherwise)
            throws IOException {
        BitSet files = presence(present);
        long extendedSize = extendedSize(stored);
        EnumSet<FileKind> wanted = EnumSet.copyOf(kinds);
        if (extendedSize % Short.BYTES != 0 && files.nextClearBit(0) < group.size()) {
            // Only its digest may determine the last byte of a plain file (docs/formats/fti-ff.md, section 7), so
            // another pass encodes it.
            wanted.remove(FileKind.ENCODED);
        }
        BitSet lost = presence(wanted);
        lost.andNot(files);
        wanted.removeAll(present);
        leftOut.ifPresent(files::clear);
        Encoding encoding = stored.encoding();
        sources = lost.isEmpty() ? EnumSet.noneOf(FileKind.class) : EnumSet.copyOf(present);
        made.putAll(paths(directory, stored, wanted));
        Map<FileKind, Path> targets = new EnumMap<>(FileKind.class);
        made.forEach((kind, path) -> targets.put(kind, UnfinishedFile.unfinished(path)));
        Map<FileKind, ReadWindow> had = new EnumMap<>(FileKind.class);
        try {
            Agreement.run(app, "opening files of checkpoint " + stored.ckptId(), () -> {
                for (FileKind kind : sources) {
                    had.put(kind, ReadWindow.open(storage, path(directory, stored, kind)));
                }
            });
            Agreement.run(app, "rebuilding checkpoint " + stored.ckptId(), () -> {
                if (lost.isEmpty()) {
                    otherwise.run();
                    return;
                }
                ReadWindow own = had.get(FileKind.PLAIN);
                Path plain = UnfinishedFile.unfinished(path(directory, stored, FileKind.PLAIN));
                encodedMd5 = new ReedSolomonGroup(group, storage, slabs)
                        .rebuild(
                                files,
                                lost,
                                had,
                                extendedSize,
                                encoding,
                                targets,
                                () -> own == null ? truncate(plain, stored) : own.size(),
                                Optional.of(hashes));
            });
        } catch (Throwable e) {
            Closeables.closeAfter(e, List.copyOf(had.values()));
            throw e;
        }
        Agreement.run(
                app,
                "closing files of checkpoint " + stored.ckptId(),
                () -> Closeables.close(List.copyOf(had.values())));
    }

    /**
     * Verifies the files that the last pass has made and gives them their names, in groups in which all files from
     * which they were made are whole. Deletes the others. Collective.
     */
    private void putMadeInPlace(StoredCheckpoint stored, EnumSet<FileKind> present) throws IOException {
        boolean whole = group.onAll(present.containsAll(sources));
        Agreement.run(app, "naming what was made of checkpoint " + stored.ckptId(), () -> {
            try {
                if (whole) {
                    for (FileKind kind : FileKind.values()) {
                        Path path = made.get(kind);
                        if (path != null) {
                            putInPlace(stored, kind, path);
                            made.remove(kind);
                            present.add(kind);
                        }
                    }
                }
            } finally {
                // Here, so that no rank deletes the directory while another one creates it again.
                deleteMade();
            }
        });
    }

    private void putInPlace(StoredCheckpoint stored, FileKind kind, Path path) throws IOException {
        if (kind == FileKind.ENCODED) {
            // Not checked, because its only digest is that of the written bytes.
            stored.encodedAgain(encodedMd5);
        } else {
            // Data are recovered only from a plain file.
            RetainPolicy keep = kind == FileKind.PLAIN ? RetainPolicy.IN_VARIABLES : RetainPolicy.NOTHING;
            stored.check(kind, UnfinishedFile.unfinished(path), keep);
        }
        UnfinishedFile.putInPlace(storage, path);
    }

    /** Deletes files that were made for a checkpoint that is not made whole. */
    void deleteMade() {
        for (Path target : made.values()) {
            Path file = UnfinishedFile.unfinished(target);
            try {
                storage.delete(file);
            } catch (IOException e) {
                LOG.log(Logger.Level.WARNING, "{0} is left over: {1}", file, e.getMessage());
            }
        }
        made.clear();
        sources.clear();
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

    private boolean isWhole(EnumSet<FileKind> present, EnumSet<FileKind> wanted) throws IOException {
        long[] missing = {present.containsAll(wanted) ? 0 : 1};
        app.allreduce(missing, Op.MAX);
        return missing[0] == 0;
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

    /** Returns the numbers of the group's files of the kinds that their ranks pass. Collective in the group. */
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

    private static Path path(Path directory, StoredCheckpoint stored, FileKind kind) {
        return directory.resolve(stored.fileName(kind));
    }

    private static Map<FileKind, Path> paths(Path directory, StoredCheckpoint stored, EnumSet<FileKind> kinds) {
        Map<FileKind, Path> paths = new EnumMap<>(FileKind.class);
        kinds.forEach(kind -> paths.put(kind, path(directory, stored, kind)));
        return paths;
    }
}
