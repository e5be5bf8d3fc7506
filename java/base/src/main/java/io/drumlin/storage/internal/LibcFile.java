package io.drumlin.storage.internal;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.drumlin.internal.MemoryFault;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A file descriptor as a block file. */
final class LibcFile extends PositionalFile {

    /** Heap memory is copied through native memory in pieces of so many bytes. */
    private static final int HEAP_PIECE = 1 << 20;

    /** Number of bytes that are reserved between two signals, however frequent these are. */
    private static final long RESERVED_AT_ONCE = 16 << 20;

    private final int fd;

    LibcFile(Path path, int fd, int alignment) {
        super(path, alignment);
        this.fd = fd;
    }

    @Override
    int writeOnce(ByteBuffer source, long offset) throws IOException {
        if (source.isDirect()) {
            return writeNative(source, offset);
        }
        int piece = Math.min(source.remaining(), HEAP_PIECE);
        try (Memory memory = new Memory(piece)) {
            ByteBuffer copy = memory.getByteBuffer(0, piece);
            copy.put(0, source, source.position(), piece);
            return writeNative(copy, offset);
        }
    }

    @Override
    int readOnce(ByteBuffer target, long offset) throws IOException {
        if (target.isDirect()) {
            return readNative(target, offset);
        }
        int piece = Math.min(target.remaining(), HEAP_PIECE);
        try (Memory memory = new Memory(piece)) {
            ByteBuffer copy = memory.getByteBuffer(0, piece);
            int count = readNative(copy, offset);
            target.put(target.position(), copy, 0, count);
            return count;
        }
    }

    /** Nobody uses the descriptor's own position, so moving it does no harm. */
    @Override
    long length() throws IOException {
        return require("lseek", Libc.lseek(fd, 0, Libc.SEEK_END));
    }

    @Override
    void reserveTo(long size) throws IOException {
        if (size > 0 && !fallocate(0, size) && length() < size) {
            setLength(size);
        }
    }

    @Override
    void reserveRange(long offset, long length) throws IOException {
        fallocate(offset, length);
    }

    @Override
    void writeBack(long offset, long length) throws IOException {
        if (Libc.sync_file_range(fd, offset, length, Libc.SYNC_FILE_RANGE_WRITE) < 0) {
            ErrnoException failure = LibcEngine.lastError("sync_file_range");
            if (failure.number() != Errno.ENOSYS.number()) {
                throw failure;
            }
        }
    }

    /** Returns false if the file system cannot reserve. */
    private boolean fallocate(long offset, long length) throws IOException {
        int times = 0;
        int result = Libc.fallocate(fd, 0, offset, length);
        if (result < 0 && LibcEngine.interrupted(times)) {
            // Before Linux 6.11, tmpfs releases what it has reserved when a signal comes. Reserving the whole range
            // again and again would never end under a profiler's timer.
            long end = offset + length;
            for (long at = offset; at < end && (result >= 0 || LibcEngine.interrupted(times)); ) {
                long part = Math.min(RESERVED_AT_ONCE, end - at);
                result = Libc.fallocate(fd, 0, at, part);
                at += result < 0 ? 0 : part;
                times = result < 0 ? times + 1 : 0;
            }
        }
        if (result == 0) {
            return true;
        }
        ErrnoException failure = LibcEngine.lastError("fallocate");
        if (failure.number() != Errno.EOPNOTSUPP.number() && failure.number() != Errno.ENOSYS.number()) {
            throw failure;
        }
        return false;
    }

    @Override
    void setLength(long size) throws IOException {
        int result;
        int times = 0;
        do {
            result = Libc.ftruncate(fd, size);
        } while (result < 0 && LibcEngine.interrupted(times++));
        require("ftruncate", result);
    }

    @Override
    void flush() throws IOException {
        int result;
        int times = 0;
        do {
            result = Libc.fdatasync(fd);
        } while (result < 0 && LibcEngine.interrupted(times++));
        require("fdatasync", result);
    }

    /** Linux has freed the descriptor even if a signal interrupted the call. A second close could hit another file. */
    @Override
    void release() throws IOException {
        if (Libc.close(fd) < 0 && !LibcEngine.interrupted(0)) {
            throw LibcEngine.lastError("close");
        }
    }

    private int writeNative(ByteBuffer source, long offset) throws IOException {
        try {
            long count;
            int times = 0;
            do {
                count = Libc.pwrite(fd, address(source), source.remaining(), offset);
            } while (count < 0 && LibcEngine.interrupted(times++));
            return (int) require("pwrite", count);
        } finally {
            Reference.reachabilityFence(source);
        }
    }

    private int readNative(ByteBuffer target, long offset) throws IOException {
        try {
            long count;
            int times = 0;
            do {
                count = Libc.pread(fd, address(target), target.remaining(), offset);
            } while (count < 0 && LibcEngine.interrupted(times++));
            return (int) require("pread", count);
        } finally {
            Reference.reachabilityFence(target);
        }
    }

    private static long address(ByteBuffer memory) {
        if (memory.hasRemaining()) {
            // Here the virtual machine reports that an Arena was closed; JNA does not.
            memory.get(memory.position());
            MemoryFault.throwPending(memory);
        }
        return Pointer.nativeValue(Native.getDirectBufferPointer(memory)) + memory.position();
    }

    private static long require(String call, long result) throws ErrnoException {
        if (result < 0) {
            throw LibcEngine.lastError(call);
        }
        return result;
    }
}
