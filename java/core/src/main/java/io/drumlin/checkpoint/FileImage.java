package io.drumlin.checkpoint;

import io.drumlin.format.ByteSource;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bytes of a checkpoint file as they will be on disk, taken from memory: protected data, records, zeros between them.
 *
 * <p>So the partner and the parity get what is in the file without reading it back. Valid while the protected data do not
 * change. Not thread-safe.
 */
final class FileImage implements ByteSource {

    private static final byte[] ZEROS = new byte[4096];

    private final long size;
    private final TreeMap<Long, Extent> extents = new TreeMap<>();

    /** A part of the file and where its bytes come from. */
    private record Extent(long length, Content content) {}

    /** Copies bytes from a position of the content to the remaining bytes of the target. */
    @FunctionalInterface
    interface Content {
        void copyOut(long from, ByteBuffer target);
    }

    FileImage(long size) {
        this.size = size;
    }

    /** Puts a part of a protected variable at an offset of the file. Parts must not overlap. */
    void put(long offset, ProtectedData data, long from, long length) {
        if (length > 0) {
            extents.put(offset, new Extent(length, (position, target) -> data.copyOut(from + position, target)));
        }
    }

    /** Puts bytes that are read when they are asked for at an offset of the file. Parts must not overlap. */
    void put(long offset, long length, Content content) {
        if (length > 0) {
            extents.put(offset, new Extent(length, content));
        }
    }

    /** Puts the remaining bytes of a buffer, which must not change afterwards, at an offset of the file. */
    void put(long offset, ByteBuffer bytes) {
        ByteBuffer kept = bytes.slice();
        if (kept.hasRemaining()) {
            extents.put(
                    offset,
                    new Extent(
                            kept.remaining(),
                            (position, target) -> target.put(kept.slice((int) position, target.remaining()))));
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) {
        int limit = target.limit();
        long end = offset + target.remaining();
        Long first = extents.floorKey(offset);
        long position = offset;
        for (Map.Entry<Long, Extent> entry :
                extents.tailMap(first == null ? offset : first, true).entrySet()) {
            long start = entry.getKey();
            if (start >= end) {
                break;
            }
            long from = Math.max(start, position);
            long to = Math.min(start + entry.getValue().length(), end);
            if (from < to) {
                zeros(target, from - position);
                target.limit(target.position() + (int) (to - from));
                entry.getValue().content().copyOut(from - start, target);
                target.limit(limit);
                position = to;
            }
        }
        zeros(target, end - position);
    }

    private static void zeros(ByteBuffer target, long count) {
        for (long rest = count; rest > 0; rest -= ZEROS.length) {
            target.put(ZEROS, 0, (int) Math.min(rest, ZEROS.length));
        }
    }
}
