package io.drumlin.checkpoint.internal.sharedfile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a region has of the blocks at its ends is found in the slabs, wherever they are in a large file. */
class SharedFileRegionTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0, 10, 100",
        "4_000_000, 3_999_980, 20, 10",
        "2_281_136_128, 0, 0, 0",
        "0, 2_281_136_128, 0, 0",
        "6_442_450_944, 6_442_450_900, 44, 20",
        "4_294_967_296, 0, 0, 0",
        "0, 4_294_967_297, 0, 0"
    })
    void edgesAreTakenWhereTheyAre(String edge, String base, int from, int length) {
        ByteBuffer memory = ByteBuffer.allocate(64);
        for (int i = 0; i < 64; i++) {
            memory.put(i, (byte) (i + 1));
        }
        ByteBuffer bytes = ByteBuffer.allocate(length == 0 ? 30 : Math.min(length, 40));
        new SharedFileRegion.Edge(number(edge), bytes).take(memory.position(from == 10 ? 10 : 0), number(base));
        for (int i = 0; i < bytes.limit(); i++) {
            long at = number(edge) + i - number(base);
            boolean there = at >= memory.position() && at < memory.limit();
            assertThat(bytes.get(i)).isEqualTo((byte) (there ? at + 1 : 0));
        }
    }

    private static long number(String text) {
        return Long.parseLong(text.replace("_", ""));
    }
}
