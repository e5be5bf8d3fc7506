package io.drumlin.sion.internal;

import io.drumlin.storage.AlignedBuffer;

/**
 * The slabs with which a task's stream is read or written. All tasks of a process together use at most 64 MiB, unless
 * each task has just one slab of the smallest size.
 *
 * @param bytes size of a slab
 * @param count number of slabs, at least 1; some may be on their way to or from the file while one is in use
 */
public record StreamSlabs(int bytes, int count) {

    /** Largest size of a slab in bytes, enough for the bandwidth of a device. */
    public static final int MOST_BYTES = 1 << 20;

    /** Most slabs of a task. */
    static final int MOST = 16;

    private static final long BUDGET = 64L << 20;

    /**
     * Chooses slabs that are not larger than the data.
     *
     * @param largest longest run of bytes of the task
     * @param tasks number of tasks of this process
     */
    static StreamSlabs of(long largest, int tasks) {
        int unit = AlignedBuffer.ALIGNMENT;
        long share = Math.max(unit, BUDGET / MOST / tasks);
        long most = Math.min(MOST_BYTES, Math.min(share, Math.max(1, largest)));
        int bytes = (int) ((most + unit - 1) / unit * unit);
        return new StreamSlabs(bytes, (int) Math.max(1, Math.min(MOST, BUDGET / bytes / tasks)));
    }
}
