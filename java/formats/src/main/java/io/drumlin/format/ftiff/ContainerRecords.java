package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.RandomAccess;

/** Variable records in memory, decoded on access. So a file's metadata never take more memory than their size. */
final class ContainerRecords extends AbstractList<VariableMeta> implements RandomAccess {

    private final Layout layout;
    private final ByteBuffer records;

    /** Makes the list. The buffer's remaining bytes are whole records. */
    ContainerRecords(Layout layout, ByteBuffer records) {
        this.layout = layout;
        this.records = records.slice();
    }

    @Override
    public VariableMeta get(int index) {
        int length = layout.variable().length();
        return layout.variableMeta(records.slice(Math.multiplyExact(index, length), length));
    }

    @Override
    public int size() {
        return records.capacity() / layout.variable().length();
    }
}
