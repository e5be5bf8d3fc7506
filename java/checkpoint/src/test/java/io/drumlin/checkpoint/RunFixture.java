package io.drumlin.checkpoint;

import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.checkpoint.internal.topology.Host;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A run directory below a test's folder, and runs in it with threads as ranks. */
public final class RunFixture {

    private final Path directory;
    private final Path config;

    /** Makes Local, Global and Meta below {@code directory} and a configuration with the given changes to the defaults. */
    public RunFixture(Path directory, Map<String, String> changes) throws IOException {
        this.directory = directory;
        this.config = directory.resolve("config.fti");
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        put(sections, "basic.head", "0");
        put(sections, "basic.node_size", "2");
        put(sections, "basic.ckpt_dir", directory.resolve("Local").toString());
        put(sections, "basic.glbl_dir", directory.resolve("Global").toString());
        put(sections, "basic.meta_dir", directory.resolve("Meta").toString());
        put(sections, "basic.keep_last_ckpt", "0");
        put(sections, "basic.keep_l4_ckpt", "0");
        put(sections, "basic.group_size", "1");
        put(sections, "basic.ckpt_io", "3");
        put(sections, "basic.verbosity", "3");
        put(sections, "restart.failure", "0");
        put(sections, "restart.exec_id", "none");
        put(sections, "advanced.block_size", "1024");
        put(sections, "advanced.local_test", "1");
        changes.forEach((key, value) -> put(sections, key, value));
        Files.writeString(config, IniFile.dump(sections));
    }

    private RunFixture(Path directory) {
        this.directory = directory;
        config = directory.resolve("config.fti");
    }

    /** A run whose files are there already. */
    public static RunFixture at(Path directory) {
        return new RunFixture(directory);
    }

    private static void put(Map<String, Map<String, String>> sections, String key, String value) {
        int dot = key.indexOf('.');
        sections.computeIfAbsent(key.substring(0, dot), s -> new LinkedHashMap<>())
                .put(key.substring(dot + 1), value);
    }

    public Path config() {
        return config;
    }

    public Path directory() {
        return directory;
    }

    public String restartValue(String key) throws IOException {
        return IniFile.parse(Files.readString(config), "config")
                .get("restart", key)
                .orElseThrow();
    }

    /** Gives the checkpoints of a run other times in its log. */
    public void takenAt(String execId, Function<CommitOrder.Entry, Instant> times) throws IOException {
        Path log = directory().resolve("Meta").resolve(execId).resolve("drumlin-commits");
        StringBuilder text = new StringBuilder();
        for (CommitOrder.Entry each : CommitOrder.entries(log)) {
            long nanos = Duration.between(Instant.EPOCH, times.apply(each)).toNanos();
            text.append(new CommitOrder.Entry(each.ckptId(), each.level(), each.identity(), nanos, true)
                    .line(CommitOrder.BEGUN));
        }
        Files.writeString(log, text);
    }

    /** Writes how the next start begins. */
    public void setRestart(String failure, String execId) throws IOException {
        IniFile file = IniFile.parse(Files.readString(config), "config");
        Files.writeString(
                config,
                file.with("restart", "failure", failure)
                        .with("restart", "exec_id", execId)
                        .text());
    }

    /** All files below the run directory but the configuration, relative and sorted, with the exec id as {@code X}. */
    public List<String> files() throws IOException {
        String execId = restartValue("exec_id");
        return walk().stream()
                .filter(Files::isRegularFile)
                .filter(file -> !file.equals(config))
                .map(file -> directory.relativize(file).toString().replace(execId, "X"))
                .sorted()
                .toList();
    }

    /** The only file below the run directory whose name is {@code name}. */
    public Path file(String name) throws IOException {
        List<Path> matches = walk().stream().filter(path -> path.endsWith(name)).toList();
        if (matches.size() != 1) {
            throw new IOException(matches.size() + " files named " + name + " below " + directory);
        }
        return matches.get(0);
    }

    /** All but what a checkpoint has replaced, which may be on its way out, the lease of a run that is open, its log of checkpoints and its starts. */
    public List<Path> walk() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                boolean replaced = path.getFileName().toString().startsWith("drumlin-replaced-");
                return replaced ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                if (!path.endsWith("drumlin-lease")
                        && !path.endsWith("drumlin-commits")
                        && !path.endsWith("drumlin-starts")) {
                    found.add(path);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path path, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return found;
    }

    /** What one rank does with its checkpoints. */
    @FunctionalInterface
    public interface Body {
        void run(Checkpoints checkpoints, Communicator comm) throws IOException;
    }

    /** Opens the run on {@code ranks} threads; it is closed, not completed, after the body. Heads do not run the body. */
    public void run(int ranks, Body body) throws IOException {
        ThreadCommunicator.run(ranks, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                if (!checkpoints.isHead()) {
                    body.run(checkpoints, comm);
                }
            }
        });
    }

    /** Opens a run in a way of its own. */
    @FunctionalInterface
    public interface Opening {
        Checkpoints open(Checkpoints.Builder builder) throws IOException;
    }

    /** Where a host has its node-local storage: {@code hosts/<name>/Local} in the folder of the test. */
    public Path localRoot(String host) {
        return directory.resolve("hosts").resolve(host).resolve("Local");
    }

    /** Deletes what a node has, one of those that share this machine. */
    public void loseNode(int node) throws IOException {
        DirectoryTree.delete(directory.resolve("Local/node" + node), new NioEngine());
    }

    /** Deletes what a host has on its disk. */
    public void loseDisk(String host) throws IOException {
        DirectoryTree.delete(localRoot(host), new NioEngine());
    }

    /** Describes the run on ranks of which each is on an invented host; needs {@code local_test = 0}. */
    public Checkpoints.Builder on(List<String> hostOfRank, Communicator comm) throws IOException {
        for (String host : hostOfRank) {
            Files.createDirectories(localRoot(host).getParent());
        }
        return new EngineBuilder(config).communicator(comm).hosts(rank -> {
            String host = hostOfRank.get(rank);
            return new Host(host, localRoot(host));
        });
    }

    /** Opens the run on threads of which each is on an invented host; needs {@code local_test = 0}; otherwise as {@link #run}. */
    public void runOn(List<String> hostOfRank, Body body) throws IOException {
        runOn(hostOfRank, Checkpoints.Builder::open, body);
    }

    /** As {@link #runOn(List, Body)}, opened in another way. */
    public void runOn(List<String> hostOfRank, Opening opening, Body body) throws IOException {
        ThreadCommunicator.run(hostOfRank.size(), comm -> {
            try (Checkpoints checkpoints = opening.open(on(hostOfRank, comm))) {
                if (!checkpoints.isHead()) {
                    body.run(checkpoints, comm);
                }
            }
        });
    }
}
