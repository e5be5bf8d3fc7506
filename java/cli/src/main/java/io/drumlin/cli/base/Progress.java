package io.drumlin.cli.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/** Shows on stderr how much of a large piece of work is done, if stderr is a terminal. */
public final class Progress implements AutoCloseable {

    /** Smaller work is done before a bar is useful. */
    private static final long WORTH_WATCHING = 256L << 20;

    private final @Nullable ProgressBar bar;

    private Progress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /** The amount of work, if it is expensive to determine. */
    @FunctionalInterface
    public interface Amount {
        long bytes() throws IOException;
    }

    /** Works like {@link #of(long, String)}, but determines the amount only if there is a terminal. */
    public static Progress of(Amount amount, String task) throws IOException {
        return of(stderrIsTerminal() ? amount.bytes() : 0, task);
    }

    public static Progress of(long bytes, String task) {
        if (bytes < WORTH_WATCHING || !stderrIsTerminal()) {
            return new Progress(null);
        }
        return new Progress(new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(bytes)
                .setUnit(" MiB", 1 << 20)
                .showSpeed()
                .build());
    }

    /** Returns whether stderr is a terminal. System.console() covers only stdin and stdout. */
    private static boolean stderrIsTerminal() {
        return isTerminal(2);
    }

    /** Returns whether a file descriptor is a terminal. */
    public static boolean isTerminal(int descriptor) {
        try {
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return file.startsWith("/dev/pts") || file.toString().startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Adds progress. Any thread may call it. */
    public void advance(long bytes) {
        if (bar != null) {
            bar.stepBy(bytes);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
