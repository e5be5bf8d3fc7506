package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.format.ByteSource;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;

/**
 * The bytes of a checkpoint file as they will be on disk, read from memory: protected data, records, and zeros between
 * them.
 *
 * <p>The partner copy and the parity use these bytes, so the file is not read back. Valid while the protected data do
 * not change. Not thread-safe.
 */
public final class FileImage implements ByteSource {

    private static final byte[] ZEROS = new byte[4096];

    private final long size;
    private final TreeMap<Long, Extent> extents = new TreeMap<>();

    /** The extents in file order; empty as long as the order is unknown. */
    private List<Extent> inOrder = List.of();

    /** A part of the file and where its bytes come from. */
    private record Extent(long start, long length, Content content) {}

    /** Copies bytes from a position of the content to the remaining bytes of the target. */
    @FunctionalInterface
    public interface Content {
        void copyOut(long from, ByteBuffer target);
    }

    public FileImage(long size) {
        this.size = size;
    }

    /** Puts a part of a protected variable at an offset of the file. Parts must not overlap. */
    public void put(long offset, ProtectedData data, long from, long length) {
        put(offset, length, (position, target) -> data.copyOut(from + position, target));
    }

    /** Puts content that is read on demand at an offset of the file. Parts must not overlap. */
    public void put(long offset, long length, Content content) {
        if (length > 0) {
            extents.put(offset, new Extent(offset, length, content));
            inOrder = List.of();
        }
    }

    /** Puts the remaining bytes of a buffer, which must not change afterwards, at an offset of the file. */
    public void put(long offset, ByteBuffer bytes) {
        ByteBuffer kept = bytes.slice();
        put(offset, kept.remaining(), (position, target) -> target.put(kept.slice((int) position, target.remaining())));
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) {
        int limit = target.limit();
        long end = offset + target.remaining();
        if (inOrder.isEmpty()) {
            inOrder = List.copyOf(extents.values());
        }
        long position = offset;
        for (int i = firstEndingAfter(offset);
                i < inOrder.size() && inOrder.get(i).start() < end;
                i++) {
            Extent extent = inOrder.get(i);
            long from = Math.max(extent.start(), position);
            long to = Math.min(extent.start() + extent.length(), end);
            zeros(target, from - position);
            target.limit(target.position() + (int) (to - from));
            extent.content().copyOut(from - extent.start(), target);
            target.limit(limit);
            position = to;
        }
        zeros(target, end - position);
    }

    private int firstEndingAfter(long offset) {
        int low = 0;
        int high = inOrder.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (inOrder.get(middle).start() + inOrder.get(middle).length() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private static void zeros(ByteBuffer target, long count) {
        for (long rest = count; rest > 0; rest -= ZEROS.length) {
            target.put(ZEROS, 0, (int) Math.min(rest, ZEROS.length));
        }
    }
}
