package io.drumlin.golden.gsd;

import io.drumlin.format.FormatException;
import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.GsdFile;
import io.drumlin.gsd.Strictness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** GSD cases: reads files, and writes them again where the manifest gives the calls. */
public final class GsdCases implements GoldenCases {

    /** Makes the reader and writer of these cases. */
    public GsdCases() {}

    @Override
    public boolean understands(Map<String, Object> manifest) {
        return manifest.get("producer") instanceof Map<?, ?> producer
                && String.valueOf(producer.get("library")).startsWith("gsd ");
    }

    @Override
    public Outcome run(Path directory, Map<String, Object> manifest) throws IOException {
        Path scratch = Files.createTempDirectory("drumlin-golden-gsd");
        try {
            Outcome outcome = new Outcome();
            run(directory, Json.root(manifest), scratch, outcome);
            return outcome;
        } finally {
            delete(scratch);
        }
    }

    private static void run(Path directory, Json manifest, Path scratch, Outcome outcome) throws IOException {
        if (manifest.has("cases")) {
            new BadFiles(directory, scratch, outcome).compare(manifest);
            return;
        }
        Expectation expected = new Expectation(manifest.get("expected"), outcome);
        if (manifest.has("file")) {
            Path file = directory.resolve(manifest.get("file").text());
            expected.compareBytes("golden file", file);
            read("golden file", expected, file, outcome);
            if (manifest.has("expected_frames")) {
                new HoomdComparison(manifest, outcome).compare("golden file", file);
            }
        }
        if (manifest.has("input_frames") && manifest.get("byte_exact").bool()) {
            Path ours = scratch.resolve("hoomd.gsd");
            new HoomdComparison(manifest, outcome).write(ours, expected.application());
            expected.compareBytes("frames added again", ours);
            outcome.compared("frames added again give equal bytes");
        }
        if (manifest.has("ops") && manifest.get("byte_exact").bool()) {
            rewrite(directory, manifest, expected, scratch, outcome);
        }
    }

    private static void read(String what, Expectation expected, Path file, Outcome outcome) throws IOException {
        if (expected.open().equals("SUCCESS")) {
            expected.compareContents(what, file);
            outcome.compared("read " + what);
            return;
        }
        try (GsdFile open = GsdFile.open(file, Access.READ)) {
            outcome.same(what + ": open", expected.open(), open.frameCount() + " frames");
        } catch (FormatException e) {
            outcome.same(what + ": open", expected.open(), BadFiles.code(e));
            outcome.compared(what + " refused: " + e.finding());
        }
    }

    private static void rewrite(Path directory, Json manifest, Expectation expected, Path scratch, Outcome outcome)
            throws IOException {
        Path ours = scratch.resolve("rewritten.gsd");
        replay(directory, manifest, ours, Strictness.REFERENCE, outcome);
        expected.compareBytes("rewritten", ours);
        outcome.compared("written again to equal bytes");
        if (!expected.open().equals("SUCCESS")) {
            Files.delete(ours);
            // Safe files are not refused, and refuse some calls: what each call gives is not compared.
            replay(directory, manifest, ours, Strictness.SAFE, new Outcome());
            try (GsdFile open = GsdFile.open(ours, Access.READ)) {
                outcome.compared("with Strictness.SAFE the same calls make a file of " + open.frameCount() + " frames");
            }
        } else if (!manifest.has("file")) {
            expected.compareContents("rewritten", ours);
        }
    }

    private static void replay(Path directory, Json manifest, Path ours, Strictness strictness, Outcome outcome)
            throws IOException {
        try (CallSequence calls = new CallSequence(directory, ours, strictness, outcome)) {
            for (Json call : manifest.get("ops").list(each -> each)) {
                calls.make(call);
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
