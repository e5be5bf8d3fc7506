package io.drumlin.format.kvtree;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damaged files of all kinds. Whatever is done to one, it is refused with a {@link FormatException} or read as a tree that
 * fits into its bytes; nothing else may be thrown, and no more is allocated than the file has.
 */
@Tag("exhaustive")
class KvTreeMutationTest {

    private static final int HEADER = 20;

    static Stream<Path> files() throws IOException {
        // One of each name is enough: others differ in content only.
        Map<String, Path> files = new TreeMap<>();
        for (Path path : ScrGolden.files("")) {
            byte[] bytes = Files.readAllBytes(path);
            if (bytes.length > HEADER
                    && bytes.length < 1500
                    && ByteBuffer.wrap(bytes).getInt() == 0x951fc3f5) {
                files.putIfAbsent(path.getFileName().toString().replaceAll("[0-9]", ""), path);
            }
        }
        assertThat(files).hasSizeGreaterThan(10);
        return files.values().stream();
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyBit(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        boolean refused = refuses(whole);
        for (int i = 0; i < 8 * whole.length; i++) {
            byte[] bytes = whole.clone();
            bytes[i / 8] ^= (byte) (1 << i % 8);
            boolean covered = !refused && i / 8 < length(whole) && hasCrc(whole) && hasCrc(bytes);
            boolean noticed = refuses(bytes);
            if (covered) {
                assertThat(noticed).as("%s: bit %d", path, i).isTrue();
            }
            refuses(seal(bytes));
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyPlaceOfALargeNumber(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        for (int value : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, whole.length, 1 << 24}) {
            for (int i = 4; i <= whole.length - Integer.BYTES; i++) {
                byte[] bytes = whole.clone();
                ByteBuffer.wrap(bytes).putInt(i, value);
                refuses(bytes);
                refuses(seal(bytes));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyLength(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        for (int length = 1; length < Math.min(whole.length, length(whole)); length++) {
            assertThat(refuses(Arrays.copyOf(whole, length)))
                    .as("%s cut at %d", path, length)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void severalPlacesAtOnce(Path path) throws IOException {
        byte[] whole = Files.readAllBytes(path);
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            byte[] bytes = whole.clone();
            for (int n = random.nextInt(6); n >= 0; n--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(4);
            }
            try {
                refuses(seal(bytes));
            } catch (AssertionError e) {
                throw new AssertionError(path + ": seed " + seed + ", round " + round, e);
            }
        }
    }

    /** Gives the bytes the CRC that they should have, so that the damage gets past it. */
    private static byte[] seal(byte[] bytes) {
        long length = length(bytes);
        if (hasCrc(bytes) && length >= HEADER + Integer.BYTES && length <= bytes.length) {
            CRC32 crc = new CRC32();
            crc.update(bytes, 0, (int) length - Integer.BYTES);
            ByteBuffer.wrap(bytes).putInt((int) length - Integer.BYTES, (int) crc.getValue());
        }
        return bytes;
    }

    private static long length(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong(8);
    }

    private static boolean hasCrc(byte[] bytes) {
        return (bytes[19] & 1) == 1;
    }

    private static boolean refuses(byte[] bytes) throws IOException {
        try {
            KvTreeFile file = KvTreeFile.read(new BoundedSource(bytes));
            assertThat(file.length()).isBetween(HEADER, bytes.length);
            // Joining equal keys makes a tree smaller, never larger.
            assertThat(KvTreeFile.encode(file.tree(), file.flags()).remaining()).isLessThanOrEqualTo(file.length());
            return false;
        } catch (FormatException e) {
            assertThat(e.offset()).isBetween(0L, (long) bytes.length);
            return true;
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
            if (offset < 0 || offset + target.capacity() > bytes.length) {
                throw new AssertionError(target.capacity() + " bytes asked at " + offset + " of " + bytes.length);
            }
            target.put(bytes, (int) offset, target.remaining());
        }
    }
}
