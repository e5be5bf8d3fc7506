package io.drumlin.checkpoint;

import io.drumlin.comm.Communicator.Request;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Gf16Engine;
import io.drumlin.integrity.Gf16Regions;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.integrity.ReedSolomon16;
import io.drumlin.integrity.ReedSolomon16.Decoding;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Makes and mends the Reed-Solomon files of a group: level 3 (docs/formats/fti-ff.md, section 7).
 *
 * <p>The files advance together, a window at a time: each rank sends its window to the ranks that need it and adds up what it
 * gets. Files are numbered, those with data 0 to k - 1 and the encoded ones k to 2k - 1; rank i of the group has files i and
 * k + i. A rank that cannot read or write keeps sending and receiving and fails when all have done; the caller lets the ranks
 * agree then.
 */
final class ReedSolomonGroup {

    private static final int TAG = 3;

    /** Windows of other ranks that are held at a time. */
    private static final int BATCH = 8;

    private final Group group;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final ReedSolomon16 code;
    private final Gf16Regions regions = Gf16Engine.regions();

    ReedSolomonGroup(Group group, StorageEngine storage, SlabPool slabs) {
        this.group = group;
        this.storage = storage;
        this.slabs = slabs;
        code = new ReedSolomon16(group.size());
    }

    /**
     * Makes encoded files from the plain files of all ranks. Collective in the group.
     *
     * @param wanted ranks of the group whose encoded files are made
     * @param plain this rank's plain file
     * @param extendedSize bytes of the encoded part, the same on all ranks
     * @param path the encoded file, replaced when it exists; looked at where it is wanted
     * @return MD5 of the encoded part, lower-case hexadecimal; means nothing where it is not wanted
     * @throws IOException this rank's plain file could not be read, or its encoded file is not whole and durable
     */
    String encode(BitSet wanted, ByteSource plain, long extendedSize, Encoding encoding, Path path) throws IOException {
        boolean own = wanted.get(group.index());
        ByteSource extended = new ExtendedSource(plain, extendedSize, encoding.embedsSize());
        try (HeldFile held = own ? new HeldFile(storage, slabs, path, extendedSize) : new HeldFile(slabs);
                Md5Lanes md5 = DigestEngine.md5()) {
            md5.reset(0);
            for (long offset = 0; offset < extendedSize; offset += SlabPool.SLAB_BYTES) {
                int length = (int) Math.min(SlabPool.SLAB_BYTES, extendedSize - offset);
                ByteBuffer sum = sumOfAll(held, wanted, read(held, extended, offset, length));
                if (own) {
                    md5.update(List.of(sum.limit(length)));
                    held.append(sum);
                }
            }
            String digest = HexFormat.of().formatHex(md5.digest(0));
            if (own) {
                held.append(encoding.record(digest, plain.size(), extendedSize));
            }
            held.finish();
            return digest;
        }
    }

    /** This rank's row of the code, applied to the windows of all ranks, which it exchanges with them. */
    private ByteBuffer sumOfAll(HeldFile held, BitSet wanted, ByteBuffer mine) throws IOException {
        int k = group.size();
        int self = group.index();
        int length = mine.limit();
        ByteBuffer sum = zeroed(held, length);
        regions.accumulate(sum, List.of(mine), new int[] {code.coefficient(self, self)});
        List<ByteBuffer> windows = new ArrayList<>();
        for (int i = 0; wanted.get(self) && i < Math.min(BATCH, k - 1); i++) {
            windows.add(held.window(length));
        }
        for (int first = 1; first < k; first += BATCH) {
            List<Request> transfers = new ArrayList<>();
            int[] coefficients = new int[Math.min(BATCH, k - first)];
            for (int i = 0; i < coefficients.length; i++) {
                int from = (self + first + i) % k;
                int to = (self + k - first - i) % k;
                if (wanted.get(self)) {
                    transfers.add(group.comm().startReceive(windows.get(i), from, TAG));
                    coefficients[i] = code.coefficient(self, from);
                }
                if (wanted.get(to)) {
                    transfers.add(group.comm().startSend(mine, to, TAG));
                }
            }
            for (Request transfer : transfers) {
                transfer.await();
            }
            if (wanted.get(self)) {
                regions.accumulate(sum, windows.subList(0, coefficients.length), coefficients);
            }
        }
        return sum;
    }

