package io.drumlin.format.hdf5.internal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Two hyperslabs of a dataset that have elements in common.
 *
 * @param first index of one in the list that was searched
 * @param second index of the other
 */
public record Overlap(int first, int second) {

    private record Numbered(int number, Hyperslab slab) {}

    /**
     * Looks for elements that are in more than one hyperslab. If the hyperslabs are the parts of a grid, however
     * nested, this takes little more time than sorting them.
     *
     * @param slabs hyperslabs of one dataset, all of the same rank
     * @return two overlapping hyperslabs, if there are any
     */
    public static Optional<Overlap> find(List<Hyperslab> slabs) {
        List<Numbered> numbered = new ArrayList<>();
        for (int i = 0; i < slabs.size(); i++) {
            if (slabs.get(i).elements() > 0) {
                numbered.add(new Numbered(i, slabs.get(i)));
            }
        }
        return numbered.isEmpty()
                ? Optional.empty()
                : search(numbered, numbered.get(0).slab().offset().size());
    }

    private static Optional<Overlap> search(List<Numbered> slabs, int rank) {
        for (int dimension = 0; dimension < rank && slabs.size() > 1; dimension++) {
            List<List<Numbered>> parts = cut(slabs, dimension);
            if (parts.size() > 1) {
                return parts.stream()
                        .flatMap(part -> search(part, rank).stream())
                        .findFirst();
            }
        }
        return searchPairs(slabs);
    }

    /** Cuts the space across a dimension wherever the cut goes through no hyperslab. */
    private static List<List<Numbered>> cut(List<Numbered> slabs, int dimension) {
        List<Numbered> sorted = new ArrayList<>(slabs);
        sorted.sort(Comparator.comparing(each -> each.slab().offset().get(dimension)));
        List<List<Numbered>> parts = new ArrayList<>();
        long end = -1;
        for (Numbered each : sorted) {
            if (parts.isEmpty() || each.slab().offset().get(dimension) >= end) {
                parts.add(new ArrayList<>());
            }
            parts.get(parts.size() - 1).add(each);
            end = Math.max(end, each.slab().end(dimension));
        }
        return parts;
    }

    private static Optional<Overlap> searchPairs(List<Numbered> slabs) {
        for (int i = 1; i < slabs.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (slabs.get(i).slab().overlaps(slabs.get(j).slab())) {
                    int one = slabs.get(i).number();
                    int other = slabs.get(j).number();
                    return Optional.of(new Overlap(Math.min(one, other), Math.max(one, other)));
                }
            }
        }
        return Optional.empty();
    }
}
