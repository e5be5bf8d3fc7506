package io.drumlin.hosts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Says which checkpoints a restart may bring back, and which must not be lost. */
final class HostLossModel {

    private final List<Checkpoint> checkpoints = new ArrayList<>();

    /** Whether a start may begin afresh, because no checkpoint was taken or the run may have ended. */
    private boolean mayBeFresh = true;

    /** A checkpoint of which there are files. */
    private static final class Checkpoint {
        private final int number;
        private final int job;
        private int level;
        private boolean sure;

        /** Places whose files are lost. */
        private final Set<Integer> lost = new TreeSet<>();

        Checkpoint(String[] event) {
            number = Integer.parseInt(event[1]);
            job = Integer.parseInt(event[2]);
            level = Integer.parseInt(event[3]);
        }

        boolean mustSurvive() {
            int most = level == 4 ? Integer.MAX_VALUE : level - 1;
            return sure && lost.size() <= most;
        }

        @Override
        public String toString() {
            return (sure ? "" : "perhaps ") + number + " of job " + job + " at level " + level
                    + (lost.isEmpty() ? "" : " without " + lost);
        }
    }

    /** A job is over. */
    void job(List<String> events) {
        Checkpoint pending = null;
        for (String line : events) {
            String[] event = line.split(" ", -1);
            switch (event[0]) {
                case "fresh" -> fresh();
                case "restored" ->
                    restored(Integer.parseInt(event[1]), Integer.parseInt(event[2]), Integer.parseInt(event[3]));
                case "writing" -> pending = new Checkpoint(event);
                case "done" -> {
                    done(pending);
                    pending = null;
                }
                case "ending" -> mayBeFresh = true;
                case "ended" -> checkpoints.clear();
                default -> throw new AssertionError(line);
            }
        }
        if (pending != null) {
            checkpoints.add(pending);
        }
    }

    private void fresh() {
        if (!mayBeFresh) {
            throw new AssertionError("WRONG: a fresh start, and there are " + checkpoints);
        }
        checkpoints.clear();
    }

    /** @param level at which it was found: 1 if the job before was over before there were copies or codes */
    private void restored(int number, int job, int level) {
        Checkpoint found = checkpoints.stream()
                .filter(checkpoint -> checkpoint.number == number && checkpoint.job == job)
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "WRONG: checkpoint " + number + " of job " + job + " came back, and there are " + checkpoints));
        if (checkpoints.stream().anyMatch(other -> other.mustSurvive() && other.number > number)) {
            throw new AssertionError("LOST: checkpoint " + number + " came back, and there are " + checkpoints);
        }
        // Lost files were made again.
        found.lost.clear();
        found.level = Math.min(found.level, level);
        found.sure = true;
        mayBeFresh = false;
        // What is newer may still come back, until there is another checkpoint.
        checkpoints.stream().filter(other -> other.number > number).forEach(other -> other.sure = false);
    }

    private void done(Checkpoint done) {
        done.sure = true;
        mayBeFresh = false;
        checkpoints.removeIf(other -> other.number >= done.number || other.level <= done.level || !other.sure);
        checkpoints.add(done);
    }

    /** The disk of a place is gone, or older. */
    void lose(int place) {
        checkpoints.stream()
                .filter(checkpoint -> checkpoint.level < 4)
                .forEach(checkpoint -> checkpoint.lost.add(place));
    }

    /** A start found no checkpoint. */
    void refused() {
        if (checkpoints.stream().anyMatch(Checkpoint::mustSurvive)) {
            throw new AssertionError("LOST: a start found nothing, and there are " + checkpoints);
        }
    }

    @Override
    public String toString() {
        return checkpoints.stream()
                .sorted(Comparator.comparingInt(checkpoint -> checkpoint.number))
                .toList()
                .toString();
    }
}
