package io.drumlin.cli.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Takes bytes and cuts them into elements. */
public abstract class ElementStream extends OutputStream {

    private final int size;
    private final byte[] partial;
    private int filled;

    /** @param size bytes of an element */
    public ElementStream(int size) {
        this.size = size;
        partial = new byte[size];
    }

    /** Takes the next element. */
    protected abstract void element(ByteBuffer bytes, int at) throws IOException;

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int at = offset;
        int end = offset + length;
        if (filled > 0) {
            int first = Math.min(size - filled, length);
            System.arraycopy(bytes, at, partial, filled, first);
            filled += first;
            at += first;
            if (filled < size) {
                return;
            }
            element(ValueType.littleEndian(partial), 0);
            filled = 0;
        }
        ByteBuffer elements = ValueType.littleEndian(bytes);
        for (; end - at >= size; at += size) {
            element(elements, at);
        }
        filled = end - at;
        System.arraycopy(bytes, at, partial, 0, filled);
    }
}
