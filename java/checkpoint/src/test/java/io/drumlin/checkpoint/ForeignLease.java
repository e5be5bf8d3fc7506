package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lease of a job of this process, as if the process that has started this one had it, which is alive. */
public final class ForeignLease implements AutoCloseable {

    /** Of the fields after the name in /proc/PID/stat. */
    private static final int START = 19;

    private final Path file;
    private final String own;

    /** Reads the lease of a run that this process has open. */
    public ForeignLease(Path file) throws IOException {
        this.file = file;
        own = Files.readString(file);
    }

    /** Writes it as that of the other process. */
    public void pretend() throws IOException {
        long pid = ProcessHandle.current().parent().orElseThrow().pid();
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String start = stat.substring(stat.lastIndexOf(')') + 2).split(" ")[START];
        Files.writeString(
                file,
                own.replaceAll("(?m)^pid( *)=.*$", "pid$1= " + pid)
                        .replaceAll("(?m)^start( *)=.*$", "start$1= " + start));
    }

    @Override
    public void close() throws IOException {
        Files.writeString(file, own);
    }
}
