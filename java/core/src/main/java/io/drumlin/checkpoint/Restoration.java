package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.IoMode.StoredCheckpoint;
import io.drumlin.checkpoint.PartnerCopy.Incoming;
import io.drumlin.checkpoint.PartnerCopy.Outgoing;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes the lost files of a checkpoint of level 2 or 3 again, so that it stands another loss
 * (docs/formats/fti-run-directory.md, section 5).
 *
 * <p>A file is made under another name, checked whole, and renamed; so the files that are there are never touched, and a
 * failure leaves what was to be had before.
 */
final class Restoration {

    /** Begins the name of a file that is being made; no program takes it for a checkpoint file. */
    private static final String UNFINISHED = "drumlin-restored-";

    private final Communicator app;
    private final Group group;
    private final StorageEngine storage;
    private final PartnerCopy partner;
    private final SlabPool slabs;

    Restoration(Communicator app, Group group, StorageEngine storage, SlabPool slabs) {
        this.app = app;
        this.group = group;
        this.storage = storage;
        partner = new PartnerCopy(group, storage, slabs);
        this.slabs = slabs;
    }

    /**
     * Makes what is missing of a checkpoint. Collective.
     *
     * @param directory where this rank's files of it lie and will lie
     * @param present kinds of the files that this rank has, whole; gets those that were made
     * @throws IOException on all ranks, if it failed on any
     */
    void restore(Level level, StoredCheckpoint stored, Path directory, EnumSet<FileKind> present) throws IOException {
        long[] missing = {present.containsAll(FileKind.of(level)) ? 0 : 1};
        app.allreduce(missing, Op.MAX);
        if (missing[0] == 0) {
            return;
        }
        Agreement.run(app, "preparing " + directory, () -> {
            RunDirectory.makeDirectory(directory, storage);
            slabs.fill();
        });
        if (level == Level.L2) {
            // A lost plain file comes from the copy on the right, then a lost copy from the plain file on the left.
            move(stored, directory, present, FileKind.PARTNER, group.left(), FileKind.PLAIN, group.right());
            move(stored, directory, present, FileKind.PLAIN, group.right(), FileKind.PARTNER, group.left());
        } else {
            rebuild(stored, directory, present);
        }
        Agreement.run(app, "syncing " + directory, () -> storage.syncDirectory(directory));
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
        Path target = path(directory, stored, wanted);
        withOwnFiles(stored, directory, present, own -> {
            long[] sizes = group.gather(own.size(given));
            Optional<Outgoing> outgoing = asked ? Optional.of(new Outgoing(to, own.get(given))) : Optional.empty();
            Optional<Incoming> incoming =
                    lacks ? Optional.of(new Incoming(from, sizes[from], unfinished(target))) : Optional.empty();
            Agreement.run(app, "fetching what is missing of checkpoint " + stored.ckptId(), () -> {
                partner.transfer(outgoing, incoming);
                if (lacks) {
                    finish(stored, wanted, target, present);
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
        Map<FileKind, Path> unfinished = new EnumMap<>(FileKind.class);
        own.forEach(kind -> unfinished.put(kind, unfinished(path(directory, stored, kind))));
        Encoding encoding = stored.encoding();
        long extendedSize = extendedSize(stored);
        withOwnFiles(stored, directory, present, had -> {
            Agreement.run(app, "rebuilding checkpoint " + stored.ckptId(), () -> {
                if (lost.isEmpty()) {
                    return;
                }
                Path plain = unfinished.get(FileKind.PLAIN);
                String md5 = new ReedSolomonGroup(group, storage, slabs)
                        .make(
                                files,
                                lost,
                                had.files,
                                extendedSize,
                                encoding,
                                unfinished,
                                () -> plain == null ? had.size(FileKind.PLAIN) : cut(plain, stored));
                if (plain != null) {
                    finish(stored, FileKind.PLAIN, path(directory, stored, FileKind.PLAIN), present);
                }
                Path encoded = unfinished.get(FileKind.ENCODED);
                if (encoded != null) {
                    // Not checked: its digest is that of the bytes that were written, and there is no other.
                    stored.encodedAgain(md5);
                    storage.rename(encoded, path(directory, stored, FileKind.ENCODED));
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
    private long cut(Path extended, StoredCheckpoint stored) throws IOException {
        try (BlockFile file = storage.open(extended, EnumSet.of(OpenMode.READ, OpenMode.WRITE))) {
            long size = stored.plainSize(new BlockFileSource(file));
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
            return size;
        }
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
    private void finish(StoredCheckpoint stored, FileKind kind, Path target, EnumSet<FileKind> present)
            throws IOException {
        stored.check(kind, unfinished(target));
        storage.rename(unfinished(target), target);
        present.add(kind);
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
                    own.files.put(kind, new ReadAhead(storage, path(directory, stored, kind)));
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
        private final Map<FileKind, ReadAhead> files = new EnumMap<>(FileKind.class);

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
            IOException failure = null;
            for (ReadAhead file : files.values()) {
                try {
                    file.close();
                } catch (IOException e) {
                    failure = failure == null ? e : failure;
                }
            }
            if (failure != null) {
                throw failure;
            }
        }
    }
}
