package io.drumlin.checkpoint.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FtiConfigTest {

    @TempDir
    Path directory;

    private FtiConfig config(Map<String, String> changes) throws IOException {
        return FtiConfig.parse(Files.readString(new RunFixture(directory, changes).config()), "config.fti");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    basic.head | 2 | 0 or 1
                    basic.inline_l2 | 0 | 1 while head = 0
                    basic.node_size | 0 | 1 to 256
                    basic.node_size | 257 | 1 to 256
                    basic.group_size | 0 | 1 or more
                    basic.keep_last_ckpt | 2 | 0 or 1
                    basic.keep_l4_ckpt | maybe | 0 or 1
                    basic.keep_heads_alive | 1 | 0 while head
                    basic.verbosity | 4 | 1 to 3
                    basic.verbosity | 0 | 1 to 3
                    basic.ckpt_dir | '' | the path of a directory
                    basic.ckpt_l3 | 1 | 2 or more, and
                    drumlin.keep_l2 | 2 | 2 or more, and
                    drumlin.keep_l3 | 2 | 2 or more, and
                    restart.failure | 4 | 0 (fresh), 1 (restart)
                    advanced.block_size | 0 | 1 to 2048
                    advanced.block_size | 2049 | 1 to 2048
                    advanced.local_test | 2 | 0 or 1
                    advanced.fast_forward | 11 | 1 to 10
                    drumlin.packing | loose | aligned or compact
                    drumlin.ckpt_interval | 5 | auto, or nothing
                    drumlin.ckpt_interval | auto | mtbf_l1
                    drumlin.slab_memory | 1 | 2 to 512
                    drumlin.slab_memory | 513 | 2 to 512
                    drumlin.slab_memory | many | 2 to 512
                    """)
    void refusesBadValuesWithKeyValueAndRange(String key, String value, String allowed) {
        String name = key.substring(key.indexOf('.') + 1);
        assertThatThrownBy(() -> config(Map.of(key, value)))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("config.fti")
                .hasMessageContaining(allowed.equals("2 or more, and") ? "group_size" : name)
                .hasMessageContaining(allowed);
    }

    @ParameterizedTest
    @CsvSource({"2, 64", "3, 64", "4, 128", "31, 512", "32, 1024", "100, 2048", "512, 16384"})
    void dividesTheMemoryIntoSlabsOfAPowerOfTwo(String mebibytes, int kibibytesOfASlab) throws IOException {
        assertThat(config(Map.of("drumlin.slab_memory", mebibytes)).slabBytes()).isEqualTo(kibibytesOfASlab << 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "NaN", "Infinity"})
    void refusesTimesBetweenFailuresThatAreNoHours(String hours) {
        assertThatThrownBy(() -> config(Map.of("drumlin.ckpt_interval", "auto", "drumlin.mtbf_l4", hours)))
                .hasMessageContaining("[drumlin] mtbf_l4 is \"" + hours + "\"")
                .hasMessageContaining("hours above 0");
    }

    @Test
    void theKeysForLustreAreHints() throws IOException {
        assertThat(config(Map.of()).stripeHints()).isEmpty();
        assertThat(config(Map.of(
                                "advanced.lustre_stiping_unit", "4194304",
                                "advanced.lustre_stiping_factor", "8",
                                "advanced.lustre_stiping_offset", "0"))
                        .stripeHints())
                .isEqualTo(Map.of("striping_unit", "4194304", "striping_factor", "8", "start_iodevice", "0"));
        assertThat(config(Map.of("advanced.lustre_stiping_factor", "-1", "advanced.lustre_stiping_offset", "-1"))
                        .stripeHints())
                .isEmpty();
    }

    @Test
    void aNodeWithAHeadHasARankOfTheApplicationToo() {
        assertThatThrownBy(() -> config(Map.of("basic.head", "1", "basic.node_size", "1")))
                .hasMessageContaining("[basic] node_size is \"1\"")
                .hasMessageContaining("2 to 256");
    }

    @Test
    void aDirectoryNameThatLeavesTheRunIsRefused() {
        for (String id : new String[] {"", "..", "a/b", "../x"}) {
            assertThatThrownBy(() -> config(Map.of("restart.failure", "1", "restart.exec_id", id)))
                    .hasMessageContaining("exec_id");
        }
    }

    @Test
    void aPathThatIsNoUtf8IsRefusedAndNotMadeUnderAnotherName() {
        // One character per byte: Latin-1 on disk.
        assertThatThrownBy(() -> config(Map.of("basic.ckpt_dir", "/scratch/M\u00fcller")))
                .hasMessageContaining("ckpt_dir")
                .hasMessageContaining("UTF-8");
    }

    @Test
    void keepsGoldenDefaults() throws IOException {
        FtiConfig config = config(Map.of("basic.max_sync_intv", "100", "basic.ckpt_l1", "3"));
        assertThat(config.maxSyncIntv()).isEqualTo(64);
        assertThat(config.interval(Level.L1)).isEqualTo(3);
        assertThat(config.interval(Level.L4)).isEqualTo(-1);
        assertThat(config.packing()).isEqualTo(Packing.ALIGNED);
        assertThat(config.maxVarId()).isEqualTo(102400);
        assertThat(config.fastForward()).isEqualTo(1);
        assertThat(config.slabBytes()).isEqualTo(SlabPool.SLAB_BYTES);
    }

    @Test
    void aRestartFromASharedHdf5FileIsANewRun() throws IOException {
        FtiConfig shared = config(Map.of("basic.ckpt_io", "5", "restart.failure", "3", "restart.exec_id", "a/b"));
        assertThat(shared.isFromSingleFile()).isTrue();
        assertThat(shared.failure()).isZero();
        FtiConfig other = config(Map.of("basic.ckpt_io", "3", "restart.failure", "3"));
        assertThat(other.isFromSingleFile()).isFalse();
        assertThat(other.failure()).isZero();
    }

    @Test
    void readsTheKeysOfSharedHdf5Files() throws IOException {
        SingleFileConfig defaults = config(Map.of()).singleFile();
        assertThat(defaults.enable()).isFalse();
        assertThat(defaults.keep()).isFalse();
        assertThat(defaults.inline()).isTrue();
        assertThat(defaults.file(12)).isEqualTo(config(Map.of()).glblDir().resolve("VPR-h5-ID00000012.h5"));
        SingleFileConfig given = config(Map.of(
                        "basic.h5_single_file_enable", "1",
                        "basic.h5_single_file_dir", "/shared",
                        "basic.h5_single_file_prefix", "p+q",
                        "basic.h5_single_file_keep", "y"))
                .singleFile();
        assertThat(given.enable()).isTrue();
        assertThat(given.keep()).isTrue();
        assertThat(given.file(1_234_567_890)).isEqualTo(Path.of("/shared/p+q-ID1234567890.h5"));
        assertThat(given.ckptId(given.file(7))).isEqualTo(7);
        assertThat(given.ckptId(Path.of("pq-ID00000007.h5"))).isEqualTo(-1);
        assertThat(given.ckptId(Path.of("p+q-ID9999999999.h5"))).isEqualTo(-1);
        assertThat(given.unfinished("run")).isEqualTo(Path.of("/shared/p+q-run.h5.tmp"));
        assertThat(given.ckptId(given.unfinished("ID00000007"))).isEqualTo(-1);
        assertThatThrownBy(() -> config(Map.of("basic.h5_single_file_inline", "0")))
                .hasMessageContaining("allowed: 1 while head = 0");
        assertThatThrownBy(() -> config(Map.of("basic.h5_single_file_prefix", "a/b")))
                .hasMessageContaining("without slashes");
    }

    @Test
    void namesOfSharedHdf5FilesHaveTheDigitsOfC() throws IOException {
        SingleFileConfig single = config(Map.of()).singleFile();
        Locale before = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG"));
        try {
            assertThat(String.format("%d", 12)).as("digits of the locale").isNotEqualTo("12");
            assertThat(single.file(12).getFileName()).hasToString("VPR-h5-ID00000012.h5");
            assertThat(single.ckptId(single.file(12))).isEqualTo(12);
        } finally {
            Locale.setDefault(Locale.Category.FORMAT, before);
        }
    }

    /** As in C FTI; without a word of it in the file, too. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 3", "4, 4", "0, 1", "5, 5", "6, 1", "7, 1"})
    void anUnknownIoModeIsPosix(String value, int mode) throws IOException {
        assertThat(config(Map.of("basic.ckpt_io", value)).mode().number()).isEqualTo(mode);
    }

    @ParameterizedTest
    @CsvSource({"12, 12", "0x10, 16", "010, 8", "-3, -3", "7abc, 7", "abc, 0", "99999999999, 2147483647", "09, 0"})
    void readsIntegersAsStrtolDoes(String text, int value) {
        assertThat(ConfigValues.parseInteger(text)).isEqualTo(value);
    }

    /** As the other directories: the command may run somewhere else than the program. */
    @Test
    void relativePathsBeginInTheWorkingDirectoryOfTheProgram() throws IOException {
        Map<String, String> relative = Map.of("basic.glbl_dir", "global/run");
        String text = Files.readString(new RunFixture(directory, relative).config());
        FtiConfig config = FtiConfig.parse(text, "config.fti", Path.of("/somewhere"));
        assertThat(config.glblDir()).isEqualTo(Path.of("/somewhere/global/run"));
    }

    /** The text of a configuration has a character for each byte. */
    @Test
    void namesHaveTheirCharacters() throws IOException {
        FtiConfig config = FtiConfig.parse(
                new String(
                        Files.readAllBytes(new RunFixture(
                                        directory,
                                        Map.of(
                                                "basic.glbl_dir",
                                                directory + "/pr\u00e4fix/glbl",
                                                "basic.h5_single_file_prefix",
                                                "\u00e4"))
                                .config()),
                        StandardCharsets.ISO_8859_1),
                "config.fti");
        assertThat(config.glblDir()).isEqualTo(directory.resolve("pr\u00e4fix/glbl"));
        assertThat(config.singleFile().file(1).getFileName()).hasToString("\u00e4-ID00000001.h5");
        assertThatThrownBy(() -> config(Map.of("basic.glbl_dir", directory + "/\u00ff")))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("a path in UTF-8");
    }
}
