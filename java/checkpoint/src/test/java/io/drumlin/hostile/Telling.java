package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the ranks of one start tell of it, those of the application by their number in the communicator that they were given. Thread-safe. */
class Telling {

    /** What came of a checkpoint. */
    enum Outcome {
        BEGUN,
        DONE,
        FAILED
    }

    /** A checkpoint. */
    record Begun(int epoch, int ckptId, Level level, int[] sizes) {}

    private final Map<Integer, Boolean> opened = new TreeMap<>();
    private final Map<Integer, Integer> recovered = new TreeMap<>();
    private final Map<Integer, Integer> lastIds = new TreeMap<>();
    private final Map<Integer, List<Integer>> elements = new TreeMap<>();
    private final List<Begun> begun = new ArrayList<>();
    private final Map<Integer, Map<Integer, Outcome>> outcomes = new TreeMap<>();
    private final Map<Integer, String> failures = new TreeMap<>();
    private final List<String> wrong = new ArrayList<>();
    private Level lastLevel = Level.L1;
    private boolean ending;
    private int completed;
    private String secondJob = "";

    synchronized void opened(int rank, boolean restart) {
        opened.put(rank, restart);
    }

    synchronized Map<Integer, Boolean> opened() {
        return opened;
    }

    synchronized void recovered(int rank, int epoch, int lastId, Level level) {
        lastLevel = level;
        recovered.put(rank, epoch);
        lastIds.put(rank, lastId);
    }

    synchronized Map<Integer, Integer> recovered() {
        return recovered;
    }

    synchronized void elements(int rank, List<Integer> counts) {
        elements.put(rank, counts);
    }

    /** How many elements the ranks got of each variable. */
    synchronized Map<Integer, List<Integer>> elements() {
        return elements;
    }

    /** Where the checkpoint was found that a restart has brought back. */
    synchronized Level lastLevel() {
        return lastLevel;
    }

    synchronized Map<Integer, Integer> lastIds() {
        return lastIds;
    }

    synchronized void begun(Begun checkpoint) {
        if (begun.stream().noneMatch(other -> other.epoch() == checkpoint.epoch())) {
            begun.add(checkpoint);
        }
    }

    synchronized List<Begun> begun() {
        return begun;
    }

    synchronized void outcome(int epoch, int rank, Outcome outcome) {
        outcomes.computeIfAbsent(epoch, any -> new TreeMap<>()).put(rank, outcome);
    }

    synchronized Map<Integer, Outcome> outcomes(int epoch) {
        return outcomes.getOrDefault(epoch, Map.of());
    }

    synchronized void failed(int epoch, String why) {
        failures.putIfAbsent(epoch, why);
    }

    /** Why checkpoints failed. */
    synchronized Map<Integer, String> failures() {
        return failures;
    }

    /** Something that must never be. */
    synchronized void wrong(String what) {
        wrong.add(what);
    }

    synchronized List<String> wrong() {
        return wrong;
    }

    synchronized void completes() {
        ending = true;
    }

    /** Whether a rank has begun to complete the run. */
    synchronized boolean ending() {
        return ending;
    }

    synchronized void completed() {
        completed++;
    }

    synchronized boolean isCompleted() {
        return completed > 0;
    }

    synchronized void secondJob(String outcome) {
        secondJob = outcome;
    }

    /** What became of another job with the same configuration; empty if there was none. */
    synchronized String secondJob() {
        return secondJob;
    }
}
