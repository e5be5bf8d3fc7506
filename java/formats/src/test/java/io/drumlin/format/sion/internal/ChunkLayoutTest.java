package io.drumlin.format.sion.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers of the layouts in golden cases s05, s10, s11 and s18, and of the rules of docs/formats/sion.md, section 5. */
class ChunkLayoutTest {

    @Test
    void alignedChunksAreRoundedUpAndEmptyOnesStayEmpty() {
        ChunkLayout layout = ChunkLayout.aligned(new long[] {512, 1, 513, 0, 2000}, 512);
        assertThat(layout.sizes()).containsExactly(512, 512, 1024, 0, 2048);
        assertThat(collectors(layout, 5)).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void theLastTaskOfAGroupIsEnlarged() {
        ChunkLayout layout = ChunkLayout.collective(new long[] {100, 200, 300, 400, 50, 60, 70, 80}, 512, 4, false);
        assertThat(layout.sizes()).containsExactly(100, 200, 300, 424, 50, 60, 70, 332);
        assertThat(collectors(layout, 8)).containsExactly(0, 0, 0, 0, 4, 4, 4, 4);
    }

    @Test
    void mergedDataHaveRoomInTheFirstChunkOfAGroup() {
        long[] requests = new long[8];
        Arrays.fill(requests, 300);
        ChunkLayout layout = ChunkLayout.collective(requests, 512, 4, true);
        assertThat(layout.sizes()).containsExactly(1536, 512, 512, 512, 512, 1024, 512, 512);
        assertThat(collectors(layout, 8)).containsExactly(0, 0, 0, 0, 0, 5, 5, 5);
    }

    @Test
    void oneGroupIsEnlargedAtItsEnd() {
        assertThat(ChunkLayout.oneGroup(new long[] {300, 400}, 512).sizes()).containsExactly(300, 724);
    }

    @Test
    void askingForNothingMakesOneGroup() {
        ChunkLayout layout = ChunkLayout.collective(new long[3], 512, 2, false);
        assertThat(layout.sizes()).containsExactly(0, 0, 0);
        assertThat(collectors(layout, 3)).containsExactly(0, 0, 0);
    }

    /** Chunks of one block each, so that the number of groups is the one aimed at. */
    @ParameterizedTest
    @CsvSource({"15, 15", "16, 4", "32, 8", "256, 16", "512, 32", "600, 32"})
    void withoutAGroupSizeTheNumberOfTasksDecides(int tasks, int groups) {
        long[] requests = new long[tasks];
        Arrays.fill(requests, 512);
        ChunkLayout layout = ChunkLayout.collective(requests, 512, 0, false);
        int size = (tasks + groups - 1) / groups;
        int expected = (tasks + size - 1) / size;
        assertThat(collectors(layout, tasks).distinct()).hasSize(expected);
    }

    /** 600 tasks whose data fill 20 blocks: the limit of 32 does not apply, that of 16 does, and those below are not tried. */
    @Test
    void theFirstLimitThatAppliesIsTheOnlyOne() {
        long[] requests = new long[600];
        Arrays.fill(requests, 17);
        ChunkLayout layout = ChunkLayout.collective(requests, 512, 0, false);
        // 10200 bytes in 16 groups are 637 each, rounded up to 1024: 60 tasks.
        assertThat(collectors(layout, 600).distinct()).hasSize(10);
    }

    private static IntStream collectors(ChunkLayout layout, int tasks) {
        return IntStream.range(0, tasks).map(layout::collector);
    }
}
