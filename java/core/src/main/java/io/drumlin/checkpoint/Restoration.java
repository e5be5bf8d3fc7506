package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.HeldFile.Target;
import io.drumlin.checkpoint.IoMode.StoredCheckpoint;
import io.drumlin.checkpoint.PartnerCopy.Incoming;
import io.drumlin.checkpoint.PartnerCopy.Outgoing;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.ReedSolomon16;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Makes the lost files of a checkpoint of level 2 or 3 again, so that it stands another loss
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>A file is made under another name, checked whole, and renamed; so the files that are there are never touched, and a
 * failure leaves what was to be had before.
 */
final class Restoration {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Begins the name of a file that is being made; no program takes it for a checkpoint file. */
    private static final String UNFINISHED = "drumlin-restored-";

    private final Communicator app;
    private final Group group;
    private final StorageEngine storage;
    private final PartnerCopy partner;
    private final SlabPool slabs;
    private final KeptBytes kept;

    /** Files that came before those that are there were verified, by kind, under another name. */
    private final Map<FileKind, Path> sentAhead = new EnumMap<>(FileKind.class);

    /** The directory that was made for them. */
    private Optional<Path> madeAhead = Optional.empty();

    /** @param kept what was kept of files that are there; those that are made are kept there too, to be verified */
    Restoration(Communicator app, Group group, StorageEngine storage, SlabPool slabs, KeptBytes kept) {
        this.app = app;
        this.group = group;
        this.storage = storage;
        partner = new PartnerCopy(group, storage, slabs);
        this.slabs = slabs;
        this.kept = kept;
    }

    /**
     * Which of this rank's files will be read again, by the program or to make lost ones, if all that are there are whole.
     * Collective in the group.
     *
     * @param present kinds of the files that this rank has
     */
    EnumSet<FileKind> used(Level level, EnumSet<FileKind> present) throws IOException {
        EnumSet<FileKind> used = EnumSet.of(FileKind.PLAIN);
        if (level == Level.L2 && group.gather(present.contains(FileKind.PLAIN) ? 1 : 0)[group.left()] == 0) {
            used.add(FileKind.PARTNER);
        }
        if (level == Level.L3) {
            BitSet files = presence(present);
            int k = group.size();
            boolean lost = files.cardinality() >= k && files.cardinality() < 2 * k;
            int own = k + group.index();
            if (lost
                    && Arrays.stream(new ReedSolomon16(k).decoding(files).used())
                            .anyMatch(file -> file == own)) {
                used.add(FileKind.ENCODED);
            }
        }
        return used;
    }

    /**
     * Sends the files from which lost ones of level 2 follow, and writes these under another name, all in one pass: whether the files are
     * whole is asked only then, and nobody reads them again for it. Where that cannot be done, or fails, {@link #restore} does it in
     * two. Collective.
     *
     * @param directory where this rank's files of it lie and will lie
     * @param present kinds of the files that this rank has
     * @param reader gets the digests of what was sent and made
     */
    void sendAhead(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, CheckpointReader reader)
            throws IOException {
        try {
            if (Files.notExists(directory)) {
                madeAhead = Optional.of(directory);
            }
            makeReady(directory);
            HashedTransfer transfer = new HashedTransfer(app, group, storage, slabs, reader);
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
            forgetSentAhead();
        }
    }

    private void sendAhead(
            HashedTransfer transfer,
            StoredCheckpoint stored,
            Path directory,
            EnumSet<FileKind> present,
            FileKind given,
            int to,
            FileKind wanted,
            int from)
            throws IOException {
        boolean[] lacks = ranksWithout(wanted, present);
        boolean[] lacksGiven = ranksWithout(given, present);
        Path source = path(directory, stored, given);
        Path target = path(directory, stored, wanted);
        Optional<HashedTransfer.Outgoing> outgoing = lacks[to] && present.contains(given)
                ? Optional.of(new HashedTransfer.Outgoing(
                        to, source, given == FileKind.PLAIN, () -> plan(transfer, stored, given, source)))
                : Optional.empty();
        Optional<HashedTransfer.Incoming> incoming = lacks[group.index()] && !lacksGiven[from]
                ? Optional.of(new HashedTransfer.Incoming(from, unfinished(target), wanted == FileKind.PLAIN))
                : Optional.empty();
        if (incoming.isPresent()) {
            sentAhead.put(wanted, target);
        }
        if (!transfer.transfer(outgoing, incoming)) {
            sentAhead.remove(wanted);
        }
    }

