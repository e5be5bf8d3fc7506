package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As Linux tells of virtio devices. */
class FreePageReportingTest {

    @TempDir
    private Path driver;

    @ParameterizedTest
    @CsvSource({"0110010100, true", "0110000100, false", "01100, false", "'', false", "000001, true"})
    void isAFeatureOfTheBalloon(String features, boolean on) throws IOException {
        Files.writeString(driver.resolve("bind"), "");
        Files.writeString(Files.createDirectory(driver.resolve("virtio3")).resolve("features"), features + "\n");
        assertThat(FreePageReporting.isOn(driver)).isEqualTo(on);
    }

    @Test
    void isOffWhereThereIsNoBalloon() throws IOException {
        assertThat(FreePageReporting.isOn(driver)).isFalse();
        assertThat(FreePageReporting.isOn(driver.resolve("missing"))).isFalse();
        Files.createDirectory(driver.resolve("virtio3"));
        assertThat(FreePageReporting.isOn(driver)).isFalse();
    }
}
