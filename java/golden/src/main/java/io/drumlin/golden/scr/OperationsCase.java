package io.drumlin.golden.scr;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexListing;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Commands that were given to {@code scr_index} one after another, done again on a copy of the prefix directory. */
final class OperationsCase {

    private final Json manifest;
    private final Outcome outcome;
    private final IndexFile file;
    private final IndexOperations operations;
    private int replayed;

    private OperationsCase(Path prefix, Json manifest, Outcome outcome) {
        this.manifest = manifest;
        this.outcome = outcome;
        this.file = new IndexFile(new ScrPrefix(prefix), new NioEngine());
        this.operations = new IndexOperations(new ScrPrefix(prefix), new NioEngine());
    }

    static void compare(Path directory, Json manifest, Outcome outcome) throws IOException {
        Path prefix = Files.createTempDirectory("drumlin-golden");
        try {
            copy(directory.resolve("start"), prefix);
            new OperationsCase(prefix, manifest, outcome).replay();
        } finally {
            delete(prefix);
        }
    }

    private void replay() throws IOException {
        List<Json> steps = manifest.get("steps").list(step -> step);
        for (int i = 0; i < steps.size(); i++) {
            Json step = steps.get(i);
            List<String> arguments = step.get("args").list(Json::text);
            String where = "step " + i + " " + arguments;
            List<String> words = arguments.stream()
                    .flatMap(argument -> Stream.of(argument.split("=", 2)))
                    .toList();
            if (isOfTheCommandLine(words)) {
                continue;
            }
            KvTree before = file.read().tree();
            boolean lists = words.isEmpty() || words.get(0).matches("-l|--list");
            boolean succeeded = lists ? list(where, step) : change(words.get(0), words.get(1));
            outcome.same(where + ": succeeds", step.get("rc").number() == 0, succeeded);
            KvTree expected = step.has("tree") ? Trees.of(step.get("tree")) : before;
            if (!words.isEmpty() && words.get(0).equals("--drop-after")) {
                takeOverDeadCurrent(expected);
            }
            outcome.same(
                    where + ": index",
                    withoutTimes(expected),
                    withoutTimes(file.read().tree()));
            replayed++;
        }
        outcome.compared(replayed + " of " + steps.size()
                + " commands done again with equal lists and indexes (the others are about the command line)");
    }

    /**
     * With --drop-after, scr_index compares CURRENT with a name that it has freed, and leaves a CURRENT that names nothing.
     * Here the newest checkpoint that is left becomes CURRENT. The commands that follow are given to what scr_index left.
     */
    private void takeOverDeadCurrent(KvTree expected) throws IOException {
        Optional<String> current = expected.value("CURRENT");
        if (current.isPresent() && expected.find("NAME", current.get()) == null) {
            file.update(index -> index.tree().set("CURRENT", current.get()));
            outcome.compared("--drop-after made another dataset CURRENT, where scr_index leaves a name that is gone");
        }
    }

    /** Usage, unknown options, and the short option that scr_index documents and refuses. */
    private static boolean isOfTheCommandLine(List<String> words) {
        return !words.isEmpty() && words.get(0).matches("-h|--help|--bogus|-c");
    }

    private boolean list(String where, Json step) throws IOException {
        List<String> expected = step.get("stdout").list(OperationsCase::withoutTime);
        outcome.same(
                where,
                expected,
                IndexListing.lines(file.read()).stream()
                        .map(OperationsCase::blanked)
                        .toList());
        return true;
    }

    private boolean change(String option, String value) {
        try {
            switch (option) {
                case "-a", "--add" -> operations.add(value);
                case "-b", "--build" -> operations.build(Integer.parseInt(value));
                case "-d", "--drop" -> operations.drop(value);
                case "--drop-after" -> operations.dropAfter(value);
                case "--current" -> operations.current(value);
                default -> outcome.differs("option " + option + " is not known");
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String withoutTime(Json line) {
        return blanked(line.text());
    }

    /** Times of --add and --build are those of the run. */
    private static String blanked(String line) {
        return line.replaceFirst("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d", "TIME               ");
    }

    static KvTree withoutTimes(KvTree tree) {
        KvTree copy = tree.copy();
        Optional.ofNullable(copy.get("DSET"))
                .ifPresent(datasets -> datasets.entries().values().forEach(dataset -> dataset.remove("FLUSHED")));
        return copy;
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path copy = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(path, copy);
                }
            }
        }
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
