package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/** What holds for every sequence of sizes, in every layout and packing. */
@Tag("exhaustive")
class PlacedFilePropertyTest {

    @Provide
    Arbitrary<List<List<VariableSize>>> smallLives() {
        return Lives.of(Lives.smallSizes());
    }

    @Provide
    Arbitrary<List<List<VariableSize>>> anyLives() {
        return Lives.of(Lives.anySizes());
    }

    @Property(tries = 300)
    void whatIsWrittenReadsBackEqual(
            @ForAll("smallLives") List<List<VariableSize>> life,
            @ForAll Layout layout,
            @ForAll Packing packing,
            @ForAll long seed)
            throws IOException {
        Random random = new Random(seed);
        ContainerPlan plan = ContainerPlan.empty(packing);
        for (List<VariableSize> sizes : life) {
            plan = plan.next(sizes);
            Map<Integer, byte[]> variables = new HashMap<>();
            for (VariableSize variable : sizes) {
                byte[] bytes = new byte[(int) variable.size()];
                random.nextBytes(bytes);
                variables.put(variable.id(), bytes);
            }
            byte[] file = WrittenFiles.plain(layout, plan, -1, -1, container -> {
                int from = (int) container.dptr();
                return Arrays.copyOfRange(variables.get(container.id()), from, from + (int) container.chunkSize());
            });
            assertHolds(file, layout, variables);
        }
    }

    private static void assertHolds(byte[] bytes, Layout layout, Map<Integer, byte[]> variables) throws IOException {
        MemoryByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        FtiFfFile file = FtiFfFile.read(source);
        Findings findings = new Findings();
        new FtiFfVerifier(source, file, new SequentialDigester()).verify(findings);
        assertThat(findings.list()).isEmpty();
        // Without content nothing tells C from D; their empty files are the same.
        assertThat(variables.isEmpty() && layout == Layout.C ? Layout.C : file.layout())
                .isEqualTo(layout);
        Map<Integer, ByteBuffer> read = new HashMap<>();
        file.containers().filter(VariableMeta::hasContent).forEach(container -> {
            ByteBuffer variable =
                    read.computeIfAbsent(container.id(), id -> ByteBuffer.allocate(variables.get(id).length));
            assertThat(container.dptr()).isEqualTo(variable.position());
            variable.put(bytes, (int) container.fptr(), (int) container.chunkSize());
        });
        assertThat(read.keySet()).isEqualTo(variables.keySet());
        variables.forEach((id, content) -> assertThat(read.get(id).array()).isEqualTo(content));
    }

    @Property
    void containersLieSideBySideAndCoverTheirVariables(
            @ForAll("anyLives") List<List<VariableSize>> life, @ForAll Layout layout, @ForAll Packing packing) {
        ContainerPlan plan = ContainerPlan.empty(packing);
        for (List<VariableSize> sizes : life) {
            ContainerPlan before = plan;
            plan = before.next(sizes);
            if (layout == Layout.E && plan.dataSize() > Integer.MAX_VALUE) {
                ContainerPlan large = plan;
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> PlacedFile.of(layout, large))
                        .withMessageContaining("smaller than 2 GiB");
                continue;
            }
            PlacedFile file = PlacedFile.of(layout, plan);
            assertSideBySide(file, layout);
            assertCovered(file, sizes);
            if (packing == Packing.ALIGNED && layout.atEnd()) {
                assertThat(containers(file))
                        .allSatisfy(container -> assertThat(container.fptr() % ContainerPlan.ALIGNMENT)
                                .isZero());
            }
            if (ids(sizes).containsAll(ids(before.variables()))) {
                assertKept(before, plan);
            }
        }
    }

    private static List<VariableMeta> containers(PlacedFile file) {
        return file.blocks().stream()
                .flatMap(block -> block.variables().stream())
                .toList();
    }

    private static Set<Integer> ids(List<VariableSize> sizes) {
        return sizes.stream().map(VariableSize::id).collect(Collectors.toSet());
    }

    /** File record, records of the blocks and containers: each begins where the one before ends, up to the file's end. */
    private static void assertSideBySide(PlacedFile file, Layout layout) {
        long end = layout.atEnd() ? 0 : layout.fileMetaLength();
        for (BlockMeta block : file.blocks()) {
            long start = end;
            if (!layout.atEnd()) {
                end += layout.recordsLength(block.variables().size());
            }
            for (VariableMeta container : block.variables()) {
                assertThat(container.fptr()).isEqualTo(end);
                assertThat(container.containerSize()).isGreaterThanOrEqualTo(container.chunkSize());
                end += container.containerSize();
            }
            assertThat(block.dbsize()).isEqualTo(end - start);
        }
        if (layout.atEnd()) {
            assertThat(file.records().get(0).offset()).isEqualTo(end);
            end += layout.metaSize(file.blocks());
        }
        assertThat(file.size()).isEqualTo(end);
    }

    /** The containers of each variable hold all its bytes in order, without a gap or an overlap. */
    private static void assertCovered(PlacedFile file, List<VariableSize> sizes) {
        Map<Integer, Long> covered = new HashMap<>();
        Map<Integer, Long> reserved = new HashMap<>();
        Map<Integer, Integer> count = new HashMap<>();
        for (VariableMeta container : containers(file)) {
            int id = container.id();
            assertThat(container.containerId()).isEqualTo(count.merge(id, 1, Integer::sum) - 1);
            assertThat(container.dptr()).isEqualTo(reserved.getOrDefault(id, 0L));
            if (container.hasContent()) {
                assertThat(container.dptr()).isEqualTo(covered.getOrDefault(id, 0L));
            } else {
                assertThat(container.chunkSize()).isZero();
            }
            covered.merge(id, container.chunkSize(), Long::sum);
            reserved.merge(id, container.containerSize(), Long::sum);
        }
        assertThat(covered).isEqualTo(sizes.stream().collect(Collectors.toMap(VariableSize::id, VariableSize::size)));
        Set<Integer> withContent = new HashSet<>();
        containers(file).stream().filter(VariableMeta::hasContent).forEach(c -> withContent.add(c.id()));
        assertThat(withContent).isEqualTo(ids(sizes));
    }

    /** Containers never move, grow, shrink or disappear. */
    private static void assertKept(ContainerPlan before, ContainerPlan after) {
        assertThat(after.blocks().size() - before.blocks().size()).isBetween(0, 1);
        for (int b = 0; b < before.blocks().size(); b++) {
            List<VariableMeta> old = before.blocks().get(b).variables();
            List<VariableMeta> now = after.blocks().get(b).variables();
            assertThat(now).hasSameSizeAs(old);
            for (int v = 0; v < old.size(); v++) {
                assertThat(now.get(v))
                        .usingRecursiveComparison()
                        .ignoringFields("hasContent", "chunkSize", "hash")
                        .isEqualTo(old.get(v));
            }
        }
    }
}
