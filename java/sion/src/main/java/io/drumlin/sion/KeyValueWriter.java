package io.drumlin.sion;

import io.drumlin.format.sion.KeyValueRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes the records of one task; docs/formats/sion.md, section 7. Keys may repeat: the values of a key form its
 * stream. No method is collective. Not thread-safe.
 */
public final class KeyValueWriter {

    private final SionWriter stream;
    private final ByteBuffer header;

    KeyValueWriter(SionWriter stream, ByteOrder order) {
        this.stream = stream;
        this.header = ByteBuffer.allocate(KeyValueRecord.HEADER_LENGTH).order(order);
    }

    /**
     * Writes a record. It may be larger than a chunk.
     *
     * @param key unsigned
     * @param value its position moves to its limit
     * @throws IOException the record could not be written; part of it may be in the file
     */
    public void write(long key, ByteBuffer value) throws IOException {
        header.clear().putLong(key).putLong(value.remaining()).flip();
        stream.ensureFreeSpace(0); // refuses a closed channel
        stream.append(header);
        stream.append(value);
    }
}
