package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example as processes and as threads: the files are equal. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("native")
class SionHelloIT {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 8})
    void processesWriteTheFileOfThreads(int ranks) throws IOException, InterruptedException {
        Path file = folder.resolve("hello.sion");
        List<String> hello = IntStream.range(0, ranks)
                .mapToObj(rank -> "hello from rank " + rank + " of " + ranks)
                .toList();
        assertThat(mpirun(ranks, file)).containsAll(hello);
        byte[] written = Files.readAllBytes(file);
        ThreadCommunicator.run(ranks, world -> SionHello.run(world, file));
        assertThat(Files.readAllBytes(file)).isEqualTo(written);
    }

    private static List<String> mpirun(int ranks, Path file) throws IOException, InterruptedException {
        List<String> command = JavaCommand.mpirun(ranks, "io.drumlin.examples.SionHello", file.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }
}
