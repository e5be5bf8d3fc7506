package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.nativecore.NativeCore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StripedMd5Test {

    private static final int ROW = Md5Lanes.LANES * StripedMd5.BLOCK;

    private static List<Md5Lanes> lanes() {
        List<Md5Lanes> all = new ArrayList<>(List.of(new JavaMd5Lanes()));
        if (NativeCore.isAvailable()) {
            all.add(new NativeMd5Lanes(0));
            all.add(new NativeMd5Lanes(1));
        }
        return all;
    }

    /** By the words of the format, with the JDK alone. */
    private static String reference(byte[] bytes) {
        MessageDigest all = JavaMd5Lanes.md5();
        for (int stripe = 0; stripe < 16; stripe++) {
            MessageDigest md5 = JavaMd5Lanes.md5();
            for (int at = stripe * 32_768; at < bytes.length; at += 16 * 32_768) {
                md5.update(bytes, at, Math.min(32_768, bytes.length - at));
            }
            all.update(md5.digest());
        }
        return HexFormat.of().formatHex(all.digest());
    }

    private static String digest(StripedMd5 md5) {
        return HexFormat.of().formatHex(md5.digest());
    }

    /** The values are those of another implementation: files have them. */
    @ParameterizedTest
    @CsvSource({
        "0, 6452dea751220e2d7b7af19575fe8d81",
        "1, 061a219ccb841697e55eb7bcf93fc894",
        "1500000, 01fd4b6c71dc0ec86e605986a6268636"
    })
    void theDigestStaysWhatItIs(int length, String expected) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * i + i / 251);
        }
        for (Md5Lanes lanes : lanes()) {
            try (StripedMd5 md5 = new StripedMd5(lanes)) {
                md5.update(ByteBuffer.wrap(bytes));
                assertThat(digest(md5)).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, StripedMd5.BLOCK, StripedMd5.BLOCK + 1, ROW - 1, ROW, ROW + 1, 2 * ROW + 777_777})
    void theBytesMayComeInPiecesOfAnySize(int most) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] bytes = new byte[most < 64 ? 40_000 : 3 * ROW + random.nextInt(ROW)];
        random.nextBytes(bytes);
        String expected = reference(bytes);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        for (Md5Lanes lanes : lanes()) {
            try (StripedMd5 md5 = new StripedMd5(lanes)) {
                for (ByteBuffer source : List.of(ByteBuffer.wrap(bytes), direct)) {
                    md5.reset();
                    for (int at = 0; at < bytes.length; ) {
                        int length = Math.min(1 + random.nextInt(most), bytes.length - at);
                        ByteBuffer piece = source.duplicate().limit(at + length).position(at);
                        md5.update(piece);
                        assertThat(piece.position()).isEqualTo(at);
                        at += length;
                    }
                    assertThat(digest(md5)).as("seed %d", seed).isEqualTo(expected);
                }
            }
        }
    }

    /** Other lanes get other bytes meanwhile. */
    @ParameterizedTest
    @ValueSource(ints = {700, ROW + 1, 4 * ROW})
    void thePlainDigestComesFromTheSamePass(int most) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] bytes = new byte[most < ROW ? 40_000 : 3 * ROW + random.nextInt(ROW)];
        random.nextBytes(bytes);
        ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
        for (Md5Lanes lanes : lanes()) {
            MessageDigest second = JavaMd5Lanes.md5();
            try (LanesWithStripes both = new LanesWithStripes(lanes)) {
                for (int at = 0; at < bytes.length; ) {
                    int length = Math.min(most > bytes.length ? most : 1 + random.nextInt(most), bytes.length - at);
                    boolean alone = random.nextBoolean();
                    both.update(Arrays.asList(source.slice(at, length), alone ? null : source.slice(0, length)));
                    second.update(bytes, 0, alone ? 0 : length);
                    at += length;
                }
                assertThat(HexFormat.of().formatHex(both.stripedDigest()))
                        .as("seed %d", seed)
                        .isEqualTo(reference(bytes));
                assertThat(both.digest(0))
                        .as("seed %d", seed)
                        .isEqualTo(JavaMd5Lanes.md5().digest(bytes));
                assertThat(both.digest(1)).as("seed %d", seed).isEqualTo(second.digest());
            }
        }
    }

    @Test
    void anyChangedByteChangesIt() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] bytes = new byte[2 * ROW + 5];
        random.nextBytes(bytes);
        String whole = reference(bytes);
        for (int at : new int[] {0, StripedMd5.BLOCK, ROW - 1, bytes.length - 1, random.nextInt(bytes.length)}) {
            bytes[at] ^= 1;
            try (StripedMd5 md5 = new StripedMd5()) {
                md5.update(ByteBuffer.wrap(bytes));
                assertThat(digest(md5)).as("seed %d, %d", seed, at).isNotEqualTo(whole);
            }
            bytes[at] ^= 1;
        }
    }

    @Test
    void rangesAreDigestedOneAfterTheOther() throws IOException {
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        List<Range> ranges = List.of(new Range(7, 2 << 20), new Range(0, 0), new Range(100, 5));
        List<byte[]> digests = new StripedDigester().digest(new MemoryByteSource(ByteBuffer.wrap(bytes)), ranges);
        for (int i = 0; i < ranges.size(); i++) {
            int from = (int) ranges.get(i).offset();
            byte[] range =
                    Arrays.copyOfRange(bytes, from, from + (int) ranges.get(i).length());
            assertThat(HexFormat.of().formatHex(digests.get(i))).isEqualTo(reference(range));
        }
    }
}
