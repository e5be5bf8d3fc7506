package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunFolderTest {

    @TempDir
    private Path home;

    @ParameterizedTest
    @ValueSource(strings = {"Local/node1/run/drumlin-replaced-7", "Meta/run/drumlin-dropped-l1"})
    @Timeout(60)
    void whatIsBeingDeletedIsWaitedFor(String left) throws IOException {
        RunFolder folder = RunFolder.create(home.resolve("run"), 2, 1);
        Path old = Files.createDirectories(folder.path().resolve(left));
        CompletableFuture<Void> deletion = CompletableFuture.runAsync(
                () -> old.toFile().delete(), CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
        folder.awaitDeletion();
        assertThat(old).doesNotExist();
        deletion.join();
    }
}
