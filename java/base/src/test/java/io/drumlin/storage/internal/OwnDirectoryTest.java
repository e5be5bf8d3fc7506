package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OwnDirectoryTest {

    /** As on macOS, which has no /proc. */
    @Test
    void knowsItsUserWithoutFilesOfTheKernel() throws IOException {
        assertThat(OwnDirectory.ownUid(Path.of("/none/self"))).isEqualTo(OwnDirectory.ownUid(Path.of("/proc/self")));
    }
}
