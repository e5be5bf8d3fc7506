package io.drumlin.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.drumlin.Golden;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
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
        Path root = Golden.path();
        GoldenRunner runner = GoldenRunner.complete();
        Path base = root.toAbsolutePath().normalize();
        return GoldenRunner.cases(root).stream()
                .map(directory -> dynamicTest(base.relativize(directory).toString(), () -> {
                    Outcome outcome = runner.run(directory);
                    assertThat(outcome.isSkipped()).as(outcome.summary()).isFalse();
                    assertThat(outcome.differences()).isEmpty();
                }));
    }
}
