package io.drumlin.cli.stat;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the checkpoints of a level cost. The memory depends on the number of ranks only. */
final class LevelCosts {

    /** Ranks that are named. */
    private static final int MOST_NAMED = 3;

    /** More ranks than this are not told apart. */
    private static final int MOST_RANKS = 1 << 16;

    private final Map<Integer, Long> checkpointsOfRank = new TreeMap<>();
    private final Map<Integer, Slow> slow = new TreeMap<>();
    private final Map<String, Double> steps = new TreeMap<>();
    private long lines;
    private long measured;
    private double bytes;
    private double seconds;
    private double most;
    private double stall;

    /** How often a rank was the slowest, and its longest time. */
    record Slow(int rank, long steps, double most) {}

    void add(StatEvent event) {
        if (event.isCheckpoint()) {
            lines++;
            bytes += event.bytes();
            seconds += event.seconds();
            most = Math.max(most, event.seconds());
            stall += event.stall();
            if (checkpointsOfRank.size() < MOST_RANKS || checkpointsOfRank.containsKey(event.rank())) {
                checkpointsOfRank.merge(event.rank(), 1L, Long::sum);
            }
        }
        for (StatEvent.Step step : event.steps()) {
            steps.merge(step.name(), step.seconds(), Double::sum);
            addSlowest(step);
        }
    }

    private void addSlowest(StatEvent.Step step) {
        Integer rank = step.slowest();
        if (rank == null) {
            return;
        }
        measured++;
        Slow before = slow.get(rank);
        if (before != null || slow.size() < MOST_RANKS) {
            long times = before == null ? 1 : before.steps + 1;
            slow.put(rank, new Slow(rank, times, Math.max(step.most(), before == null ? 0 : before.most)));
        }
    }

    /** Returns the number of checkpoints: several logs have each of them. */
    long checkpoints() {
        return checkpointsOfRank.values().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** Returns the mean size of a rank's file. */
    double meanBytes() {
        return lines == 0 ? 0 : bytes / lines;
    }

    double meanSeconds() {
        return lines == 0 ? 0 : seconds / lines;
    }

    double mostSeconds() {
        return most;
    }

    double meanStall() {
        return lines == 0 ? 0 : stall / lines;
    }

    /** Returns the mean time of a step of a checkpoint. */
    double meanOfStep(String step) {
        return lines == 0 ? 0 : steps.getOrDefault(step, 0.0) / lines;
    }

    /** Returns bytes per second of a rank. */
    double bandwidth() {
        return seconds == 0 ? 0 : bytes / seconds;
    }

    /** Returns the ranks that were slowest most often. */
    List<Slow> slowest() {
        return slow.values().stream()
                .sorted(Comparator.comparingLong(Slow::steps).reversed())
                .limit(MOST_NAMED)
                .toList();
    }

    /** Returns the number of steps of which the slowest rank is known. */
    long measured() {
        return measured;
    }

    String slowestText() {
        return slowest().stream()
                .map(each -> each.rank + " (" + each.steps + " of " + measured + ")")
                .collect(Collectors.joining(", "));
    }
}
