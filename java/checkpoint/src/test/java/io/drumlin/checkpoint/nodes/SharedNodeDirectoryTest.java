package io.drumlin.checkpoint.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.checkpoint.internal.topology.Host;
import io.drumlin.checkpoint.internal.topology.NodeMarker;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@code ckpt_dir} on a file system that the nodes share. */
class SharedNodeDirectoryTest {

    @TempDir
    Path directory;

    private RunFixture fixture(int heads) throws IOException {
        return new RunFixture(directory, "advanced.local_test=0, group_size=2, node_size=2, head=" + heads);
    }

    private static void open(RunFixture run, List<Host> hosts) throws IOException {
        run.run(hosts.size(), (builder, rank) -> ((EngineBuilder) builder).hosts(hosts::get), (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            if (checkpoints.isRestart()) {
                checkpoints.recover();
            }
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.await();
        });
    }

    private Host host(String name, String root) {
        return new Host(name, directory.resolve(root));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void isRefusedAtTheStart(int heads) throws IOException {
        RunFixture run = fixture(heads);
        Host first = host("a", "Local");
        Host second = host("b", "Local");
        assertThatThrownBy(() -> open(run, List.of(first, first, second, second)))
                .hasMessageContaining("is shared by nodes, and each needs one of its own")
                .hasMessageContaining("node 0, a")
                .hasMessageContaining("node 1, b")
                .hasMessageContaining("set ckpt_dir to storage of the node");
        assertThat(files()).noneMatch(file -> file.startsWith("drumlin-node-"));
    }

    /** Another node may be between the making of its marker and the writing. */
    @Test
    void namesTheOtherNodeThoughItIsStillWriting() throws Exception {
        Path marker = Files.createFile(directory.resolve("drumlin-node-5"));
        Thread writer = new Thread(() -> {
            LockSupport.parkNanos(200_000_000L);
            try {
                Files.writeString(marker, "node 0, a");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.start();
        assertThatThrownBy(new NodeMarker(directory, 1, "b", 5)::make)
                .hasMessageContaining("node 0, a")
                .hasMessageContaining("node 1, b");
        writer.join();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void isRefusedAtARestart(int heads) throws IOException {
        RunFixture run = fixture(heads);
        Host first = host("a", "Local");
        Host second = host("b", "Other");
        open(run, List.of(first, first, second, second));
        // As a kill leaves them.
        Path left = directory.resolve("Local/" + run.restartValue("exec_id") + "/drumlin-node-1234");
        Files.writeString(left, "node 1, b");
        open(run, List.of(first, first, second, second));
        assertThat(files().filter(file -> file.startsWith("drumlin-node-"))).containsExactly("drumlin-node-1234");
        Host moved = host("b", "Local");
        assertThatThrownBy(() -> open(run, List.of(first, first, moved, moved)))
                .hasMessageContaining("is shared by nodes");
    }

    /** One node needs nothing from others. */
    @Test
    void ofOneNodeIsItsOwn() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("advanced.local_test", "0"));
        open(run, List.of(host("a", "Local"), host("a", "Local")));
        assertThat(files()).noneMatch(file -> file.startsWith("drumlin-node-"));
    }

    private Stream<String> files() throws IOException {
        return Files.walk(directory).map(path -> path.getFileName().toString());
    }

    @Test
    void aMarkerWithoutWordsIsAMarker() throws IOException, InterruptedException {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .faults("write path=/drumlin-node- nth=1 error=ENOSPC")
                .run(Markers.class, directory.toString());
        assertThat(outcome.output()).contains("is shared by nodes");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    /** What the other JVM runs. */
    static final class Markers {

        private Markers() {}

        public static void main(String[] args) throws IOException {
            Path shared = Path.of(args[0]);
            NodeMarker first = new NodeMarker(shared, 0, "n0", 7);
            NodeMarker second = new NodeMarker(shared, 1, "n1", 7);
            first.make();
            try {
                second.make();
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
            first.delete();
            second.delete();
        }
    }
}
