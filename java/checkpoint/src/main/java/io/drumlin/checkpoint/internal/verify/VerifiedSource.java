package io.drumlin.checkpoint.internal.verify;

import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A verified file that is read again. Each block is compared with its content at the verification. Not thread-safe. */
final class VerifiedSource implements ByteSource {

    private final BlockFile file;
    private final long size;
    private final List<BlockSums> ranges;
    private ByteBuffer block = ByteBuffer.allocate(0);
    private long start;

    /**
     * @param file an open file, not direct
     * @param ranges ranges that contain everything that will be read
     */
    VerifiedSource(BlockFile file, List<BlockSums> ranges) throws IOException {
        this.file = file;
        this.ranges = List.copyOf(ranges);
        size = file.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        long position = offset;
        while (target.hasRemaining()) {
            if (position < start || position >= start + block.limit()) {
                read(position);
            }
            int from = (int) (position - start);
            int length = Math.min(block.limit() - from, target.remaining());
            target.put(block.slice(from, length));
            position += length;
        }
    }

    private void read(long position) throws IOException {
        BlockSums sums = ranges.stream()
                .filter(range -> range.contain(position, 1))
                .findFirst()
                .orElseThrow(() -> DamagedException.of(file.path(), position, 1));
        long first = sums.floor(position);
        int length = (int) (sums.ceiling(position + 1) - first);
        ByteBuffer bytes = block.capacity() < length
                ? ByteBuffer.allocateDirect(length)
                : block.clear().limit(length);
        block = ByteBuffer.allocate(0);
        BlockFileSource.readFully(file, first, bytes);
        BlockSums.Pass pass = sums.compare(first);
        pass.update(bytes.flip());
        if (!pass.isSame()) {
            throw DamagedException.of(file.path(), first, length);
        }
        block = bytes;
        start = first;
    }
}
