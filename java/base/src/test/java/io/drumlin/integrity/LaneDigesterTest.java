package io.drumlin.integrity;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.ByteSource;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneDigesterTest {

    /** Against MessageDigest: ranges of no byte, of odd lengths, of several slabs, fewer and more than there are lanes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 15, 16, 17, 40, 200})
    void digestsAreThoseOfTheJdk(int count) throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] bytes = new byte[7 << 20];
        random.nextBytes(bytes);
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int[] lengths = {0, 1, random.nextInt(200), random.nextInt(100_000), i % 9 == 0 ? 3 << 20 : 1 << 20};
            int length = lengths[random.nextInt(lengths.length)];
            ranges.add(new Range(random.nextInt(bytes.length - length + 1), length));
        }
        LaneDigester digester = new LaneDigester();
        List<byte[]> expected = new SequentialDigester().digest(source, ranges);
        for (int round = 0; round < 2; round++) {
            List<byte[]> found = digester.digest(source, ranges);
            assertThat(found).as("seed %d", seed).hasSameSizeAs(expected);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(found.get(i)).as("seed %d, %s", seed, ranges.get(i)).isEqualTo(expected.get(i));
            }
        }
    }

    @Test
    void slabsGrowWithTheRanges() throws IOException {
        byte[] bytes = new byte[100_000];
        new Random(1).nextBytes(bytes);
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        LaneDigester digester = new LaneDigester();
        List<Range> moreThanLanes = Collections.nCopies(17, new Range(5, 3));
        for (List<Range> ranges : List.of(
                moreThanLanes, List.of(new Range(0, 90_000)), List.of(new Range(0, 100_000), new Range(1, 70_000)))) {
            assertThat(digester.digest(source, ranges).get(0))
                    .isEqualTo(new SequentialDigester().digest(source, ranges).get(0));
        }
    }
}
