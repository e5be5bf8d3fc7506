package io.drumlin.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/** Shows on stderr how much of a large piece of work is done, when a person is looking. */
final class Progress implements AutoCloseable {

    /** Less is done before a bar is of use. */
    private static final long WORTH_WATCHING = 256L << 20;

    private final @Nullable ProgressBar bar;

    private Progress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    static Progress of(long bytes, String task) {
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

    /** System.console() speaks for stdin and stdout only. */
    private static boolean stderrIsTerminal() {
        try {
            Path stderr = Files.readSymbolicLink(Path.of("/proc/self/fd/2"));
            return stderr.startsWith("/dev/pts") || stderr.toString().startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    void advance(long bytes) {
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
