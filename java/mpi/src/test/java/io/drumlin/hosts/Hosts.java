package io.drumlin.hosts;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The hosts of {@code ci/cluster}. */
final class Hosts implements AutoCloseable {

    /** {@code ci/cluster} cannot be had here. */
    private static final int SKIPPED = 77;

    private final Path cluster;

    /** Boots the login host; skips the test where there can be no name spaces. */
    Hosts(Path cluster) throws IOException, InterruptedException {
        this.cluster = cluster;
        Process process = command("up", "0").redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        if (status == SKIPPED) {
            abort(output);
        }
        requireZero(status, output);
    }

    /** The folder that all hosts share. */
    Path shared() {
        return cluster.resolve("shared");
    }

    /** Where each host has its own disk. */
    Path local() {
        return cluster.resolve("local");
    }

    Path disk(String host) {
        return cluster.resolve("hosts").resolve(host).resolve("local");
    }

    List<String> up() {
        try (Stream<Path> hosts = Files.list(cluster.resolve("hosts"))) {
            return hosts.filter(host -> Files.exists(host.resolve("pid")))
                    .map(host -> host.getFileName().toString())
                    .filter(host -> !host.equals("login"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void call(String... arguments) throws IOException, InterruptedException {
        run(command(arguments));
    }

    static void run(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        requireZero(process.waitFor(), output);
    }

    private static void requireZero(int status, String output) {
        if (status != 0) {
            throw new AssertionError("status " + status + ": " + output);
        }
    }

    static String script() {
        return Path.of(System.getProperty("drumlin.root"), "ci", "cluster").toString();
    }

    /** A command of {@code ci/cluster}. */
    ProcessBuilder command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(script()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("CLUSTER", cluster.toString());
        return builder;
    }

    @Override
    public void close() throws IOException {
        try {
            call("down");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
