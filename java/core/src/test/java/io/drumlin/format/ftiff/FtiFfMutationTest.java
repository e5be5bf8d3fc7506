package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Findings;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.RangeDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged files of C FTI. Whatever is done to one, a strict reader refuses it with a {@link FormatException} or finds
 * only chunks within the file; nothing else may be thrown, and no more is read or allocated than the file has.
 */
class FtiFfMutationTest {

    static Stream<Path> files() throws IOException {
        List<Path> all = GoldenFiles.ofLayoutF("Rank", "Pcof", "RSed").stream()
                .filter(path -> path.toFile().length() < 40_000)
                .toList();
        // One of each case and kind is enough: others differ in content only.
        return all.stream()
                .collect(java.util.stream.Collectors.toMap(
                        path -> GoldenFiles.root().relativize(path).subpath(0, 2)
                                + path.getFileName().toString().replaceAll("\\d", ""),
                        path -> path,
                        (first, second) -> first,
                        java.util.TreeMap::new))
                .values()
                .stream();
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyMetadataByte(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        int start = metadataStart(whole);
        for (int i = start; i < whole.length; i++) {
            for (int mask : new int[] {0x01, 0x80, 0xff}) {
                byte[] bytes = whole.clone();
                bytes[i] ^= (byte) mask;
                read(bytes, path + ": byte " + i + " xor " + mask, false);
                read(bytes, path + ": byte " + i + " xor " + mask, true);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyPlaceOfALargeNumber(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        long[] values = {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, whole.length, Integer.MAX_VALUE, 1L << 32, 1L << 62};
        for (int i = metadataStart(whole); i <= whole.length - Long.BYTES; i++) {
            for (long value : values) {
                byte[] bytes = whole.clone();
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(i, value);
                read(bytes, path + ": " + value + " at " + i, true);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyLength(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        int start = metadataStart(whole);
        for (int length = 0; length < whole.length; length += length < start - 300 ? 97 : 1) {
            read(Arrays.copyOf(whole, length), path + " cut at " + length, false);
        }
        for (int length = whole.length + 1; length < whole.length + 200; length++) {
            read(Arrays.copyOf(whole, length), path + " extended to " + length, false);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void severalPlacesAtOnce(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int start = metadataStart(whole);
        for (int round = 0; round < 2000; round++) {
            byte[] bytes = whole.clone();
            for (int n = random.nextInt(6); n >= 0; n--) {
                bytes[start + random.nextInt(bytes.length - start)] = (byte) random.nextInt();
            }
            read(bytes, path + ": seed " + seed + ", round " + round, true);
        }
    }

    private static int metadataStart(byte[] whole) throws IOException {
        FtiFfFile file = FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(whole)));
        return file.encoded() ? (int) file.recordOffset() : (int) file.meta().dataSize();
    }

    /** Sealed again, the damage gets past the digest of the file record. */
    private static void read(byte[] bytes, String damage, boolean seal) throws IOException {
        if (seal && bytes.length >= 106) {
            ByteBuffer all = ByteBuffer.wrap(bytes);
            all.put(bytes.length - 106 + 33, Layout.F.recordDigest(all.slice(bytes.length - 106, 106)));
        }
        ByteSource source = new BoundedSource(bytes);
        try {
            FtiFfFile file = FtiFfFile.read(source);
            assertThat(file.containers()).as(damage).allSatisfy(container -> {
                assertThat(container.chunkSize()).isBetween(0L, container.containerSize());
                assertThat(container.fptr()).isBetween(0L, file.meta().dataSize() - container.containerSize());
                assertThat(container.dptr()).isBetween(0L, (long) bytes.length);
            });
        } catch (FormatException refused) {
            assertThat(refused.offset()).as(damage).isBetween(0L, (long) bytes.length);
        }
        Findings findings = new Findings();
        var recognition = Recognition.of(source);
        if (recognition.isPresent() && recognition.get().layout() == Layout.F) {
            FtiFfFile file = FtiFfFile.read(source, recognition.get(), findings);
            new FtiFfVerifier(source, file, RangeDigester.sequential()).verify(findings);
        }
    }

    /** Refuses to be asked for more than it has: a reader must know before it asks. */
    private record BoundedSource(byte[] bytes) implements ByteSource {

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void readFully(long offset, ByteBuffer target) {
            if (target.capacity() > Math.max(bytes.length, 1 << 16)) {
                throw new AssertionError("a buffer of " + target.capacity() + " bytes for a file of " + bytes.length);
            }
            if (offset < 0 || offset + target.remaining() > bytes.length) {
                throw new AssertionError(target.remaining() + " bytes asked at " + offset + " of " + bytes.length);
            }
            target.put(bytes, (int) offset, target.remaining());
        }
    }
}
