package io.drumlin.matrix;

import io.drumlin.matrix.Suite.Case;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;

/**
 * Cases of the suites as tests, in each I/O mode the engine has, and a table of how they ended. The system property
 * {@code drumlin.matrix} names the suites to run, separated by commas; without it all.
 */
public final class Matrix {

    /** Values of {@code ckpt_io} that the engine has. */
    public static final List<Integer> MODES = List.of(1, 2, 3, 4);

    /** Those that differ at all levels; 2 and 4 are like 1 but for level 4. */
    public static final List<Integer> MAIN_MODES = List.of(1, 3);

    private final Launcher launcher;
    private final Path directory;
    private final Map<String, int[]> table = new TreeMap<>();

    /**
     * @param directory run directories are made below it
     */
    public Matrix(Launcher launcher, Path directory) {
        this.launcher = launcher;
        this.directory = directory;
    }

    /** Which cases are run. */
    @FunctionalInterface
    public interface Choice {
        boolean takes(String suite, int index);
    }

    /** The tests of all suites, a container for each suite and mode. */
    public Stream<DynamicContainer> tests(List<Integer> modes, Choice choice) {
        List<DynamicContainer> containers = new ArrayList<>();
        String wanted = System.getProperty("drumlin.matrix", "");
        for (Suite suite : Suite.values()) {
            String name = suite.name().toLowerCase(Locale.ROOT);
            if (!wanted.isEmpty() && !List.of(wanted.split(",")).contains(name)) {
                continue;
            }
            for (int mode : modes) {
                List<DynamicTest> tests = new ArrayList<>();
                List<Case> cases = suite.cases();
                for (int i = 0; i < cases.size(); i++) {
                    if (choice.takes(name, i)) {
                        tests.add(test(name, mode, cases.get(i)));
                    }
                }
                containers.add(DynamicContainer.dynamicContainer(name + ", mode " + mode, tests));
            }
        }
        return containers.stream();
    }

    private DynamicTest test(String suite, int mode, Case each) {
        return DynamicTest.dynamicTest(each.name(), () -> {
            int[] count = table.computeIfAbsent(String.format("%-18s %4d", suite, mode), row -> new int[2]);
            count[0]++;
            Path folder = Files.createDirectory(directory.resolve(suite + "-" + mode + "-" + count[0]));
            each.body().play(new MatrixRun(launcher, folder, mode, each.changes()));
            count[1]++;
            delete(folder);
        });
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The table: a line for each suite and mode, and their sum. */
    public String table() {
        StringBuilder text =
                new StringBuilder(String.format("matrix: %-18s %4s %6s %7s%n", "suite", "mode", "cases", "passed"));
        int[] sum = new int[2];
        table.forEach((row, count) -> {
            text.append(String.format("matrix: %s %6d %7d%n", row, count[0], count[1]));
            sum[0] += count[0];
            sum[1] += count[1];
        });
        return text.append(String.format("matrix: %-23s %6d %7d%n", "total", sum[0], sum[1]))
                .toString();
    }
}
