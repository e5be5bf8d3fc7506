package io.drumlin.sion;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A physical file in which tasks of this process are. It is opened when it is first needed: of a group of tasks only the
 * collector may ever need it. Thread-safe.
 */
final class TaskFile implements Closeable {

    private final StorageEngine storage;
    private final Path path;
    private final Set<OpenMode> modes;
    private @Nullable BlockFile file;

    TaskFile(StorageEngine storage, Path path, Set<OpenMode> modes) {
        this.storage = storage;
        this.path = path;
        this.modes = modes;
    }

    Path path() {
        return path;
    }

    synchronized BlockFile open() throws IOException {
        BlockFile opened = file;
        if (opened == null) {
            opened = storage.open(path, modes);
            file = opened;
        }
        return opened;
    }

    /** Makes what was written durable. */
    synchronized void sync() throws IOException {
        if (file != null) {
            file.sync();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        BlockFile opened = file;
        file = null;
        if (opened != null) {
            opened.close();
        }
    }
}
