package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerPlanTest {

    private static final long MIB = 1 << 20;

    /** The seven checkpoints of the documentation of C FTI; variables 1 to 5, thousands of int32 elements. */
    private static final long[][] SEED_COUNTS = {
        {1000, 2000, 3000},
        {1000, 2000, 3000, 4000},
        {1000, 6000, 7000, 4000},
        {1000, 6000, 7000, 4000, 5000},
        {1000, 5000, 6000, 4000, 5000},
        {1000, 8000, 9000, 4000, 5000},
        {1000, 1000, 2000, 4000, 5000},
    };

    /** Block, variable, container, dptr, container size, fptr, first checkpoint; thousands of bytes. */
    private static final long[][] SEED_CONTAINERS = {
        {0, 1, 0, 0, 4000, 0, 1},
        {0, 2, 0, 0, 8000, 4000, 1},
        {0, 3, 0, 0, 12000, 12000, 1},
        {1, 4, 0, 0, 16000, 24000, 2},
        {2, 2, 1, 8000, 16000, 40000, 3},
        {2, 3, 1, 12000, 16000, 56000, 3},
        {3, 5, 0, 0, 20000, 72000, 4},
        {4, 2, 2, 24000, 8000, 92000, 6},
        {4, 3, 2, 28000, 8000, 100000, 6},
    };

    private static final long[] SEED_META = {292, 362, 490, 560, 560, 688, 688};
    private static final long[] SEED_DATA = {24000, 40000, 72000, 92000, 92000, 108000, 108000};

    /** Chunk sizes of the containers above in thousands of bytes; -1 is a container without content. */
    private static final long[][] SEED_CHUNKS = {
        {4000, 8000, 12000},
        {4000, 8000, 12000, 16000},
        {4000, 8000, 12000, 16000, 16000, 16000},
        {4000, 8000, 12000, 16000, 16000, 16000, 20000},
        {4000, 8000, 12000, 16000, 12000, 12000, 20000},
        {4000, 8000, 12000, 16000, 16000, 16000, 20000, 8000, 8000},
        {4000, 4000, 8000, 16000, -1, -1, 20000, -1, -1},
    };

    @ParameterizedTest
    @ValueSource(ints = {1000, 1})
    void placesTheSevenCheckpointsOfTheDocumentation(int scale) {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT);
        for (int checkpoint = 0; checkpoint < SEED_COUNTS.length; checkpoint++) {
            long[] counts = SEED_COUNTS[checkpoint];
            plan = plan.next(IntStream.range(0, counts.length)
                    .mapToObj(i -> new VariableSize(i + 1, counts[i] * 4 * scale))
                    .toList());

            assertThat(containers(plan)).containsExactlyElementsOf(seedContainers(checkpoint, scale));
            assertThat(plan.dataSize()).isEqualTo(SEED_DATA[checkpoint] * scale);
            assertThat(plan.metaSize()).isEqualTo(SEED_META[checkpoint]);
            assertThat(plan.dataSize() + plan.metaSize())
                    .isEqualTo(SEED_DATA[checkpoint] * scale + SEED_META[checkpoint]);
        }
        assertThat(plan.blocks().stream().map(BlockMeta::dbsize))
                .containsExactly(24000L * scale, 16000L * scale, 32000L * scale, 20000L * scale, 16000L * scale);
        assertThat(plan.blocks().stream().map(block -> block.variables().size()))
                .containsExactly(3, 1, 2, 1, 2);
    }

    private static List<VariableMeta> seedContainers(int checkpoint, long scale) {
        List<VariableMeta> expected = new ArrayList<>();
        for (int i = 0; i < SEED_CHUNKS[checkpoint].length; i++) {
            long[] row = SEED_CONTAINERS[i];
            long chunk = SEED_CHUNKS[checkpoint][i];
            expected.add(new VariableMeta(
                    (int) row[1],
                    VariableMeta.NO_IDX,
                    (int) row[2],
                    chunk >= 0,
                    false,
                    row[3] * scale,
                    row[5] * scale,
                    Math.max(chunk, 0) * scale,
                    row[4] * scale,
                    VariableMeta.NO_HASH));
        }
        return expected;
    }

    static Stream<Long> seeds() {
        return new Random().longs(20).boxed();
    }

    /** Compact against an oracle that keeps one flat list and searches it, written from the rules alone. */
    @ParameterizedTest
    @MethodSource("seeds")
    void compactPlanFollowsTheRulesThroughARandomLife(long seed) {
        Random random = new Random(seed);
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT);
        List<OracleContainer> oracle = new ArrayList<>();
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        for (int checkpoint = 0; checkpoint < 25; checkpoint++) {
            live(random, sizes, 3000);
            if (random.nextInt(6) == 0) {
                plan = ContainerPlan.of(plan.blocks(), Packing.COMPACT);
                oracle.forEach(container -> container.hasCkpt = true);
            }
            plan = plan.next(variableSizes(sizes));
            checkpoint(oracle, sizes);

            assertThat(containers(plan))
                    .as("seed %d, checkpoint %d", seed, checkpoint)
                    .containsExactlyElementsOf(
                            oracle.stream().map(OracleContainer::meta).toList());
            assertThat(plan.blocks().stream().map(block -> block.variables().size()))
                    .as("seed %d, checkpoint %d", seed, checkpoint)
                    .containsExactlyElementsOf(blockLengths(oracle));
        }
    }

    private static final class OracleContainer {
        int block;
        int id;
        int containerId;
        long dptr;
        long fptr;
        long size;
        long chunk;
        boolean content;
        boolean hasCkpt;

        VariableMeta meta() {
            return new VariableMeta(
                    id,
                    VariableMeta.NO_IDX,
                    containerId,
                    content,
                    hasCkpt,
                    dptr,
                    fptr,
                    chunk,
                    size,
                    VariableMeta.NO_HASH);
        }
    }

    private static void checkpoint(List<OracleContainer> file, Map<Integer, Long> sizes) {
        int newBlock = file.isEmpty() ? 0 : file.get(file.size() - 1).block + 1;
        sizes.forEach((id, size) -> {
            List<OracleContainer> own = file.stream().filter(c -> c.id == id).toList();
            long before = 0;
            for (OracleContainer container : own) {
                boolean holdsTheRest = size <= before + container.size;
                boolean first = container.containerId == 0;
                container.content = first || size > before;
                container.chunk = !container.content ? 0 : holdsTheRest ? size - before : container.size;
                before += container.size;
            }
            if (own.isEmpty() || size > before) {
                OracleContainer added = new OracleContainer();
                added.block = newBlock;
                added.id = id;
                added.containerId = own.size();
                added.dptr = before;
                added.fptr = file.stream().mapToLong(c -> c.size).sum();
                added.size = size - before;
                added.chunk = added.size;
                added.content = true;
                file.add(added);
            }
        });
    }

    private static List<Integer> blockLengths(List<OracleContainer> file) {
        Map<Integer, Integer> lengths = new LinkedHashMap<>();
        file.forEach(c -> lengths.merge(c.block, 1, Integer::sum));
        return List.copyOf(lengths.values());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void alignedPlanKeepsItsPromisesThroughARandomLife(long seed) {
        Random random = new Random(seed);
        ContainerPlan plan = ContainerPlan.empty(Packing.ALIGNED);
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        for (int checkpoint = 0; checkpoint < 15; checkpoint++) {
            live(random, sizes, random.nextBoolean() ? 9000 : 40 * (int) MIB);
            ContainerPlan before = plan;
            plan = plan.next(variableSizes(sizes));

            String life = "seed " + seed + ", checkpoint " + checkpoint;
            assertThat(containers(plan)).as(life).allSatisfy(container -> {
                assertThat(container.fptr() % 4096).isZero();
                assertThat(container.containerSize() % 4096).isZero();
            });
            assertHoldsEverything(plan, sizes, life);
            assertNothingMoved(before, plan, life);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void alignedPlanReturnsToTheBoundaryAfterACompactFile(long seed) {
        Random random = new Random(seed);
        Map<Integer, Long> sizes = new LinkedHashMap<>();
        live(random, sizes, 20000);
        ContainerPlan compact = ContainerPlan.empty(Packing.COMPACT).next(variableSizes(sizes));
        ContainerPlan plan = ContainerPlan.of(compact.blocks(), Packing.ALIGNED);
        for (int checkpoint = 0; checkpoint < 10; checkpoint++) {
            ContainerPlan before = plan;
            live(random, sizes, 20000);
            plan = plan.next(variableSizes(sizes));

            String life = "seed " + seed + ", checkpoint " + checkpoint;
            assertHoldsEverything(plan, sizes, life);
            assertNothingMoved(before, plan, life);
            List<VariableMeta> added = containers(plan)
                    .subList(containers(compact).size(), containers(plan).size());
            assertThat(added.stream().filter(c -> c.fptr() % 4096 != 0 && c.containerSize() > 0))
                    .as("%s: one short container at most lies before the first boundary", life)
                    .hasSizeLessThanOrEqualTo(1)
                    .allMatch(c -> c.containerSize() < 4096);
        }
    }

    /** Chains, sums and contents, whatever the packing. */
    private static void assertHoldsEverything(ContainerPlan plan, Map<Integer, Long> sizes, String life) {
        long fptr = 0;
        Map<Integer, Long> reserved = new LinkedHashMap<>();
        Map<Integer, Integer> count = new LinkedHashMap<>();
        Map<Integer, Long> stored = new LinkedHashMap<>();
        for (BlockMeta block : plan.blocks()) {
            assertThat(block.variables()).as(life).isNotEmpty();
            assertThat(block.dbsize())
                    .as(life)
                    .isEqualTo(block.variables().stream()
                            .mapToLong(VariableMeta::containerSize)
                            .sum());
            for (VariableMeta container : block.variables()) {
                assertThat(container.fptr()).as(life).isEqualTo(fptr);
                fptr += container.containerSize();
                assertThat(container.containerId())
                        .as(life)
                        .isEqualTo(count.merge(container.id(), 1, Integer::sum) - 1);
                assertThat(container.dptr()).as(life).isEqualTo(reserved.getOrDefault(container.id(), 0L));
                reserved.merge(container.id(), container.containerSize(), Long::sum);
                if (container.hasContent()) {
                    assertThat(container.dptr())
                            .as("%s: no gap in variable %d", life, container.id())
                            .isEqualTo(stored.getOrDefault(container.id(), 0L));
                }
                assertThat(container.chunkSize()).as(life).isBetween(0L, container.containerSize());
                stored.merge(container.id(), container.chunkSize(), Long::sum);
            }
        }
        assertThat(stored).as(life).isEqualTo(sizes);
        assertThat(plan.dataSize()).as(life).isEqualTo(fptr);
    }

    private static void assertNothingMoved(ContainerPlan before, ContainerPlan after, String life) {
        List<List<Object>> old =
                containers(before).stream().map(ContainerPlanTest::place).toList();
        List<List<Object>> now =
                containers(after).stream().map(ContainerPlanTest::place).toList();
        assertThat(now.subList(0, old.size())).as(life).isEqualTo(old);
        assertThat(after.blocks().size())
                .as(life)
                .isBetween(before.blocks().size(), before.blocks().size() + 1);
    }

    private static List<Object> place(VariableMeta container) {
        return List.of(
                container.id(),
                container.containerId(),
                container.dptr(),
                container.fptr(),
                container.containerSize(),
                container.hasCkpt());
    }

    /** Variables appear, grow, shrink, vanish to zero or stay. */
    private static void live(Random random, Map<Integer, Long> sizes, int bound) {
        if (sizes.isEmpty() || random.nextInt(3) == 0) {
            sizes.putIfAbsent(random.nextInt(100), random.nextInt(4) == 0 ? 0L : (long) random.nextInt(bound));
        }
        List<Integer> ids = new ArrayList<>(sizes.keySet());
        Collections.shuffle(ids, random);
        for (int id : ids.subList(0, (ids.size() + 1) / 2)) {
            sizes.put(id, random.nextInt(6) == 0 ? 0L : (long) random.nextInt(bound));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4096, 2 * MIB, 2 * MIB + 1, 3 * MIB, 3 * MIB + 5, 16 * MIB, 16 * MIB + 1, 1L << 40})
    void alignedPlanSplitsLargeVariablesIntoEqualParts(long size) {
        List<VariableMeta> parts =
                containers(ContainerPlan.empty(Packing.ALIGNED).next(List.of(new VariableSize(7, size))));

        assertThat(parts).hasSize(size <= 2 * MIB ? 1 : (int) Math.min(16, size / MIB));
        assertThat(parts.stream().map(VariableMeta::containerSize).distinct()).hasSize(1);
        assertThat(parts).allMatch(part -> part.hasContent() && (size <= 2 * MIB || part.containerSize() >= MIB));
        assertThat(parts.stream().mapToLong(VariableMeta::chunkSize).sum()).isEqualTo(size);
        assertThat(parts.stream().limit(parts.size() - 1L)).allMatch(part -> part.chunkSize() == part.containerSize());
    }

    @ParameterizedTest
    @EnumSource(Packing.class)
    void aVariableThatIsNotProtectedAnyMoreLeavesNothingBehind(Packing packing) {
        ContainerPlan before = ContainerPlan.empty(packing)
                .next(List.of(new VariableSize(1, 5000), new VariableSize(2, 6000)))
                .next(List.of(new VariableSize(1, 50000), new VariableSize(2, 6000)));

        ContainerPlan after = ContainerPlan.of(before.blocks(), packing).next(List.of(new VariableSize(2, 6000)));

        assertThat(after.blocks())
                .isEqualTo(ContainerPlan.empty(packing)
                        .next(List.of(new VariableSize(2, 6000)))
                        .blocks());
    }

    @Test
    void digestsGoToTheChunksInFileOrderAndOthersKeepTheirs() {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, 10), new VariableSize(2, 20)))
                .next(List.of(new VariableSize(1, 15), new VariableSize(2, 20)));
        ContainerPlan first = plan.withHashes(List.of(digest(1), digest(2), digest(3)));
        ContainerPlan shrunk = first.next(List.of(new VariableSize(1, 5), new VariableSize(2, 20)));

        assertThat(shrunk.withHashes(List.of(digest(8), digest(9))).blocks().stream()
                        .flatMap(block -> block.variables().stream())
                        .map(VariableMeta::hash))
                .containsExactly("08".repeat(16), "09".repeat(16), "03".repeat(16));
        assertThatIllegalArgumentException().isThrownBy(() -> shrunk.withHashes(List.of(digest(8))));
    }

    private static byte[] digest(int value) {
        byte[] digest = new byte[16];
        java.util.Arrays.fill(digest, (byte) value);
        return digest;
    }

    @Test
    void refusesSizesThatNoFileCanHave() {
        ContainerPlan plan = ContainerPlan.empty(Packing.ALIGNED);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.next(List.of(new VariableSize(1, -1))))
                .withMessageContaining("variable 1 has -1 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.next(List.of(new VariableSize(1, 1), new VariableSize(1, 1))))
                .withMessageContaining("named twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.next(List.of(new VariableSize(1, 1L << 60), new VariableSize(2, 1L << 60))))
                .withMessageContaining("variable 2");
    }

    private static List<VariableMeta> containers(ContainerPlan plan) {
        return plan.blocks().stream()
                .flatMap(block -> block.variables().stream())
                .toList();
    }

    private static List<VariableSize> variableSizes(Map<Integer, Long> sizes) {
        return sizes.entrySet().stream()
                .map(entry -> new VariableSize(entry.getKey(), entry.getValue()))
                .toList();
    }
}
