package io.drumlin.checkpoint.internal.dcp;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The digests of a variable's blocks in a file of differential checkpoints in the mode POSIX. */
public final class VariableDigests {

    /** The digests of a variable of which nothing is known. */
    public static final VariableDigests NONE = new VariableDigests(0, 1, 1, new byte[0]);

    /** Bytes of blocks that are digested at once, unless a single block is larger. */
    public static final int WINDOW = 1 << 20;

    private final long size;
    private final int blockSize;
    private final int length;
    private final byte[] bytes;

    private VariableDigests(long size, int blockSize, int length, byte[] bytes) {
        this.size = size;
        this.blockSize = blockSize;
        this.length = length;
        this.bytes = bytes;
    }

    /**
     * Creates digests that are still to be filled in.
     *
     * @param size bytes of the variable
     */
    public VariableDigests(long size, BlockDigests blocks) {
        this(
                size,
                blocks.blockSize(),
                blocks.length(),
                new byte[Math.multiplyExact(blocks.count(size), blocks.length())]);
    }

    /** Digests the present value of a variable. */
    public static VariableDigests of(ProtectedData variable, BlockDigests blocks) {
        VariableDigests digests = new VariableDigests(variable.size(), blocks);
        int count = blocks.count(variable.size());
        int windowBlocks = Math.max(1, WINDOW / blocks.blockSize());
        ByteBuffer window = ByteBuffer.allocateDirect(Math.min(count, windowBlocks) * blocks.blockSize());
        for (int first = 0; first < count; first += windowBlocks) {
            int length = Math.min(windowBlocks, count - first);
            blocks.digest(content(variable, first, length, blocks.blockSize(), window), digests.bytes, first);
        }
        return digests;
    }

    /**
     * Copies whole blocks of a variable; the last one is filled up with zeros.
     *
     * @param window receives the blocks
     */
    public static ByteBuffer content(ProtectedData variable, int first, int count, int blockSize, ByteBuffer window) {
        long from = (long) first * blockSize;
        int length = (int) Math.min((long) count * blockSize, variable.size() - from);
        ByteBuffer content = window.duplicate().clear().limit(count * blockSize);
        variable.copyOut(from, content.duplicate().limit(length));
        for (int i = length; i < content.limit(); i++) {
            content.put(i, (byte) 0);
        }
        return content;
    }

    public long size() {
        return size;
    }

    /** Returns the digests one after the other, to be filled in. */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * Returns whether a block is unchanged, as C FTI decides it: a block that begins after the old end of the variable
     * is new, and any other block is compared by its digest.
     */
    public boolean isAsIn(VariableDigests before, int block) {
        int from = block * length;
        return (long) block * blockSize < before.size
                && Arrays.equals(bytes, from, from + length, before.bytes, from, from + length);
    }

    /**
     * Returns these digests without that of a full last block, so that the block counts as changed. After a restart C
     * FTI does not digest this block and so writes it once more; the files are equal only if Drumlin does too.
     */
    public VariableDigests withoutFullLast() {
        boolean full = size > 0 && size % blockSize == 0;
        return full ? new VariableDigests(size - blockSize, blockSize, length, bytes) : this;
    }
}