    /**
     * Makes lost plain files again from any k files. They are left with their extension. Collective in the group.
     *
     * @param present numbers of the files that are there, at least k
     * @param own this rank's files that are there
     * @param extendedSize bytes of the encoded part, the same on all ranks
     * @param embedsSize whether plain files hold their size at the end of their extension
     * @param path this rank's new plain file, replaced when it exists; looked at where the plain file is not present
     * @throws IOException a file could not be read, or the new one is not whole and durable
     */
    void decode(BitSet present, Map<FileKind, ByteSource> own, long extendedSize, boolean embedsSize, Path path)
            throws IOException {
        boolean lost = !present.get(group.index());
        Map<FileKind, ByteSource> extended = new EnumMap<>(FileKind.class);
        own.forEach((kind, file) ->
                extended.put(kind, kind == FileKind.PLAIN ? new ExtendedSource(file, extendedSize, embedsSize) : file));
        try (HeldFile held = lost ? new HeldFile(storage, slabs, path, extendedSize) : new HeldFile(slabs)) {
            Decoding decoding = code.decoding(present);
            for (long offset = 0; offset < extendedSize; offset += SlabPool.SLAB_BYTES) {
                int length = (int) Math.min(SlabPool.SLAB_BYTES, extendedSize - offset);
                for (int number = present.nextClearBit(0);
                        number < group.size();
                        number = present.nextClearBit(number + 1)) {
                    if (number == group.index()) {
                        held.append(sum(held, decoding, number, extended, offset, length)
                                .limit(length));
                    } else {
                        give(held, decoding.used(), number, extended, offset, length);
                    }
                }
            }
            held.finish();
        }
    }

    /** The window of a lost file: the sum of those it is made of, which the other ranks send. */
    private ByteBuffer sum(
            HeldFile held, Decoding decoding, int lost, Map<FileKind, ByteSource> own, long offset, int length)
            throws IOException {
        ByteBuffer sum = zeroed(held, even(length));
        ByteBuffer received = held.window(even(length));
        int[] used = decoding.used();
        int[] row = decoding.row(lost);
        for (int i = 0; i < used.length; i++) {
            int holder = used[i] % group.size();
            ByteBuffer window = received;
            if (holder == group.index()) {
                window = read(held, file(own, used[i]), offset, length);
            } else {
                group.comm().startReceive(received, holder, TAG).await();
            }
            regions.accumulate(sum, List.of(window), new int[] {row[i]});
        }
        return sum;
    }

    /** Sends the windows of this rank's files to the rank that makes a lost one of them. */
    private void give(HeldFile held, int[] used, int lost, Map<FileKind, ByteSource> own, long offset, int length)
            throws IOException {
        List<Request> sends = new ArrayList<>();
        for (int number : used) {
            if (number % group.size() == group.index()) {
                sends.add(group.comm().startSend(read(held, file(own, number), offset, length), lost, TAG));
            }
        }
        for (Request send : sends) {
            send.await();
        }
    }

    private ByteSource file(Map<FileKind, ByteSource> own, int number) {
        ByteSource file = own.get(number < group.size() ? FileKind.PLAIN : FileKind.ENCODED);
        if (file == null) {
            throw new IllegalStateException("file " + number + " of the group is not here");
        }
        return file;
    }

    /** The next bytes of a file, completed by a zero byte to whole elements of the field. */
    private static ByteBuffer read(HeldFile held, ByteSource file, long offset, int length) {
        ByteBuffer window = held.window(length);
        held.attempt(() -> file.readFully(offset, window.duplicate()));
        window.limit(even(length));
        if (length < window.limit()) {
            window.put(length, (byte) 0);
        }
        return window;
    }

    private static ByteBuffer zeroed(HeldFile held, int length) {
        ByteBuffer window = held.window(length);
        for (int i = 0; i < length; i++) {
            window.put(i, (byte) 0);
        }
        return window;
    }

    private static int even(int length) {
        return length + (length & 1);
    }
}
