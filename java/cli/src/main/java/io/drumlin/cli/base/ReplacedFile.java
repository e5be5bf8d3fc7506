package io.drumlin.cli.base;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.PathStatus;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears, or replaces another, only when it is complete. A pipe or device is written directly. Closing
 * without {@link #commit} changes nothing.
 */
public final class ReplacedFile implements Closeable {

    private final Path target;
    private final @Nullable Path temporary;
    private final FileChannel channel;

    private ReplacedFile(Path target, @Nullable Path temporary, FileChannel channel) {
        this.target = target;
        this.temporary = temporary;
        this.channel = channel;
    }

    public static ReplacedFile create(Path path) throws IOException {
        Path target = PathStatus.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        if (PathStatus.isDirectory(target)) {
            throw new CommandException(ExitCode.IO_ERROR, path + " is a directory; -o needs a file name");
        }
        if (PathStatus.exists(target) && !PathStatus.isRegularFile(target)) {
            return new ReplacedFile(target, null, FileChannel.open(target, StandardOpenOption.WRITE));
        }
        Path folder = target.getParent();
        if (folder != null && !PathStatus.isDirectory(folder)) {
            throw new CommandException(
                    ExitCode.IO_ERROR, "-o " + path + ": there is no directory " + folder + "; make it first");
        }
        Path name = target.getFileName();
        Path temporary =
                target.resolveSibling("." + name + "." + ProcessHandle.current().pid() + ".part");
        FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        // An interrupted command leaves no file behind.
        temporary.toFile().deleteOnExit();
        return new ReplacedFile(target, temporary, channel);
    }

    /** Returns a stream that writes the bytes. Its errors name the file; those of a channel do not. */
    public OutputStream stream() {
        OutputStream bytes = Channels.newOutputStream(channel);
        return new OutputStream() {

            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] buffer, int offset, int length) throws IOException {
                try {
                    bytes.write(buffer, offset, length);
                } catch (IOException e) {
                    throw DrumlinException.during("write")
                            .path(temporary == null ? target : temporary)
                            .problem(String.valueOf(e.getMessage()))
                            .cause(e)
                            .exception();
                }
            }
        };
    }

    /** Writes bytes at an offset. Skipped ranges become holes. */
    public void write(long offset, ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        long position = offset;
        try {
            while (bytes.hasRemaining()) {
                int count = channel.write(bytes, position);
                if (count <= 0) {
                    throw new IOException("the system wrote nothing and gave no reason");
                }
                position += count;
            }
        } catch (IOException e) {
            throw DrumlinException.during("write")
                    .path(place())
                    .range(offset, length)
                    .problem(String.valueOf(e.getMessage()))
                    .cause(e)
                    .exception();
        }
    }

    /**
     * Returns the location of the bytes until {@link #commit}; it is a file that can be read, unless the target is a
     * pipe or device.
     */
    public Path place() {
        if (temporary == null) {
            throw new CommandException(
                    ExitCode.IO_ERROR, target + " is not a regular file; this command writes at offsets");
        }
        return temporary;
    }

    /** Makes the bytes durable and puts them in place. */
    public void commit() throws IOException {
        if (temporary != null) {
            channel.force(true);
            channel.close();
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (temporary != null) {
            Files.deleteIfExists(temporary);
        }
    }
}
