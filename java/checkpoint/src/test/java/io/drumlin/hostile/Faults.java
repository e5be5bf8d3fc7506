package io.drumlin.hostile;

import io.drumlin.DrumlinException;
import io.drumlin.hostile.Strike.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What goes wrong in one start, for the engines of all its ranks. Thread-safe. */
class Faults {

    private final Optional<Strike> strike;
    private final Path nodes;
    private int window;
    private int seen;
    private boolean happened;
    private boolean killed;
    private String where = "";

    /** @param nodes the directory of all node-local ones */
    Faults(Optional<Strike> strike, Path nodes) {
        this.strike = strike;
        this.nodes = nodes;
    }

    /** The ranks have come to the next thing they do. */
    synchronized void enter(int next) {
        window = next;
    }

    /** From now on nothing can be done with files. */
    synchronized void kill() {
        killed = true;
    }

    /**
     * Takes note of what has happened to a job in other processes.
     *
     * @param place the operation that it happened to, or empty
     */
    synchronized void learn(boolean jobWasKilled, String place) {
        killed |= jobWasKilled;
        happened |= !place.isEmpty();
        where = place;
    }

    synchronized boolean killed() {
        return killed;
    }

    synchronized boolean happened() {
        return happened;
    }

    /** The operation that it happened to, for people. */
    synchronized String where() {
        return where;
    }

    /** Whether a bit of this read is to be another. */
    synchronized boolean flips(int rank, Path path) {
        boolean flips = strike.isPresent()
                && strike.get().trouble() == Trouble.FLIPPED_READ
                && strike.get().window() == window
                && strike.get().rank() == rank
                && ++seen == strike.get().nth();
        if (flips) {
            note(rank, Kind.READ, path);
        }
        return flips;
    }

    /** Counts an operation and throws if it is to fail. */
    synchronized void check(int rank, Kind kind, Path path) throws IOException {
        if (strike.isPresent() && !killed && strikes(strike.get(), rank, kind, path)) {
            note(rank, kind, path);
            if (!strike.get().isKill()) {
                throw failure(kind, path, strike.get().errno());
            }
            killed = true;
        }
        if (killed) {
            throw failure(kind, path, "EIO");
        }
    }

    private boolean strikes(Strike planned, int rank, Kind kind, Path path) {
        return switch (planned.trouble()) {
            case KILL, POWER_LOSS -> window >= planned.window() && ++seen >= planned.nth();
            case FULL_NODES -> path.startsWith(nodes) && (kind == Kind.WRITE || kind == Kind.ALLOCATE);
            case RESTART_ERROR, CHECKPOINT_ERROR ->
                window == planned.window()
                        && rank == planned.rank()
                        && kind == planned.kind()
                        && (++seen == planned.nth() || (planned.always() && seen > planned.nth()));
            default -> false;
        };
    }

    private void note(int rank, Kind kind, Path path) {
        if (!happened) {
            where = kind + " of " + path + " on rank " + rank + " in window " + window;
        }
        happened = true;
    }

    private static IOException failure(Kind kind, Path path, String errno) {
        return DrumlinException.during("injected " + kind)
                .path(path)
                .errno(errno)
                .exception();
    }
}
