package io.drumlin.hostile;

import java.util.List;
import java.util.Random;

/**
 * One thing that goes wrong while a job runs.
 *
 * @param trouble what it is
 * @param window when: 0 while the run is opened and recovered, then one for each checkpoint, then one for the end
 * @param rank whose operation; for a kill and a full disk it does not matter
 * @param kind of the operation; does not matter for a kill
 * @param nth 1 for the first such operation of the window; of all ranks for a kill
 * @param errno name, for an operation that fails
 * @param always whether those after it fail too
 */
record Strike(Trouble trouble, int window, int rank, Kind kind, int nth, String errno, boolean always) {

    /** What a job does with files. */
    enum Kind {
        OPEN,
        READ,
        WRITE,
        SYNC,
        RENAME,
        DELETE,
        MAKE_DIRECTORY,
        ALLOCATE
    }

    /** How many operations a restart or a checkpoint of a life has, at most about this. */
    private static final int OPERATIONS = 150;

    static Strike kill(Trouble trouble, int windows, Random random) {
        int nth = 1 + (int) Math.pow(OPERATIONS, random.nextDouble());
        return new Strike(trouble, random.nextInt(windows), 0, Kind.OPEN, nth, "EIO", true);
    }

    static Strike error(Trouble trouble, int window, int ranks, Random random) {
        List<Kind> kinds = trouble == Trouble.RESTART_ERROR
                ? List.of(Kind.OPEN, Kind.READ, Kind.READ, Kind.values()[random.nextInt(Kind.values().length)])
                : List.of(Kind.values());
        Kind kind = kinds.get(random.nextInt(kinds.size()));
        String errno =
                switch (kind) {
                    case OPEN -> List.of("EIO", "EMFILE", "ENFILE", "ESTALE").get(random.nextInt(4));
                    case WRITE, ALLOCATE, MAKE_DIRECTORY -> random.nextBoolean() ? "ENOSPC" : "EIO";
                    default -> "EIO";
                };
        int nth = 1 + (int) Math.pow(12, random.nextDouble());
        return new Strike(trouble, window, random.nextInt(ranks), kind, nth, errno, random.nextBoolean());
    }

    static Strike flip(int ranks, Random random) {
        int nth = 1 + (int) Math.pow(20, random.nextDouble());
        return new Strike(Trouble.FLIPPED_READ, 0, random.nextInt(ranks), Kind.READ, nth, "", false);
    }

    static Strike full() {
        return new Strike(Trouble.FULL_NODES, -1, 0, Kind.WRITE, 1, "ENOSPC", true);
    }

    boolean isKill() {
        return trouble == Trouble.KILL || trouble == Trouble.POWER_LOSS;
    }
}
