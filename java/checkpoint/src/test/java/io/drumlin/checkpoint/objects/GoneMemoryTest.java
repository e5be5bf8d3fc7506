package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NativeEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A variable of one rank is a mapped file that became shorter: the checkpoint fails on all ranks, and the process lives. */
@Timeout(300)
class GoneMemoryTest {

    private static final int LENGTH = 4 << 20;

    @Test
    void failsTheCheckpointOnAllRanks(@TempDir Path directory) throws Exception {
        checkpoints(directory, 2);
    }

    /** Up to Java 17 the virtual machine tells the thread later. Where that happens to be in a lock, the job hangs. */
    @Tag("soak")
    @Test
    void failsEachCheckpointOnAllRanks(@TempDir Path directory) throws Exception {
        checkpoints(directory, 100);
    }

    /** With each storage engine, so many times. */
    private static void checkpoints(Path directory, int times) throws Exception {
        List<String> engines =
                NativeEngine.unavailabilityCause() == null ? StorageEngines.names() : List.of(new NioEngine().name());
        int rounds = times * engines.size();
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .run(Program.class, directory.toString(), String.valueOf(times), String.join(",", engines));
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(0);
        assertThat(outcome.output().lines().filter(line -> line.startsWith("rank 0 failed")))
                .hasSize(rounds);
        assertThat(outcome.output().lines().filter(line -> line.startsWith("rank 1 failed")))
                .hasSize(rounds);
        assertThat(outcome.output().lines().filter(line -> line.startsWith("well")))
                .hasSize(rounds * 2);
    }

    /** What the other JVM runs. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws IOException {
            for (String engine : args[2].split(",")) {
                System.setProperty(StorageEngines.PROPERTY, engine);
                for (int round = 0; round < Integer.parseInt(args[1]); round++) {
                    Path directory = Files.createDirectory(Path.of(args[0], engine + round));
                    checkpoint(directory, new RunFixture(directory, Map.of()));
                }
            }
        }

        private static void checkpoint(Path directory, RunFixture run) throws IOException {
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
