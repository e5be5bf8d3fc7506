package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.io.StreamDigest;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.PendingMessages;
import io.drumlin.format.ByteSource;
import io.drumlin.integrity.Gf16Engine;
import io.drumlin.integrity.Gf16Regions;
import io.drumlin.integrity.ReedSolomon16;
import io.drumlin.integrity.ReedSolomon16.Decoding;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Creates and rebuilds the Reed-Solomon files of a group: level 3 (docs/formats/fti-ff.md, section 7).
 *
 * <p>All files advance together, one window at a time. Each rank reads the windows of its files once, sends them to the
 * ranks that lack a file, and adds up the windows that it receives. Files are numbered: those with data are 0 to k - 1
 * and the encoded ones k to 2k - 1; rank i of the group has files i and k + i. A rank that cannot read or write keeps
 * sending and receiving, and fails after the exchange. The caller then lets the ranks agree on the result.
 */
public final class ReedSolomonGroup {

    private static final int TAG = 3;

    /** Windows of other ranks that are in memory at a time. */
    private static final int BATCH = 8;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 16).asReadOnlyBuffer();

    private final Group group;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final ReedSolomon16 code;
    private final Gf16Regions regions = Gf16Engine.regions();
    private final Supplier<StreamDigest> digests;

    public ReedSolomonGroup(Group group, StorageEngine storage, SlabPool slabs) {
        // One window of each stream may wait: its slab is requested again only after two more windows of a dozen slabs
        // each.
        this(group, storage, slabs, () -> new StreamDigest(1));
    }

    /** @param digests creates the digests of encoded files, in which at most one piece may wait */
    ReedSolomonGroup(Group group, StorageEngine storage, SlabPool slabs, Supplier<StreamDigest> digests) {
        this.group = group;
        this.storage = storage;
        this.slabs = slabs;
        this.digests = digests;
        code = new ReedSolomon16(group.size());
    }

    /** Returns the size of this rank's plain file. */
    @FunctionalInterface
    public interface PlainSize {

        /** Returns the size in bytes. Called when the plain file exists, with its extension if it was rebuilt. */
        long get() throws IOException;
    }

    /**
     * MD5 of a rank's files, lower-case hexadecimal.
     *
     * @param encoded of the encoded part of its encoded file; empty if that file was not made
     * @param plain of its plain file; empty if that was not asked for
     */
    public record Digests(String encoded, String plain) {}

    /**
     * Creates the encoded files of all ranks from their plain files. Collective in the group.
     *
     * @param plain this rank's plain file
     * @param extendedSize bytes of the encoded part, the same on all ranks
     * @param path this rank's encoded file, replaced if it exists
     * @return MD5 of its encoded part, lower-case hexadecimal
     * @throws IOException this rank's plain file could not be read, or the encoded file is not whole and durable
     */
    public String encode(ByteSource plain, long extendedSize, Encoding encoding, Path path) throws IOException {
        return encode(plain, extendedSize, encoding, path, 0).encoded();
    }

    /** Also digests the plain file, which takes little longer; otherwise like {@link #encode}. Collective in the group. */
    public Digests encodeAndDigest(ByteSource plain, long extendedSize, Encoding encoding, Path path)
            throws IOException {
        return encode(plain, extendedSize, encoding, path, plain.size());
    }

    private Digests encode(ByteSource plain, long extendedSize, Encoding encoding, Path path, long digested)
            throws IOException {
        int k = group.size();
        BitSet present = new BitSet();
        present.set(0, k);
        BitSet wanted = new BitSet();
        wanted.set(k, 2 * k);
        Map<FileKind, ByteSource> own = Map.of(FileKind.PLAIN, plain);
        return make(
                present,
                wanted,
                own,
                extendedSize,
                encoding,
                Map.of(FileKind.ENCODED, path),
                plain::size,
                Optional.empty(),
                digested);
    }

    /**
     * Rebuilds files of the group from k others, in one pass. Rebuilt plain files keep their extension. Collective in
     * the group.
     *
     * @param present numbers of the existing files, at least k
     * @param wanted numbers of the files to rebuild
     * @param own this rank's existing files
     * @param extendedSize bytes of the encoded part, the same on all ranks
     * @param targets paths of this rank's rebuilt files; only wanted files are used
     * @param hashes receives all windows of this rank's files, also of those from which nothing is rebuilt
     * @return MD5 of the encoded part of this rank's encoded file, lower-case hexadecimal; empty if that file is not
     *     wanted
     * @throws IOException one of this rank's files could not be read, or a new one is not whole and durable
     */
    public String rebuild(
            BitSet present,
            BitSet wanted,
            Map<FileKind, ? extends ByteSource> own,
            long extendedSize,
            Encoding encoding,
            Map<FileKind, Path> targets,
            PlainSize plainSize,
            Optional<WindowHasher> hashes)
            throws IOException {
        return make(present, wanted, own, extendedSize, encoding, targets, plainSize, hashes, 0)
                .encoded();
    }

    /** @param digested bytes of this rank's plain file that are digested beside its encoded file, from the beginning */
    private Digests make(
            BitSet present,
            BitSet wanted,
            Map<FileKind, ? extends ByteSource> own,
            long extendedSize,
            Encoding encoding,
            Map<FileKind, Path> targets,
            PlainSize plainSize,
            Optional<WindowHasher> hashes,
            long digested)
            throws IOException {
        Map<FileKind, ByteSource> extended = new EnumMap<>(FileKind.class);
        own.forEach((kind, file) -> extended.put(
                kind, kind == FileKind.PLAIN ? new ExtendedSource(file, extendedSize, encoding.embedsSize()) : file));
        Decoding decoding = code.decoding(present);
        try (ReceivedFile reads = new ReceivedFile(slabs);
                NewFile plain = newFile(FileKind.PLAIN, wanted, decoding, targets, extendedSize);
                NewFile encoded = newFile(FileKind.ENCODED, wanted, decoding, targets, extendedSize)) {
            List<NewFile> made = new ArrayList<>();
            if (plain != null) {
                made.add(plain);
            }
            if (encoded != null) {
                made.add(encoded);
            }
            try (Exchange exchange = new Exchange(decoding.used(), wanted, extended, reads, made, hashes, digested)) {
                for (long offset = 0; offset < extendedSize; offset += slabs.slabBytes()) {
                    exchange.step(offset, (int) Math.min(slabs.slabBytes(), extendedSize - offset));
                }
            }
            reads.finish();
            if (plain != null) {
                plain.file.finish();
            }
            long size = made.isEmpty() ? 0 : plainSize.get();
            if (encoded == null) {
                return new Digests("", "");
            }
            String digest = encoded.digest(0);
            encoded.file.append(encoding.record(digest, size, extendedSize));
            encoded.file.finish();
            return new Digests(digest, digested > 0 ? encoded.digest(1) : "");
        }
    }

    private @Nullable NewFile newFile(
            FileKind kind, BitSet wanted, Decoding decoding, Map<FileKind, Path> targets, long size) {
        int number = kind == FileKind.PLAIN ? group.index() : group.size() + group.index();
        Path target = targets.get(kind);
        if (!wanted.get(number) || target == null) {
            return null;
        }
        return new NewFile(kind, decoding.row(number), new ReceivedFile(storage, slabs, target, size));
    }

    /** A file that this rank creates or rebuilds. */
    private final class NewFile implements AutoCloseable {
        private final int[] row;
        private final ReceivedFile file;

        /** The digest of an encoded file, and beside it that of the plain file; null for a plain file. */
        private final @Nullable StreamDigest md5;

        /** Deferred like other steps, because another rank waits for the next window even if the digest fails. */
        private final Agreement.Step hashing = this::hash;

        private ByteBuffer sum = ZEROS;

        /** Window of the plain file that is digested beside this one; null for none. */
        private @Nullable ByteBuffer beside;

        NewFile(FileKind kind, int[] row, ReceivedFile file) {
            this.row = row;
            this.file = file;
            md5 = kind == FileKind.ENCODED ? digests.get() : null;
        }

        /** Begins a window of the file, of which the whole field elements have {@code whole} bytes. */
        void begin(int whole) {
            sum = file.space(whole);
            for (int zeroed = 0; zeroed < whole; zeroed += ZEROS.capacity()) {
                sum.put(zeroed, ZEROS, 0, Math.min(ZEROS.capacity(), whole - zeroed));
            }
        }

        /** Returns the factors of the files at these positions in the row. */
        int[] coefficients(int[] positions) {
            return Arrays.stream(positions).map(position -> row[position]).toArray();
        }

        void add(List<ByteBuffer> windows, int[] coefficients) {
            regions.accumulate(sum, windows, coefficients);
        }

        /**
         * Ends a window.
         *
         * @param plain window of the plain file that is digested beside this; null for none
         */
        void end(int length, @Nullable ByteBuffer plain) {
            sum.limit(length);
            beside = plain;
            file.attempt(hashing);
            file.filled(length);
        }

        private void hash() {
            if (md5 != null) {
                md5.update(sum, beside);
            }
        }

        /** Returns the MD5 of a stream of the digest, lower-case hexadecimal; empty if none is computed. */
        String digest(int stream) {
            return md5 == null ? "" : HexFormat.of().formatHex(md5.digest(stream));
        }

        @Override
        public void close() throws IOException {
            try (file) {
                if (md5 != null) {
                    md5.close();
                }
            }
        }
    }

    /** Files whose windows are added up together. */
    private static final class Batch {

        /** Positions of the files in {@code used}. */
        private final int[] positions;

        /** Factors of these files for each rebuilt file. */
        private final List<int[]> coefficients;

        /** Windows of this step, one of each file. */
        private final List<ByteBuffer> windows;

        Batch(List<Integer> files, List<NewFile> made) {
            positions = files.stream().mapToInt(i -> i).toArray();
            coefficients =
                    made.stream().map(file -> file.coefficients(positions)).toList();
            windows = Arrays.asList(new ByteBuffer[positions.length]);
        }
    }

    /** The pass of the ranks through their files. A step creates few objects, so loops over lists use indices. */
    private final class Exchange implements AutoCloseable {
        private final int[] used;

        /** This rank's files; the batches of other ranks' files follow in the order in which they arrive. */
        private final Batch mine;

        private final List<Batch> others = new ArrayList<>();
        private final int[] receivers;
        private final Map<FileKind, ByteSource> own;
        private final ReceivedFile reads;
        private final List<NewFile> made;

        private final long digested;
        private final @Nullable WindowHasher hashes;

        /** Windows of this step of this rank's hashed files. */
        private final List<ByteBuffer> hashed;

        private final Agreement.Step hashing = this::hash;
        private long offset;

        private final PendingMessages sends = new PendingMessages(group.comm(), TAG);

        private final PendingMessages receives = new PendingMessages(group.comm(), TAG);

        Exchange(
                int[] used,
                BitSet wanted,
                Map<FileKind, ByteSource> own,
                ReceivedFile reads,
                List<NewFile> made,
                Optional<WindowHasher> hashes,
                long digested) {
            this.used = used;
            this.own = own;
            this.reads = reads;
            this.made = made;
            this.digested = digested;
            this.hashes = hashes.orElse(null);
            hashed = Arrays.asList(
                    new ByteBuffer
                            [hashes.map(WindowHasher::kinds).orElse(List.of()).size()]);
            int k = group.size();
            int self = group.index();
            List<Integer> here = new ArrayList<>();
            List<Integer> elsewhere = new ArrayList<>();
            for (int i = 0; i < used.length; i++) {
                (holder(i) == self ? here : elsewhere).add(i);
            }
            mine = new Batch(here, made);
            // Each rank begins with its neighbour, so that not all ranks wait for the same one.
            elsewhere.sort(Comparator.comparingInt(i -> (holder(i) + k - self) % k));
            for (int first = 0; first < elsewhere.size(); first += BATCH) {
                others.add(new Batch(elsewhere.subList(first, Math.min(first + BATCH, elsewhere.size())), made));
            }
            receivers = IntStream.range(1, k)
                    .map(i -> (self + k - i) % k)
                    .filter(to -> wanted.get(to) || wanted.get(k + to))
                    .toArray();
        }

        @Override
        public void close() throws IOException {
            try (sends) {
                receives.close();
            }
        }

        private int holder(int position) {
            return used[position] % group.size();
        }

        private FileKind kind(int position) {
            return used[position] < group.size() ? FileKind.PLAIN : FileKind.ENCODED;
        }

        /** Advances by one window. */
        void step(long start, int length) throws IOException {
            offset = start;
            int whole = length + length % Short.BYTES;
            for (int i = 0; i < made.size(); i++) {
                made.get(i).begin(whole);
            }
            for (int i = 0; i < mine.positions.length; i++) {
                mine.windows.set(i, read(kind(mine.positions[i]), length, whole));
            }
            for (int to : receivers) {
                for (int i = 0; i < mine.windows.size(); i++) {
                    sends.startSend(mine.windows.get(i), to);
                }
            }
            add(mine);
            if (!made.isEmpty()) {
                receive(whole);
            }
            if (hashes != null) {
                readHashed(hashes.kinds(), length, whole);
                reads.attempt(hashing);
            }
            sends.await();
            ByteBuffer beside = offset < digested ? beside() : null;
            for (int i = 0; i < made.size(); i++) {
                made.get(i).end(length, beside);
            }
        }

        /** Returns what the window of the plain file has of the bytes to digest. */
        private @Nullable ByteBuffer beside() {
            ByteBuffer window = window(FileKind.PLAIN);
            long rest = digested - offset;
            return window == null || rest >= window.remaining() ? window : window.slice(0, (int) rest);
        }

        private void receive(int whole) throws IOException {
            for (int b = 0; b < others.size(); b++) {
                Batch batch = others.get(b);
                for (int i = 0; i < batch.positions.length; i++) {
                    // The first batch is the largest; later batches reuse its windows.
                    ByteBuffer window =
                            b == 0 ? reads.window(whole) : others.get(0).windows.get(i);
                    batch.windows.set(i, window);
                    receives.startReceive(window, holder(batch.positions[i]));
                }
                receives.await();
                add(batch);
            }
        }

        private void add(Batch batch) {
            for (int i = 0; i < made.size(); i++) {
                made.get(i).add(batch.windows, batch.coefficients.get(i));
            }
        }

        /** Collects the windows that were already read, and reads those from which nothing is rebuilt. */
        private void readHashed(List<FileKind> kinds, int length, int whole) {
            for (int i = 0; i < kinds.size(); i++) {
                ByteBuffer window = window(kinds.get(i));
                hashed.set(i, window == null ? read(kinds.get(i), length, whole) : window);
            }
        }

        /** Returns the window of this step of a file of this rank, if something is rebuilt from the file. */
        private @Nullable ByteBuffer window(FileKind kind) {
            for (int i = 0; i < mine.positions.length; i++) {
                if (kind(mine.positions[i]) == kind) {
                    return mine.windows.get(i);
                }
            }
            return null;
        }

        private void hash() throws IOException {
            if (hashes != null) {
                hashes.update(offset, hashed);
            }
        }

        /** Reads the next bytes of a file, padded with a zero byte to whole field elements. */
        private ByteBuffer read(FileKind kind, int length, int whole) {
            ByteSource file = own.get(kind);
            if (file == null) {
                throw new IllegalStateException("this rank has no file " + kind);
            }
            ByteBuffer window = reads.window(length);
            reads.read(file, offset, window);
            window.limit(whole);
            if (length < whole) {
                window.put(length, (byte) 0);
            }
            return window;
        }
    }
}
