package io.drumlin.checkpoint.internal.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.StageRequest;
import io.drumlin.checkpoint.StageRequest.State;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.comm.Mpirun;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that a thread of the rank brings to the parallel file system. */
class StagingThreadTest {

    private static final int FILES = 50;

    @TempDir
    Path node;

    @TempDir
    Path results;

    @Test
    void allFilesHaveArrivedWhenTheRunEndsAndTheLocalOnesAreStillThere() throws IOException {
        FileStaging staging = new FileStaging(node, new NioEngine(), true, SlabPool.SLAB_BYTES);
        List<StageRequest> requests = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            Path local = Files.writeString(node.resolve("f" + i), "content " + i);
            requests.add(staging.send(local, results.resolve("f" + i)));
        }
        assertThat(staging.finish()).isTrue();
        staging.close();
        for (int i = 0; i < FILES; i++) {
            assertThat(requests.get(i).state()).isEqualTo(State.DONE);
            assertThat(node.resolve("f" + i)).hasContent("content " + i);
            assertThat(results.resolve("f" + i)).hasContent("content " + i);
        }
    }

    @Test
    void oneThatCannotArriveIsToldAndTheOthersArrive() throws IOException {
        FileStaging staging = new FileStaging(node, new NioEngine(), true, SlabPool.SLAB_BYTES);
        Path local = Files.writeString(node.resolve("f"), "content");
        StageRequest lost = staging.send(local, results.resolve("missing/f"));
        StageRequest arrived = staging.send(local, results.resolve("f"));
        assertThat(staging.finish()).isFalse();
        staging.close();
        assertThat(arrived.state()).isEqualTo(State.DONE);
        assertThat(lost.state()).isEqualTo(State.FAILED);
        assertThat(lost.failure().orElseThrow())
                .hasMessageContaining(results.resolve("missing/f").toString())
                .hasMessageContaining("ENOENT")
                .hasMessageContaining("the local file is still there");
        assertThat(local).hasContent("content");
    }

    /** The copy would be deleted with the local file. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileIsNotSentToItself(boolean asynchronous) throws IOException {
        FileStaging staging = new FileStaging(node, new NioEngine(), asynchronous, SlabPool.SLAB_BYTES);
        Path local = Files.writeString(node.resolve("f"), "content");
        Path same = Files.createSymbolicLink(results.resolve("link"), node).resolve("f");
        for (Path remote : List.of(local, same)) {
            if (asynchronous) {
                staging.send(local, remote);
            } else {
                assertThatThrownBy(() -> staging.send(local, remote)).hasMessageContaining("same file");
            }
        }
        assertThat(staging.finish()).isEqualTo(!asynchronous);
        staging.close();
        assertThat(local).hasContent("content");
    }

    /** Whether it is the same file the file system does not tell. */
    /** Also where an attempt before has left a part that everybody can read. */
    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-r-----", "rw-rw-r--"})
    void whoCannotReadTheLocalFileCannotReadTheRemoteOne(String mode) throws IOException {
        List<String> whileCopied = new ArrayList<>();
        StorageEngine real = new NioEngine();
        StorageEngine watched = (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    if (method.getName().equals("open") && ((Set<?>) arguments[1]).contains(OpenMode.WRITE)) {
                        whileCopied.add(mode((Path) arguments[0]));
                    }
                    return result;
                });
        Path local = Files.writeString(node.resolve("f"), "content");
        Files.setPosixFilePermissions(local, PosixFilePermissions.fromString(mode));
        Path part = Files.writeString(results.resolve("f.drumlin-part"), "left");
        Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rw-rw-rw-"));
        FileStaging staging = new FileStaging(node, watched, false, SlabPool.SLAB_BYTES);
        staging.send(local, results.resolve("f"));
        staging.close();
        assertThat(results.resolve("f")).hasContent("content");
        assertThat(mode(results.resolve("f"))).isEqualTo(mode);
        assertThat(whileCopied).isNotEmpty().containsOnly("rw-------");
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aFileThatCannotBeSeenIsNotSentToItself() throws IOException, InterruptedException {
        Path file = Files.writeString(node.resolve("itself"), "content");
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .faults("stat path=/itself nth=1 error=EIO")
                .run(Program.class, file.toString());
        assertThat(outcome.output()).contains("failed: ", "EIO", "the local file is still there");
        assertThat(file).hasContent("content");
    }

    /** What the other JVM runs. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) {
            Path file = Path.of(args[0]);
            FileStaging staging = new FileStaging(file.getParent(), new NioEngine(), false, SlabPool.SLAB_BYTES);
            try {
                staging.send(file, file);
                System.out.println("sent");
            } catch (IOException e) {
                System.out.println("failed: " + e.getMessage());
            }
        }
    }
}
