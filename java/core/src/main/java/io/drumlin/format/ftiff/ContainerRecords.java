package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.RandomAccess;

/** Variable records as they lie in memory, decoded when asked for: a file's metadata never take more than their size. */
final class ContainerRecords extends AbstractList<VariableMeta> implements RandomAccess {

    private final ByteBuffer records;

    /** The buffer's remaining bytes are whole records. */
    ContainerRecords(ByteBuffer records) {
        this.records = records.slice();
    }

    @Override
    public VariableMeta get(int index) {
        int position = Math.multiplyExact(index, LayoutF.VARIABLE_META_LENGTH);
        return LayoutF.variableMeta(records.slice(position, LayoutF.VARIABLE_META_LENGTH));
    }

    @Override
    public int size() {
        return records.capacity() / LayoutF.VARIABLE_META_LENGTH;
    }
}
