package io.drumlin.storage;

import io.drumlin.DrumlinException;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A range of a file that the C core has mapped. The mapping needs the descriptor, so it is this object's. */
final class NativeMappedFile implements MappedFile {

    private static final Logger LOG = System.getLogger("io.drumlin.storage");

    /** Of the page cache's huge pages each comes whole, by one thread. */
    private static final int UNIT = 2 << 20;

    private final Path path;
    private final int fd;
    private final long start;
    private final long size;
    private final long address;

    /** What populating the units of the file returned, or will. */
    private final Map<Long, CompletableFuture<Integer>> units = new HashMap<>();

    private boolean closed;

    private NativeMappedFile(Path path, int fd, long start, long size, long address) {
        this.path = path;
        this.fd = fd;
        this.start = start;
        this.size = size;
        this.address = address;
    }

    /** Maps a range of an open file, which is closed with the mapping, or at once if the system does not allow one. */
    static Optional<MappedFile> of(Path path, int fd, long offset, long length) {
        Optional<MappedFile> mapped = Optional.empty();
        try {
            mapped = map(path, fd, offset, length);
            return mapped;
        } finally {
            if (mapped.isEmpty()) {
                CoreLibrary.drumlin_file_close(fd);
            }
        }
    }

    private static Optional<MappedFile> map(Path path, int fd, long offset, long length) {
        long start = offset - offset % UNIT;
        long size = offset + length - start;
        ByteBuffer address = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        int error = CoreLibrary.drumlin_map_create(NativeMemory.address(address), fd, start, size);
        if (error == 0) {
            return Optional.of(new NativeMappedFile(path, fd, start, size, address.getLong(0)));
        }
        LOG.log(
                Logger.Level.DEBUG,
                "{0} is not mapped: {1}",
                path,
                NativeMemory.string(CoreLibrary.drumlin_error_message(error)));
        return Optional.empty();
    }

    @Override
    public PendingRead startRead(long offset, int length) {
        check(offset, length);
        // The next unit too: who reads pieces of a unit one after the other shall not wait for each first one.
        for (long unit = offset / UNIT; unit * UNIT < Math.min(offset + length + UNIT, start + size); unit++) {
            units.computeIfAbsent(unit, this::startUnit);
        }
        return () -> await(offset, length);
    }

    private CompletableFuture<Integer> startUnit(long unit) {
        long position = unit * UNIT - start;
        long length = Math.min(UNIT, size - position);
        CompletableFuture<Integer> end = new CompletableFuture<>();
        TransferThreads.execute(() -> end.complete(CoreLibrary.drumlin_map_populate(address, position, length)));
        return end;
    }

    private int await(long offset, int length) throws IOException {
        boolean whole = true;
        for (long unit = offset / UNIT; unit * UNIT < offset + length; unit++) {
            whole &= Objects.requireNonNull(units.get(unit), "started").join() == 0;
        }
        try {
            long end = NativeFile.require("size", CoreLibrary.drumlin_file_size(fd));
            int count = (int) Math.max(0, Math.min(length, end - offset));
            if (!whole && count > 0) {
                // The file ended in a unit, or another part of it cannot be read.
                NativeFile.require("read", CoreLibrary.drumlin_map_populate(address, offset - start, count));
            }
            return count;
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("read").path(path).range(offset, length), e, "");
        }
    }

    @Override
    public ByteBuffer view(long offset, int length) {
        check(offset, length);
        return NativeMemory.view(address + offset - start, length);
    }

    private void check(long offset, int length) {
        if (closed) {
            throw new IllegalStateException("the mapping was closed: " + path);
        }
        Objects.checkFromIndexSize(offset - start, (long) length, size);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            units.values().forEach(CompletableFuture::join);
            CoreLibrary.drumlin_map_destroy(address, fd, start, size);
            // Nothing was written, so nothing can be lost by it.
            CoreLibrary.drumlin_file_close(fd);
        }
    }
}
