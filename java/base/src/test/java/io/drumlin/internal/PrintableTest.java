package io.drumlin.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.format.Finding;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PrintableTest {

    @Test
    void terminalsGetNothingToObey() {
        assertThat(Printable.text("a\u001b[2J\r\n\u0000\u007f\u009b31m"))
                .isEqualTo("a\\x1b[2J\\x0d\\x0a\\x00\\u007f\\u009b31m");
        assertThat(Printable.text("fti\u202egpj\u2028\udcff\ud800")).isEqualTo("fti\\u202egpj\\u2028\\xff\\ud800");
    }

    @Test
    void whatCanBeSeenStays() {
        String text = "Gr\u00f6\u00dfe \u03b5 \u4e2d \ud83d\ude00 100 % \\ '";
        assertThat(Printable.text(text)).isEqualTo(text);
    }

    /** Whatever a message is made of. */
    @Test
    void messagesAreOneLine() {
        assertThat(DrumlinException.during("reading")
                        .path(Path.of("/tmp/\u001b[31mred"))
                        .problem("'x\ny' is no name")
                        .exception())
                .hasMessage("reading in /tmp/\\x1b[31mred failed: 'x\\x0ay' is no name");
        assertThat(new Finding("name\u001b", 0, "is \u0007")).hasToString("name\\x1b at offset 0: is \\x07");
    }
}
