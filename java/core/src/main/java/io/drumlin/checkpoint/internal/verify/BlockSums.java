package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.PartialBlocks;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Checksums of the blocks of a range of a file, taken in the pass that compared the range with its digest. Any part of the range
 * that is read later is read in whole blocks and compared with them. Of each block there are a CRC-32C and a CRC-32, which the
 * processor computes many times faster than an MD5: enough against faults of memory, cables and devices, which are what they are
 * for. Not thread-safe.
 */
public final class BlockSums {

    /** Most bytes of a block; fewer where slabs are smaller. */
    private static final int MOST_BLOCK_BYTES = 256 << 10;

    private final Chunk range;
    private final int blockBytes;
    private final long[] sums;

    /**
     * The sums of the blocks of a range.
     *
     * @param sums of the blocks, as they were taken with slabs of that size
     */
    public BlockSums(Chunk range, int slabBytes, long[] sums) {
        this.range = range;
        this.blockBytes = Math.min(slabBytes, MOST_BLOCK_BYTES);
        this.sums = sums;
    }

    /**
     * @param range of the file
     * @param slabBytes bytes of the slabs with which parts of it are read
     */
    BlockSums(Chunk range, int slabBytes) {
        this(range, slabBytes, new long[blocks(range, slabBytes)]);
    }

    /** How many blocks a range has. */
    public static int blocks(Chunk range, int slabBytes) {
        long blockBytes = Math.min(slabBytes, MOST_BLOCK_BYTES);
        return Math.toIntExact((range.length() + blockBytes - 1) / blockBytes);
    }

    /** The checksum of each block. */
    public long[] sums() {
        return sums;
    }

    long offset() {
        return range.offset();
    }

    /** Whether all bytes of a part of the file are in the range. */
    public boolean contain(long offset, long length) {
        return offset >= range.offset() && offset + length <= end();
    }

    private long end() {
        return range.offset() + range.length();
    }

    /** Where the block begins that holds a byte of the range. */
    public long floor(long offset) {
        return offset - (offset - range.offset()) % blockBytes;
    }

    /** Where the block ends that holds the byte before {@code offset}. */
    public long ceiling(long offset) {
        return Math.min(end(), range.offset() + PartialBlocks.roundUp(offset - range.offset(), blockBytes));
    }

    /** What becomes of the checksum of a block. */
    @FunctionalInterface
    private interface Result {
        void of(int block, long sum);
    }

    /** Takes the checksums of all blocks from the bytes that {@link Pass#update} gets, from the first to the last. */
    Pass record() {
        return new Pass(range.offset(), (block, sum) -> sums[block] = sum);
    }

    /**
     * Compares blocks from one on.
     *
     * @param start where it begins
     */
    public Pass compare(long start) {
        boolean[] same = {true};
        return new Pass(start, (block, sum) -> same[0] &= sums[block] == sum) {
            @Override
            public boolean isSame() {
                return same[0];
            }
        };
    }

    /** One pass over blocks that follow each other. */
    public class Pass {
        private final CRC32C castagnoli = new CRC32C();
        private final CRC32 ieee = new CRC32();
        private final Result result;
        private long at;

        private Pass(long start, Result result) {
            at = start;
            this.result = result;
        }

        /** Takes the remaining bytes of a buffer, which follow those that came before; its position stays. */
        public void update(ByteBuffer bytes) {
            int from = bytes.position();
            while (from < bytes.limit()) {
                long blockEnd = ceiling(at + 1);
                int to = (int) Math.min(bytes.limit(), from + blockEnd - at);
                castagnoli.update(bytes.duplicate().limit(to).position(from));
                ieee.update(bytes.duplicate().limit(to).position(from));
                at += to - from;
                from = to;
                if (at == blockEnd) {
                    result.of(block(blockEnd - 1), (castagnoli.getValue() << Integer.SIZE) | ieee.getValue());
                    castagnoli.reset();
                    ieee.reset();
                }
            }
        }

        private int block(long offset) {
            return (int) ((offset - range.offset()) / blockBytes);
        }

        /** Whether all blocks so far are what they were. */
        public boolean isSame() {
            return true;
        }
    }
}
