package io.drumlin.cli.file;

import io.drumlin.cli.base.Progress;
import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Shows how much of a large file has been read. */
public final class WatchedSource implements ByteSource, AutoCloseable {

    private final ByteSource source;
    private final Progress progress;

    private WatchedSource(ByteSource source, Progress progress) {
        this.source = source;
        this.progress = progress;
    }

    public static WatchedSource of(ByteSource source, String task) {
        return of(source, source.size(), task);
    }

    /**
     * Watches the reads of a source.
     *
     * @param bytes number of bytes that will be read; more than the source has if some are read twice
     */
    public static WatchedSource of(ByteSource source, long bytes, String task) {
        return new WatchedSource(source, Progress.of(bytes, task));
    }

    /** Makes a source that reports to a bar which the caller closes. */
    public static ByteSource of(ByteSource source, Progress progress) {
        return new WatchedSource(source, progress);
    }

    @Override
    public long size() {
        return source.size();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        source.readFully(offset, target);
        progress.advance(length);
    }

    @Override
    public void close() {
        progress.close();
    }
}
