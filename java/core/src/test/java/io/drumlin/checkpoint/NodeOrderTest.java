package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes come back under other names, in another order, or not at all. */
class NodeOrderTest {

    @TempDir
    Path directory;

    @Test
    void ranksOnInventedHostsKeepTheirFilesThere() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("advanced.local_test", "0", "basic.group_size", "2"));
        List<String> hosts = List.of("n1", "n1", "n2", "n2");
        run.runOn(hosts, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L2);
        });
        Path local = run.localRoot("n2").resolve(run.restartValue("exec_id"));
        assertThat(local.resolve("l2/Ckpt1-Rank2.fti")).exists();
        assertThat(Files.readString(run.file("Topology.fti"))).containsPattern("0 += n1\n1 += n2\n");
        run.loseDisk("n2");
        run.runOn(List.of("n1", "n1", "n3", "n3"), (checkpoints, comm) -> {
            int[] values = new int[1];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(comm.rank());
        });
    }
}
