package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.WrittenFiles.Content;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlacedFileTest {

    private static final long GIB = 1L << 30;

    /** The fptr of all containers and the sizes that C FTI's documentation gives for layout A, in bytes. */
    @Test
    void placesTheCheckpointsOfTheDocumentation() {
        long[][] counts = {
            {1, 2, 3},
            {1, 2, 3, 4},
            {1, 6, 7, 4},
            {1, 6, 7, 4, 5},
            {1, 5, 6, 4, 5},
            {1, 8, 9, 4, 5},
            {1, 1, 2, 4, 5}
        };
        List<Long> sizesOfA = new ArrayList<>();
        List<Long> sizesOfE = new ArrayList<>();
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT);
        for (long[] count : counts) {
            plan = plan.next(LongStream.rangeClosed(1, count.length)
                    .mapToObj(id -> new VariableSize((int) id, count[(int) id - 1] * 4_000_000))
                    .toList());
            sizesOfA.add(PlacedFile.of(Layout.A, plan).size());
            sizesOfE.add(PlacedFile.of(Layout.E, plan).size());
        }
        assertThat(sizesOfA)
                .containsExactly(24000300L, 40000376L, 72000516L, 92000592L, 92000592L, 108000732L, 108000732L);
        assertThat(sizesOfE)
                .containsExactly(24000240L, 40000298L, 72000406L, 92000464L, 92000464L, 108000572L, 108000572L);
        List<BlockMeta> blocks = PlacedFile.of(Layout.A, plan).blocks();
        assertThat(blocks.stream().map(BlockMeta::dbsize))
                .containsExactly(24000204L, 16000076L, 32000140L, 20000076L, 16000140L);
        assertThat(blocks.stream().flatMap(block -> block.variables().stream()).map(VariableMeta::fptr))
                .containsExactly(
                        300L, 4000300L, 12000300L, 24000376L, 40000516L, 56000516L, 72000592L, 92000732L, 100000732L);
        assertThat(blocks.stream().flatMap(block -> block.variables().stream()).map(VariableMeta::idx))
                .containsExactly(0, 1, 2, 3, 1, 2, 4, 1, 2);
    }

    @ParameterizedTest
    @EnumSource(Layout.class)
    void whatIsWrittenReadsBackThroughARandomLife(Layout layout) throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (Packing packing : Packing.values()) {
            ContainerPlan plan = ContainerPlan.empty(packing);
            for (int checkpoint = 0; checkpoint < 12; checkpoint++) {
                List<VariableSize> sizes = new ArrayList<>();
                for (int id = 0; id < 2 + checkpoint / 3; id++) {
                    sizes.add(new VariableSize(7 - id, random.nextInt(4) == 0 ? 0 : random.nextInt(9000)));
                }
                plan = plan.next(sizes);
                String life = layout + ", seed " + seed + ", checkpoint " + checkpoint;

                byte[] bytes = WrittenFiles.plain(layout, plan, -1, -1, Content.random(random));
                MemoryByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
                Findings findings = new Findings();
                FtiFfFile file = FtiFfFile.read(source, Recognition.of(source).orElseThrow(), findings);
                new FtiFfVerifier(source, file, new SequentialDigester()).verify(findings);

                assertThat(findings.list()).as(life).isEmpty();
                assertThat(file.layout()).as(life).isEqualTo(layout);
                assertThat(file.containers().map(container -> container.id() + ":" + container.chunkSize()))
                        .as(life)
                        .containsExactlyElementsOf(plan.blocks().stream()
                                .flatMap(block -> block.variables().stream())
                                .map(container -> container.id() + ":" + container.chunkSize())
                                .toList());
            }
        }
    }

    @Test
    void layoutERefusesWhatNeedsMoreThan32Bits() {
        ContainerPlan plan =
                ContainerPlan.empty(Packing.COMPACT).next(List.of(new VariableSize(1, GIB), new VariableSize(2, GIB)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlacedFile.of(Layout.E, plan))
                .withMessageContaining("smaller than 2 GiB")
                .withMessageContaining(String.valueOf(2 * GIB + 8 + 2 * 50 + 82));
        for (Layout layout : Layout.values()) {
            if (layout != Layout.E) {
                assertThat(PlacedFile.of(layout, plan).size()).isGreaterThan(2 * GIB);
            }
        }
        PlacedFile small = PlacedFile.of(
                Layout.E, ContainerPlan.empty(Packing.COMPACT).next(List.of(new VariableSize(1, 2 * GIB - 1 - 140))));
        assertThat(small.size()).isEqualTo(Integer.MAX_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> small.seal("0".repeat(32), 1, 1, small.size() + 8, -1))
                .withMessageContaining("maxFs is " + (2 * GIB + 7));
    }
}
