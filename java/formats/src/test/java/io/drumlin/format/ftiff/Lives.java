package io.drumlin.format.ftiff;

import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** The sizes of the protected variables at each checkpoint of a run. */
final class Lives {

    private Lives() {}

    /** Sizes in bytes that fit into memory; small ones, those around blocks of 4096 and, few, those that are split. */
    static Arbitrary<Long> smallSizes() {
        return Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(0L)),
                Tuple.of(8, Arbitraries.longs().between(1, 300)),
                Tuple.of(4, Arbitraries.longs().between(4000, 9000)),
                Tuple.of(4, Arbitraries.of(4095L, 4096L, 4097L, 8191L, 8192L, 8193L)));
    }

    /** Any sizes that a file can have. */
    static Arbitrary<Long> anySizes() {
        return Arbitraries.frequencyOf(
                Tuple.of(1, smallSizes()),
                Tuple.of(1, Arbitraries.longs().between(1L << 20, 40L << 20)),
                Tuple.of(1, Arbitraries.longs().between(0, 1L << 50)));
    }

    /** Up to 9 checkpoints; at each, some variables get another size, and with luck one is new or dropped. */
    static Arbitrary<List<List<VariableSize>>> of(Arbitrary<Long> sizes) {
        Arbitrary<Change> change = Combinators.combine(
                        Arbitraries.integers().between(0, 5),
                        sizes,
                        Arbitraries.integers().between(0, 19))
                .as((id, size, luck) -> new Change(id, size, luck == 0));
        return change.list().ofMaxSize(5).list().ofMinSize(1).ofMaxSize(9).map(Lives::sizes);
    }

    /** Protects a variable, resizes it or drops it. */
    private record Change(int id, long size, boolean drop) {}

    private static List<List<VariableSize>> sizes(List<List<Change>> checkpoints) {
        Map<Integer, Long> now = new LinkedHashMap<>();
        List<List<VariableSize>> life = new ArrayList<>();
        for (List<Change> changes : checkpoints) {
            for (Change change : changes) {
                if (change.drop()) {
                    now.remove(change.id());
                } else {
                    now.put(change.id(), change.size());
                }
            }
            life.add(now.entrySet().stream()
                    .map(entry -> new VariableSize(entry.getKey(), entry.getValue()))
                    .toList());
        }
        return life;
    }
}
