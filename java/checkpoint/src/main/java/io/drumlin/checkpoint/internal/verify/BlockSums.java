package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.AlignedWriter;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Checksums of the blocks of a range of a file, computed in the pass that compared the range with its digest. A later
 * read of a part of the range reads whole blocks and compares them with these checksums. Each block has a CRC-32C and a
 * CRC-32, which the processor computes many times faster than an MD5. They are strong enough to detect faults of
 * memory, cables and devices, which is their purpose. Not thread-safe.
 */
public final class BlockSums {

    /** Most bytes of a block; fewer if slabs are smaller. */
    private static final int MOST_BLOCK_BYTES = 256 << 10;

    private final Chunk range;
    private final int blockBytes;
    private final long[] sums;

    /**
     * Creates the checksums of a range from computed values.
     *
     * @param sums checksums of the blocks, computed with slabs of this size
     */
    public BlockSums(Chunk range, int slabBytes, long[] sums) {
        this.range = range;
        this.blockBytes = Math.min(slabBytes, MOST_BLOCK_BYTES);
        this.sums = sums;
    }

    /**
     * @param range range of the file
     * @param slabBytes bytes of the slabs with which parts of it are read
     */
    BlockSums(Chunk range, int slabBytes) {
        this(range, slabBytes, new long[blocks(range, slabBytes)]);
    }

    /** Returns how many blocks a range has. */
    public static int blocks(Chunk range, int slabBytes) {
        long blockBytes = Math.min(slabBytes, MOST_BLOCK_BYTES);
        return Math.toIntExact((range.length() + blockBytes - 1) / blockBytes);
    }

    /** Returns the checksum of each block. */
    public long[] sums() {
        return sums;
    }

    long offset() {
        return range.offset();
    }

    /** Returns whether all bytes of a part of the file are in the range. */
    public boolean contain(long offset, long length) {
        return offset >= range.offset() && offset + length <= end();
    }

    private long end() {
        return range.offset() + range.length();
    }

    /** Returns the start of the block that contains the byte at {@code offset}. */
    public long floor(long offset) {
        return offset - (offset - range.offset()) % blockBytes;
    }

    /** Returns the end of the block that contains the byte before {@code offset}. */
    public long ceiling(long offset) {
        return Math.min(end(), range.offset() + AlignedWriter.roundUp(offset - range.offset(), blockBytes));
    }

    /** Receives the checksum of a block. */
    @FunctionalInterface
    private interface Result {
        void of(int block, long sum);
    }

    /**
     * Returns a pass that computes the checksums of all blocks from the bytes given to {@link Pass#update}, from the
     * first to the last.
     */
    Pass record() {
        return new Pass(range.offset(), (block, sum) -> sums[block] = sum);
    }

    /**
     * Returns a pass that compares blocks from one block on.
     *
     * @param start start of this block
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

    /** One pass over adjacent blocks. */
    public class Pass {
        private final CRC32C castagnoli = new CRC32C();
        private final CRC32 ieee = new CRC32();
        private final Result result;
        private long at;

        private Pass(long start, Result result) {
            at = start;
            this.result = result;
        }

        /**
         * Adds the remaining bytes of a buffer, which follow the bytes added before; the position of the buffer does
         * not change.
         */
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

        /** Returns whether all blocks so far are unchanged. */
        public boolean isSame() {
            return true;
        }
    }
}
