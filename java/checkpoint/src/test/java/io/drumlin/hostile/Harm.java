package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What happens to the disks of a run between two starts, and what the model has to know of it. */
final class Harm {

    private static final int YEAR = 365 * 24 * 3600;

    private final World world;
    private final Model model;
    private final Random random;
    private final List<String> hosts;
    private final String nodeOfThePast;
    private int replacements;

    /** @param hosts of the nodes in their order; changed here when nodes are */
    Harm(World world, Model model, Random random, List<String> hosts) {
        this.world = world;
        this.model = model;
        this.random = random;
        this.hosts = hosts;
        nodeOfThePast = anyHost();
    }

    /** @return what happened, for people; empty if there was nothing that it could happen to */
    String happen(Trouble trouble) throws IOException {
        return switch (trouble) {
            case NODE_LOST -> loseNode();
            case OLD_DISK -> putOldDisk(nodeOfThePast);
            case OLD_DISKS -> putOldDisk(anyHost());
            case OTHER_ORDER -> shuffle();
            case OTHER_NODE -> replaceNode();
            case RENAMED_NODE -> renameNode();
            case SWAPPED_FILES -> swapFiles();
            case OLDER_FILE -> putOlderFile();
            case OLDER_DIRECTORY -> putOlderDirectory();
            case FILE_IS_DIRECTORY ->
                changeFile(true, "becomes a directory", file -> {
                    Files.delete(file);
                    Files.createDirectory(file);
                });
            case FLIPPED_DATA -> changeFile(true, "has another bit", file -> World.flip(file, random));
            case FLIPPED_METADATA -> changeFile(false, "has another bit", file -> World.flip(file, random));
            case TRUNCATED ->
                changeFile(random.nextInt(3) > 0, "is truncated", file -> {
                    byte[] bytes = Files.readAllBytes(file);
                    Files.write(file, Arrays.copyOf(bytes, bytes.length == 0 ? 0 : random.nextInt(bytes.length)));
                });
            case FLIPPED_LIST -> flipList();
            case COPIED, UNPACKED, TOUCHED, OTHER_CLOCK -> changeTimes(trouble);
            default -> throw new IllegalArgumentException(trouble.toString());
        };
    }

    private String anyHost() {
        return hosts.get(random.nextInt(hosts.size()));
    }

    private String loseNode() throws IOException {
        String host = anyHost();
        World.delete(world.disk(host));
        model.lost(host);
        return "node " + host + " loses its disk";
    }

    private String putOldDisk(String host) throws IOException {
        Optional<Path> memory = world.memory(random);
        if (memory.isEmpty() || !hosts.contains(host)) {
            return "";
        }
        world.putBack(memory.get(), world.disk(host));
        model.lost(host);
        return "node " + host + " has its disk of after start " + memory.get().getFileName();
    }

    private String shuffle() {
        Collections.shuffle(hosts, random);
        return "nodes are " + hosts;
    }

    private String replaceNode() throws IOException {
        int index = random.nextInt(hosts.size());
        String host = hosts.get(index);
        String replacement = "r" + ++replacements;
        World.delete(world.disk(host));
        model.lost(host);
        hosts.set(index, replacement);
        return "node " + host + " is replaced by " + replacement;
    }

    private String renameNode() throws IOException {
        int index = random.nextInt(hosts.size());
        String host = hosts.get(index);
        String name = "m" + ++replacements;
        if (Files.exists(world.disk(host))) {
            World.copy(world.disk(host), world.disk(name));
            World.delete(world.disk(host));
        }
        model.renamed(host, name);
        hosts.set(index, name);
        return "node " + host + " is called " + name;
    }

    private String swapFiles() throws IOException {
        List<Path> files = world.files(true);
        if (files.isEmpty()) {
            return "";
        }
        Path first = files.get(random.nextInt(files.size()));
        List<Path> others = files.stream()
                .filter(other -> !other.equals(first) && World.level(other).equals(World.level(first)))
                .filter(other -> kind(other).equals(kind(first)))
                .toList();
        if (others.isEmpty()) {
            return "";
        }
        Path second = others.get(random.nextInt(others.size()));
        byte[] content = Files.readAllBytes(world.root().resolve(first));
        Files.write(world.root().resolve(first), Files.readAllBytes(world.root().resolve(second)));
        Files.write(world.root().resolve(second), content);
        hit(first);
        hit(second);
        return first + " and " + second + " are swapped";
    }

