package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.RandomAccess;

/** Block records as they lie in memory, decoded when asked for, like {@link ContainerRecords}. */
final class BlockRecords extends AbstractList<BlockMeta> implements RandomAccess {

    /** No blocks: encoded files, and files whose metadata cannot be found. */
    static final BlockRecords NONE = new BlockRecords(ByteBuffer.allocate(0), new int[0]);

    private final ByteBuffer area;
    private final int[] starts;

    /** Blocks begin at {@code starts}; each is wholly within the area. */
    BlockRecords(ByteBuffer area, int[] starts) {
        this.area = area.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.starts = starts.clone();
    }

    @Override
    public BlockMeta get(int index) {
        int start = start(index);
        int length = Math.multiplyExact(area.getInt(start + LayoutF.NUMVARS), LayoutF.VARIABLE_META_LENGTH);
        return new BlockMeta(
                new ContainerRecords(area.slice(start + LayoutF.BLOCK_META_LENGTH, length)),
                area.getLong(start + LayoutF.DBSIZE));
    }

    @Override
    public int size() {
        return starts.length;
    }

    /** Position of a block record in the area. */
    int start(int index) {
        return starts[index];
    }

    /** Position of a variable record in the area. */
    int start(int block, int variable) {
        return starts[block] + LayoutF.BLOCK_META_LENGTH + variable * LayoutF.VARIABLE_META_LENGTH;
    }

    /** The variable record at a position of the area. */
    ByteBuffer record(int position) {
        return area.slice(position, LayoutF.VARIABLE_META_LENGTH);
    }

    byte flag(int position) {
        return area.get(position);
    }
}
