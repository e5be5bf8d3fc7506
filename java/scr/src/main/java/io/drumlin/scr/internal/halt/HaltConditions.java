package io.drumlin.scr.internal.halt;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.store.KvFields;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The conditions for halting a job: the content of {@code halt.scr} (docs/formats/scr.md, section 8). Times are seconds
 * since 1970. C reads them into 32 bits and halts at once for times after January 2038; this class does not.
 *
 * @param checkpointsLeft number of checkpoints to take before halting
 * @param exitAfter halt at this time or later
 * @param exitBefore halt from {@code haltSeconds} before this time on
 * @param haltSeconds halt this long before the end of the allocation, or before {@code exitBefore}
 * @param exitReason halt at once; {@link #FINALIZED} alone does not halt
 */
public record HaltConditions(
        OptionalLong checkpointsLeft,
        OptionalLong exitAfter,
        OptionalLong exitBefore,
        OptionalLong haltSeconds,
        Optional<String> exitReason) {

    /** The reason that a job leaves when it ends by itself. SCR 3 continues after it; SCR 1 does not. */
    public static final String FINALIZED = "SCR_FINALIZE_CALLED";

    /** The allocation is about to end. */
    public static final String TIME_LIMIT = "TIME_LIMIT";

    /** All requested checkpoints were taken. */
    public static final String NO_CHECKPOINTS_LEFT = "NO_CHECKPOINTS_LEFT";

    /** The time {@code exitBefore}, less {@code haltSeconds}, has come. */
    public static final String EXIT_BEFORE_TIME = "EXIT_BEFORE_TIME";

    /** The time {@code exitAfter} has come. */
    public static final String EXIT_AFTER_TIME = "EXIT_AFTER_TIME";

    /** The format of C's asctime. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH);

    /** The key of the number of checkpoints left. */
    static final String CHECKPOINTS_LEFT = "CheckpointsLeft";

    /** The key of the time after which to halt. */
    static final String EXIT_AFTER = "ExitAfter";

    /** The key of the time before which to halt. */
    static final String EXIT_BEFORE = "ExitBefore";

    /** The key of the number of seconds to halt early. */
    static final String HALT_SECONDS = "HaltSeconds";

    /** The key of the reason to halt. */
    static final String EXIT_REASON = "ExitReason";

    /**
     * Reads the content of a halt file.
     *
     * @param tree the tree of the file
     * @return its conditions
     */
    public static HaltConditions of(KvTree tree) {
        return new HaltConditions(
                KvFields.number(tree, CHECKPOINTS_LEFT),
                KvFields.number(tree, EXIT_AFTER),
                KvFields.number(tree, EXIT_BEFORE),
                KvFields.number(tree, HALT_SECONDS),
                tree.value(EXIT_REASON));
    }

    /**
     * Returns whether, and why, a job must halt.
     *
     * @param now seconds since 1970
     * @param end end of the allocation, seconds since 1970; empty if it is unknown
     * @return the reason; empty to continue
     */
    public Optional<String> reason(long now, OptionalLong end) {
        if (exitReason.isPresent()
                && !exitReason.get().isEmpty()
                && !exitReason.get().equals(FINALIZED)) {
            return exitReason;
        }
        long seconds = haltSeconds.orElse(0);
        if (seconds > 0 && end.isPresent() && end.getAsLong() - now <= seconds) {
            return Optional.of(TIME_LIMIT);
        }
        if (checkpointsLeft.orElse(1) <= 0) {
            return Optional.of(NO_CHECKPOINTS_LEFT);
        }
        if (exitBefore.isPresent() && now >= exitBefore.getAsLong() - seconds) {
            return Optional.of(EXIT_BEFORE_TIME);
        }
        if (exitAfter.isPresent() && now >= exitAfter.getAsLong()) {
            return Optional.of(EXIT_AFTER_TIME);
        }
        return Optional.empty();
    }

    /**
     * Formats the conditions like {@code scr_halt}.
     *
     * @param zone time zone in which times are shown
     * @return one line for each condition
     */
    public List<String> lines(ZoneId zone) {
        List<String> lines = new ArrayList<>();
        exitReason.ifPresent(reason -> lines.add("  ExitReason:      " + Printable.text(reason)));
        checkpointsLeft.ifPresent(count -> lines.add("  CheckpointsLeft: " + count));
        exitAfter.ifPresent(time -> lines.add("  ExitAfter:       " + time(time, zone)));
        exitBefore.ifPresent(time -> lines.add("  ExitBefore:      " + time(time, zone)));
        haltSeconds.ifPresent(seconds -> lines.add("  HaltSeconds:     " + seconds));
        if (exitBefore.isPresent() && haltSeconds.isPresent()) {
            lines.add("  ExitBefore - HaltSeconds: " + time(exitBefore.getAsLong() - haltSeconds.getAsLong(), zone));
        }
        return lines.isEmpty() ? List.of("  None") : lines;
    }

    private static String time(long seconds, ZoneId zone) {
        return TIME.format(Instant.ofEpochSecond(seconds).atZone(zone));
    }
}
