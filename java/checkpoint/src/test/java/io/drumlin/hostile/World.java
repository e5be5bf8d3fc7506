package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.storage.CrashJournal.Remains;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The disks of a run: those of the nodes, {@code hosts/<name>/Local}, and the parallel file system, {@code Global} and {@code Meta}. */
final class World {

    private static final Pattern LEVEL = Pattern.compile("(?:.*/)?(?:drumlin-replaced-)?l([1-4])(?:/.*)?");
    private static final Pattern HOST = Pattern.compile("hosts/([^/]+)/Local/.*");
    private static final Pattern DATA = Pattern.compile(".*(Rank|Pcof|RSed|rank|-mpiio|-sionlib|\\.h5|dCP).*");

    private final RunFixture run;
    private final Path root;
    private final Path past;
    private final List<Path> memories = new ArrayList<>();

    World(Path directory, Setting setting) throws IOException {
        root = Files.createDirectories(directory.resolve("run"));
        past = directory.resolve("past");
        run = new RunFixture(root, setting.changes());
    }

    /** The same text without the places of this life. */
    String words(String text) {
        return text.replace(root.toString() + "/", "");
    }

    Path root() {
        return root;
    }

    RunFixture run() {
        return run;
    }

    Path config() {
        return run.config();
    }

    Path nodes() {
        return root.resolve("hosts");
    }

    Path disk(String host) {
        return run.localRoot(host);
    }

    Path metadata(String name) throws IOException {
        return root.resolve("Meta").resolve(run.restartValue("exec_id")).resolve(name);
    }

    /** Keeps all disks as they are now, to be put back in part. */
    void remember() throws IOException {
        Path copy = past.resolve(Integer.toString(memories.size()));
        copy(root, copy);
        memories.add(copy);
    }

    Optional<Path> memory(Random random) {
        return memories.isEmpty() ? Optional.empty() : Optional.of(memories.get(random.nextInt(memories.size())));
    }

    /** Puts back what was at a path once; deletes it if there was nothing. */
    void putBack(Path memory, Path path) throws IOException {
        delete(path);
        Path former = memory.resolve(root.relativize(path));
        if (Files.exists(former)) {
            copy(former, path);
        }
    }

    /** Makes all files again, with the same contents. */
    void copyAnew() throws IOException {
        Path copy = past.resolve("copy");
        copy(root, copy);
        delete(root);
        copy(copy, root);
        delete(copy);
    }

    /** All files and directories, in any order. */
    List<Path> all(Random random) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            List<Path> paths = new ArrayList<>(all.sorted().toList());
            Collections.shuffle(paths, random);
            return paths;
        }
    }

    /** What a power loss has left. */
    void become(Remains remains) throws IOException {
        delete(root);
        remains.write(Files.createDirectories(root));
    }

    /** Files of checkpoints of this run, the data or the metadata, relative to the root. */
    List<Path> files(boolean data) throws IOException {
        return filesOf(root, data);
    }

    /** The same of a time before. */
    List<Path> filesOf(Path memory, boolean data) throws IOException {
        return ofThisRun(memory, Files::isRegularFile).stream()
                .filter(path -> level(path).isPresent() || path.toString().contains("tmp/"))
                .filter(path -> DATA.matcher(path.getFileName().toString()).matches() == data)
                .toList();
    }

    /** Directories of levels of this run, relative to the root. */
    List<Path> levelsOf(Path memory) throws IOException {
        return ofThisRun(memory, Files::isDirectory).stream()
                .filter(path -> path.getFileName().toString().matches("l[1-4]|dCP"))
                .toList();
    }

    private List<Path> ofThisRun(Path directory, Predicate<Path> kind) throws IOException {
        String inside = "/" + run.restartValue("exec_id") + "/";
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(kind)
                    .map(directory::relativize)
                    .filter(path -> path.toString().contains(inside))
                    .sorted()
                    .toList();
        }
    }

    /** The level that a file or directory belongs to, empty for what is not in its place. */
    static Optional<Level> level(Path relative) {
        Matcher name = LEVEL.matcher(relative.toString());
        if (relative.toString().contains("dCP")) {
            return Optional.of(Level.L4);
        }
        return name.matches() ? Optional.of(Level.of(Integer.parseInt(name.group(1)))) : Optional.empty();
    }

    /** The host on whose disk a file is. */
    static Optional<String> host(Path relative) {
        Matcher name = HOST.matcher(relative.toString());
        return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
    }

    static void flip(Path file, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
        }
    }

    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, file.equals(from) ? to : to.resolve(from.relativize(file)), LinkOption.NOFOLLOW_LINKS);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    static void delete(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
