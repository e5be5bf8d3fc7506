package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrConfigTest {

    @TempDir
    Path prefix;

    private ScrConfig config(Map<String, String> environment) {
        return new ScrConfig(environment).set("SCR_PREFIX", prefix.toString());
    }

    @Test
    void theEnvironmentComesBeforeTheFileAndThatBeforeTheProgram() throws IOException {
        Files.writeString(
                prefix.resolve(".scrconf"), "# of the user\nscr_flush=3\nSCR_SET_SIZE=4 # small\n\nSCR_COPY_TYPE=RS\n");
        ScrSettings settings = config(Map.of("SCR_COPY_TYPE", "XOR"))
                .set("SCR_COPY_TYPE", "PARTNER")
                .set("SCR_FLUSH", "7")
                .set("SCR_CACHE_SIZE", "9")
                .read();
        assertThat(settings.text("SCR_COPY_TYPE")).isEqualTo("XOR");
        assertThat(settings.text("SCR_FLUSH")).isEqualTo("3");
        assertThat(settings.text("SCR_SET_SIZE")).isEqualTo("4");
        assertThat(settings.text("SCR_CACHE_SIZE")).isEqualTo("9");
        assertThat(settings.text("SCR_FETCH")).as("default").isEqualTo("1");
    }

    /** What is set to what happens anyway is not worth a word. */
    @Test
    void whatNothingFollowsFromIsTold() throws IOException {
        Files.writeString(prefix.resolve(".scrconf"), "SCR_FLUSH_TYPE=SYNC\nSCR_LOG_ENABLE=0\nSCR_FLUSH_WIDTH=2\n");
        ScrSettings settings = config(
                        Map.of("SCR_DISTRIBUTE", "0", "SCR_DEBUG", "0", "HOME", "/", "SCR_COPYTYPE", "RS"))
                .set("SCR_FLUSH", "7")
                .read();
        assertThat(ScrConfig.unused(settings))
                .containsExactly("SCR_COPYTYPE=RS", "SCR_DISTRIBUTE=0", "SCR_FLUSH_WIDTH=2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CKPT=0 TYPE=XOR", "STORE=/ssd", "SCR_FLUSH", "SCR_FLUSH=1 SCR_DEBUG=1"})
    void linesThatAreNotSupportedAreRefused(String line) throws IOException {
        Files.writeString(prefix.resolve(".scrconf"), line);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> config(Map.of()).read())
                .withMessageContaining(line);
        assertThatIllegalArgumentException().isThrownBy(() -> config(Map.of()).set("CKPT", "0"));
    }
}
