package io.drumlin.sion;

import io.drumlin.storage.AlignedBuffer;

/**
 * The slabs of a task's stream, written or read. Those of all tasks of a process have 64 MiB, unless each task has only one and that is
 * the smallest.
 *
 * @param bytes of a slab
 * @param count at least 1; some are on their way to or from the file while one is filled or used
 */
record StreamSlabs(int bytes, int count) {

    /** Bytes of a slab: large enough for the bandwidth of a device. */
    static final int MOST_BYTES = 1 << 20;

    /** Most slabs of a task. */
    static final int MOST = 16;

    private static final long BUDGET = 64L << 20;

    /**
     * Slabs that are not larger than what they are for.
     *
     * @param largest bytes of the task that are in a row
     * @param tasks of this process
     */
    static StreamSlabs of(long largest, int tasks) {
        int unit = AlignedBuffer.ALIGNMENT;
        long share = Math.max(unit, BUDGET / MOST / tasks);
        long most = Math.min(MOST_BYTES, Math.min(share, Math.max(1, largest)));
        int bytes = (int) ((most + unit - 1) / unit * unit);
        return new StreamSlabs(bytes, (int) Math.max(1, Math.min(MOST, BUDGET / bytes / tasks)));
    }
}
