package io.drumlin.scr;

import static io.drumlin.scr.SCR.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls of SCR by their names, on one rank. */
class SCRTest {

    @TempDir
    Path directory;

    private final int[] flag = {-1};
    private final String[] name = {""};
    private final String[] file = {""};

    private void config(String... assignments) {
        for (String key : new String[] {"SCR_PREFIX", "SCR_CACHE_BASE", "SCR_CNTL_BASE"}) {
            assertThat(SCR_Config(key + "=" + directory)).isEqualTo(SCR_SUCCESS);
        }
        for (String assignment : assignments) {
            assertThat(SCR_Config(assignment)).isEqualTo(SCR_SUCCESS);
        }
    }

    @Test
    void writesAndReads() throws IOException {
        for (int run = 0; run < 2; run++) {
            boolean restart = run > 0;
            ThreadCommunicator.run(1, world -> {
                config("SCR_CACHE_BYPASS=0", "SCR_COPY_TYPE=SINGLE");
                assertThat(SCR_Init(world)).isEqualTo(SCR_SUCCESS);
                assertThat(SCR_Config("SCR_FLUSH=1")).as("too late").isEqualTo(SCR_FAILURE);
                assertThat(SCR_Have_restart(flag, name)).isEqualTo(SCR_SUCCESS);
                assertThat(flag[0]).isEqualTo(restart ? 1 : 0);
                if (restart) {
                    assertThat(SCR_Start_restart(name)).isEqualTo(SCR_SUCCESS);
                    assertThat(name[0]).isEqualTo("scr.dataset.1");
                    assertThat(SCR_Route_file("state", file)).isEqualTo(SCR_SUCCESS);
                    assertThat(Path.of(file[0])).hasContent("7");
                    assertThat(SCR_Complete_restart(1)).isEqualTo(SCR_SUCCESS);
                } else {
                    assertThat(SCR_Start_checkpoint()).isEqualTo(SCR_SUCCESS);
                    assertThat(SCR_Route_file(directory.resolve("state").toString(), file))
                            .isEqualTo(SCR_SUCCESS);
                    Files.writeString(Path.of(file[0]), "7");
                    assertThat(SCR_Complete_checkpoint(1)).isEqualTo(SCR_SUCCESS);
                }
                assertThat(SCR_Finalize()).isEqualTo(SCR_SUCCESS);
            });
        }
    }

    @Test
    void tellsParameters() throws IOException {
        ThreadCommunicator.run(1, world -> {
            config("SCR_COPY_TYPE=FILE", "CKPT=0 INTERVAL=1 TYPE=SINGLE");
            assertThat(SCR_Configf("SCR_FLUSH=%d", 1234)).isEqualTo(SCR_SUCCESS);
            assertThat(SCR_Configf("SCR_FLUSH=%d", "many")).isEqualTo(SCR_FAILURE);
            for (int when = 0; when < 2; when++) {
                assertThat(SCR_Config("SCR_FLUSH", name)).isEqualTo(SCR_SUCCESS);
                assertThat(name[0]).isEqualTo("1234");
                assertThat(SCR_Config("CKPT=0 TYPE", name)).isEqualTo(SCR_SUCCESS);
                assertThat(name[0]).isEqualTo("SINGLE");
                assertThat(SCR_Config("SCR_FETCH", name)).isEqualTo(SCR_SUCCESS);
                assertThat(name[0]).isNull();
                assertThat(SCR_Config("SCR_FETCH=1", name)).isEqualTo(SCR_FAILURE);
                assertThat(SCR_Config("SCR_FETCH", new String[0])).isEqualTo(SCR_FAILURE);
                if (when == 0) {
                    assertThat(SCR_Init(world)).isEqualTo(SCR_SUCCESS);
                }
            }
            assertThat(SCR_Configf("SCR_FLUSH=%d", 2)).as("too late").isEqualTo(SCR_FAILURE);
            assertThat(SCR_Finalize()).isEqualTo(SCR_SUCCESS);
        });
    }

    @Test
    void doesNothingWhileItIsDisabled() throws IOException {
        ThreadCommunicator.run(1, world -> {
            config("SCR_ENABLE=0");
            assertThat(SCR_Init(world)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Have_restart(flag, name)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Need_checkpoint(flag)).isEqualTo(SCR_FAILURE);
            assertThat(flag[0]).isEqualTo(-1);
            assertThat(SCR_Start_output("a", SCR_FLAG_OUTPUT)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Route_file("b", file)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Complete_output(1)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Should_exit(flag)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Finalize()).isEqualTo(SCR_FAILURE);
        });
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void argumentsThatCannotBeUsedAreFailures() throws IOException {
        ThreadCommunicator.run(1, world -> {
            config("SCR_CACHE_BYPASS=0", "SCR_COPY_TYPE=SINGLE");
            assertThat(SCR_Init(world)).isEqualTo(SCR_SUCCESS);
            assertThat(SCR_Have_restart(new int[0], name)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Route_file("\udcff", file)).isEqualTo(SCR_FAILURE);
            assertThat(SCR_Finalize()).isEqualTo(SCR_SUCCESS);
        });
    }
}
