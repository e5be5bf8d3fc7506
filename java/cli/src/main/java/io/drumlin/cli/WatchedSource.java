package io.drumlin.cli;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/** Shows on stderr how much of a large file was read, when a person is looking. */
final class WatchedSource implements ByteSource, AutoCloseable {

    /** Smaller files are done before a bar is of use. */
    private static final long WORTH_WATCHING = 256L << 20;

    private final ByteSource source;
    private final @Nullable ProgressBar bar;

    private WatchedSource(ByteSource source, @Nullable ProgressBar bar) {
        this.source = source;
        this.bar = bar;
    }

    static WatchedSource of(ByteSource source, String task) {
        if (source.size() < WORTH_WATCHING || !stderrIsTerminal()) {
            return new WatchedSource(source, null);
        }
        return new WatchedSource(
                source,
                new ProgressBarBuilder()
                        .setTaskName(task)
                        .setInitialMax(source.size())
                        .setUnit(" MiB", 1 << 20)
                        .showSpeed()
                        .build());
    }

    /** System.console() speaks for stdin and stdout only. */
    private static boolean stderrIsTerminal() {
        try {
            Path stderr = Files.readSymbolicLink(Path.of("/proc/self/fd/2"));
            return stderr.startsWith("/dev/pts") || stderr.toString().startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Override
    public long size() {
        return source.size();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        source.readFully(offset, target);
        if (bar != null) {
            bar.stepBy(length);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
