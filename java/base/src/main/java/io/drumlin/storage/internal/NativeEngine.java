package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The engine {@code native}: the C core. An io_uring of the kernel carries out started writes or, if there is none, a
 * few threads of the C core.
 *
 * <p>Direct files need no more alignment than the device does, {@link BlockFile#allocate} reserves space, and an
 * interrupt closes no file. Memory of {@link #allocate} belongs to the C core: {@link AlignedBuffer#close()} waits for
 * started transfers and frees it at once, and touching it afterwards can end the process. Mapped files and memory of an
 * {@code Arena} are copied first, so that no call ends the process if they vanish meanwhile. Thread-safe.
 */
public final class NativeEngine implements StorageEngine {

    private static final int CREATION_MODE = 0666;
    private static final int PRIVATE_MODE = 0600;

    /**
     * Makes the engine.
     *
     * @throws IllegalStateException it is not available; the message says why
     */
    public NativeEngine() {
        NativeCore.ensureAvailable();
    }

    /**
     * Returns the reason why the engine cannot be made.
     *
     * @return {@code null} if it can; otherwise the message says what was tried and what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        return NativeCore.unavailabilityCause();
    }

    @Override
    public String name() {
        return "native";
    }

    /**
     * Names the mechanism that carries out started writes, for a log line.
     *
     * @return {@code io_uring} or {@code threads}
     */
    public String queue() {
        return NativeQueue.backend();
    }

    @Override
    public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        PositionalFile.checkOpen(path, modes);
        int fd = descriptor(path, bits(modes), modes.contains(OpenMode.PRIVATE) ? PRIVATE_MODE : CREATION_MODE);
        try {
            return new NativeFile(path, fd, alignment(fd));
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("open").path(path), e, "");
        }
    }

    private static int descriptor(Path path, int modes, int permissions) throws IOException {
        ByteBuffer name = nativeName(path);
        try {
            return (int) NativeFile.require(
                    "open", CoreLibrary.drumlin_file_open(NativeMemory.address(name), modes, permissions));
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("open").path(path), e, "");
        } finally {
            Reference.reachabilityFence(name);
        }
    }

    @Override
    public AlignedBuffer allocate(int size) {
        return new NativeAlignedBuffer(size);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        ByteBuffer oldName = nativeName(from);
        ByteBuffer newName = nativeName(to);
        try {
            NativeFile.require(
                    "rename",
                    CoreLibrary.drumlin_file_rename(NativeMemory.address(oldName), NativeMemory.address(newName)));
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("rename to " + to).path(from), e, "");
        } finally {
            Reference.reachabilityFence(oldName);
            Reference.reachabilityFence(newName);
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        ByteBuffer name = nativeName(directory);
        try {
            NativeFile.require("sync", CoreLibrary.drumlin_directory_sync(NativeMemory.address(name)));
        } catch (ErrnoException e) {
            throw Errno.explain(DrumlinException.during("sync of directory").path(directory), e, "");
        } finally {
            Reference.reachabilityFence(name);
        }
    }

    private static int alignment(int fd) throws ErrnoException {
        try {
            return (int) NativeFile.require("fcntl", CoreLibrary.drumlin_file_alignment(fd));
        } catch (ErrnoException e) {
            CoreLibrary.drumlin_file_close(fd);
            throw e;
        }
    }

    private static int bits(Set<OpenMode> modes) {
        int bits = 0;
        for (OpenMode mode : modes) {
            bits |= switch (mode) {
                case READ -> CoreLibrary.DRUMLIN_OPEN_READ();
                case WRITE -> CoreLibrary.DRUMLIN_OPEN_WRITE();
                case CREATE -> CoreLibrary.DRUMLIN_OPEN_CREATE();
                case EXCLUSIVE -> CoreLibrary.DRUMLIN_OPEN_EXCLUSIVE();
                case TRUNCATE -> CoreLibrary.DRUMLIN_OPEN_TRUNCATE();
                case PRIVATE -> 0;
                case DIRECT -> CoreLibrary.DRUMLIN_OPEN_DIRECT();
            };
        }
        return bits;
    }

    private static ByteBuffer nativeName(Path path) {
        byte[] bytes = PathBytes.of(path);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }
}
