package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The engine {@code nio}: it uses {@link FileChannel} only, and so works wherever Java does.
 *
 * <p>Direct files need alignment to the file system's block, which is more than the device needs. If the block is
 * larger than {@link AlignedBuffer#ALIGNMENT}, files are opened buffered. {@link BlockFile#allocate} cannot reserve
 * space; it makes the file longer. Interrupting a thread in a transfer closes the file. Started writes run on threads
 * of their own and are not affected. Thread-safe.
 */
public final class NioEngine implements StorageEngine {

    private static final FileAttribute<?>[] OWNER_ONLY = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    };

    private static final FileAttribute<?>[] UMASK_ONLY = {};

    /** Looked up by name, because javac warns of ExtendedOpenOption and newer JDKs may move it. */
    private static final @Nullable OpenOption DIRECT = findDirectOption();

    /** Makes the engine; it is always available. */
    public NioEngine() {}

    @Override
    public String name() {
        return "nio";
    }

    @Override
    public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        PositionalFile.checkOpen(path, modes);
        try {
            return modes.contains(OpenMode.DIRECT) && DIRECT != null
                    ? openDirect(path, modes, DIRECT)
                    : openBuffered(path, modes);
        } catch (IOException e) {
            throw Errno.explain(DrumlinException.during("open").path(path), e, "");
        }
    }

    @Override
    public AlignedBuffer allocate(int size) {
        return new DirectAlignedBuffer(size);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw Errno.explain(DrumlinException.during("rename to " + to).path(from), e, "");
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try {
            if (!Files.readAttributes(directory, BasicFileAttributes.class).isDirectory()) {
                throw new NotDirectoryException(directory.toString());
            }
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                force(channel);
            }
        } catch (IOException e) {
            throw Errno.explain(DrumlinException.during("sync of directory").path(directory), e, "");
        }
    }

    private static void force(FileChannel directory) throws IOException {
        try {
            directory.force(true);
        } catch (IOException e) {
            // Some file systems cannot sync directories and return EINVAL.
            if (Errno.of(e).filter(errno -> errno == Errno.EINVAL).isEmpty()) {
                throw e;
            }
        }
    }

    private static BlockFile openDirect(Path path, Set<OpenMode> modes, OpenOption direct) throws IOException {
        Set<OpenOption> options = options(modes);
        options.add(direct);
        FileChannel channel;
        try {
            channel = FileChannel.open(path, options, attributes(modes));
        } catch (UnsupportedOperationException e) {
            return openBuffered(path, modes);
        } catch (IOException e) {
            if (Errno.of(e).filter(errno -> errno != Errno.EINVAL).isPresent()) {
                throw e;
            }
            // The refusal comes after the file was created, so this call itself has made it.
            return openBuffered(path, without(modes, OpenMode.EXCLUSIVE));
        }
        long block = blockSize(path);
        if (block > 1 && block <= AlignedBuffer.ALIGNMENT && Long.bitCount(block) == 1) {
            return new NioFile(path, channel, (int) block, modes);
        }
        channel.close();
        return openBuffered(path, without(modes, OpenMode.EXCLUSIVE));
    }

    private static BlockFile openBuffered(Path path, Set<OpenMode> modes) throws IOException {
        return new NioFile(path, FileChannel.open(path, options(modes), attributes(modes)), 1, modes);
    }

    private static FileAttribute<?>[] attributes(Set<OpenMode> modes) {
        return modes.contains(OpenMode.PRIVATE) ? OWNER_ONLY : UMASK_ONLY;
    }

    /**
     * Returns the alignment that the JDK requires of direct transfers; 0 if it is unknown, as in a chroot that is no
     * mount point.
     */
    private static long blockSize(Path path) {
        try {
            return Files.getFileStore(path).getBlockSize();
        } catch (IOException e) {
            return 0;
        }
    }

    private static Set<OpenOption> options(Set<OpenMode> modes) {
        Set<OpenOption> options = new HashSet<>();
        for (OpenMode mode : modes) {
            switch (mode) {
                case READ -> options.add(StandardOpenOption.READ);
                case WRITE -> options.add(StandardOpenOption.WRITE);
                case CREATE -> options.add(StandardOpenOption.CREATE);
                case EXCLUSIVE -> options.add(StandardOpenOption.CREATE_NEW);
                case TRUNCATE -> options.add(StandardOpenOption.TRUNCATE_EXISTING);
                case PRIVATE, DIRECT -> {}
            }
        }
        return options;
    }

    private static Set<OpenMode> without(Set<OpenMode> modes, OpenMode mode) {
        Set<OpenMode> rest = EnumSet.copyOf(modes);
        rest.remove(mode);
        return rest;
    }

    private static @Nullable OpenOption findDirectOption() {
        try {
            Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
            return Arrays.stream(options.getEnumConstants())
                    .filter(option -> option.toString().equals("DIRECT"))
                    .map(OpenOption.class::cast)
                    .findAny()
                    .orElse(null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
