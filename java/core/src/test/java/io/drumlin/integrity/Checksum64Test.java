package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.nativecore.NativeCore;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both implementations are compared with the definition, computed by {@link BigInteger}. */
class Checksum64Test {

    private static final int BLOCK = 4096;
    private static final BigInteger[] KEYS = {
        new BigInteger("97b1165f0971b7c5", 16),
        new BigInteger("d13c513a42f8eda1", 16),
        new BigInteger("8a8318174d645fa7", 16),
        new BigInteger("a5abd89bd67e4d93", 16)
    };

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    static Stream<Checksum64> sums() {
        return NativeCore.isAvailable()
                ? Stream.of(new Checksum64(false), new Checksum64(true))
                : Stream.of(new Checksum64(false));
    }

    private static long of(Checksum64 sum, byte[] bytes) {
        sum.update(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
        return sum.finish();
    }

    private byte[] random(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static long fold(long x, long y) {
        BigInteger product = BigInteger.valueOf(x).multiply(BigInteger.valueOf(y));
        return product.longValue() ^ product.shiftRight(Long.SIZE).longValue();
    }

    private static long defined(byte[] bytes) {
        ByteBuffer padded = ByteBuffer.allocate((bytes.length + 63) / 64 * 64).order(ByteOrder.nativeOrder());
        padded.put(bytes).rewind();
        long[] chains = new long[KEYS.length];
        for (int i = 0; i < chains.length; i++) {
            chains[i] = KEYS[(i + 3) % KEYS.length].longValue();
        }
        while (padded.hasRemaining()) {
            for (int i = 0; i < chains.length; i++) {
                long first = padded.getLong() ^ KEYS[i].longValue();
                chains[i] = fold(first, padded.getLong() ^ chains[i]);
            }
        }
        long half = fold(chains[0] ^ bytes.length, chains[1] ^ KEYS[0].longValue());
        return fold(half ^ chains[2], chains[3] ^ KEYS[1].longValue());
    }

    @ParameterizedTest
    @MethodSource("sums")
    void isAsDefined(Checksum64 sum) {
        for (int length = 0; length < 400; length++) {
            byte[] bytes = random(length);
            assertThat(of(sum, bytes))
                    .as("%d bytes, -Ddrumlin.test.seed=%d", length, seed)
                    .isEqualTo(defined(bytes));
        }
        byte[] many = random(100_003);
        assertThat(of(sum, many)).isEqualTo(defined(many));
    }

    @ParameterizedTest
    @MethodSource("sums")
    void piecesDoNotMatter(Checksum64 sum) {
        for (int round = 0; round < 200; round++) {
            byte[] bytes = random(random.nextInt(1000));
            int shift = random.nextInt(9);
            ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + shift);
            direct.position(shift).put(bytes).position(shift);
            for (ByteBuffer from : new ByteBuffer[] {ByteBuffer.wrap(bytes), direct}) {
                int end = from.limit();
                for (int at = from.position(); at < end; ) {
                    int next = at + random.nextInt(end - at) + 1;
                    from.limit(next).position(at);
                    sum.update(from);
                    assertThat(from.position()).isEqualTo(at);
                    at = next;
                }
                assertThat(sum.finish()).as("-Ddrumlin.test.seed=%d", seed).isEqualTo(defined(bytes));
            }
        }
    }

    /** Zeros, and numbers that differ in their last bits, are what simulations have. */
    @ParameterizedTest
    @ValueSource(strings = {"zeros", "numbers", "random"})
    void eachFlippedBitChangesHalfOfTheSum(String kind) {
        byte[] bytes = content(kind);
        Checksum64 sum = new Checksum64(false);
        long right = of(sum, bytes);
        Set<Long> wrong = new HashSet<>();
        long changed = 0;
        for (int bit = 0; bit < BLOCK * Byte.SIZE; bit++) {
            flip(bytes, bit);
            long other = of(sum, bytes);
            flip(bytes, bit);
            wrong.add(other);
            changed += Long.bitCount(right ^ other);
        }
        assertThat(wrong)
                .as("-Ddrumlin.test.seed=%d", seed)
                .hasSize(BLOCK * Byte.SIZE)
                .doesNotContain(right);
        assertThat((double) changed / wrong.size())
                .as("-Ddrumlin.test.seed=%d", seed)
                .isBetween(31.5, 32.5);
    }

    /** A line of a bus that is stuck changes the same bit of several words. */
    @ParameterizedTest
    @ValueSource(strings = {"zeros", "numbers", "random"})
    void twoFlippedBitsOfTheSamePlaceAreFound(String kind) {
        byte[] bytes = content(kind);
        Checksum64 sum = new Checksum64(false);
        long right = of(sum, bytes);
        Set<Long> wrong = new HashSet<>();
        int rounds = 20_000;
        for (int round = 0; round < rounds; round++) {
            int place = random.nextInt(Long.SIZE);
            int first = random.nextInt(BLOCK / Long.BYTES - 1);
            int second = first + 1 + random.nextInt(BLOCK / Long.BYTES - 1 - first);
            flip(bytes, first * Long.SIZE + place);
            flip(bytes, second * Long.SIZE + place);
            long other = of(sum, bytes);
            assertThat(other).as("-Ddrumlin.test.seed=%d", seed).isNotEqualTo(right);
            wrong.add(other & 0xFFFF);
            flip(bytes, first * Long.SIZE + place);
            flip(bytes, second * Long.SIZE + place);
        }
        // So many draws of 65,536 hit 17,236 of them on average.
        assertThat(wrong).as("-Ddrumlin.test.seed=%d", seed).hasSizeBetween(16_500, 18_000);
    }

    @Test
    void placesAndLengthCount() {
        byte[] bytes = random(BLOCK);
        Checksum64 sum = new Checksum64(false);
        Set<Long> found = new HashSet<>();
        found.add(of(sum, bytes));
        for (int word = 1; word < BLOCK / Long.BYTES; word++) {
            byte[] swapped = bytes.clone();
            System.arraycopy(bytes, 0, swapped, word * Long.BYTES, Long.BYTES);
            System.arraycopy(bytes, word * Long.BYTES, swapped, 0, Long.BYTES);
            found.add(of(sum, swapped));
        }
        for (int length = 0; length < 200; length++) {
            found.add(of(sum, new byte[length]));
        }
        assertThat(found).as("-Ddrumlin.test.seed=%d", seed).hasSize(BLOCK / Long.BYTES + 200);
    }

    private byte[] content(String kind) {
        ByteBuffer bytes = ByteBuffer.allocate(BLOCK).order(ByteOrder.nativeOrder());
        switch (kind) {
            case "zeros" -> {}
            case "numbers" -> {
                while (bytes.hasRemaining()) {
                    bytes.putDouble(1 + 1e-12 * random.nextInt(100));
                }
            }
            default -> random.nextBytes(bytes.array());
        }
        return bytes.array();
    }

    private static void flip(byte[] bytes, int bit) {
        bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    }
}
