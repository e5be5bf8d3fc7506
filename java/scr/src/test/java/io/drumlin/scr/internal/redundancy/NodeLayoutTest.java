package io.drumlin.scr.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.scr.internal.settings.CopyType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The ranks of nodes, and the sets that protect each other, in jobs whose nodes have any number of ranks. */
class NodeLayoutTest {

    private static final int MOST_RANKS = 20;

    @Test
    void setsAreNumberedAsScrNumbersThem() throws IOException {
        long seed = new Random().nextLong();
        System.out.printf("seed %d%n", seed);
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            int ranks = 1 + random.nextInt(MOST_RANKS);
            int nodes = 1 + random.nextInt(ranks);
            List<String> nodeOf =
                    random.ints(ranks, 0, nodes).mapToObj(node -> "n" + node).toList();
            CopyType type = CopyType.values()[random.nextInt(3)];
            int size = random.nextInt(5);
            List<Integer> colors = colors(nodeOf, type, size);
            String what = "seed " + seed + ": " + nodeOf + ", " + type + ", sets of " + size;
            ThreadCommunicator.run(ranks, world -> {
                try (NodeLayout layout = new NodeLayout(world, nodeOf.get(world.rank()))) {
                    assertThat(layout.ranks())
                            .as(what)
                            .containsExactlyElementsOf(all(nodeOf, nodeOf.get(world.rank())));
                    for (int time = 0; time < 2; time++) {
                        try (RedundancySet set = layout.set(type, 1, size)) {
                            check(set, colors, type, what);
                        }
                    }
                }
            });
        }
    }

    private static void check(RedundancySet set, List<Integer> colors, CopyType type, String what) throws IOException {
        List<Integer> numbers = colors.stream().distinct().sorted().toList();
        Integer own = colors.get(set.worldRank());
        List<Integer> members = all(colors, own);
        int[] ranks = set.comm().allgatherv(new int[] {set.worldRank()});
        assertThat(ranks)
                .as(what)
                .containsExactly(members.stream().mapToInt(Integer::intValue).toArray());
        assertThat(set.group()).as(what).isEqualTo(numbers.indexOf(own));
        assertThat(set.groups()).as(what).isEqualTo(numbers.size());
        assertThat(set.type()).as(what).isEqualTo(members.size() == 1 ? CopyType.SINGLE : type);
    }

    /** Returns numbers in the order of the sets, one for each rank. */
    private static List<Integer> colors(List<String> nodeOf, CopyType type, int size) {
        // The ranks at each place in their nodes, by the names of the nodes.
        SortedMap<Integer, SortedMap<String, Integer>> places = new TreeMap<>();
        for (int rank = 0; rank < nodeOf.size(); rank++) {
            int place = Collections.frequency(nodeOf.subList(0, rank), nodeOf.get(rank));
            places.computeIfAbsent(place, each -> new TreeMap<>()).put(nodeOf.get(rank), rank);
        }
        List<Integer> colors = new ArrayList<>(Collections.nCopies(nodeOf.size(), 0));
        places.forEach((place, byNode) -> {
            int across = byNode.size();
            int sets = Math.max(1, across / Math.max(1, size));
            List<Integer> numbers = IntStream.range(0, across)
                    .map(i -> i * sets / across)
                    .boxed()
                    .toList();
            List<Integer> ranks = List.copyOf(byNode.values());
            for (int i = 0; i < across; i++) {
                boolean single = type == CopyType.SINGLE || Collections.frequency(numbers, numbers.get(i)) == 1;
                int color = single ? MOST_RANKS * MOST_RANKS + ranks.get(i) : place * MOST_RANKS + numbers.get(i);
                colors.set(ranks.get(i), color);
            }
        });
        return colors;
    }

    /** Returns the indexes of all equal elements. */
    private static <T> List<Integer> all(List<T> list, T element) {
        return IntStream.range(0, list.size())
                .filter(i -> list.get(i).equals(element))
                .boxed()
                .toList();
    }
}
