package io.drumlin.checkpoint.internal.dcp;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The digests of a variable's blocks as they are in a file of differential checkpoints of the mode POSIX. */
public final class VariableDigests {

    /** Of a variable of which nothing is known. */
    public static final VariableDigests NONE = new VariableDigests(0, 1, 1, new byte[0]);

    /** Bytes of blocks that are digested in one go, unless a block has more. */
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
     * No block has been seen yet.
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

    /** Digests a variable as it is now. */
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
     * Whole blocks of a variable, the last one filled with zeros.
     *
     * @param window gets them
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

    /** One behind the other, to be filled. */
    public byte[] bytes() {
        return bytes;
    }

    /** As C FTI: what begins behind the end of the variable before is new, everything else is told by its digest. */
    public boolean isAsIn(VariableDigests before, int block) {
        int from = block * length;
        return (long) block * blockSize < before.size
                && Arrays.equals(bytes, from, from + length, before.bytes, from, from + length);
    }

    /**
     * The same, but that a last block that is full is taken for another. C FTI does not digest it when a restart has recovered the
     * variable, and so writes it once more; files are equal only if we do too.
     */
    public VariableDigests withoutFullLast() {
        boolean full = size > 0 && size % blockSize == 0;
        return full ? new VariableDigests(size - blockSize, blockSize, length, bytes) : this;
    }
}