    private static Optional<TransferPlan> plan(
            HashedTransfer transfer, StoredCheckpoint stored, FileKind kind, Path path) {
        try {
            long size = Files.size(path);
            return stored.digested(kind, path).flatMap(meta -> transfer.plan(size, meta));
        } catch (IOException e) {
            // Who verifies the file will say so.
            LOG.log(Logger.Level.DEBUG, "{0} is not sent ahead: {1}", path, e.getMessage());
            return Optional.empty();
        }
    }

    private boolean[] ranksWithout(FileKind kind, EnumSet<FileKind> present) throws IOException {
        long[] there = group.gather(present.contains(kind) ? 1 : 0);
        boolean[] without = new boolean[there.length];
        for (int i = 0; i < there.length; i++) {
            without[i] = there[i] == 0;
        }
        return without;
    }

    /** Whether this rank's lost file of a kind was sent to it, and waits for {@link #restore}. */
    boolean isSentAhead(FileKind kind) {
        return sentAhead.containsKey(kind);
    }

    /** Deletes what was sent ahead for a checkpoint that is not made whole. */
    void forgetSentAhead() {
        for (Path target : sentAhead.values()) {
            try {
                storage.delete(unfinished(target));
            } catch (IOException e) {
                LOG.log(Logger.Level.WARNING, "{0} is left over: {1}", unfinished(target), e.getMessage());
            }
        }
        sentAhead.clear();
        // The directory as it was found: where there is none, another may be brought into its place.
        madeAhead.ifPresent(directory -> {
            try (Stream<Path> content = Files.list(directory)) {
                if (content.findAny().isEmpty()) {
                    storage.delete(directory);
                }
            } catch (IOException e) {
                LOG.log(Logger.Level.DEBUG, "{0} is left over: {1}", directory, e.getMessage());
            }
        });
        madeAhead = Optional.empty();
    }

    /** Verifies what was sent ahead and gives it its name. */
    private void takeSentAhead(StoredCheckpoint stored, EnumSet<FileKind> present) throws IOException {
        for (Map.Entry<FileKind, Path> file : sentAhead.entrySet()) {
            stored.check(file.getKey(), unfinished(file.getValue()), Keep.NOTHING);
            storage.rename(unfinished(file.getValue()), file.getValue());
            present.add(file.getKey());
        }
        sentAhead.clear();
        madeAhead = Optional.empty();
    }

    /**
     * Makes what is missing of a checkpoint. Collective.
     *
     * @param directory where this rank's files of it lie and will lie
     * @param present kinds of the files that this rank has, whole; gets those that were made
     * @throws IOException on all ranks, if it failed on any
     */
    void restore(Level level, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        if (isWhole(level, present)) {
            return;
        }
        makeReady(directory);
        if (level == Level.L2) {
            Agreement.run(
                    app, "taking what came of checkpoint " + stored.ckptId(), () -> takeSentAhead(stored, present));
        }
        if (level == Level.L2 && !isWhole(level, present)) {
            // A lost copy comes from the plain file on the left, which is there; then a lost plain file from the copy
            // on the right. It is kept, in the memory that the copy had.
            move(stored, directory, present, FileKind.PLAIN, group.right(), FileKind.PARTNER, group.left());
            move(stored, directory, present, FileKind.PARTNER, group.left(), FileKind.PLAIN, group.right());
        } else if (level == Level.L3) {
            rebuild(stored, directory, present);
        }
        Agreement.run(app, "syncing " + directory, () -> storage.syncDirectory(directory));
    }

    private boolean isWhole(Level level, EnumSet<FileKind> present) throws IOException {
        long[] missing = {present.containsAll(FileKind.of(level)) ? 0 : 1};
        app.allreduce(missing, Op.MAX);
        return missing[0] == 0;
    }

