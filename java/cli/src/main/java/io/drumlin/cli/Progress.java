package io.drumlin.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
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

    /** How much work there is, if that costs something to find out. */
    @FunctionalInterface
    interface Amount {
        long bytes() throws IOException;
    }

    /** As {@link #of(long, String)}; without a terminal nobody asks for the amount. */
    static Progress of(Amount amount, String task) throws IOException {
        return of(stderrIsTerminal() ? amount.bytes() : 0, task);
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

    /** By any thread. */
    void advance(long bytes) {
        if (bar != null) {
            bar.stepBy(bytes);
        }
    }

    /** The same target, and what is written to it is work that is done. */
    OutputStream watching(OutputStream target) {
        return new FilterOutputStream(target) {
            @Override
            public void write(int value) throws IOException {
                out.write(value);
                advance(1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
                advance(length);
            }
        };
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
