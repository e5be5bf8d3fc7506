package io.drumlin.format.hdf5.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Fletcher32Test {

    /** As the sums are defined, without any short cut. */
    private static int byDefinition(byte[] bytes) {
        long sum1 = 0;
        long sum2 = 0;
        for (int i = 0; i < bytes.length; i += 2) {
            int word = (bytes[i] & 0xFF) << 8 | (i + 1 < bytes.length ? bytes[i + 1] & 0xFF : 0);
            sum1 = fold(sum1 + word);
            sum2 = fold(sum2 + sum1);
        }
        return (int) (sum2 << 16 | sum1);
    }

    private static long fold(long sum) {
        return (sum & 0xFFFF) + (sum >> 16);
    }

    private static int of(byte[] bytes) {
        Fletcher32 sum = new Fletcher32();
        sum.update(ByteBuffer.wrap(bytes));
        return sum.value();
    }

    /** What libhdf5 1.10.8 stored behind 64 bytes of 0x11. */
    @Test
    void isThatOfTheLibrary() {
        byte[] bytes = new byte[64];
        Arrays.fill(bytes, (byte) 0x11);
        assertThat(of(bytes)).isEqualTo(0x33332222);
        assertThat(of(new byte[0])).isZero();
        assertThat(of(new byte[] {1})).isEqualTo(0x01000100);
    }

    @Test
    void doesNotDependOnHowTheBytesCome() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            byte[] bytes = new byte[random.nextInt(2000)];
            random.nextBytes(bytes);
            if (round % 3 == 0) {
                Arrays.fill(bytes, (byte) 0xFF);
            }
            int zeros = random.nextInt(200);
            Fletcher32 sum = new Fletcher32();
            for (int at = 0; at < bytes.length; ) {
                int length = Math.min(1 + random.nextInt(100), bytes.length - at);
                sum.update(ByteBuffer.wrap(bytes, at, length));
                at += length;
                sum.value();
            }
            assertThat(sum.value()).as("seed %d, round %d", seed, round).isEqualTo(byDefinition(bytes));
            sum.zeros(zeros);
            sum.update(ByteBuffer.wrap(bytes));
            byte[] all = Arrays.copyOf(bytes, 2 * bytes.length + zeros);
            System.arraycopy(bytes, 0, all, bytes.length + zeros, bytes.length);
            assertThat(sum.value()).as("seed %d, round %d", seed, round).isEqualTo(byDefinition(all));
        }
    }

    @Test
    void isRightForMoreWordsThanTheSumsCanHold() {
        byte[] bytes = new byte[(1 << 22) + 3];
        Arrays.fill(bytes, (byte) 0xFE);
        assertThat(of(bytes)).isEqualTo(byDefinition(bytes));
    }
}
