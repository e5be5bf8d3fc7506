package io.drumlin.format.sion.internal;

import io.drumlin.format.sion.Meta1;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Determines the sizes of the chunks of a file from the requests of its tasks, and the tasks that write them;
 * docs/formats/sion.md, sections 4 and 5. Immutable.
 */
public final class ChunkLayout {

    private final long[] sizes;
    private final int[] collectors;

    private ChunkLayout(long[] sizes, int[] collectors) {
        this.sizes = sizes;
        this.collectors = collectors;
    }

    /**
     * Makes a layout in which every task writes for itself, and each chunk begins on a block boundary.
     *
     * @param requests requested sizes in bytes, one for each task, 0 or above
     * @param fsBlockSize block size in bytes, above 0
     * @return chunks with rounded sizes
     */
    public static ChunkLayout aligned(long[] requests, int fsBlockSize) {
        int[] collectors = new int[requests.length];
        Arrays.setAll(collectors, task -> task);
        return new ChunkLayout(roundedUp(requests, fsBlockSize), collectors);
    }

    /**
     * Makes a layout in which the first task of each group writes for the whole group.
     *
     * @param requests requested sizes in bytes, one for each task, 0 or above
     * @param fsBlockSize block size in bytes, above 0
     * @param groupSize desired number of tasks in a group. It sets the desired number of groups, not the size of each.
     *     0 or below derives it from the number of tasks
     * @param merge whether all data go into the chunk of the writing task
     * @return chunks; the first chunk of each group begins on a block boundary
     */
    public static ChunkLayout collective(long[] requests, int fsBlockSize, int groupSize, boolean merge) {
        int[] collectors = groups(requests, fsBlockSize, groupSize);
        long[] sizes = merge ? roundedUp(requests, fsBlockSize) : requests.clone();
        fillGroups(requests, sizes, collectors, fsBlockSize, merge);
        return new ChunkLayout(sizes, collectors);
    }

    /**
     * Makes a layout in which the first task writes for all, as in files with buddy copies.
     *
     * @param requests requested sizes in bytes, one for each task, 0 or above
     * @param fsBlockSize block size in bytes, above 0
     * @return chunks of one group
     */
    public static ChunkLayout oneGroup(long[] requests, int fsBlockSize) {
        int[] collectors = new int[requests.length];
        long[] sizes = requests.clone();
        fillGroups(requests, sizes, collectors, fsBlockSize, false);
        return new ChunkLayout(sizes, collectors);
    }

    /**
     * Returns the sizes of the chunks.
     *
     * @return sizes in bytes, one for each task
     */
    public long[] sizes() {
        return sizes.clone();
    }

    /**
     * Returns the task that writes for a task.
     *
     * @param task index in the physical file
     * @return the task itself or an earlier one
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
        // Even if no task requests anything, there is one group.
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

    /** Applies the rule of C SIONlib. The first limit above the number of tasks decides, and only once. */
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