    private void makeReady(Path directory) throws IOException {
        Agreement.run(app, "preparing " + directory, () -> {
            RunDirectory.makeDirectory(directory, storage);
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
        withOwnFiles(stored, directory, present, own -> {
            long[] sizes = group.gather(own.size(given));
            Optional<Outgoing> outgoing = asked ? Optional.of(new Outgoing(to, own.get(given))) : Optional.empty();
            Optional<Made> made = made(lacks, path(directory, stored, wanted), sizes[from]);
            Agreement.run(app, "fetching what is missing of checkpoint " + stored.ckptId(), () -> {
                partner.transfer(outgoing, made.map(file -> new Incoming(from, sizes[from], file.target())));
                if (made.isPresent()) {
                    made.get().remember();
                    finish(stored, wanted, made.get(), present);
                }
            });
        });
    }

    /** Makes all lost files of level 3 again. Collective. */
    private void rebuild(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        // One for all, though only a group with an odd size needs it: what follows is collective over the groups.
        long[] odd = {Math.floorMod(extendedSize(stored), (long) Short.BYTES)};
        app.allreduce(odd, Op.MAX);
        if (odd[0] != 0) {
            // The last byte of a plain file may follow from its digest only (docs/formats/fti-ff.md, section 7).
            decode(stored, directory, present);
        }
        make(stored, directory, present, EnumSet.of(FileKind.PLAIN, FileKind.ENCODED));
        stored.updateMetadata();
    }

    /** Makes lost plain files of level 3 again, without their redundancy. Parameters as those of {@link #restore}. Collective. */
    void decode(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        make(stored, directory, present, EnumSet.of(FileKind.PLAIN));
    }

    /** Makes lost files of the given kinds again, all from the same pass over those that are there. Collective. */
    private void make(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, EnumSet<FileKind> kinds)
            throws IOException {
        BitSet files = presence(present);
        BitSet lost = lost(files, kinds);
        EnumSet<FileKind> own = EnumSet.copyOf(kinds);
        own.removeAll(present);
        Encoding encoding = stored.encoding();
        long extendedSize = extendedSize(stored);
        Optional<Made> plain =
                made(own.contains(FileKind.PLAIN), path(directory, stored, FileKind.PLAIN), extendedSize);
        Path encoded = path(directory, stored, FileKind.ENCODED);
        Map<FileKind, Target> targets = new EnumMap<>(FileKind.class);
        plain.ifPresent(file -> targets.put(FileKind.PLAIN, file.target()));
        if (own.contains(FileKind.ENCODED)) {
            targets.put(FileKind.ENCODED, new Target(unfinished(encoded), slabs));
        }
        withOwnFiles(stored, directory, present, had -> {
            Agreement.run(app, "rebuilding checkpoint " + stored.ckptId(), () -> {
                if (lost.isEmpty()) {
                    return;
                }
                String md5 = new ReedSolomonGroup(group, storage, slabs)
                        .make(
                                files,
                                lost,
                                had.files,
                                extendedSize,
                                encoding,
                                targets,
                                () -> plain.isPresent() ? cut(plain.get(), stored) : had.size(FileKind.PLAIN));
                if (plain.isPresent()) {
                    finish(stored, FileKind.PLAIN, plain.get(), present);
                }
                if (own.contains(FileKind.ENCODED)) {
                    // Not checked: its digest is that of the bytes that were written, and there is no other.
                    stored.encodedAgain(md5);
                    storage.rename(unfinished(encoded), encoded);
                    present.add(FileKind.ENCODED);
                }
            });
        });
    }

    /** Numbers of the lost files of the group among those of the given kinds. */
    private BitSet lost(BitSet files, EnumSet<FileKind> kinds) {
        BitSet lost = new BitSet();
        lost.set(
                kinds.contains(FileKind.PLAIN) ? 0 : group.size(),
                kinds.contains(FileKind.ENCODED) ? 2 * group.size() : group.size());
        lost.andNot(files);
        return lost;
    }

    /** Cuts a new plain file to its size, which it returns. */
    private long cut(Made made, StoredCheckpoint stored) throws IOException {
        Path extended = made.unfinished();
        boolean completed = false;
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
                    completed = true;
                }
            }
            file.sync();
        }
        if (!completed) {
            made.remember();
        }
        return size;
    }

    /** Numbers of the files of the group that are there. Collective in the group. */
    private BitSet presence(EnumSet<FileKind> present) throws IOException {
        int k = group.size();
        long[] plain = group.gather(present.contains(FileKind.PLAIN) ? 1 : 0);
        long[] encoded = group.gather(present.contains(FileKind.ENCODED) ? 1 : 0);
        BitSet files = new BitSet(2 * k);
        for (int i = 0; i < k; i++) {
            files.set(i, plain[i] == 1);
            files.set(k + i, encoded[i] == 1);
        }
        return files;
    }

    private long extendedSize(StoredCheckpoint stored) throws IOException {
        long[] size = {stored.extendedSize().orElse(-1L)};
        group.comm().allreduce(size, Op.MAX);
        return size[0];
    }

    /** Checks a file that was made and gives it its name. */
    private void finish(StoredCheckpoint stored, FileKind kind, Made made, EnumSet<FileKind> present)
            throws IOException {
        stored.check(kind, made.unfinished(), Keep.inMemoryIf(kind == FileKind.PLAIN));
        storage.rename(made.unfinished(), made.path);
        present.add(kind);
        if (kind != FileKind.PLAIN) {
            made.memory.ifPresent(kept::forget);
        }
    }

    /**
     * Prepares for a file to be made. Collective: memory is taken before other ranks wait for this one.
     *
     * @param lacks whether this rank makes one
     * @param bytes it will have, or more
     */
    private Optional<Made> made(boolean lacks, Path path, long bytes) throws IOException {
        List<Made> made = new ArrayList<>();
        Agreement.run(app, "preparing " + path, () -> {
            if (lacks) {
                made.add(new Made(path, bytes));
            }
        });
        return made.stream().findFirst();
    }

    /** A file that is made, under another name until it is whole. */
    private final class Made {
        private final Path path;
        private final Optional<KeptFile> memory;
        private final SlabPool through;

        /** @param bytes it will have, or more */
        Made(Path path, long bytes) {
            this.path = path;
            Optional<KeptFile> begun = kept.begin(bytes);
            Optional<SlabPool> own = begun.flatMap(file -> kept.slabs(file, slabs.slabBytes()));
            memory = own.isPresent() ? begun : Optional.empty();
            through = own.orElse(slabs);
        }

        Path unfinished() {
            return Restoration.unfinished(path);
        }

        Target target() {
            return new Target(unfinished(), through);
        }

        /** What is in memory is the file as it is now: so it is verified, and recovered, from there. */
        void remember() throws IOException {
            if (memory.isPresent()) {
                memory.get().isOf(unfinished());
            }
        }
    }

    private static Path path(Path directory, StoredCheckpoint stored, FileKind kind) {
        return directory.resolve(stored.fileName(kind));
    }

    private static Path unfinished(Path target) {
        return target.resolveSibling(UNFINISHED + target.getFileName());
    }

    /** What is done with this rank's files. Collective; it fails on all ranks or on none. */
    @FunctionalInterface
    private interface Work {
        void run(OwnFiles own) throws IOException;
    }

    /** Opens this rank's files, works on them and closes them. Collective. */
    private void withOwnFiles(StoredCheckpoint stored, Path directory, EnumSet<FileKind> present, Work work)
            throws IOException {
        OwnFiles own = new OwnFiles();
        try {
            Agreement.run(app, "opening files of checkpoint " + stored.ckptId(), () -> {
                for (FileKind kind : present) {
                    Path path = path(directory, stored, kind);
                    ReadAhead file = new ReadAhead(storage, path);
                    own.opened.add(file);
                    own.files.put(kind, new KeptSource(file, kept.of(path)));
                }
            });
            work.run(own);
        } catch (IOException | RuntimeException | Error e) {
            own.closeAfter(e);
            throw e;
        }
        Agreement.run(app, "closing files of checkpoint " + stored.ckptId(), own::close);
    }

    /** The files that this rank has. */
    private static final class OwnFiles {
        private final List<ReadAhead> opened = new ArrayList<>();
        private final Map<FileKind, KeptSource> files = new EnumMap<>(FileKind.class);

        ByteSource get(FileKind kind) {
            ByteSource source = files.get(kind);
            if (source == null) {
                throw new IllegalStateException("this rank has no file " + kind);
            }
            return source;
        }

        /** Bytes of a file; 0 when it is not there. */
        long size(FileKind kind) {
            ByteSource source = files.get(kind);
            return source == null ? 0 : source.size();
        }

        void closeAfter(Throwable failure) {
            try {
                close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }

        void close() throws IOException {
            Closeables.close(opened);
        }
    }
}
