package io.drumlin.format.hdf5.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HyperslabTest {

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    private List<Long> numbers(int rank, int bound) {
        return random.longs(rank, 0, bound).boxed().toList();
    }

    private Hyperslab within(List<Long> dimensions) {
        List<Long> offset = new ArrayList<>();
        List<Long> count = new ArrayList<>();
        for (long dimension : dimensions) {
            long from = random.nextLong(dimension + 1);
            offset.add(from);
            // Often all, so that runs join.
            count.add(random.nextInt(3) == 0 ? dimension - from : random.nextLong(dimension - from + 1));
        }
        return new Hyperslab(offset, count);
    }

    /** Every element by its own index. */
    private static List<Long> elements(Hyperslab slab, List<Long> dimensions) {
        List<Long> elements = List.of(0L);
        for (int i = 0; i < dimensions.size(); i++) {
            List<Long> next = new ArrayList<>();
            for (long before : elements) {
                for (long k = 0; k < slab.count().get(i); k++) {
                    next.add(before * dimensions.get(i) + slab.offset().get(i) + k);
                }
            }
            elements = next;
        }
        return elements;
    }

    @RepeatedTest(200)
    void runsAreAllElementsInTheirOrder() throws IOException {
        List<Long> dimensions = numbers(1 + random.nextInt(4), 6);
        Hyperslab slab = within(dimensions);
        List<Long> found = new ArrayList<>();
        slab.forEachRun(dimensions, (start, at, length) -> {
            assertThat(at).isEqualTo(found.size());
            LongStream.range(start, start + length).forEach(found::add);
        });
        assertThat(found).as("seed %d: %s in %s", seed, slab, dimensions).isEqualTo(elements(slab, dimensions));
        assertThat(slab.elements()).isEqualTo(found.size());
        assertThat(slab.isWithin(dimensions)).isTrue();
    }

    @Test
    void wholeRowsAreOneRun() throws IOException {
        List<String> runs = new ArrayList<>();
        Hyperslab rows = new Hyperslab(List.of(1L, 2L, 0L, 0L), List.of(2L, 3L, 5L, 7L));
        rows.forEachRun(List.of(4L, 9L, 5L, 7L), (start, at, length) -> runs.add(start + " " + at + " " + length));
        assertThat(runs).containsExactly("385 0 105", "700 105 105");
    }

    /** As any two of them tell. */
    @RepeatedTest(200)
    void overlapsAreFound() {
        List<Long> dimensions = numbers(1 + random.nextInt(3), 8);
        List<Hyperslab> slabs = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            slabs.add(within(dimensions));
        }
        boolean overlap = false;
        for (int i = 0; i < slabs.size(); i++) {
            for (int j = 0; j < i; j++) {
                List<Long> common = elements(slabs.get(i), dimensions);
                common.retainAll(elements(slabs.get(j), dimensions));
                overlap |= !common.isEmpty();
            }
        }
        var found = Overlap.find(slabs);
        assertThat(found.isPresent()).as("seed %d: %s", seed, slabs).isEqualTo(overlap);
        found.ifPresent(pair -> assertThat(slabs.get(pair.first()).overlaps(slabs.get(pair.second())))
                .isTrue());
    }

    @Test
    void aGridOfManyPartsHasNone() {
        List<Hyperslab> slabs = new ArrayList<>();
        for (long i = 0; i < 300; i++) {
            for (long j = 0; j < 300; j++) {
                slabs.add(new Hyperslab(List.of(2 * i, 3 * j), List.of(2L, 3L)));
            }
        }
        assertThat(Overlap.find(slabs)).isEmpty();
        slabs.add(new Hyperslab(List.of(599L, 899L), List.of(1L, 1L)));
        assertThat(Overlap.find(slabs)).contains(new Overlap(300 * 300 - 1, 300 * 300));
    }

    @Test
    void whatIsNoneIsRefused() {
        assertThatThrownBy(() -> new Hyperslab(List.of(), List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Hyperslab(List.of(1L), List.of(1L, 1L)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Hyperslab(List.of(-1L), List.of(1L))).isInstanceOf(IllegalArgumentException.class);
        Hyperslab far = new Hyperslab(List.of(Long.MAX_VALUE), List.of(1L));
        assertThat(far.isWithin(List.of(5L))).isFalse();
        assertThat(far.isWithin(List.of(5L, 5L))).isFalse();
    }
}
