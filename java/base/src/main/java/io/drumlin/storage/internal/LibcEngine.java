package io.drumlin.storage.internal;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import io.drumlin.DrumlinException;
import io.drumlin.nativecore.NativeLibrary;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The engine {@code libc}: the C library's own calls through JNA, for users of the jar who compile nothing.
 *
 * <p>Direct files need no more alignment than the device does, {@link BlockFile#allocate} reserves space, and an
 * interrupt closes no file. The engine needs 64-bit Linux on x86-64 or aarch64, JNA on the class path, and a folder for
 * JNA's library: {@code jna.tmpdir}, or else one of {@link NativeLibrary#localDisks()}. See
 * {@link #unavailabilityCause()}. Thread-safe.
 */
public final class LibcEngine implements StorageEngine {

    private static final int CREATION_MODE = 0666;
    private static final int PRIVATE_MODE = 0600;

    /** More signals than a call meets in a minute under a profiler. A faster sender would make a loop run forever. */
    private static final int MOST_INTERRUPTIONS = 10_000;

    /**
     * Makes the engine.
     *
     * @throws IllegalStateException it is not available; the message says why
     */
    public LibcEngine() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw new IllegalStateException("storage engine libc is not available: " + cause.getMessage(), cause);
        }
    }

    /**
     * Returns whether the engine can be made in this JVM.
     *
     * @return false if {@link #unavailabilityCause()} gives a reason
     */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /**
     * Returns the reason why the engine cannot be made.
     *
     * @return {@code null} if it can; otherwise the message says what is missing and what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        if (NativeLibrary.switchedOff()) {
            return new UnsupportedOperationException("native code is switched off by -Ddrumlin.native=off");
        }
        return Loading.ONCE.failure();
    }

    @Override
    public String name() {
        return "libc";
    }

    @Override
    public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        PositionalFile.checkOpen(path, modes);
        byte[] name = PathBytes.of(path);
        try {
            int permissions = modes.contains(OpenMode.PRIVATE) ? PRIVATE_MODE : CREATION_MODE;
            return modes.contains(OpenMode.DIRECT)
                    ? openDirect(path, name, flags(modes), permissions)
                    : new LibcFile(path, openDescriptor(name, flags(modes), permissions), 1);
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("open").path(path), e, "");
        }
    }

    @Override
    public AlignedBuffer allocate(int size) {
        return new DirectAlignedBuffer(size);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        if (Libc.rename(PathBytes.of(from), PathBytes.of(to)) < 0) {
            throw Errno.explain(DrumlinException.during("rename to " + to).path(from), lastError("rename"), "");
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try {
            int fd = openDescriptor(PathBytes.of(directory), Libc.O_DIRECTORY, 0);
            try {
                syncDirectory(fd);
            } finally {
                Libc.close(fd);
            }
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("sync of directory").path(directory), e, "");
        }
    }

    /** Returns the error of the last call on this thread, from errno. */
    static ErrnoException lastError(String call) {
        return new ErrnoException(call, Native.getLastError());
    }

    /** Returns whether to repeat a call that was interrupted, after so many interruptions in a row. */
    static boolean interrupted(int times) {
        return times < MOST_INTERRUPTIONS && Native.getLastError() == Errno.EINTR.number();
    }

    private static BlockFile openDirect(Path path, byte[] name, int flags, int permissions) throws ErrnoException {
        int fd;
        try {
            fd = openDescriptor(name, flags | Libc.O_DIRECT, permissions);
        } catch (ErrnoException e) {
            if (e.number() != Errno.EINVAL.number()) {
                throw e;
            }
            // The refusal comes after the file was created, so this call itself has made it.
            return new LibcFile(path, openDescriptor(name, flags & ~Libc.O_EXCL, permissions), 1);
        }
        int alignment = Libc.directAlignment(fd);
        if (alignment < 2 || alignment > AlignedBuffer.ALIGNMENT) {
            alignment = 1;
            if (Libc.fcntl(fd, Libc.F_SETFL, 0) < 0) {
                ErrnoException failure = lastError("fcntl");
                Libc.close(fd);
                throw failure;
            }
        }
        return new LibcFile(path, fd, alignment);
    }

    private static int openDescriptor(byte[] name, int flags, int permissions) throws ErrnoException {
        int fd;
        int times = 0;
        do {
            fd = Libc.open(name, flags | Libc.O_CLOEXEC, permissions);
        } while (fd < 0 && interrupted(times++));
        if (fd < 0) {
            throw lastError("open");
        }
        return fd;
    }

    private static void syncDirectory(int fd) throws ErrnoException {
        int result;
        int times = 0;
        do {
            result = Libc.fsync(fd);
        } while (result < 0 && interrupted(times++));
        // Some file systems cannot sync directories and return EINVAL.
        if (result < 0 && lastError("fsync").number() != Errno.EINVAL.number()) {
            throw lastError("fsync");
        }
    }

    private static int flags(Set<OpenMode> modes) {
        int flags = 0;
        if (modes.contains(OpenMode.WRITE)) {
            flags = modes.contains(OpenMode.READ) ? Libc.O_RDWR : Libc.O_WRONLY;
        }
        if (modes.contains(OpenMode.CREATE)) {
            flags |= Libc.O_CREAT;
        }
        if (modes.contains(OpenMode.EXCLUSIVE)) {
            flags |= Libc.O_EXCL;
        }
        if (modes.contains(OpenMode.TRUNCATE)) {
            flags |= Libc.O_TRUNC;
        }
        return flags;
    }

    /** The outcome of loading JNA, which is tried on first use. */
    private record Loading(@Nullable Throwable failure) {

        private static final String TEMPORARY = "jna.tmpdir";

        private static final FileAttribute<?> EXECUTABLE =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

        static final Loading ONCE = new Loading(load());

        private static @Nullable Throwable load() {
            String before = System.getProperty(TEMPORARY);
            try {
                if (before == null) {
                    nodesDisk().ifPresent(disk -> System.setProperty(TEMPORARY, disk));
                }
                if (!Platform.isLinux() || !Platform.is64Bit() || !(Platform.isIntel() || Platform.isARM())) {
                    return new UnsupportedOperationException("it needs Linux on x86-64 or aarch64, and this is "
                            + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
                }
                return Libc.getpagesize() > 0 ? null : new IllegalStateException("the C library does not answer");
            } catch (NoClassDefFoundError e) {
                return new UnsupportedOperationException(absent() + "; " + e.getMessage() + " is missing", e);
            } catch (LinkageError | RuntimeException e) {
                return new UnsupportedOperationException(
                        "JNA cannot load its native library (" + rootOf(e)
                                + "); if its folder for temporary files is mounted"
                                + " noexec or not writable, name another one with -Djna.tmpdir, and on JDK 24 or newer"
                                + " add --enable-native-access=" + (inModule() ? "com.sun.jna" : "ALL-UNNAMED"),
                        e);
            } finally {
                // If another part of the program uses JNA, its folder stays as it is.
                if (before == null) {
                    System.clearProperty(TEMPORARY);
                }
            }
        }

        /** A module resolves JNA only if somebody asks for it. */
        private static String absent() {
            return inModule()
                    ? "the module com.sun.jna (net.java.dev.jna:jna) is not resolved; put its jar on the module path and"
                            + " start with --add-modules com.sun.jna, or require it in your module"
                    : "there is no JNA on the class path (net.java.dev.jna:jna)";
        }

        private static boolean inModule() {
            return LibcEngine.class.getModule().isNamed();
        }

        /** The home folder, JNA's default, is not used: all ranks of a job would write to it at once. */
        private static Optional<String> nodesDisk() {
            return NativeLibrary.localDisks().stream()
                    .filter(Loading::takesLibraries)
                    .findFirst();
        }

        /** Returns whether a library can be loaded from a folder. The folder may be mounted noexec. */
        private static boolean takesLibraries(String folder) {
            try {
                Path probe = Files.createTempFile(Path.of(folder), "drumlin", ".so", EXECUTABLE);
                try {
                    return Files.isExecutable(probe);
                } finally {
                    Files.delete(probe);
                }
            } catch (IOException | InvalidPathException e) {
                return false;
            }
        }

        /** Returns the failure that class initialisers have wrapped. */
        private static Throwable rootOf(Throwable failure) {
            Throwable cause = failure.getCause();
            return cause == null ? failure : rootOf(cause);
        }
    }
}
