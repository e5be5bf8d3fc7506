package io.drumlin.checkpoint.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownKeysTest {

    @TempDir
    private Path directory;

    private FtiConfig config(String key, String value) throws IOException {
        return FtiConfig.parse(Files.readString(new RunFixture(directory, Map.of(key, value)).config()), "config.fti");
    }

    @ParameterizedTest
    @CsvSource({
        "drumlin.slab_memorry, 100, did you mean slab_memory?",
        "drumlin.leese, 100, did you mean lease?",
        "drumlin.compression, zlib, the keys are packing"
    })
    void keysOfOursThatThereAreNotAreRefused(String key, String value, String words) {
        assertThatThrownBy(() -> config(key, value))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("[drumlin] has no key " + key.substring("drumlin.".length()))
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @CsvSource({
        "basic.ckpt_io, ftiff, did you mean 3 (FTI-FF)?",
        "basic.ckpt_io, FTI-FF, did you mean 3 (FTI-FF)?",
        "basic.ckpt_io, mpi-io, did you mean 2 (MPI-IO)?",
        "basic.ckpt_io, hdf, did you mean 5 (HDF5)?",
        "basic.ckpt_io, fast, '1 (POSIX), 2 (MPI-IO), 3 (FTI-FF), 4 (SIONlib), 5 (HDF5)'",
        "basic.head, none, 0 or 1",
        "basic.node_size, four, 1 to 256",
        "basic.ckpt_l1, often, a whole number",
        "drumlin.slab_memory, lots, 2 to 512",
        "drumlin.slab_memory, 2 GiB, 2 to 512",
        "drumlin.slab_memory, 32M, 2 to 512",
        "drumlin.lease, never, 0 to 1440"
    })
    void wordsInPlaceOfNumbersAreRefused(String key, String value, String words) {
        assertThatThrownBy(() -> config(key, value))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("is \"" + value + "\"")
                .hasMessageContaining(words);
    }

    /** As C FTI has it, numbers of its keys may be followed by anything. */
    @Test
    void unitsOfFtisNumbersAreIgnored() throws IOException {
        assertThat(config("basic.node_size", "4 ranks").nodeSize()).isEqualTo(4);
        assertThat(config("basic.ckpt_l1", "").interval(Level.L1)).isNegative();
    }

    @Test
    void thePageHasEveryKey() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("drumlin.root"), "docs", "configuration.md"));
        for (String section : KnownKeys.sections()) {
            String part = page.substring(page.indexOf("\n## [" + section + "]"));
            assertThat(KnownKeys.keys(section)).as(section).allSatisfy(key -> assertThat(part)
                    .contains("`" + key + "`"));
        }
    }

    @Test
    void whatLooksLikeAKeyOfFtiIsToldOnce() throws IOException {
        IniFile ini = IniFile.parse(
                "[basic]\nkeep_last_chkpt = 1\nckpt_io = 3\nmpi_tag = 5\nlocal_test = 1\n"
                        + "[restarts]\n[mine]\nckptio = 3\n[advanced]\nblocksize = 1\n",
                "config.fti");
        assertThat(KnownKeys.suspicions(ini))
                .containsExactly(
                        "[basic] keep_last_chkpt has no effect; did you mean keep_last_ckpt?",
                        "[basic] local_test has no effect; did you mean local_test in [advanced]?",
                        "section [restarts] has no effect; did you mean [restart]?",
                        "[advanced] blocksize has no effect; did you mean block_size?");

        assertThat(told("basic.keep_last_chkpt", "1"))
                .containsExactly("[basic] keep_last_chkpt has no effect; did you mean keep_last_ckpt?");
    }

    @Test
    void valuesThatAreProbablyNotMeantAreTold() throws IOException {
        assertThat(KnownKeys.suspicions(IniFile.parse(
                        "[basic]\nckpt_dir = /scratch/a#1\nglbl_dir = /scratch/a ; here\nmeta_dir = \"/m;1\" # there\n"
                                + "head = 0#\n",
                        "config.fti")))
                .containsExactly(
                        "[basic] ckpt_dir is /scratch/a, because a comment begins at the # of /scratch/a#1; if it belongs to"
                                + " the value, put quotes around that",
                        "[basic] head is 0, because a comment begins at the # of 0#; if it belongs to the value, put quotes"
                                + " around that",
                        "[basic] ckpt_dir and glbl_dir are the same directory: ckpt_dir is storage of each node, glbl_dir is"
                                + " on the parallel file system, and the loss of the one would be the loss of both");
        assertThatThrownBy(() -> IniFile.parse("\u00EF\u00BB\u00BF[basic]\nhead = 0\n", "config.fti"))
                .hasMessageContaining("line 1")
                .hasMessageContaining("byte order mark");
    }

    /** Each rank has its own: the directory of a job on its node is another one in the next job. */
    @Test
    void directoriesMayNameVariables() throws IOException {
        String home = System.getenv("PATH");
        RunFixture run = new RunFixture(directory, "ckpt_dir=/a/$PATH/c, glbl_dir=/a/${PATH}c, meta_dir=/m$");
        String text = Files.readString(run.config());
        FtiConfig config = FtiConfig.parse(text, "config.fti");
        assertThat(config.ckptDir()).isEqualTo(Path.of("/a/" + home + "/c"));
        assertThat(config.glblDir()).isEqualTo(Path.of("/a/" + home + "c"));
        assertThat(config.metaDir()).isEqualTo(Path.of("/m$"));
        assertThat(config.ini().text()).isEqualTo(text);
        assertThatThrownBy(() -> FtiConfig.parse(text.replace("$PATH", "$NOT_SET_1"), "config.fti"))
                .hasMessageContaining("[basic] ckpt_dir")
                .hasMessageContaining("NOT_SET_1 is not set here (mpirun -x NOT_SET_1 passes it on)");
    }

    /** What a run of two ranks says of a key of its configuration. */
    private List<String> told(String key, String value) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of(key, value));
        List<String> told = EngineLog.messages(() -> run.run(2, (checkpoints, comm) -> checkpoints.complete()));
        String name = run.config() + ": ";
        return told.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .toList();
    }
}
