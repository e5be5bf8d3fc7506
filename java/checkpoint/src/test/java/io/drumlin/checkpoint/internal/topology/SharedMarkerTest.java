package io.drumlin.checkpoint.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedMarkerTest {

    @TempDir
    private Path directory;

    /** As in a full file system, in which a checkpoint can still be read. */
    @Test
    void aRestartDoesWithoutAMarkerThatCannotBeMade() throws Exception {
        Map<String, Path> missing = Map.of("glbl_dir", directory.resolve("missing"));
        SharedMarker restart = new SharedMarker(missing, 7);
        restart.make();
        assertThat(restart.start()).isEven().isNotZero();
        new SharedMarker(Map.of("glbl_dir", directory), restart.start()).requireSeen("node 1");
        assertThat(directory).isEmptyDirectory();
        assertThatThrownBy(() -> new SharedMarker(missing, 0).make()).hasMessageContaining("ENOENT");
    }
}
