package io.drumlin.checkpoint.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.redundancy.WindowHasher.Passing;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.EarlyRecovery;
import io.drumlin.checkpoint.internal.verify.FileIdentity;
import io.drumlin.checkpoint.internal.verify.RecoveryPass;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.integrity.StripedDigester;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that pass in windows have the digests that all their bytes have. */
class WindowHasherTest {

    @TempDir
    private Path folder;

    /** A file with chunks that may touch, in no order, and other bytes between them. */
    private final class Stored {
        private final Path path;
        private final byte[] content;
        private final List<Chunk> chunks = new ArrayList<>();

        /** What was put into variables, at its place in the file. */
        private final byte[] taken;

        Stored(String name, Random random) throws IOException {
            content = new byte[random.nextInt(60_000) + 1];
            taken = new byte[content.length];
            random.nextBytes(content);
            path = Files.write(folder.resolve(name), content);
            int at = 0;
            for (int id = 0; at < content.length; id++) {
                int length = Math.min(content.length - at, random.nextInt(random.nextBoolean() ? 200 : 30_000) + 1);
                boolean striped = random.nextBoolean();
                String digest = striped ? stripedMd5(at, length) : md5(at, length);
                chunks.add(
                        random.nextInt(chunks.size() + 1), new Chunk(id, 0, at, length, Optional.of(digest), striped));
                at += length + (random.nextBoolean() ? 0 : random.nextInt(5000));
            }
        }

        private String md5(int offset, int length) {
            try {
                MessageDigest md5 = MessageDigest.getInstance("MD5");
                md5.update(content, offset, length);
                return HexFormat.of().formatHex(md5.digest());
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }

        private String stripedMd5(int offset, int length) throws IOException {
            List<byte[]> digests = new StripedDigester()
                    .digest(new MemoryByteSource(ByteBuffer.wrap(content)), List.of(new Range(offset, length)));
            return HexFormat.of().formatHex(digests.get(0));
        }

        Passing passing() throws IOException {
            ChunkSink sink =
                    (chunk, position, piece) -> piece.get(taken, (int) (chunk.offset() + position), piece.remaining());
            return Passing.of(FileIdentity.of(path), meta(chunks), RecoveryPass.into(new EarlyRecovery(), sink))
                    .orElseThrow();
        }

        /** The window of a longer file, with zeros behind this one. */
        ByteBuffer window(int offset, int length) {
            ByteBuffer window = ByteBuffer.allocateDirect(length + 10).position(3);
            int bytes = Math.max(0, Math.min(length, content.length - offset));
            if (bytes > 0) {
                window.put(3, content, offset, bytes);
            }
            return window.limit(length + 3);
        }

        void assertKnown(CheckpointReader reader) throws IOException {
            List<String> expected =
                    chunks.stream().map(chunk -> chunk.md5().orElseThrow()).toList();
            assertThat(reader.known().of(path, chunks)).hasValue(expected);
            for (Chunk chunk : chunks) {
                int from = (int) chunk.offset();
                int to = (int) (from + chunk.length());
                assertThat(ByteBuffer.wrap(taken, from, to - from))
                        .isEqualTo(ByteBuffer.wrap(content, from, to - from));
            }
        }
    }

    private static StoredFile meta(List<Chunk> chunks) {
        return new StoredFile(1, chunks, Map.of());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void theirDigestsAreKnown(int seed) throws IOException {
        Random random = new Random(seed);
        Map<FileKind, Stored> stored = new EnumMap<>(FileKind.class);
        Map<FileKind, Passing> passing = new EnumMap<>(FileKind.class);
        FileKind[] kinds = FileKind.values();
        for (int i = 0; i <= seed % kinds.length; i++) {
            stored.put(kinds[i], new Stored("file" + i, random));
            passing.put(kinds[i], stored.get(kinds[i]).passing());
        }
        int longest = stored.values().stream()
                .mapToInt(file -> file.content.length)
                .max()
                .orElseThrow();
        int step = random.nextInt(20_000) + 1;
        NioEngine storage = new NioEngine();
        try (SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, 4096);
                WindowHasher hashes = new WindowHasher(passing)) {
            CheckpointReader reader = new CheckpointReader(storage, slabs);
            for (int offset = 0; offset < longest; offset += step) {
                int start = offset;
                int length = Math.min(step, longest - offset);
                hashes.update(
                        offset,
                        hashes.kinds().stream()
                                .map(kind -> stored.get(kind).window(start, length))
                                .toList());
            }
            hashes.done(reader);
            for (Stored file : stored.values()) {
                file.assertKnown(reader);
            }
        }
    }

    /** What did not come may have changed: neither is its digest known, nor do the variables count as filled. */
    @ParameterizedTest
    @ValueSource(ints = {99, 100})
    void whatDoesNotComeWholeIsNotKnown(int passed) throws IOException {
        Path path = Files.write(folder.resolve("file"), new byte[100]);
        ProtectedData variable = ProtectedData.of(new byte[100]);
        List<Chunk> chunks = List.of(new Chunk(1, 0, 0, 100, Optional.of("0".repeat(32))));
        StoredFile meta = new StoredFile(1, chunks, Map.of(1, 100L));
        NioEngine storage = new NioEngine();
        try (SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, 4096)) {
            CheckpointReader reader = new CheckpointReader(storage, slabs);
            reader.recoverInto(Map.of(1, variable));
            Passing file = Passing.of(FileIdentity.of(path), meta, reader.recoveryPass(meta))
                    .orElseThrow();
            try (WindowHasher hashes = new WindowHasher(Map.of(FileKind.PLAIN, file))) {
                hashes.update(0, List.of(ByteBuffer.allocateDirect(passed)));
                hashes.done(reader);
            }
            boolean whole = passed == 100;
            assertThat(reader.known().of(path, chunks).isPresent()).isEqualTo(whole);
            assertThat(reader.early().takeAllBut(path, Map.of(1, variable)).isEmpty())
                    .isEqualTo(whole);
        }
    }

    /** A file of 100 bytes. */
    @ParameterizedTest
    @CsvSource({
        "0, 50, 50, 50, true",
        "0, 51, 50, 50, false",
        "0, 50, 50, 51, false",
        "0, 50, 60, 0, false",
        "-1, 9, 9, 9, false"
    })
    void partsThatOverlapOrAreNotThereAreNotHashedSo(long from, long length, long next, long more, boolean possible)
            throws IOException {
        Path path = Files.write(folder.resolve("file"), new byte[100]);
        Optional<String> md5 = Optional.of("0".repeat(32));
        List<Chunk> chunks = List.of(new Chunk(1, 0, next, more, md5), new Chunk(2, 0, from, length, md5));
        assertThat(Passing.of(FileIdentity.of(path), meta(chunks), RecoveryPass.none())
                        .isPresent())
                .isEqualTo(possible);
    }
}
