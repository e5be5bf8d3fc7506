package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another {@code group_size} at a restart: its partners are others, so the copies would be taken for damaged and replaced. */
class GroupSizeTest {

    private static final List<String> HOSTS = List.of("a", "b", "c", "d");

    @TempDir
    private Path directory;

    private RunFixture run;

    @BeforeEach
    void takeACheckpoint() throws IOException {
        run = new RunFixture(directory, "advanced.local_test=0, group_size=4, node_size=1");
        run.runOn(HOSTS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L2);
        });
    }

    @Test
    void isRefusedAndChangesNothing() throws IOException {
        List<String> before = run.files();
        String config = Files.readString(run.config());
        Files.writeString(run.config(), config.replaceAll("group_size += 4", "group_size = 2"));
        assertThatThrownBy(this::recover)
                .hasMessageContaining("groups of 4 nodes, and group_size is 2 now")
                .hasMessageContaining("set group_size = 4");
        assertThat(run.files()).isEqualTo(before);

        Files.writeString(run.config(), config);
        run.loseDisk("b");
        recover();
    }

    private void recover() throws IOException {
        run.runOn(HOSTS, (checkpoints, comm) -> {
            int[] data = {-1};
            checkpoints.protect(0, data);
            checkpoints.recover();
            assertThat(data).containsExactly(comm.rank());
        });
    }
}
