package io.drumlin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Limits in lines of code, without comments and blank lines, for all modules. What exceeds them is listed with a number of its own,
 * which becomes smaller: an entry that is more than {@value #SLACK} above the lines that there are has to be lowered.
 */
@Tag("exhaustive")
class SizesTest {

    private static final int SLACK = 200;

    private static final int MOST_OF_A_PACKAGE = 2000;

    private static final Map<String, Integer> LARGER_PACKAGES = Map.of(
            "io.drumlin.bench", 3700,
            "io.drumlin.sion", 3300);

    private static final int MOST_OF_A_CLASS = 500;

    private static final Map<String, Integer> LARGER_CLASSES = Map.of(
            "io.drumlin.checkpoint.internal.run.EngineCheckpoints", 550,
            "io.drumlin.fti.FTI", 600,
            "io.drumlin.gsd.internal.FrameWriter", 650,
            "io.drumlin.sion.SION", 900);

    /** All lines of the modules that need no MPI. */
    private static final int BUDGET = 61_061;

    private static final int MOST_ROOMS_OF_THE_ENGINE = 32;

    @Test
    void packagesAreSmall() {
        check(sums(SourceFile::packageName), MOST_OF_A_PACKAGE, LARGER_PACKAGES);
    }

    @Test
    void classesAreSmall() {
        check(sums(SourceFile::name), MOST_OF_A_CLASS, LARGER_CLASSES);
    }

    @Test
    void coreKeepsItsBudget() {
        int lines = sums(SourceFile::module).entrySet().stream()
                .filter(module -> List.of("base", "formats", "sion", "gsd", "scr", "checkpoint")
                        .contains(module.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
        assertThat(lines)
                .as("lines of code of core: find what can go, or raise BUDGET in a commit that says what they are for")
                .isLessThanOrEqualTo(BUDGET);
        assertThat(lines).as("lines of code of core: lower BUDGET to them").isGreaterThanOrEqualTo(BUDGET - SLACK);
    }

    @Test
    void theEngineHasFewRooms() {
        assertThat(sums(SourceFile::packageName).keySet().stream()
                        .filter(name -> name.startsWith("io.drumlin.checkpoint.internal.")))
                .as("rooms of the engine: at most 25 are wanted, so the number may become smaller, not larger")
                .hasSize(MOST_ROOMS_OF_THE_ENGINE);
    }

    @Test
    void countsCodeOnly() {
        String text =
                """
                package a; // here

                /** Not
                 * this. */
                class B {
                    String c = "/* code */ // code";
                    char d = '"'; /* no code
                    */

                }
                """;
        assertThat(SourceFile.of("m", "B", text).lines()).isEqualTo(5);
    }

    private static Map<String, Integer> sums(Function<SourceFile, String> part) {
        Map<String, Integer> sums = SourceFile.all().stream()
                .collect(Collectors.groupingBy(part, TreeMap::new, Collectors.summingInt(SourceFile::lines)));
        assertThat(sums).hasSizeGreaterThan(10);
        return sums;
    }

    private static void check(Map<String, Integer> lines, int most, Map<String, Integer> larger) {
        assertThat(lines.keySet()).as("the list names what there is").containsAll(larger.keySet());
        lines.forEach((name, count) -> {
            int limit = larger.getOrDefault(name, most);
            assertThat(count)
                    .as("lines of code of " + name + ": find what can go, or what belongs elsewhere")
                    .isLessThanOrEqualTo(limit);
            assertThat(!larger.containsKey(name) || count > Math.max(limit - SLACK, most))
                    .as(name + " has only " + count + " lines of code: lower its entry of " + limit)
                    .isTrue();
        });
    }
}
