package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A variable of one rank is a mapped file that became shorter: the checkpoint fails on all ranks, and the process lives. */
@Timeout(120)
class GoneMemoryTest {

    private static final int LENGTH = 4 << 20;

    @Test
    void failsTheCheckpointOnAllRanks(@TempDir Path directory) throws Exception {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher().run(Program.class, directory.toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(0);
        assertThat(outcome.output()).contains("rank 0 failed", "rank 1 failed", "well");
    }

    /** What the other JVM runs. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws IOException {
            Path directory = Path.of(args[0]);
            RunFixture run = new RunFixture(directory, Map.of());
            try {
                run.run(2, (checkpoints, comm) -> {
                    Path path = directory.resolve("mapped" + comm.rank());
                    try (FileChannel file = FileChannel.open(
                            path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                        ByteBuffer memory = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
                        checkpoints.protect(1, memory);
                        checkpoints.checkpoint(1, Level.L1);
                        if (comm.rank() == 0) {
                            file.truncate(0);
                        }
                        comm.barrier();
                        checkpoints.checkpoint(2, Level.L1);
                        System.out.println("wrong");
                    } catch (IOException | RuntimeException | InternalError e) {
                        System.out.println("rank " + comm.rank() + " failed: " + e);
                        throw e;
                    }
                });
            } catch (IOException | RuntimeException | InternalError e) {
                System.out.println("all: " + e);
            }
            run.run(2, (checkpoints, comm) -> {
                if (checkpoints.lastCheckpoint().orElse(0) == 1) {
                    System.out.println("well");
                }
            });
        }
    }
}
