package io.drumlin.comm.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of the machine that this process runs on. Ranks with the same name share a node. */
public final class HostName {

    private static final Path OF_KERNEL = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /**
     * Reads the name that {@code gethostname} gives in C. This needs no network address; Java's own method fails
     * without one. Not collective; thread-safe.
     *
     * @return the name
     * @throws IOException the name cannot be determined. There is no substitute, because a common name would make all
     *     nodes look like one
     */
    public static String read() throws IOException {
        return Files.isReadable(OF_KERNEL)
                ? Files.readString(OF_KERNEL).strip()
                : InetAddress.getLocalHost().getHostName();
    }
}
