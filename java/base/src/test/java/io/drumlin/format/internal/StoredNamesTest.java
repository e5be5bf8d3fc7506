package io.drumlin.format.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredNamesTest {

    private static final Path HERE = Path.of("/data/here");

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "/a", "a/", "a\0b", "\udcff"})
    void noFileHasSuchAName(String name) {
        assertThatExceptionOfType(DrumlinException.class).isThrownBy(() -> StoredNames.file(HERE, name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "...", "..a", "-rf", " ", "a b"})
    void otherNamesAreGood(String name) throws DrumlinException {
        assertThat(StoredNames.file(HERE, name)).isEqualTo(HERE.resolve(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "..", "../hereafter", "a/..", "a/../..", "/", "/data", "/data/hereafter/x", "a\0b"})
    void whatIsNotBelowIsRefused(String name) {
        assertThatExceptionOfType(DrumlinException.class).isThrownBy(() -> StoredNames.below(HERE, name));
    }

    @ParameterizedTest
    @CsvSource({"a, a", "a/b, a/b", "./a, a", "a/../b, b", "../here/a, a", "/data/here/a, a"})
    void whatIsBelowIsFound(String name, String place) throws DrumlinException {
        assertThat(StoredNames.below(HERE, name)).isEqualTo(HERE.resolve(place));
    }

    @Test
    void bytesThatNoPathCanHaveAreToldWithAdvice() {
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> StoredNames.path("no\udcffutf8"))
                .withMessageContaining("cannot be the name of a file in this locale")
                .withMessageContaining("LC_ALL");
    }
}
