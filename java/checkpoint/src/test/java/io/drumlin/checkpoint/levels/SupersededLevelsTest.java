package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A commit of a higher level takes checkpoints of lower levels away from a restart at once. Their files are deleted
 * while the program goes on.
 */
class SupersededLevelsTest {

    @TempDir
    Path directory;

    private final CountDownLatch mayDelete = new CountDownLatch(1);

    /** No file of a superseded checkpoint is deleted before the test allows it. */
    private StorageEngine slow() {
        StorageEngine real = new NioEngine();
        return (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("delete")
                            && arguments[0].toString().contains("drumlin-dropped-")
                            && Files.exists((Path) arguments[0])) {
                        assertThat(mayDelete.await(5, TimeUnit.SECONDS)).isTrue();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static List<String> names(Path directory) throws IOException {
        return PathStatus.entries(directory).stream()
                .map(each -> each.getFileName().toString())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void nobodyWaitsForTheirDeletion(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, "ckpt_io=" + ioMode + ", group_size=2, node_size=1");
        StorageEngine slow = slow();
        run.run(2, (builder, rank) -> builder.storage(slow), (checkpoints, comm) -> {
            int[] values = {comm.rank()};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.checkpoint(2, Level.L2);
            comm.barrier();
            Path local = directory.resolve("Local/node0/" + run.restartValue("exec_id"));
            assertThat(names(local)).contains("l2", "drumlin-dropped-l1").doesNotContain("l1");
            comm.barrier();
            mayDelete.countDown();
            ((EngineCheckpoints) checkpoints).awaitDeletion();
            comm.barrier();
            assertThat(names(local)).contains("l2").noneMatch(name -> name.startsWith("drumlin-dropped-"));
            checkpoints.checkpoint(3, Level.L4);
            ((EngineCheckpoints) checkpoints).awaitDeletion();
            comm.barrier();
            assertThat(names(local)).doesNotContain("l2").noneMatch(name -> name.startsWith("drumlin-dropped-"));
        });
    }
}
