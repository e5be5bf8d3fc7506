package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Distinguishes the files of one of Drumlin's checkpoints from all others, with two fields of the file record that C
 * FTI writes and never reads; docs/formats/fti-ff.md, section 10, and docs/adr/016-stamps-of-fti-ff-files.md.
 *
 * @param timestamp the common stamp of the checkpoint's files, with the rank added to its low 32 bits
 * @param mark shows that the timestamp is a stamp; 0 in files without one
 */
public record Stamp(long timestamp, byte mark) {

    /**
     * Number of bits of the stamp that are computed from the other bits and the id. They are below the bits that come
     * from the clock.
     */
    private static final int CHECK_BITS = 12;

    private static final int CLOCK_BITS = Integer.SIZE - CHECK_BITS;
    private static final long LOW = 0xffff_ffffL;

    /** Number of marks. */
    static final int MARKS = 255;

    /**
     * Makes the stamp of a file.
     *
     * @param nanos time of the checkpoint in nanoseconds since 1970, the same for all its files
     * @param ckptId id of the checkpoint
     * @param rank the rank in the name of the file; for a partner copy that of the copied file
     * @return the stamp
     */
    public static Stamp of(long nanos, int ckptId, int rank) {
        int clock = (int) (mix(nanos) >>> (Long.SIZE - CLOCK_BITS));
        int common = clock << CHECK_BITS | check(clock, ckptId);
        return new Stamp((nanos & ~LOW) | ((common + rank) & LOW), mark(common, ckptId));
    }

    /**
     * Makes the stamp of another file of the same checkpoint.
     *
     * @param common the result of {@link #common}
     * @param ckptId id of the checkpoint
     * @param rank the rank in the name of the file
     * @return the stamp
     */
    public static Stamp ofCommon(long common, int ckptId, int rank) {
        return new Stamp((common & ~LOW) | ((common + rank) & LOW), mark((int) common, ckptId));
    }

    /**
     * Wraps a timestamp of C FTI.
     *
     * @param timestamp nanoseconds since 1970, or their low 32 bits
     * @return the timestamp, without a mark
     */
    public static Stamp unmarked(long timestamp) {
        return new Stamp(timestamp, (byte) 0);
    }

    /**
     * Returns the stamp with the same timestamp and a mark that also depends on the file's records. No digest covers
     * these. An error of one bit in them makes the stamp that of another file.
     *
     * @param sum {@link #sum} of the records; 255 less this undoes it
     * @return the stamp; unchanged if it has no mark
     */
    public Stamp over(int sum) {
        return mark == 0 ? this : new Stamp(timestamp, (byte) (1 + (Byte.toUnsignedInt(mark) - 1 + sum) % MARKS));
    }

    /**
     * Returns the sum of bytes, modulo 255. A changed bit changes the sum by a power of 2, which is no multiple of 255.
     *
     * @param before sum of the earlier bytes; 0 for the first
     * @param bytes the bytes from position to limit
     * @return 0 to 254
     */
    public static int sum(int before, ByteBuffer bytes) {
        long sum = before;
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            sum += Byte.toUnsignedInt(bytes.get(i));
        }
        return (int) (sum % MARKS);
    }

    /**
     * Returns the part of this stamp that all files of the checkpoint have in common, if the file has that id and rank.
     *
     * @param ckptId id in the name of the file
     * @param rank rank in the name of the file
     * @return 0 or above; empty if Drumlin has not given this stamp to a file of that id and rank
     */
    public OptionalLong common(int ckptId, int rank) {
        int common = (int) timestamp - rank;
        boolean stamped = (common & ((1 << CHECK_BITS) - 1)) == check(common >>> CHECK_BITS, ckptId)
                && mark == mark(common, ckptId)
                && timestamp >= 0;
        return stamped ? OptionalLong.of((timestamp & ~LOW) | (common & LOW)) : OptionalLong.empty();
    }

    /**
     * Returns whether this is a stamp of a checkpoint, for any rank's file. If there is a mark at all, a timestamp of C
     * FTI is mistaken for a stamp once in a million cases for each rank.
     *
     * @param ckptId id of the checkpoint
     * @param ranks number of ranks
     * @return false without a mark
     */
    public boolean isOfSomeRank(int ckptId, int ranks) {
        return mark != 0
                && IntStream.range(0, ranks)
                        .anyMatch(rank -> common(ckptId, rank).isPresent());
    }

    private static int check(int clock, int ckptId) {
        return (int) (mix((long) ckptId << Integer.SIZE | clock) >>> (Long.SIZE - CHECK_BITS));
    }

    /** Computes a mark, 1 to 255. Most files of C FTI have 0 there. */
    private static byte mark(int common, int ckptId) {
        return (byte) (1 + Long.remainderUnsigned(mix((long) ~ckptId << Integer.SIZE | (common & LOW)), MARKS));
    }

    /** The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
    private static long mix(long value) {
        long z = value + 0x9e37_79b9_7f4a_7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }
}
