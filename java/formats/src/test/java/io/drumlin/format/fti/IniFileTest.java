package io.drumlin.format.fti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IniFileTest {

    private static final String TEXT =
            """
            # the run of Friday
            [Basic]
            Head = 0            ; no heads
            ckpt_dir="/scratch/a # b"   # quoted
            glbl_dir = 'x;y'
            long = one \\
                two
            head = 1
            [RESTART]
            failure=0
            exec_id = old # the last one
            """;

    @Test
    void readsTheDialect() throws DrumlinException {
        IniFile ini = IniFile.parse(TEXT, "config");
        assertThat(ini.get("basic", "head")).contains("1");
        assertThat(ini.get("basic", "ckpt_dir")).contains("/scratch/a # b");
        assertThat(ini.get("basic", "glbl_dir")).contains("x;y");
        assertThat(ini.get("basic", "long")).contains("one two");
        assertThat(ini.get("restart", "exec_id")).contains("old");
        assertThat(ini.get("restart", "none")).isEmpty();
    }

    @Test
    void changesOneValueAndNothingElse() throws DrumlinException {
        IniFile changed =
                IniFile.parse(TEXT, "config").with("restart", "failure", "1").with("restart", "exec_id", "new");
        assertThat(changed.text())
                .isEqualTo(TEXT.replace("failure=0", "failure=1").replace("exec_id = old #", "exec_id = new #"));
    }

    @Test
    void addsWhatIsMissing() throws DrumlinException {
        IniFile changed = IniFile.parse("[basic]\nhead = 0\n", "config")
                .with("basic", "verbosity", "2")
                .with("restart", "failure", "1")
                .with("restart", "exec_id", "x");
        assertThat(changed.get("basic", "verbosity")).contains("2");
        assertThat(changed.get("basic", "head")).contains("0");
        assertThat(changed.get("restart", "failure")).contains("1");
        assertThat(changed.get("restart", "exec_id")).contains("x");
    }

    @Test
    void refusesAWholeFileForOneLine() {
        assertThatThrownBy(() -> IniFile.parse("[basic]\nhead\n", "config.fti"))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("line 2 of config.fti");
        assertThatThrownBy(() -> IniFile.parse("[basic\n", "config.fti")).hasMessageContaining("line 1");
        assertThatThrownBy(() -> IniFile.parse("a = " + "x".repeat(2000), "config.fti"))
                .hasMessageContaining("1023");
    }

    @Test
    void readsLinesWhereverTheBufferEnds() throws DrumlinException {
        StringBuilder text = new StringBuilder("[section]\n");
        for (int i = 0; i < 10_000; i++) {
            text.append("key").append(i).append(" = value").append(i).append(i % 7 == 0 ? " \\\n more\n" : "\n");
        }
        text.append("last = without an end \\");
        IniFile ini = IniFile.parse(text.toString(), "config");
        for (int i = 0; i < 10_000; i++) {
            assertThat(ini.get("section", "key" + i)).contains("value" + i + (i % 7 == 0 ? " more" : ""));
        }
        assertThat(ini.get("section", "last")).contains("without an end");
        assertThat(ini.text()).isEqualTo(text.toString());
    }

    @Test
    void writesWhatItReads() throws DrumlinException {
        List<String> values =
                List.of("", "plain", "a b=c", "x;y", "#", " spaced ", "'a'", "\"", "it's", "a \"b\" #", "back\\");
        Map<String, String> section = new LinkedHashMap<>();
        values.forEach(value -> section.put("key" + section.size(), value));
        String text = IniFile.dump(Map.of("section", section));
        assertThat(IniFile.parse(text, "dump").section("section")).isEqualTo(section);
        assertThat(text).contains("= plain\n", "= a b=c\n", "= it's\n", "= \"x;y\"\n", "= 'a \"b\" #'\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"two\nlines", "zero\0", "\u20ac", "'\"'#", "long"})
    void refusesToWriteWhatItCouldNotRead(String value) {
        String written = value.equals("long") ? value.repeat(250) : value;
        assertThatThrownBy(() -> IniFile.dump(Map.of("section", Map.of("key", written))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
