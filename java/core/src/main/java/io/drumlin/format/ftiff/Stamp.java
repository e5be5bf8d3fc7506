package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * What tells the files of one checkpoint of Drumlin from all others, in two fields of the file record that C FTI writes and never
 * reads; docs/formats/fti-ff.md, section 10.
 *
 * @param timestamp the common stamp of the checkpoint's files and, added to its low 32 bits, the rank
 * @param mark says that the timestamp is such a one; 0 in files without
 */
public record Stamp(long timestamp, byte mark) {

    /** Bits of the stamp, below those that come of the clock, that follow from these and the id. */
    private static final int CHECK_BITS = 12;

    private static final int CLOCK_BITS = Integer.SIZE - CHECK_BITS;
    private static final long LOW = 0xffff_ffffL;

    /** How many marks there are. */
    static final int MARKS = 255;

    /**
     * The stamp of a file.
     *
     * @param nanos when the checkpoint was taken, nanoseconds since 1970; the same for all its files
     * @param ckptId id of the checkpoint
     * @param rank that the name of the file carries; of a partner copy that of the file that was copied
     * @return the stamp
     */
    public static Stamp of(long nanos, int ckptId, int rank) {
        int clock = (int) (mix(nanos) >>> (Long.SIZE - CLOCK_BITS));
        int common = clock << CHECK_BITS | check(clock, ckptId);
        return new Stamp((nanos & ~LOW) | ((common + rank) & LOW), mark(common, ckptId));
    }

    /**
     * Another file's stamp of the same checkpoint.
     *
     * @param common as {@link #common} gives it
     * @param ckptId id of the checkpoint
     * @param rank that the name of the file carries
     * @return the stamp
     */
    public static Stamp ofCommon(long common, int ckptId, int rank) {
        return new Stamp((common & ~LOW) | ((common + rank) & LOW), mark((int) common, ckptId));
    }

    /**
     * A timestamp of C FTI.
     *
     * @param timestamp nanoseconds since 1970, or their low 32 bits
     * @return it, without a mark
     */
    public static Stamp unmarked(long timestamp) {
        return new Stamp(timestamp, (byte) 0);
    }

    /**
     * The stamp of a file with the same timestamp whose mark also follows from its records, which no digest covers: an error of one bit in
     * them makes it another file's.
     *
     * @param sum {@link #sum} of the records; 255 less this undoes it
     * @return the stamp; the same without a mark
     */
    public Stamp over(int sum) {
        return mark == 0 ? this : new Stamp(timestamp, (byte) (1 + (Byte.toUnsignedInt(mark) - 1 + sum) % MARKS));
    }

    /**
     * The sum of bytes, modulo 255: none of the powers of 2 by which a bit changes it is a multiple of that.
     *
     * @param before sum of those before; 0 for the first
     * @param bytes from position to limit
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
     * What this has in common with the other files of the checkpoint, if the file is of that id and rank.
     *
     * @param ckptId id that the name of the file carries
     * @param rank that it carries
     * @return 0 or above; empty if Drumlin has not stamped a file of that id and rank so
     */
    public OptionalLong common(int ckptId, int rank) {
        int common = (int) timestamp - rank;
        boolean stamped = (common & ((1 << CHECK_BITS) - 1)) == check(common >>> CHECK_BITS, ckptId)
                && mark == mark(common, ckptId)
                && timestamp >= 0;
        return stamped ? OptionalLong.of((timestamp & ~LOW) | (common & LOW)) : OptionalLong.empty();
    }

    /**
     * Whether this is the stamp of a checkpoint, whatever rank's file has it. A timestamp of C FTI is taken for one in a case in a
     * million for each rank, if there is a mark at all.
     *
     * @param ckptId id of the checkpoint
     * @param ranks how many ranks there are
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

    /** 1 to 255: 0 is what most files of C FTI have there. */
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
