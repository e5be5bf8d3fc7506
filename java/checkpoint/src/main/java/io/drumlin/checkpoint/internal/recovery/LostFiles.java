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
import io.drumlin.checkpoint.internal.mode.RankContext;
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
 * The lost files of one checkpoint of level 2 or 3, while they are made again
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>A pass reads what is left once and writes the lost files under other names. The first pass also hashes what it
 * reads. After all files were verified, the new ones are renamed. Existing files are therefore never touched, and after a
 * failure everything recoverable is still recoverable.
 */
public final class LostFiles implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Group group;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final CheckpointReader reader;
    private final StoredCheckpoint stored;
    private final Path directory;
    private final EnumSet<FileKind> present;

    /** Member of the group whose plain file is not used although it seems to be whole. */
    private final OptionalInt leftOut;

    /** The lost files that a pass has made, by kind, with their final names. They still have other names. */
    private final Map<FileKind, Path> made = new EnumMap<>(FileKind.class);

    /** Kinds of this rank's files from which the group has made them. */
    private EnumSet<FileKind> sources = EnumSet.noneOf(FileKind.class);

    /** MD5 of the encoded part of the encoded file that was made. */
    private String encodedMd5 = "";

    /** Whether the directory was created for these files. */
    private boolean createdDirectory;

    /**
     * Describes what is lost; makes nothing yet.
     *
     * @param directory directory of this rank's files of the checkpoint
     * @param present kinds of the files that this rank has; those that are made and put in place are added
     */
    public LostFiles(RankContext context, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) {
        this(context, stored, directory, present, OptionalInt.empty());
    }

    /** @param leftOut member of this rank's group whose plain file is not used; empty if all are */
    LostFiles(
            RankContext context,
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            OptionalInt leftOut) {
        app = context.app();
        group = context.group();
        storage = context.storage();
        slabs = context.slabs();
        reader = context.reader();
        this.stored = stored;
        this.directory = directory;
        this.present = present;
        this.leftOut = leftOut;
    }

    /** Returns whether no rank lacks a file of the kinds that it wants. Collective. */
    boolean areNone(EnumSet<FileKind> wanted) throws IOException {
        return Agreement.all(app, present.containsAll(wanted));
    }

    /** Returns whether this rank's group has made anything that is not in its place. */
    boolean hasAny() {
        return !sources.isEmpty() || !made.isEmpty();
    }

    /**
     * Makes lost files under other names, in one pass over what is left. Collective.
     *
     * @param kinds kinds of this rank's files that are made if they are lost
     * @param unverified whether what is left was not verified yet; it is hashed then, so that its verification need not
     *     read it again
     * @param meanwhile work in a group that has lost no file of level 3
     */
    void make(EnumSet<FileKind> kinds, boolean unverified, Agreement.Step meanwhile) throws IOException {
        Agreement.run(app, "preparing " + directory, () -> {
            createdDirectory |= !PathStatus.exists(directory);
            DirectoryTree.make(directory, storage);
            slabs.fill();
        });
        if (stored.level() == Level.L3) {
            compute(kinds, unverified, meanwhile);
            return;
        }
        sources = EnumSet.copyOf(present);
        VerifiedTransfer transfer = new VerifiedTransfer(app, group, storage, slabs, reader);
        EnumSet<FileKind> lost = kinds.clone();
        lost.removeAll(present);
        send(transfer, lost, FileKind.PLAIN, group.right(), FileKind.PARTNER, group.left());
        send(transfer, lost, FileKind.PARTNER, group.left(), FileKind.PLAIN, group.right());
    }

    /** Makes lost plain files of level 3 of verified files, without their redundancy, and puts them in place. Collective. */
    public void decode() throws IOException {
        compute(EnumSet.of(FileKind.PLAIN), false, () -> {});
        putInPlace();
    }

    /** Sends the file of kind {@code given} to the neighbour that lacks its file of kind {@code wanted}. */
    private void send(
            VerifiedTransfer transfer, EnumSet<FileKind> lost, FileKind given, int to, FileKind wanted, int from)
            throws IOException {
        boolean lacks = lost.contains(wanted);
        boolean asked = group.ranksWith(lacks).get(to);
        Path source = path(given);
        Path target = path(wanted);
        if (lacks) {
            made.put(wanted, target);
        }
        transfer.transfer(
                asked
                        ? Optional.of(new VerifiedTransfer.Outgoing(
                                to, source, given == FileKind.PLAIN, () -> plan(transfer, given, source)))
                        : Optional.empty(),
                lacks
                        ? Optional.of(new VerifiedTransfer.Incoming(
                                from, UnfinishedFile.unfinished(target), wanted == FileKind.PLAIN))
                        : Optional.empty());
    }

    private ChunkSchedule plan(VerifiedTransfer transfer, FileKind kind, Path path) throws IOException {
        Optional<StoredFile> digested = Optional.empty();
        try {
            digested = stored.digested(kind, path);
        } catch (IOException e) {
            // The verification of the file reports this failure.
            LOG.log(Logger.Level.DEBUG, "{0} is not hashed while it is sent: {1}", path, e.getMessage());
        }
        return transfer.plan(PathStatus.size(path), stored.ckptId(), digested);
    }

    /** Makes lost files of level 3. A group with files that cannot be hashed waits for their verification. Collective. */
    private void compute(EnumSet<FileKind> kinds, boolean unverified, Agreement.Step meanwhile) throws IOException {
        Map<FileKind, Passing> hashed = new EnumMap<>(FileKind.class);
        try (WindowHasher hashes = Agreement.open(app, "preparing to hash what is read", () -> {
            if (unverified) {
                hashed.putAll(Passing.of(stored, paths(present), reader));
            }
            return new WindowHasher(hashed);
        })) {
            boolean possible = group.onAll(!unverified || hashed.keySet().containsAll(present));
            compute(possible ? kinds : EnumSet.noneOf(FileKind.class), hashes, meanwhile);
            if (!sources.isEmpty()) {
                hashes.done(reader);
            }
        }
    }

    private void compute(EnumSet<FileKind> kinds, WindowHasher hashes, Agreement.Step meanwhile) throws IOException {
        BitSet files = presence(present);
        long extendedSize = extendedSize();
        EnumSet<FileKind> wanted = kinds.clone();
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
        made.putAll(paths(wanted));
        Map<FileKind, Path> targets = new EnumMap<>(FileKind.class);
        made.forEach((kind, path) -> targets.put(kind, UnfinishedFile.unfinished(path)));
        Map<FileKind, ReadWindow> had = new EnumMap<>(FileKind.class);
        try {
            Agreement.run(app, "opening files of checkpoint " + stored.ckptId(), () -> {
                for (FileKind kind : sources) {
                    had.put(kind, ReadWindow.open(storage, path(kind)));
                }
            });
            Agreement.run(app, "rebuilding checkpoint " + stored.ckptId(), () -> {
                if (lost.isEmpty()) {
                    meanwhile.run();
                    return;
                }
                ReadWindow own = had.get(FileKind.PLAIN);
                Path plain = UnfinishedFile.unfinished(path(FileKind.PLAIN));
                encodedMd5 = new ReedSolomonGroup(group, storage, slabs)
                        .rebuild(
                                files,
                                lost,
                                had,
                                extendedSize,
                                encoding,
                                targets,
                                () -> own == null ? truncate(plain) : own.size(),
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
     * Verifies the files that the last pass has made and gives them their names, in groups in which
     * all files from which they were made are whole. Deletes the others. Collective.
     *
     * @throws IOException on all ranks, if it failed on any; what is present is whole nevertheless
     */
    void putInPlace() throws IOException {
        boolean whole = group.onAll(present.containsAll(sources));
        Agreement.run(app, "naming what was made of checkpoint " + stored.ckptId(), () -> {
            try {
                if (whole) {
                    for (FileKind kind : FileKind.values()) {
                        Path path = made.get(kind);
                        if (path != null) {
                            putInPlace(kind, path);
                            made.remove(kind);
                            present.add(kind);
                            storage.syncDirectory(directory);
                        }
                    }
                }
            } finally {
                // Here, so that no rank deletes the directory while another one creates it again.
                close();
            }
        });
    }

    private void putInPlace(FileKind kind, Path path) throws IOException {
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

    /** Deletes what was made and is not in its place. */
    @Override
    public void close() {
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
        try {
            if (createdDirectory && PathStatus.entries(directory).isEmpty()) {
                storage.delete(directory);
            }
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "{0} is left over: {1}", directory, e.getMessage());
        }
        createdDirectory = false;
    }

    /** Truncates a rebuilt plain file to its size, and returns the size. */
    private long truncate(Path extended) throws IOException {
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
    private BitSet presence(EnumSet<FileKind> kinds) throws IOException {
        BitSet files = group.ranksWith(kinds.contains(FileKind.PLAIN));
        group.ranksWith(kinds.contains(FileKind.ENCODED)).stream().forEach(rank -> files.set(group.size() + rank));
        return files;
    }

    private long extendedSize() throws IOException {
        return Agreement.max(group.comm(), stored.extendedSize().orElse(-1L));
    }

    private Path path(FileKind kind) {
        return directory.resolve(stored.fileName(kind));
    }

    private Map<FileKind, Path> paths(EnumSet<FileKind> kinds) {
        Map<FileKind, Path> paths = new EnumMap<>(FileKind.class);
        kinds.forEach(kind -> paths.put(kind, path(kind)));
        return paths;
    }
}
