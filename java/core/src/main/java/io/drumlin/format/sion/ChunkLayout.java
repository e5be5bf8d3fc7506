package io.drumlin.format.sion;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * How large the chunks of a file are made for what its tasks ask for, and who writes them; docs/formats/sion.md, sections 4
 * and 5. Immutable.
 */
public final class ChunkLayout {

    private final long[] sizes;
    private final int[] collectors;

    private ChunkLayout(long[] sizes, int[] collectors) {
        this.sizes = sizes;
        this.collectors = collectors;
    }

    /**
     * Every task writes for itself, and each chunk begins on a block boundary.
     *
     * @param requests bytes, one number for each task, 0 or above
     * @param fsBlockSize bytes, above 0
     * @return chunks rounded up
     */
    public static ChunkLayout aligned(long[] requests, int fsBlockSize) {
        int[] collectors = new int[requests.length];
        Arrays.setAll(collectors, task -> task);
        return new ChunkLayout(roundedUp(requests, fsBlockSize), collectors);
    }

    /**
     * The first task of each group writes for all of it.
     *
     * @param requests bytes, one number for each task, 0 or above
     * @param fsBlockSize bytes, above 0
     * @param groupSize tasks that a group may have; it sets how many groups are aimed at, not how large each becomes. 0 or
     *     below chooses by the number of tasks
     * @param merge whether all data go into the chunk of the task that writes
     * @return chunks that begin on a block boundary at the beginning of each group
     */
    public static ChunkLayout collective(long[] requests, int fsBlockSize, int groupSize, boolean merge) {
        int[] collectors = groups(requests, fsBlockSize, groupSize);
        long[] sizes = merge ? roundedUp(requests, fsBlockSize) : requests.clone();
        fillGroups(requests, sizes, collectors, fsBlockSize, merge);
        return new ChunkLayout(sizes, collectors);
    }

    /**
     * The first task writes for all, as it does in files with buddy copies.
     *
     * @param requests bytes, one number for each task, 0 or above
     * @param fsBlockSize bytes, above 0
     * @return chunks of one group
     */
    public static ChunkLayout oneGroup(long[] requests, int fsBlockSize) {
        int[] collectors = new int[requests.length];
        long[] sizes = requests.clone();
        fillGroups(requests, sizes, collectors, fsBlockSize, false);
        return new ChunkLayout(sizes, collectors);
    }

    /**
     * The chunks.
     *
     * @return bytes, one number for each task
     */
    public long[] sizes() {
        return sizes.clone();
    }

    /**
     * Who writes for a task.
     *
     * @param task index in the physical file
     * @return the task itself or one before it
     */
    public int collector(int task) {
        return collectors[task];
    }

    private static long[] roundedUp(long[] requests, int fsBlockSize) {
        return LongStream.of(requests)
                .map(request -> Meta1.roundUp(request, fsBlockSize))
                .toArray();
    }

    private static int[] groups(long[] requests, int fsBlockSize, int groupSize) {
        long sum = 0;
        for (long request : requests) {
            sum = Math.addExact(sum, request);
        }
        long groups = numberOfGroups(requests.length, Meta1.roundUp(sum, fsBlockSize) / fsBlockSize, groupSize);
        // Where nobody asks for anything there is still one group.
        long average = Meta1.roundUp(sum / Math.max(1, groups), fsBlockSize);
        int[] collectors = new int[requests.length];
        long size = requests[0];
        for (int task = 1; task < requests.length; task++) {
            boolean joins = size + requests[task] <= average;
            collectors[task] = joins ? collectors[task - 1] : task;
            size = joins ? size + requests[task] : requests[task];
        }
        return collectors;
    }

    /** The rule of C SIONlib; the first limit that a number of tasks is under decides, and only once. */
    private static long numberOfGroups(int tasks, long blocks, int groupSize) {
        if (groupSize > 0) {
            return Math.min((tasks + (long) groupSize - 1) / groupSize, blocks);
        }
        long groups = Math.min(blocks, tasks);
        if (tasks >= 512 && groups > 32) {
            return 32;
        } else if (tasks >= 256 && groups > 16) {
            return 16;
        } else if (tasks >= 32 && groups > 8) {
            return 8;
        } else if (tasks >= 16 && groups > 4) {
            return 4;
        }
        return groups;
    }

    /** Makes each group end on a block boundary. */
    private static void fillGroups(long[] requests, long[] sizes, int[] collectors, int fsBlockSize, boolean merge) {
        for (int first = 0, end; first < sizes.length; first = end) {
            long sum = 0;
            for (end = first; end < sizes.length && collectors[end] == collectors[first]; end++) {
                sum = Math.addExact(sum, requests[end]);
            }
            long whole = Meta1.roundUp(sum, fsBlockSize);
            if (merge) {
                sizes[first] = whole;
            } else {
                sizes[end - 1] += whole - sum;
            }
        }
    }
}
