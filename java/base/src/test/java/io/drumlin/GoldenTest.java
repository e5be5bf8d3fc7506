package io.drumlin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GoldenTest {

    @Test
    void aMissingFileFailsATestWithWords() {
        assertThat(Golden.path("gsd", "v10_names", "file.gsd")).isRegularFile();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Golden.path("gsd", "nowhere"))
                .withMessageContaining(Path.of("gsd", "nowhere") + ".")
                .withMessageContaining("-Ddrumlin.golden");
    }
}
