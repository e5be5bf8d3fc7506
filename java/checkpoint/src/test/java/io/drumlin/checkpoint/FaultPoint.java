package io.drumlin.checkpoint;

import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Where one operation of a run may fail.
 *
 * @param nth 1 for the first of its kind
 */
record FaultPoint(Operation operation, int rank, int nth) {

    /** More operations than there are: nothing fails. */
    static final FaultPoint NOWHERE = new FaultPoint(Operation.OPEN, 0, 1 << 30);

    /** The operations of all ranks so far. */
    static List<Map<Operation, Integer>> counts(List<FaultyEngine> engines) {
        return engines.stream().map(FaultyEngine::counts).toList();
    }

    /**
     * One of {@code stride} operations in a row, but at least four: some are done behind the computation and may not happen
     * a second time.
     *
     * @param before how many operations of each rank were done before those of which one is to fail
     * @param after how many after them
     */
    static List<FaultPoint> sample(
            List<Map<Operation, Integer>> before, List<Map<Operation, Integer>> after, int stride, Random random) {
        List<FaultPoint> points = new ArrayList<>();
        for (int rank = 0; rank < after.size(); rank++) {
            for (Map.Entry<Operation, Integer> kind : new EnumMap<>(after.get(rank)).entrySet()) {
                int count = kind.getValue() - before.get(rank).getOrDefault(kind.getKey(), 0);
                for (int nth = 1; nth <= count; nth++) {
                    points.add(new FaultPoint(kind.getKey(), rank, nth));
                }
            }
        }
        int step = Math.max(1, Math.min(stride, points.size() / 4));
        List<FaultPoint> sample = new ArrayList<>();
        for (int i = random.nextInt(step); i < points.size(); i += step) {
            sample.add(points.get(i));
        }
        return sample;
    }
}
