package io.drumlin.golden;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.ManifestException;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.fti.FtiCases;
import io.drumlin.golden.ftiff.FtiFfCases;
import io.drumlin.golden.gsd.GsdCases;
import io.drumlin.golden.scr.ScrCases;
import io.drumlin.golden.sion.SionCases;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs every golden case below a directory. A case is a directory with a {@code manifest.json}. */
public final class GoldenRunner {

    private static final String MANIFEST = "manifest.json";

    private final List<GoldenCases> systems;

    /**
     * Makes a runner.
     *
     * @param systems what is understood, tried in this order
     */
    public GoldenRunner(List<GoldenCases> systems) {
        this.systems = List.copyOf(systems);
    }

    /**
     * A runner for everything Drumlin reads and writes.
     *
     * @return a runner
     */
    public static GoldenRunner complete() {
        return new GoldenRunner(
                List.of(new FtiFfCases(), new FtiCases(), new ScrCases(), new SionCases(), new GsdCases()));
    }

    /**
     * Runs all cases and prints a line for each; the last line is {@code N passed, N failed, N skipped}. Ends the process
     * with 0, with 1 if a case failed, or with 2 if there is none.
     *
     * @param arguments the directory
     * @throws IOException the directory cannot be walked
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("Usage: golden DIR");
            System.exit(2);
        }
        Path root = Path.of(arguments[0]);
        List<Path> cases = Files.isDirectory(root) ? cases(root) : List.of();
        if (cases.isEmpty()) {
            System.err.println("golden: no " + MANIFEST + " at or below " + root);
            System.exit(2);
        }
        System.exit(complete().run(root, cases, System.out) ? 0 : 1);
    }

    /**
     * Finds the cases.
     *
     * @param root the golden root, the folder of a system or one case
     * @return directories with a manifest, sorted
     * @throws IOException the directory cannot be walked
     */
    public static List<Path> cases(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(path -> path.endsWith(MANIFEST))
                    .map(path -> path.toAbsolutePath().normalize().getParent())
                    .sorted()
                    .toList();
        }
    }

    private boolean run(Path root, List<Path> cases, PrintStream out) {
        Path base = root.toAbsolutePath().normalize();
        int passed = 0;
        int failed = 0;
        int skipped = 0;
        for (Path directory : cases) {
            Outcome outcome = run(directory);
            String name = directory.equals(base)
                    ? String.valueOf(directory.getFileName())
                    : base.relativize(directory).toString();
            String word = outcome.isFailed() ? "FAIL" : outcome.isSkipped() ? "SKIP" : "PASS";
            out.println(word + " " + name + ": " + outcome.summary());
            outcome.differences().forEach(difference -> out.println("     " + difference));
            passed += word.equals("PASS") ? 1 : 0;
            failed += word.equals("FAIL") ? 1 : 0;
            skipped += word.equals("SKIP") ? 1 : 0;
        }
        out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        return failed == 0;
    }

    /**
     * Runs one case.
     *
     * @param directory a directory with a manifest
     * @return what came of it; a manifest or file that cannot be read, or a call that is refused, is a failure of this case
     */
    public Outcome run(Path directory) {
        try {
            Map<String, Object> manifest =
                    JSON.std.mapFrom(directory.resolve(MANIFEST).toFile());
            for (GoldenCases system : systems) {
                if (system.understands(manifest)) {
                    return system.run(directory, manifest);
                }
            }
            return Outcome.skipped("a case of a format that cannot be read yet");
        } catch (IOException | ManifestException e) {
            Outcome outcome = new Outcome();
            outcome.differs(String.valueOf(e.getMessage()));
            return outcome;
        } catch (RuntimeException e) {
            Outcome outcome = new Outcome();
            outcome.differs(e.toString());
            return outcome;
        }
    }
}
