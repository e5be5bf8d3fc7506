package io.drumlin.sion;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.storage.internal.NioEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program wrote that did not close its file can be repaired, up to the last byte. */
@Timeout(120)
class SionUnclosedTest {

    private static final int BYTES = 600;

    @TempDir
    Path directory;

    /** Writes less than a slab, says so, and does not close the file. */
    static final class Target {

        private Target() {}

        /** Arguments: the file; whether the program waits for its end or exits. */
        public static void main(String[] arguments) throws IOException {
            SionOutput output = SionFile.create(Path.of(arguments[0]), new long[] {4096}, SionOptions.defaults());
            SionWriter writer = output.writer();
            if (arguments[1].equals("wait")) {
                writer.setMaximumAge(Duration.ofMillis(20));
            }
            for (int i = 0; i < BYTES; i++) {
                writer.write(ByteBuffer.wrap(new byte[] {(byte) (1 + i % 100)}));
            }
            System.out.println("written");
            if (arguments[1].equals("exit")) {
                // Threads may share the writer by its lock.
                synchronized (writer) {
                    System.exit(0);
                }
            }
            System.in.read();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait", "exit"})
    void theBytesAreInTheFile(String end) throws Exception {
        Path path = directory.resolve("file.sion");
        Process writer = Mpirun.oneJvm(Target.class, path.toString(), end)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader messages = writer.inputReader();
        assertThat(messages.readLine()).isEqualTo("written");
        if (end.equals("exit")) {
            assertThat(writer.waitFor()).isZero();
        } else {
            try {
                while (saved(path) < BYTES) {
                    LockSupport.parkNanos(1_000_000);
                }
            } finally {
                writer.toHandle().destroyForcibly();
                writer.waitFor();
            }
        }
        assertThat(saved(path)).isEqualTo(BYTES);
    }

    /** Returns how many bytes of the task a repair finds. */
    private static long saved(Path path) throws IOException {
        long[] sizes = SionRepair.of(path, new NioEngine()).orElseThrow().sizes(0);
        return sizes.length == 0 ? 0 : sizes[0];
    }
}
