package io.drumlin.scr;

import io.drumlin.format.FormatException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.FileReplacement;
import io.drumlin.storage.IoFailures;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.zip.CRC32;

/** kvtree files: read whole, replaced whole. */
final class KvTreeStore {

    private static final int BUFFER_BYTES = 1 << 20;

    private final StorageEngine storage;

    KvTreeStore(StorageEngine storage) {
        this.storage = storage;
    }

    StorageEngine storage() {
        return storage;
    }

    /** Reads the tree of a file; what follows it is left alone. */
    KvTree read(Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return KvTreeFile.read(new BlockFileSource(file)).tree();
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** Bytes of the tree at the beginning of a file. */
    int treeLength(Path path) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return KvTreeFile.read(new BlockFileSource(file)).length();
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** Reads a file; a missing one is an empty tree. */
    KvTree readIfThere(Path path) throws IOException {
        return PathStatus.exists(path) ? read(path) : new KvTree();
    }

    /** Reads a file; one that is missing or damaged is an empty tree. */
    KvTree readIfWhole(Path path) throws IOException {
        try {
            return readIfThere(path);
        } catch (IOException e) {
            requireDamage(e);
            return new KvTree();
        }
    }

    /**
     * Refuses to take a failure for damage that may pass: what is made again or deleted because of it might be whole.
     *
     * @param failure of looking at a file
     * @throws IOException that failure, where it is no proof that the file is missing or damaged
     */
    static void requireDamage(IOException failure) throws IOException {
        if (IoFailures.mayPass(failure)) {
            throw failure;
        }
    }

    /** Replaces a file so that a crash leaves the old content or the new, and makes it durable. */
    void replace(Path path, KvTree tree) throws IOException {
        replace(path, KvTreeFile.encode(tree));
    }

    /** The same for a file of another kind. */
    void replace(Path path, ByteBuffer bytes) throws IOException {
        FileReplacement.replace(storage, path, bytes, ".new");
    }

    /** The CRC32 of all bytes of a file. */
    long crc32(Path path) throws IOException {
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

    /** Makes a directory, durably, with those above it that are missing. */
    void makeDirectory(Path directory) throws IOException {
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
