package io.drumlin.golden.scr;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A dataset that was saved from the caches of a job that died: built on a copy, and compared with what SCR built. */
final class ScavengeCase {

    private static final Pattern BUILD = Pattern.compile(".*--build=(\\d+).*");

    /** The keys that scr_index leaves in the summary of a Reed-Solomon set that it has rebuilt. */
    private static final List<String> LEFT_OVER = List.of("RS", "MAPRS");

    private final Path directory;
    private final Json manifest;
    private final Outcome outcome;

    ScavengeCase(Path directory, Json manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void compare() throws IOException {
        Matcher command = BUILD.matcher(manifest.get("build_command").text());
        if (!command.matches()) {
            throw manifest.wrong("build_command has no --build=ID");
        }
        int id = Integer.parseInt(command.group(1));
        Path copy = Files.createTempDirectory("drumlin-golden");
        try {
            OperationsCase.copy(directory.resolve("before"), copy);
            compare(copy, id);
        } finally {
            OperationsCase.delete(copy);
        }
    }

    private void compare(Path copy, int id) throws IOException {
        Path prefix = directory.resolve("prefix");
        boolean expected = Files.exists(new ScrPrefix(prefix).index());
        boolean built = build(copy, id);
        outcome.same("build " + id + " succeeds", expected, built);
        if (!expected || !built) {
            outcome.compared("build refused");
            return;
        }
        List<Path> files;
        try (Stream<Path> paths = Files.walk(prefix)) {
            files = paths.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            String name = prefix.relativize(file).toString();
            Path made = copy.resolve(name);
            if (!Files.exists(made)) {
                outcome.differs("build " + id + ": " + name + " was not made");
            } else if (Files.mismatch(file, made) >= 0) {
                compareTrees("build " + id + ": " + name, file, made);
            }
        }
        outcome.compared("dataset built from what was saved, all " + files.size() + " files equal");
    }

    private boolean build(Path copy, int id) {
        Path recorded = Path.of(manifest.get("prefix_path_during_run").text());
        try {
            new IndexOperations(new ScrPrefix(copy), new NioEngine()).build(id, recorded);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Files of trees may differ in the order of keys and the index in its times. Redundancy files that SCR made again may say
     * more in their trees than those that it wrote at first.
     */
    private void compareTrees(String where, Path expected, Path made) throws IOException {
        ByteBuffer before = ByteBuffer.wrap(Files.readAllBytes(expected));
        ByteBuffer after = ByteBuffer.wrap(Files.readAllBytes(made));
        if (!KvTreeFile.isRecognised(StoredFiles.source(before.array()))) {
            outcome.differs(where + " is not what SCR has");
            return;
        }
        KvTreeFile one = KvTreeFile.read(StoredFiles.source(before.array()));
        KvTreeFile other = KvTreeFile.read(StoredFiles.source(after.array()));
        KvTree wanted = OperationsCase.withoutTimes(one.tree());
        KvTree found = OperationsCase.withoutTimes(other.tree());
        if (where.endsWith(".redset")) {
            KvTree joined = wanted.copy();
            joined.merge(other.tree());
            found = joined;
        } else if (where.endsWith("summary.scr")) {
            LEFT_OVER.forEach(wanted::remove);
        }
        outcome.same(where, wanted, found);
        outcome.same(
                where + ": data behind the tree",
                before.position(one.length()).slice(),
                after.position(other.length()).slice());
    }
}
