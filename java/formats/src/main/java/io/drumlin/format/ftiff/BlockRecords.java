package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.RandomAccess;

/** Block records in memory, decoded on access, like {@link ContainerRecords}. */
final class BlockRecords extends AbstractList<BlockMeta> implements RandomAccess {

    private final Layout layout;
    private final ByteBuffer area;
    private final BlockIndex index;

    /** Makes the list. The area holds the records of the indexed blocks, one block after the other. */
    BlockRecords(Layout layout, ByteBuffer area, BlockIndex index) {
        this.layout = layout;
        this.area = area.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.index = index;
    }

    /** Makes an empty list, for encoded files and files whose metadata cannot be found. */
    static BlockRecords none(Layout layout) {
        return new BlockRecords(layout, ByteBuffer.allocate(0), new BlockIndex());
    }

    @Override
    public BlockMeta get(int block) {
        ByteBuffer record =
                area.slice(index.start(block), layout.block().length()).order(ByteOrder.LITTLE_ENDIAN);
        int variables = (int) layout.block().get(record, Field.NUMVARS);
        int length = Math.multiplyExact(variables, layout.variable().length());
        return new BlockMeta(
                new ContainerRecords(layout, area.slice(start(block, 0), length)),
                layout.block().get(record, Field.DBSIZE));
    }

    /** Returns the sum of all bytes of the records, as in {@link Stamp#sum}. */
    int sum() {
        return Stamp.sum(0, area);
    }

    @Override
    public int size() {
        return index.size();
    }

    /** Returns the position of a block record in the file. */
    long offset(int block) {
        return index.offset(block);
    }

    /** Returns the position of a variable record in the file. */
    long offset(int block, int variable) {
        return index.offset(block) + (start(block, variable) - index.start(block));
    }

    /** Converts a position in the area to one in the file. */
    long offsetOf(int start) {
        return index.offsetOf(start);
    }

    /** Returns the position of a variable record in the area. */
    int start(int block, int variable) {
        return index.start(block)
                + layout.block().length()
                + variable * layout.variable().length();
    }

    /** Returns the variable record at a position of the area. */
    ByteBuffer record(int start) {
        return area.slice(start, layout.variable().length()).order(ByteOrder.LITTLE_ENDIAN);
    }
}
