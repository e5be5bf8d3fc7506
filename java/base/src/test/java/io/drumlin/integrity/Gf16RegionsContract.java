package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link Gf16Regions} does. The right products come from the definition of the field. */
abstract class Gf16RegionsContract {

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Gf16Regions regions;

    abstract Gf16Regions make();

    @BeforeEach
    void makeRegions() {
        regions = make();
    }

    /** Product of polynomials, then the remainder by long division. */
    static int product(int a, int b) {
        long sum = 0;
        for (int bit = 0; bit < 16; bit++) {
            sum ^= (b >> bit & 1) == 0 ? 0 : (long) a << bit;
        }
        for (int bit = 31; bit >= 16; bit--) {
            sum ^= (sum >> bit & 1) == 0 ? 0 : 0x1100bL << (bit - 16);
        }
        return (int) sum;
    }

    @Test
    void everyWordIsMultipliedAsTheDefinitionSays() {
        ByteBuffer source = ByteBuffer.allocateDirect(2 << 16).order(ByteOrder.LITTLE_ENDIAN);
        for (int word = 0; word < 1 << 16; word++) {
            source.putShort(2 * word, (short) word);
        }
        for (int coefficient : new int[] {0, 1, 2, 0xff, 0x100, 0x8000, 0xffff, random.nextInt(1 << 16)}) {
            ByteBuffer target = ByteBuffer.allocateDirect(2 << 16).order(ByteOrder.LITTLE_ENDIAN);
            regions.accumulate(target, List.of(source), new int[] {coefficient});
            for (int word = 0; word < 1 << 16; word++) {
                if ((target.getShort(2 * word) & 0xffff) != product(coefficient, word)) {
                    assertThat(target.getShort(2 * word) & 0xffff)
                            .as("%d times %d", coefficient, word)
                            .isEqualTo(product(coefficient, word));
                }
            }
        }
    }

    @Test
    void regionsOfAnyLengthPlaceAndNumberGiveTheirSum() {
        for (int trial = 0; trial < 300; trial++) {
            int length = 2 * (trial < 150 ? trial : random.nextInt(20_000));
            int count = trial % 5 == 0 ? random.nextInt(40) : random.nextInt(4);
            ByteBuffer target = randomRegion(length);
            byte[] expected = bytes(target);
            List<ByteBuffer> sources = new ArrayList<>();
            int[] coefficients = random.ints(count, 0, 1 << 16).toArray();
            for (int coefficient : coefficients) {
                ByteBuffer source = randomRegion(length);
                sources.add(source);
                addByDefinition(expected, bytes(source), coefficient);
            }
            regions.accumulate(target, sources, coefficients);
            assertThat(bytes(target))
                    .as("trial %d, -Ddrumlin.test.seed=%d", trial, seed)
                    .isEqualTo(expected);
        }
    }

    @Test
    void nothingElseIsTouched() {
        ByteBuffer memory = ByteBuffer.allocateDirect(1000);
        ByteBuffer target = memory.duplicate().position(101).limit(701);
        ByteBuffer source = randomRegion(600).asReadOnlyBuffer();
        ByteBuffer same = source.duplicate();
        regions.accumulate(target, List.of(source), new int[] {0x1234});
        assertThat(target.position()).isEqualTo(101);
        assertThat(target.limit()).isEqualTo(701);
        assertThat(source).isEqualTo(same);
        assertThat(bytes(memory.duplicate().limit(101))).containsOnly(0);
        assertThat(bytes(memory.duplicate().position(701))).containsOnly(0);
        assertThat(bytes(target)).isNotEqualTo(new byte[600]);
    }

    @Test
    void theSameSourceMayComeTwice() {
        ByteBuffer target = randomRegion(500);
        byte[] before = bytes(target);
        ByteBuffer source = randomRegion(500);
        regions.accumulate(target, List.of(source, source), new int[] {77, 77});
        assertThat(bytes(target)).isEqualTo(before);
    }

    @Test
    void wrongArgumentsAreRefused() {
        ByteBuffer four = ByteBuffer.allocateDirect(4);
        ByteBuffer three = ByteBuffer.allocateDirect(3);
        refused(three, List.of(three), 1, "3 bytes");
        refused(four, List.of(three), 1, "a source of 3 bytes for a target of 4");
        refused(four, List.of(ByteBuffer.allocate(4)), 1, "direct");
        refused(ByteBuffer.allocate(4), List.of(four), 1, "direct");
        refused(four, Collections.nCopies(2, four.duplicate()), 1, "1 coefficients for 2 sources");
        refused(four, List.of(ByteBuffer.allocateDirect(4)), 0x10000, "65536");
        refused(four, List.of(ByteBuffer.allocateDirect(4)), -1, "-1");
    }

    private void refused(ByteBuffer target, List<ByteBuffer> sources, int coefficient, String message) {
        assertThatThrownBy(() -> regions.accumulate(target, sources, new int[] {coefficient}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    /** Somewhere in a direct buffer. */
    private ByteBuffer randomRegion(int length) {
        int before = random.nextInt(70);
        byte[] content = new byte[length];
        random.nextBytes(content);
        ByteBuffer whole = ByteBuffer.allocateDirect(before + length + random.nextInt(5));
        whole.put(before, content);
        return whole.position(before).limit(before + length);
    }

    private static byte[] bytes(ByteBuffer region) {
        byte[] bytes = new byte[region.remaining()];
        region.duplicate().get(bytes);
        return bytes;
    }

    private static void addByDefinition(byte[] sum, byte[] source, int coefficient) {
        for (int i = 0; i < sum.length; i += 2) {
            int product = product(coefficient, (source[i] & 0xff) | (source[i + 1] & 0xff) << 8);
            sum[i] ^= (byte) product;
            sum[i + 1] ^= (byte) (product >> 8);
        }
    }
}
