package io.drumlin.cli.file;

import io.drumlin.DrumlinException;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.internal.PathStatus;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** An open file. Its size is the one at opening. */
public final class FileSource implements ByteSource, Closeable {

    private final Path path;
    private final FileChannel channel;
    private final long size;
    private final List<Closeable> dependents = new ArrayList<>();

    private FileSource(Path path, FileChannel channel, long size) {
        this.path = path;
        this.channel = channel;
        this.size = size;
    }

    public static FileSource open(Path path) throws IOException {
        if (!PathStatus.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        if (PathStatus.isDirectory(path)) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, path + " is a directory; name one of the files in it");
        }
        if (!PathStatus.isRegularFile(path)) {
            // Opening a pipe would wait for a writer.
            throw new CommandException(ExitCode.NOT_RECOGNISED, path + " is not a regular file");
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return new FileSource(path, channel, channel.size());
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        long position = offset;
        while (target.hasRemaining()) {
            int count = read(target, position);
            if (count <= 0) {
                throw new EOFException(path + " became shorter while it was read: it ends before " + position);
            }
            position += count;
        }
    }

    private int read(ByteBuffer target, long position) throws IOException {
        int length = target.remaining();
        try {
            return channel.read(target, position);
        } catch (IOException e) {
            throw DrumlinException.during("read")
                    .path(path)
                    .range(position, length)
                    .problem(String.valueOf(e.getMessage()))
                    .cause(e)
                    .exception();
        }
    }

    /** Opens a file in another way. */
    @FunctionalInterface
    public interface Opening<T extends Closeable> {
        T open(Path path) throws IOException;
    }

    /** Opens the file in another way too, unless it is open in that way. {@link #close} closes it. */
    public <T extends Closeable> T as(Class<T> type, Opening<T> opening) throws IOException {
        for (Closeable dependent : dependents) {
            if (type.isInstance(dependent)) {
                return type.cast(dependent);
            }
        }
        T dependent = opening.open(path);
        dependents.add(dependent);
        return dependent;
    }

    @Override
    public void close() throws IOException {
        for (Closeable dependent : dependents) {
            dependent.close();
        }
        channel.close();
    }
}
