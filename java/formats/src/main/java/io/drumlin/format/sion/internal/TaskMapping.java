package io.drumlin.format.sion.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The physical file of each task of a set, and the index of the task there; docs/formats/sion.md, section 6. Only the
 * first file has it. Immutable.
 */
public final class TaskMapping {

    private final int[] pairs;

    private TaskMapping(int[] pairs) {
        this.pairs = pairs;
    }

    /**
     * Makes a mapping.
     *
     * @param fileNumbers file number for each task of the set
     * @param localRanks index in that file, for each task of the set
     * @return the mapping
     */
    public static TaskMapping of(int[] fileNumbers, int[] localRanks) {
        int[] pairs = new int[2 * fileNumbers.length];
        for (int task = 0; task < fileNumbers.length; task++) {
            pairs[2 * task] = fileNumbers[task];
            pairs[2 * task + 1] = localRanks[task];
        }
        return new TaskMapping(pairs);
    }

    /** Reads the pairs that remain in a buffer. */
    static TaskMapping decode(ByteBuffer bytes) {
        int[] pairs = new int[bytes.remaining() / Integer.BYTES];
        bytes.asIntBuffer().get(pairs);
        return new TaskMapping(pairs);
    }

    /**
     * Returns the number of tasks of the set.
     *
     * @return number of tasks
     */
    public int tasks() {
        return pairs.length / 2;
    }

    /**
     * Returns the file of a task.
     *
     * @param task index in the set
     * @return file number
     */
    public int fileNumber(int task) {
        return pairs[2 * task];
    }

    /**
     * Returns the index of a task in its file.
     *
     * @param task index in the set
     * @return index in the file
     */
    public int localRank(int task) {
        return pairs[2 * task + 1];
    }

    /**
     * Returns the bytes that follow META2.
     *
     * @param order the order of the metadata
     * @return bytes, from position to limit
     */
    public ByteBuffer encode(ByteOrder order) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Integer.BYTES * (1 + pairs.length)).order(order);
        bytes.putInt(tasks()).asIntBuffer().put(pairs);
        return bytes.clear();
    }
}
