package io.drumlin.checkpoint.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseHolderTest {

    /** As on macOS. A start there knows itself and a process that lives, and sees that another has ended. */
    @Test
    void needsNoFilesOfTheKernel(@TempDir Path directory) throws Exception {
        Path none = directory.resolve("proc");
        LeaseHolder here = LeaseHolder.here(name -> null, none);
        assertThat(here.start()).isNotEmpty();
        assertThat(LeaseHolder.here(name -> null, none).isThisProcess(here)).isTrue();
        assertThat(LeaseHolder.of(here.toText())).isEqualTo(here);
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            assertThat(LeaseHolder.startOf(process.pid(), none))
                    .isNotEmpty()
                    .isNotEqualTo(here.start())
                    .isEqualTo(LeaseHolder.startOf(process.pid(), none));
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(LeaseHolder.startOf(process.pid(), none)).isEmpty();
    }

    @Test
    void isOfOneMachineOnly() throws IOException {
        LeaseHolder here = LeaseHolder.here(name -> null);
        assertThat(here.isAlive()).isTrue();
        assertThat(here.isOnMachineOf(LeaseHolder.here(name -> null, Path.of("/none"))))
                .isFalse();
    }
}