    private static String kind(Path file) {
        return file.getFileName().toString().replaceAll("[0-9]", "");
    }

    private String putOlderFile() throws IOException {
        Optional<Path> memory = world.memory(random);
        List<Path> files = new ArrayList<>();
        if (memory.isPresent()) {
            for (boolean data : new boolean[] {true, false}) {
                world.filesOf(memory.get(), data).stream()
                        .filter(file ->
                                Files.isDirectory(world.root().resolve(file).getParent()))
                        .forEach(files::add);
            }
        }
        if (files.isEmpty()) {
            return "";
        }
        Path file = files.get(random.nextInt(files.size()));
        world.putBack(memory.get(), world.root().resolve(file));
        hit(file);
        return file + " is that of after start " + memory.get().getFileName();
    }

    private String putOlderDirectory() throws IOException {
        Optional<Path> memory = world.memory(random);
        List<Path> directories = memory.isEmpty()
                ? List.of()
                : world.levelsOf(memory.get()).stream()
                        .filter(each -> World.host(each).orElse(nodeOfThePast).equals(nodeOfThePast))
                        .toList();
        if (directories.isEmpty()) {
            return "";
        }
        Path directory = directories.get(random.nextInt(directories.size()));
        world.putBack(memory.get(), world.root().resolve(directory));
        hit(directory);
        return directory + " is that of after start " + memory.get().getFileName();
    }

    @FunctionalInterface
    private interface Change {
        void apply(Path file) throws IOException;
    }

    private String changeFile(boolean data, String what, Change change) throws IOException {
        List<Path> files = world.files(data);
        if (files.isEmpty()) {
            return "";
        }
        Path file = files.get(random.nextInt(files.size()));
        change.apply(world.root().resolve(file));
        hit(file);
        return file + " " + what;
    }

    private String flipList() throws IOException {
        Path list = world.metadata("Checkpoint.fti");
        if (!Files.exists(list)) {
            return "";
        }
        World.flip(list, random);
        // It says which checkpoint is the newest.
        for (Level level : Level.values()) {
            model.spoil(level);
        }
        return "Checkpoint.fti has another bit";
    }

    /** Nothing that the model knows changes. */
    private String changeTimes(Trouble trouble) throws IOException {
        Instant now = Instant.now();
        long clock = random.nextInt(2 * YEAR) - YEAR;
        if (trouble == Trouble.COPIED || trouble == Trouble.UNPACKED) {
            world.copyAnew();
        }
        for (Path file : world.all(random)) {
            Instant time = Files.getLastModifiedTime(file).toInstant();
            boolean touched = random.nextBoolean();
            Instant changed =
                    switch (trouble) {
                        case COPIED -> now = now.plusNanos(1_000_000);
                        case UNPACKED -> time.truncatedTo(ChronoUnit.SECONDS);
                        case OTHER_CLOCK -> touched ? time.plusSeconds(clock) : time;
                        default -> touched ? now : time;
                    };
            Files.setLastModifiedTime(file, FileTime.from(changed));
        }
        return "files have other times";
    }

    private static boolean isRedundant(Path file) {
        String name = file.getFileName().toString();
        return name.contains("-Pcof") || name.contains("-RSed");
    }

    /** A file or directory is not what it was. */
    private void hit(Path path) {
        Optional<String> host = World.host(path);
        Optional<Level> level = World.level(path);
        if (host.isPresent()) {
            level.map(List::of)
                    .orElse(List.of(Level.L1, Level.L2, Level.L3))
                    .forEach(each -> model.hurt(each, host.get(), !isRedundant(path)));
        } else {
            level.map(List::of).orElse(List.of(Level.values())).forEach(model::spoil);
        }
    }

    /** Puts another bit into a text until the next start is over. @return how to undo it */
    String flipText(Path file) throws IOException {
        String before = Files.readString(file, StandardCharsets.ISO_8859_1);
        World.flip(file, random);
        return before;
    }
}
