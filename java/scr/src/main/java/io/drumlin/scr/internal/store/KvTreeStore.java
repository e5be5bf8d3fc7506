package io.drumlin.scr.internal.store;

import io.drumlin.format.FormatException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import io.drumlin.storage.internal.files.FileReplacement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.CRC32;

/** Reads and replaces kvtree files as a whole. */
public final class KvTreeStore {

    private static final int BUFFER_BYTES = 1 << 20;

    private final StorageEngine storage;

    public KvTreeStore(StorageEngine storage) {
        this.storage = storage;
    }

    public StorageEngine storage() {
        return storage;
    }

    /**
     * Opens a file to write copies of data that others may not be allowed to read. From before the first byte, only the
     * owner of the file can read it.
     */
    public BlockFile openPrivate(Path path, OpenMode... more) throws IOException {
        if (PathStatus.exists(path)) {
            FileStat.narrow(path);
        }
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.PRIVATE);
        modes.addAll(Set.of(more));
        return storage.open(path, modes);
    }

    /** Reads the tree at the beginning of a file and ignores the rest. */
    public KvTree read(Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return KvTreeFile.read(new BlockFileSource(file)).tree();
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** Returns the size in bytes of the tree at the beginning of a file. */
    public int treeLength(Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return KvTreeFile.read(new BlockFileSource(file)).length();
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** Reads a file. A missing file gives an empty tree. */
    public KvTree readIfThere(Path path) throws IOException {
        return PathStatus.exists(path) ? read(path) : new KvTree();
    }

    /** Reads a file. A missing or damaged file gives an empty tree. */
    public KvTree readIfWhole(Path path) throws IOException {
        try {
            return readIfThere(path);
        } catch (IOException e) {
            requireDamage(e);
            return new KvTree();
        }
    }

    /**
     * Refuses to take an error that may pass for damage. The file might be whole, and must not be rebuilt or deleted
     * because of that error.
     *
     * @param failure the failure of an attempt to read or examine a file
     * @throws IOException that failure, if it does not prove that the file is missing or damaged
     */
    public static void requireDamage(IOException failure) throws IOException {
        if (IoFailures.mayPass(failure)) {
            throw failure;
        }
    }

    /** Replaces a file so that a crash leaves the old content or the new, and makes it durable. */
    public void replace(Path path, KvTree tree) throws IOException {
        replace(path, KvTreeFile.encode(tree));
    }

    /** Replaces a file that holds no tree so that a crash leaves the old content or the new, and makes it durable. */
    public void replace(Path path, ByteBuffer bytes) throws IOException {
        FileReplacement.replace(storage, path, bytes, ".new");
    }

    /** Returns the CRC32 of all bytes of a file. */
    public long crc32(Path path) throws IOException {
        CRC32 crc = new CRC32();
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            int read = file.read(buffer, 0);
            for (long offset = 0; read > 0; read = file.read(buffer, offset)) {
                crc.update(buffer.slice(0, read));
                offset += read;
            }
        }
        return crc.getValue();
    }

    /** Makes a directory and its missing parents, durably. */
    public void makeDirectory(Path directory) throws IOException {
        if (PathStatus.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            makeDirectory(parent);
        }
        storage.createDirectories(directory);
        if (parent != null) {
            storage.syncDirectory(parent);
        }
    }
}
