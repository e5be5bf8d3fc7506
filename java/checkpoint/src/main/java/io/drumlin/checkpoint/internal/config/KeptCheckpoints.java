package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.format.fti.IniFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which checkpoints are kept: {@code keep_l4_ckpt} and the keys {@code keep}, {@code keep_every}, {@code keep_size} and
 * {@code keep_l1} to {@code keep_l3} of {@code [drumlin]}.
 *
 * @param all whether all are kept, as with {@code keep_l4_ckpt = 1}
 * @param newest how many of the newest are kept
 * @param every older ones are kept too if this time lies between two of them; zero if none are
 * @param mostBytes bytes of all kept checkpoints; the oldest are deleted if they are more; 0 if there is no limit
 * @param onNodes how many of the levels 1, 2 and 3 are kept
 */
public record KeptCheckpoints(boolean all, int newest, Duration every, long mostBytes, List<Integer> onNodes) {

    private static final int MOST = 1_000_000;
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)\\s*([a-z]?)");
    private static final String UNITS_OF_TIME = "mhd";
    private static final long[] MINUTES = {1, 60, 24 * 60};
    private static final String UNITS_OF_SIZE = "mgtp";
    private static final int SHIFT_OF_FIRST = 20;

    private static final List<Integer> ONE_EACH = List.of(1, 1, 1);

    private static final int MOST_ON_NODES = 1000;

    static KeptCheckpoints read(ConfigValues values, boolean all) throws DrumlinException {
        int newest = values.inRange("drumlin", "keep", 1, 1, MOST);
        Duration every = readTime(values);
        long bytes = readSize(values);
        if (all && (newest > 1 || !every.isZero() || bytes > 0)) {
            throw values.refused(
                    "basic",
                    "keep_l4_ckpt",
                    "0 while [drumlin] has keep, keep_every or keep_size, because with 1 all checkpoints are kept");
        }
        if (bytes > 0 && newest == 1 && every.isZero()) {
            throw values.refused("drumlin", "keep_size", "nothing without keep or keep_every, which it limits");
        }
        List<Integer> onNodes = new ArrayList<>();
        for (int level = 1; level <= ONE_EACH.size(); level++) {
            onNodes.add(values.inRange("drumlin", "keep_l" + level, 1, 1, MOST_ON_NODES));
        }
        return new KeptCheckpoints(all, newest, every, bytes, List.copyOf(onNodes));
    }

    /** Returns how many checkpoints of a level stay on the nodes, the last one included. */
    public int onNodes(Level level) {
        return level.isGlobal() ? 1 : onNodes.get(level.number() - 1);
    }

    /** Returns whether several checkpoints of any level stay on the nodes. */
    public boolean keepsOnNodes() {
        return !onNodes.equals(ONE_EACH);
    }

    /**
     * Reads the keys of {@code [drumlin]} alone.
     *
     * @param name name of the file, for messages
     */
    public static KeptCheckpoints of(IniFile ini, String name) throws DrumlinException {
        return read(new ConfigValues(ini, name), false);
    }

    /** Returns the rule for a run that has its newest checkpoint in the archive. */
    public KeptCheckpoints withoutCurrent() {
        return new KeptCheckpoints(all, newest + 1, every, mostBytes, onNodes);
    }

    private static Duration readTime(ConfigValues values) throws DrumlinException {
        Optional<String> text = values.text("drumlin", "keep_every");
        if (text.isEmpty()) {
            return Duration.ZERO;
        }
        Matcher number = NUMBER.matcher(text.get().strip().toLowerCase(Locale.ROOT));
        if (number.matches()) {
            int unit = number.group(2).isEmpty() ? 1 : UNITS_OF_TIME.indexOf(number.group(2));
            long seconds = unit < 0 ? 0 : Math.round(Double.parseDouble(number.group(1)) * MINUTES[unit] * 60);
            if (seconds > 0) {
                return Duration.ofSeconds(seconds);
            }
        }
        throw values.refused("drumlin", "keep_every", "a time such as 6h, 30m or 2d");
    }

    private static long readSize(ConfigValues values) throws DrumlinException {
        Optional<String> text = values.text("drumlin", "keep_size");
        if (text.isEmpty()) {
            return 0;
        }
        Matcher number = NUMBER.matcher(text.get().strip().toLowerCase(Locale.ROOT));
        if (number.matches() && !number.group(2).isEmpty()) {
            int unit = UNITS_OF_SIZE.indexOf(number.group(2));
            double bytes = unit < 0 ? 0 : Double.parseDouble(number.group(1)) * (1L << (SHIFT_OF_FIRST + 10 * unit));
            if (bytes >= 1 && bytes < Long.MAX_VALUE) {
                return (long) bytes;
            }
        }
        throw values.refused("drumlin", "keep_size", "a size such as 500G or 2T (M, G, T or P)");
    }

    /** Returns whether a checkpoint of level 4 goes to the archive when the next one takes its place. */
    public boolean archives() {
        return all || newest > 1 || !every.isZero();
    }

    /**
     * A checkpoint of level 4.
     *
     * @param ckptId its id
     * @param nanos when it was taken, in nanoseconds since 1970; below 0 if that is not known
     * @param bytes bytes of its files, 0 if {@link #mostBytes} is
     */
    public record Kept(int ckptId, long nanos, long bytes) {}

    /**
     * Returns the archived checkpoints that are not kept any longer.
     *
     * @param newestFirst the checkpoints in the archive
     * @param current bytes of the checkpoint that is not in the archive
     */
    public List<Kept> superfluous(List<Kept> newestFirst, long current) {
        if (all) {
            return List.of();
        }
        int young = Math.min(newest - 1, newestFirst.size());
        List<Kept> superfluous = new ArrayList<>(newestFirst.subList(young, newestFirst.size()));
        superfluous.removeAll(every.isZero() ? List.of() : spaced(superfluous));
        List<Kept> kept = new ArrayList<>(newestFirst);
        kept.removeAll(superfluous);
        long bytes = current + kept.stream().mapToLong(Kept::bytes).sum();
        for (int i = kept.size() - 1; mostBytes > 0 && bytes > mostBytes && i >= 0; i--) {
            superfluous.add(kept.get(i));
            bytes -= kept.get(i).bytes();
        }
        return superfluous;
    }

    /**
     * Returns checkpoints with the given time between them, beginning with the oldest, so that a checkpoint that was
     * kept once is kept again. A clock that was set back makes the time between two negative.
     */
    private List<Kept> spaced(List<Kept> newestFirst) {
        List<Kept> spaced = new ArrayList<>();
        for (int i = newestFirst.size() - 1; i >= 0; i--) {
            Kept each = newestFirst.get(i);
            Kept before = spaced.isEmpty() ? each : spaced.get(spaced.size() - 1);
            boolean unknown = each.nanos() < 0 || before.nanos() < 0;
            if (spaced.isEmpty()
                    || unknown
                    || Duration.ofNanos(each.nanos() - before.nanos()).abs().compareTo(every) >= 0) {
                spaced.add(each);
            }
        }
        return spaced;
    }
}
