package io.drumlin.sion.internal;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A physical file that holds tasks of this process. It is opened when it is first needed: in a group of tasks, perhaps
 * only the collector needs it. Thread-safe.
 */
public final class TaskFile implements Closeable {

    private final DataFiles source;
    private final Path path;
    private final Set<OpenMode> modes;
    private @Nullable BlockFile file;

    public TaskFile(DataFiles source, Path path, Set<OpenMode> modes) {
        this.source = source;
        this.path = path;
        this.modes = modes;
    }

    public synchronized BlockFile open() throws IOException {
        BlockFile opened = file;
        if (opened == null) {
            opened = source.open(path, modes);
            file = opened;
        }
        return opened;
    }

    /** Makes the written data durable. */
    public synchronized void sync() throws IOException {
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
