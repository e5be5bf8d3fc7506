package io.drumlin.storage.internal;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;

/**
 * The calls of the C library that {@link LibcEngine} makes, mapped directly by JNA, and their constants on 64-bit
 * Linux. Failing calls return -1 and leave the error in {@link Native#getLastError()}. Initialising the class fails
 * with a {@link LinkageError} if JNA cannot be used.
 */
public final class Libc {

    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0x40;
    public static final int O_EXCL = 0x80;
    public static final int O_TRUNC = 0x200;
    public static final int O_CLOEXEC = 0x8_0000;
    /** x86-64 and aarch64 number these two flags differently. */
    public static final int O_DIRECT = Platform.isARM() ? 0x1_0000 : 0x4000;

    public static final int O_DIRECTORY = Platform.isARM() ? 0x4000 : 0x1_0000;

    public static final int SEEK_END = 2;
    public static final int F_SETFL = 4;
    public static final int SYNC_FILE_RANGE_WRITE = 2;

    static final long SYS_STATX = Platform.isARM() ? 291 : 332;
    static final int AT_EMPTY_PATH = 0x1000;
    static final int STATX_DIOALIGN = 0x2000;
    /** Size of {@code struct statx} in bytes. The constants below are the offsets of its fields. */
    static final int STATX_LENGTH = 256;

    static final int STX_MASK = 0;
    static final int STX_DIO_MEM_ALIGN = 152;
    static final int STX_DIO_OFFSET_ALIGN = 156;

    static {
        // The process has the C library loaded already, whatever the name of its file.
        Native.register(Libc.class, NativeLibrary.getProcess());
    }

    private Libc() {}

    /** {@code path} ends with a 0 byte. */
    public static native int open(byte[] path, int flags, int mode);

    public static native int close(int fd);

    /** {@code address} is not a pointer type, because this is the fastest way through JNA. */
    public static native long pwrite(int fd, long address, long length, long offset);

    public static native long pread(int fd, long address, long length, long offset);

    public static native long lseek(int fd, long offset, int whence);

    public static native int fallocate(int fd, int mode, long offset, long length);

    public static native int sync_file_range(int fd, long offset, long length, int flags);

    public static native int ftruncate(int fd, long length);

    public static native int fdatasync(int fd);

    public static native int fsync(int fd);

    public static native int fcntl(int fd, int command, int argument);

    public static native int rename(byte[] from, byte[] to);

    public static native int getpagesize();

    private static native Pointer strerror(int errno);

    /** Returns the C library's text for an error, in the language of the process and decoded like in the JDK. */
    static String message(int errno) {
        return strerror(errno).getString(0, System.getProperty("sun.jnu.encoding"));
    }

    /**
     * Returns the alignment of direct transfers: 0 if they are impossible, the page size if the system does not report
     * it.
     */
    public static int directAlignment(int fd) {
        try (Memory memory = new Memory(STATX_LENGTH + 1)) {
            memory.clear();
            long address = Pointer.nativeValue(memory);
            long emptyPath = address + STATX_LENGTH;
            long result = syscall(SYS_STATX, fd, emptyPath, AT_EMPTY_PATH, STATX_DIOALIGN, address);
            if (result == 0 && (memory.getInt(STX_MASK) & STATX_DIOALIGN) != 0) {
                int offset = memory.getInt(STX_DIO_OFFSET_ALIGN);
                return offset == 0 ? 0 : Math.max(offset, memory.getInt(STX_DIO_MEM_ALIGN));
            }
        }
        return getpagesize();
    }

    /** Calls statx, which C libraries before glibc 2.28 lack. */
    static native long syscall(long number, long fd, long path, long flags, long mask, long buffer);
}
