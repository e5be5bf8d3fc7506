package io.drumlin.matrix;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.matrix.Suite.Case;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
    public static final List<Integer> MODES = List.of(1, 2, 3, 4, 5);

    /** Those that differ most: 2 and 4 are like 1 but for level 4, 5 but for what is in a file. */
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

    /** C FTI's names for who does the work of a checkpoint. */
    public enum Preset {
        /** No heads. */
        H0I1(Map.of()),
        /** Heads, but the application itself. */
        H1I1(Map.of("basic.head", "1")),
        /** Heads that do it behind the computation. */
        H1I0(RunFixture.settings("head=1, inline_l2=0, inline_l3=0, inline_l4=0, h5_single_file_inline=0")),
        /** Not C FTI's: no heads, and a thread of each rank does it behind the computation. */
        THREAD(Map.of("drumlin.async", "1"));

        private final Map<String, String> changes;

        Preset(Map<String, String> changes) {
            this.changes = changes;
        }
    }

    /** The tests of all suites, a container for each suite, mode and preset. A suite that is for none of the modes is run in its own. */
    public Stream<DynamicContainer> tests(List<Integer> modes, List<Preset> presets, Choice choice) {
        List<DynamicContainer> containers = new ArrayList<>();
        String wanted = System.getProperty("drumlin.matrix", "");
        for (Suite suite : Suite.values()) {
            String name = suite.name().toLowerCase(Locale.ROOT);
            if (!wanted.isEmpty() && !List.of(wanted.split(",")).contains(name)) {
                continue;
            }
            for (int mode : modesOf(suite, modes)) {
                for (Preset preset : presets) {
                    if (suite.hasPreset(preset)) {
                        List<DynamicTest> tests = tests(suite, name, mode, preset, choice);
                        containers.add(
                                DynamicContainer.dynamicContainer(name + ", mode " + mode + ", " + preset, tests));
                    }
                }
            }
        }
        return containers.stream();
    }

    private static List<Integer> modesOf(Suite suite, List<Integer> wanted) {
        List<Integer> both = wanted.stream().filter(suite::hasMode).toList();
        return both.isEmpty() ? MODES.stream().filter(suite::hasMode).toList() : both;
    }

    private List<DynamicTest> tests(Suite suite, String name, int mode, Preset preset, Choice choice) {
        List<DynamicTest> tests = new ArrayList<>();
        List<Case> cases = suite.cases();
        for (int i = 0; i < cases.size(); i++) {
            if (choice.takes(name, i)) {
                tests.add(test(name, mode, preset, cases.get(i)));
            }
        }
        return tests;
    }

    private DynamicTest test(String suite, int mode, Preset preset, Case each) {
        return DynamicTest.dynamicTest(each.name(), () -> {
            String row = String.format("%-18s %4d %6s", suite, mode, preset);
            int[] count = table.computeIfAbsent(row, any -> new int[2]);
            count[0]++;
            Path folder = Files.createDirectory(directory.resolve(suite + "-" + mode + "-" + preset + "-" + count[0]));
            Map<String, String> changes = new HashMap<>(preset.changes);
            changes.putAll(each.changes());
            each.body().play(new MatrixRun(launcher, folder, mode, changes));
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

    /** The table: a line for each suite, mode and preset, and their sum. */
    public String table() {
        StringBuilder text = new StringBuilder(
                String.format("matrix: %-18s %4s %6s %6s %7s%n", "suite", "mode", "preset", "cases", "passed"));
        int[] sum = new int[2];
        table.forEach((row, count) -> {
            text.append(String.format("matrix: %s %6d %7d%n", row, count[0], count[1]));
            sum[0] += count[0];
            sum[1] += count[1];
        });
        return text.append(String.format("matrix: %-30s %6d %7d%n", "total", sum[0], sum[1]))
                .toString();
    }
}
