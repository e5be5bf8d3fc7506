package io.drumlin.comm;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of the machine that this process runs on. Ranks with the same name share a node. */
public final class HostName {

    private static final Path OF_KERNEL = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /**
     * Reads the name that {@code gethostname} gives in C. It needs no address: Java's own way fails where it has none. Not
     * collective; thread-safe.
     *
     * @return the name
     * @throws IOException nothing tells the name. It has no substitute: with one, all nodes would look like one
     */
    public static String read() throws IOException {
        return Files.isReadable(OF_KERNEL)
                ? Files.readString(OF_KERNEL).strip()
                : InetAddress.getLocalHost().getHostName();
    }
}
