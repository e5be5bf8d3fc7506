package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.halt.JobHalt;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.settings.CheckpointDescriptor;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
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

    @Test
    void whatIsSetCanBeAskedFor() throws IOException {
        Files.writeString(prefix.resolve(".scrconf"), "SCR_FLUSH=3\nCKPT=1 INTERVAL=4 TYPE=XOR\n");
        ScrConfig config = config(Map.of("SCR_COPY_TYPE", "FILE", "SCR_USER_NAME", "", "WHERE", "/ssd"))
                .set("SCR_FLUSH", "7")
                .set("SCR_CACHE_BASE", "${WHERE}/cache")
                .add("CKPT=0 INTERVAL=1 TYPE=SINGLE");
        assertThat(config.get("SCR_COPY_TYPE")).contains("FILE");
        assertThat(config.get(" SCR_FLUSH ")).contains("3");
        assertThat(config.get("SCR_CACHE_BASE")).contains("/ssd/cache");
        assertThat(config.get("SCR_USER_NAME")).isEmpty();
        assertThat(config.get("SCR_FETCH")).as("the default").isEmpty();
        assertThat(config.get("CKPT=0 TYPE")).contains("SINGLE");
        assertThat(config.get("ckpt=1 interval")).contains("4");
        assertThat(config.get("CKPT=1 SET_SIZE")).isEmpty();
        assertThat(config.get("CKPT=2 TYPE")).isEmpty();
        for (String wrong : new String[] {"", "FLUSH", "SCR_FLUSH=7", "CKPT=0", "CKPT=0 TYPE=XOR"}) {
            assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> config.get(wrong));
        }
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

    /** Without SCR's scripts nobody sets SCR_END_TIME. */
    @Test
    void theBatchSystemTellsTheEndOfTheAllocation() throws IOException {
        String end = Long.toString(System.currentTimeMillis() / 1000 + 100);
        ScrConfig config = config(Map.of("SLURM_JOB_END_TIME", end, "SCR_HALT_SECONDS", "200"));
        assertThat(config.read().endTime()).hasValue(Long.parseLong(end));
        assertThat(config.set("SCR_END_TIME", "7").read().endTime()).hasValue(7);
        HaltFile none = new HaltFile(new ScrPrefix(prefix), new NioEngine());
        ScrSettings settings = config(Map.of("SLURM_JOB_END_TIME", end, "SCR_HALT_SECONDS", "200"))
                .read();
        assertThat(new JobHalt(settings, new SingleCommunicator(), none).reason())
                .contains("TIME_LIMIT");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "STORE=/ssd",
                "GROUPS=host1 POWER=a",
                "SCR_FLUSH",
                "SCR_FLUSH=1 SCR_DEBUG=1",
                "CKPT=0 TYPE=XOR STORE=/ssd",
                "CKPT=0 GROUP=POWER",
                "CKPT=0 KIND=XOR",
                "CKPT=0 TYPE=TRIPLE",
                "CKPT=0 INTERVAL=2",
                "CKPT=0 INTERVAL=0"
            })
    void linesThatAreNotSupportedAreRefused(String line) throws IOException {
        Files.writeString(prefix.resolve(".scrconf"), line + "\nSCR_COPY_TYPE=FILE\n");
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> config(Map.of()).read());
        assertThatIllegalArgumentException().isThrownBy(() -> config(Map.of()).set("CKPT", "0"));
    }

    @Test
    void variablesAndEscapesInFiles() throws IOException {
        Files.writeString(
                prefix.resolve(".scrconf"),
                "SCR_CACHE_BASE=/ssd/$USER.7\n"
                        + "SCR_JOB_NAME=two\\ words\\#1 # a note\n"
                        + "SCR_CLUSTER_NAME=${SITE2}x$NONE\n");
        ScrSettings settings = config(Map.of("USER", "ann", "SITE2", "north")).read();
        assertThat(settings.text("SCR_CACHE_BASE")).isEqualTo("/ssd/ann.7");
        assertThat(settings.text("SCR_JOB_NAME")).isEqualTo("two words#1");
        assertThat(settings.text("SCR_CLUSTER_NAME")).isEqualTo("northx");
    }

    private static DatasetDescriptor checkpoint(int number, boolean output) {
        return DatasetDescriptor.started(1, "a", true, output, 0).withCheckpoint(number);
    }

    /** The line with the largest interval that divides the number of the checkpoint; for output that of output first. */
    @Test
    void linesSayHowEverySoManyCheckpointsAreCached() throws IOException {
        Files.writeString(
                prefix.resolve(".scrconf"),
                "SCR_COPY_TYPE=FILE\nSCR_CACHE_BYPASS=0\nCKPT=0 INTERVAL=1 TYPE=SINGLE\n"
                        + "CKPT=1 INTERVAL=4 TYPE=partner\nCKPT=2 INTERVAL=8 TYPE=RS SET_FAILURES=3 SET_SIZE=6\n"
                        + "CKPT=3 INTERVAL=2 ENABLED=0 TYPE=RS\nCKPT=4 INTERVAL=100 OUTPUT=1 BYPASS=1\n");
        ScrSettings settings =
                config(Map.of()).add("CKPT=1 INTERVAL=5 SET_SIZE=2").read();
        assertThat(settings.descriptor(checkpoint(3, false)).type()).isEqualTo(CopyType.SINGLE);
        assertThat(settings.descriptor(checkpoint(2, false)).type()).isEqualTo(CopyType.SINGLE);
        assertThat(settings.descriptor(checkpoint(4, false)))
                .as("the file comes before the program, item by item")
                .isEqualTo(new CheckpointDescriptor(4, false, false, CopyType.PARTNER, 2, 2));
        assertThat(settings.descriptor(checkpoint(16, false)))
                .isEqualTo(new CheckpointDescriptor(8, false, false, CopyType.RS, 6, 3));
        assertThat(settings.descriptor(checkpoint(16, true)).bypass()).isTrue();
        assertThat(settings.descriptor(DatasetDescriptor.started(1, "out", false, true, 0))
                        .bypass())
                .isTrue();
    }

    /** Names of nodes need no address. If every rank took the same name here, nothing would be on a second node. */
    @Test
    void theNodeHasTheNameThatItsKernelKnows() throws IOException, InterruptedException {
        Process trial = new ProcessBuilder("unshare", "--uts", "--net", "hostname", "drumlin-test").start();
        assumeThat(trial.waitFor())
                .as("unshare may give processes host names of their own")
                .isZero();
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .startedBy("unshare", "--uts", "--net", "bash", "-c", "hostname drumlin-node-7; exec \"$@\"", "host")
                .run(NodeName.class);
        assertThat(outcome.output()).contains("node=drumlin-node-7;");
        assertThat(outcome.exitStatus()).isZero();
    }

    /** Prints what a rank calls its node. */
    static final class NodeName {

        private NodeName() {}

        public static void main(String[] args) throws IOException {
            System.out.println("node=" + new ScrConfig(Map.of()).read().node() + ";");
        }
    }
}
