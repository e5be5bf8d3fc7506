package io.drumlin.storage;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file system of its own for one test, for what only another file system does; skips the test where mount is refused. */
public final class MountedFileSystem implements AutoCloseable {

    private final Path root;

    private MountedFileSystem(Path root) {
        this.root = root;
    }

    /**
     * Mounts a file system that holds its files in memory.
     *
     * @param type as mount takes it: {@code tmpfs} can be full, {@code ramfs} knows neither O_DIRECT nor fallocate
     * @param options as mount takes them
     */
    public static MountedFileSystem mount(String type, String options) throws IOException {
        Path root = Files.createTempDirectory("drumlin-mount");
        String refusal = run("mount", "-t", type, "-o", options, "drumlin-test", root.toString());
        if (!refusal.isEmpty()) {
            Files.delete(root);
            abort("cannot mount a " + type + ": " + refusal);
        }
        return new MountedFileSystem(root);
    }

    public Path root() {
        return root;
    }

    @Override
    public void close() throws IOException {
        String refusal = run("umount", root.toString());
        if (!refusal.isEmpty()) {
            throw new IOException("cannot unmount " + root + ": " + refusal);
        }
        Files.delete(root);
    }

    /** Runs a command; empty when it went well, else what it said. */
    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(new ArrayList<>(List.of(command)))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            return status == 0 ? "" : "exit " + status + " " + output.strip();
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
