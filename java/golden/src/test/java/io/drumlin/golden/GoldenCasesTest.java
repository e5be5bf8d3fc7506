package io.drumlin.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The golden cases as tests; {@code scripts/golden} runs the same on any folder. */
@Tag("exhaustive")
class GoldenCasesTest {

    @TestFactory
    Stream<DynamicTest> cases() throws IOException {
        Path root = Path.of(System.getProperty("drumlin.golden", "golden"));
        boolean there = Files.isDirectory(root);
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as("golden files at %s", root).isTrue();
        }
        assumeTrue(there, () -> "no golden files at " + root);
        GoldenRunner runner = GoldenRunner.complete();
        Path base = root.toAbsolutePath().normalize();
        return GoldenRunner.cases(root).stream()
                .map(directory -> dynamicTest(base.relativize(directory).toString(), () -> {
                    Outcome outcome = runner.run(directory);
                    assumeFalse(outcome.isSkipped(), outcome::summary);
                    assertThat(outcome.differences()).isEmpty();
                }));
    }
}
