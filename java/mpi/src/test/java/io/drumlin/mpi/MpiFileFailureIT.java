package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import io.drumlin.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call on a file of all ranks fails on one of them: every rank says on which one, and why. */
@Tag("native")
class MpiFileFailureIT {

    /** The first open is that of this library, and the second one that of MPI. */
    private static final List<Failure> FAILURES = List.of(
            new Failure("a", "open nth=1", 0, "EACCES", "opening", "MPI_File_open"),
            new Failure("b", "open nth=1", 1, "ENOENT", "opening", "MPI_File_open"),
            new Failure("c", "open from=2", 0, "EIO", "opening", "MPI_File_open"),
            new Failure("d", "open from=2", 1, "EACCES", "opening", "MPI_File_open"),
            new Failure("e", "open from=2", 1, "ENOSPC", "opening", "MPI_File_open"),
            new Failure("f", "write from=1", 1, "ENOSPC", "writing", "MPI_File_write_at"),
            new Failure("g", "read from=1", 1, "EIO", "reading", "MPI_File_read_at"),
            new Failure("h", "sync from=1", 1, "EIO", "syncing", "MPI_File_sync"));

    @TempDir
    Path directory;

    private record Failure(String file, String call, int rank, String error, String step, String operation) {

        String rule(Path directory) {
            String rule = call + " path=" + directory.resolve(file) + " rank=" + rank + " error=" + error;
            return call.startsWith("open") ? rule : rule + " when=" + opened(directory.resolve(file));
        }
    }

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Test
    void isNamedWithItsRankUnderOpenMpi() throws IOException, InterruptedException {
        isNamedWithItsRank(Mpirun.ranks(2));
    }

    @Test
    void isNamedWithItsRankUnderMpich() throws IOException, InterruptedException {
        isNamedWithItsRank(Mpirun.mpich(2));
    }

    private void isNamedWithItsRank(Mpirun job) throws IOException, InterruptedException {
        String[] files = FAILURES.stream()
                .map(failure -> directory.resolve(failure.file()).toString())
                .toArray(String[]::new);
        String output = job.faults(FAILURES.stream()
                        .map(failure -> failure.rule(directory))
                        .collect(Collectors.joining(";")))
                .run(Program.class, files)
                .output();
        for (Failure failure : FAILURES) {
            int rank = failure.rank();
            Path file = directory.resolve(failure.file());
            String words = "rank " + rank + ": " + failure.operation() + "[^\\n]* in " + file + " failed: "
                    + failure.error() + " ";
            assertThat(output)
                    .containsPattern("on rank " + rank + ": " + words)
                    .containsPattern("on rank " + (1 - rank) + ": " + failure.step() + " " + file + " failed: rank "
                            + rank + " failed: " + words);
        }
    }

    /** The file that says that another one has been opened. */
    private static Path opened(Path file) {
        return file.resolveSibling("opened-" + file.getFileName());
    }

    /** Opens, writes, reads and closes files, and prints what goes wrong. */
    static final class Program {

        private Program() {}

        public static void main(String[] files) throws IOException {
            Communicators.run(world -> {
                for (Path path : Arrays.stream(files).map(Path::of).toList()) {
                    try {
                        use(path, world);
                    } catch (IOException e) {
                        System.out.println("on rank " + world.rank() + ": " + e.getMessage());
                    }
                }
            });
        }

        private static void use(Path path, Communicator world) throws IOException {
            try (MpiFile file = MpiFile.open(
                    world, path, EnumSet.of(OpenMode.READ, OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE))) {
                if (world.rank() == 0) {
                    Files.createFile(opened(path));
                }
                world.barrier();
                file.writeAtAll(ByteBuffer.allocate(10_000), 10_000L * world.rank());
                file.readAtAll(ByteBuffer.allocate(10_000), 10_000L * world.rank());
                file.sync();
            }
        }
    }
}
