package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.format.sion.internal.KeyValueScanner;
import io.drumlin.format.sion.internal.TaskStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads the records of one task; docs/formats/sion.md, section 7. The reader scans the stream once and only as far as a
 * call needs. Each key has its own position. No method is collective. Not thread-safe.
 */
public final class KeyValueReader {

    private final TaskStream stream;
    private final KeyValueScanner scanner;
    private final List<Place> places = new ArrayList<>();
    private final Map<Long, Entries> entries = new LinkedHashMap<>();
    private boolean complete;
    private int next;

    /** A record and its index among the records of its key. */
    private record Place(KeyValueRecord record, int index) {}

    /** The records of a key and its read position. */
    private static final class Entries {
        private final List<KeyValueRecord> records = new ArrayList<>();
        private int record;
        private long position;
    }

    KeyValueReader(TaskStream stream, ByteOrder order) {
        this.stream = stream;
        this.scanner = new KeyValueScanner(stream, order);
    }

    /**
     * Statistics of a key.
     *
     * @param key unsigned
     * @param records number of its records
     * @param size size of all its values together, in bytes
     */
    public record Statistics(long key, int records, long size) {}

    /**
     * Returns the next record in the order of writing. The first call and the first call after {@link #rewind} return
     * the first record. The read position of its key moves to the beginning of that record.
     *
     * @return empty at the end
     * @throws IOException the stream is damaged or cannot be read
     */
    public Optional<KeyValueRecord> next() throws IOException {
        if (next == places.size() && !scan()) {
            return Optional.empty();
        }
        Place found = places.get(next++);
        Entries ofKey = Objects.requireNonNull(entries.get(found.record.key()));
        ofKey.record = found.index;
        ofKey.position = 0;
        return Optional.of(found.record);
    }

    /** Makes {@link #next} start again at the first record. */
    public void rewind() {
        next = 0;
    }

    /**
     * Returns all keys in the order of their first records.
     *
     * @return unsigned numbers
     * @throws IOException the stream is damaged or cannot be read
     */
    public List<Long> keys() throws IOException {
        scanAll();
        return List.copyOf(entries.keySet());
    }

    /**
     * Returns the statistics of a key.
     *
     * @param key unsigned
     * @return empty if the task has no such key
     * @throws IOException the stream is damaged or cannot be read
     */
    public Optional<Statistics> statistics(long key) throws IOException {
        scanAll();
        return Optional.ofNullable(entries.get(key))
                .map(found -> new Statistics(
                        key,
                        found.records.size(),
                        found.records.stream().mapToLong(KeyValueRecord::length).sum()));
    }

    /**
     * Reads from the current position of a key, at most to the end of the current record.
     *
     * @param key unsigned
     * @param target receives the bytes
     * @return number of bytes read; -1 if the key has no more
     * @throws IOException the stream is damaged or cannot be read
     */
    public int read(long key, ByteBuffer target) throws IOException {
        Optional<KeyValueRecord> present = present(key);
        if (present.isEmpty()) {
            return -1;
        }
        Entries ofKey = Objects.requireNonNull(entries.get(key));
        KeyValueRecord record = present.get();
        int length = (int) Math.min(target.remaining(), record.length() - ofKey.position);
        int end = target.limit();
        target.limit(target.position() + length);
        stream.readFully(record.offset() + ofKey.position, target);
        target.limit(end);
        ofKey.position += length;
        return length;
    }

    /**
     * Returns the number of bytes that {@link #read} can deliver in one call.
     *
     * @param key unsigned
     * @return bytes up to the end of the record; 0 if the key has no more
     * @throws IOException the stream is damaged or cannot be read
     */
    public long available(long key) throws IOException {
        Optional<KeyValueRecord> present = present(key);
        return present.isEmpty() ? 0 : present.get().length() - Objects.requireNonNull(entries.get(key)).position;
    }

    /** Returns the record at the read position of a key. Empty records are skipped. */
    private Optional<KeyValueRecord> present(long key) throws IOException {
        while (true) {
            Entries ofKey = entries.get(key);
            if (ofKey != null && ofKey.record < ofKey.records.size()) {
                KeyValueRecord record = ofKey.records.get(ofKey.record);
                if (ofKey.position < record.length()) {
                    return Optional.of(record);
                }
                ofKey.record++;
                ofKey.position = 0;
            } else if (!scan()) {
                return Optional.empty();
            }
        }
    }

    /**
     * Moves the read position of a key to a position in a record.
     *
     * @param key unsigned
     * @param record index among the records of the key, from 0
     * @param position position in the value, from 0 to its length
     * @throws IOException the position does not exist, or the stream is damaged or cannot be read
     */
    public void seek(long key, int record, long position) throws IOException {
        Entries ofKey = entries.get(key);
        while ((ofKey == null || ofKey.records.size() <= record) && scan()) {
            ofKey = entries.get(key);
        }
        if (ofKey == null || record < 0 || record >= ofKey.records.size()) {
            throw noSuchPlace(key, "record " + record);
        }
        if (position < 0 || position > ofKey.records.get(record).length()) {
            throw noSuchPlace(key, "byte " + position + " of record " + record);
        }
        ofKey.record = record;
        ofKey.position = position;
    }

    /**
     * Moves the read position of a key in its stream, which joins all its values.
     *
     * @param key unsigned
     * @param position from 0 to the size of all values
     * @throws IOException the position does not exist, or the stream is damaged or cannot be read
     */
    public void seek(long key, long position) throws IOException {
        long left = position;
        for (int record = 0; ; record++) {
            Entries ofKey = entries.get(key);
            while ((ofKey == null || ofKey.records.size() <= record) && scan()) {
                ofKey = entries.get(key);
            }
            if (ofKey == null || position < 0 || record >= ofKey.records.size()) {
                throw noSuchPlace(key, "byte " + position);
            }
            long length = ofKey.records.get(record).length();
            if (left <= length) {
                ofKey.record = record;
                ofKey.position = left;
                return;
            }
            left -= length;
        }
    }

    private static DrumlinException noSuchPlace(long key, String place) {
        return DrumlinException.during("seek")
                .problem("the task has no " + place + " of key " + Long.toUnsignedString(key))
                .exception();
    }

    private void scanAll() throws IOException {
        while (scan()) {
            // The call itself stores every record.
        }
    }

    /** Scans one more record; returns false at the end. */
    private boolean scan() throws IOException {
        if (complete) {
            return false;
        }
        Optional<KeyValueRecord> found = scanner.next();
        complete = found.isEmpty();
        found.ifPresent(record -> {
            Entries ofKey = entries.computeIfAbsent(record.key(), key -> new Entries());
            places.add(new Place(record, ofKey.records.size()));
            ofKey.records.add(record);
        });
        return !complete;
    }
}
