package io.drumlin.format.sion.internal;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.sion.KeyValueRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** Finds the records of a task in key/value mode, one after the other. There is no index. Not thread-safe. */
public final class KeyValueScanner {

    private final TaskStream stream;
    private final ByteBuffer header;
    private long position;

    /**
     * Begins before the first record.
     *
     * @param stream the bytes of the task
     * @param order the order of the metadata
     */
    public KeyValueScanner(TaskStream stream, ByteOrder order) {
        this.stream = stream;
        this.header = ByteBuffer.allocate(KeyValueRecord.HEADER_LENGTH).order(order);
    }

    /**
     * Finds the next record. Its value is not read.
     *
     * @return empty at the end
     * @throws FormatException the next bytes are not a record that ends within the stream
     * @throws IOException the stream cannot be read
     */
    public Optional<KeyValueRecord> next() throws IOException {
        long left = stream.size() - position;
        if (left == 0) {
            return Optional.empty();
        }
        if (left < KeyValueRecord.HEADER_LENGTH) {
            throw wrong("key", position, left + " bytes are left for a record");
        }
        stream.readFully(position, header.clear());
        long length = header.getLong(Long.BYTES);
        long most = left - KeyValueRecord.HEADER_LENGTH;
        if (length < 0 || length > most) {
            throw wrong("length", position + Long.BYTES, "is " + length + ", allowed 0 to " + most);
        }
        KeyValueRecord found = new KeyValueRecord(header.getLong(0), position + KeyValueRecord.HEADER_LENGTH, length);
        position = found.end();
        return Optional.of(found);
    }

    private FormatException wrong(String field, long at, String problem) {
        return new FormatException(SionMeta.FORMAT, new Finding(field, stream.fileOffset(at), problem));
    }
}
