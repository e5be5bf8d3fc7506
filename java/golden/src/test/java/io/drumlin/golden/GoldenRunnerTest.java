package io.drumlin.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoldenRunnerTest {

    /** A system whose engine refuses every call. */
    private static final GoldenCases REFUSING = new GoldenCases() {
        @Override
        public boolean understands(Map<String, Object> manifest) {
            return true;
        }

        @Override
        public Outcome run(Path directory, Map<String, Object> manifest) {
            throw new IllegalArgumentException("level 11 is not in 1..4");
        }
    };

    @TempDir
    private Path directory;

    @Test
    void aCallThatIsRefusedFailsItsCaseAndNotTheRun() throws IOException {
        Files.writeString(directory.resolve("manifest.json"), "{}");
        assertThat(new GoldenRunner(List.of(REFUSING)).run(directory).differences())
                .singleElement()
                .asString()
                .contains("level 11 is not in 1..4");
    }
}
