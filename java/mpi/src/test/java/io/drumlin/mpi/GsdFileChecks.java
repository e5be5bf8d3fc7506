package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.GsdCalls;
import io.drumlin.gsd.GsdFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A GSD file that MPI processes write is that of one process; run on ranks by {@link GsdFileIT}. */
class GsdFileChecks extends SharedFolderChecks {

    private Path path;

    @BeforeEach
    void nameFile() {
        path = folder.resolve("file.gsd");
    }

    /** Nothing is left beside the file. */
    @AfterEach
    void onlyTheFileIsLeft() throws IOException {
        world.barrier();
        if (world.rank() == 0) {
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left).isSubsetOf(List.of(path));
            }
        }
    }

    @Test
    void theFileIsThatOfOneProcess() throws IOException {
        GsdCalls.write(GsdFile.at(path).communicator(world), world);
        if (world.rank() == 0) {
            Path serial = folder.resolve("serial.gsd");
            GsdCalls.write(GsdFile.at(serial), new SingleCommunicator());
            assertThat(Files.readAllBytes(path)).isEqualTo(Files.readAllBytes(serial));
            Files.delete(serial);
        }
    }

    /** Parts of several MiB, which go past the page cache, beside ranks that have little or nothing to write. */
    @Test
    void aFileOfLargeFramesIsThatOfOneProcess() throws IOException {
        writeLargeFrames(GsdFile.create(path, world, "test", "none", new Version(1, 0)), world.rank(), world.size());
        world.barrier();
        if (world.rank() == 0) {
            Path serial = folder.resolve("serial.gsd");
            writeLargeFrames(GsdFile.create(serial, "test", "none", new Version(1, 0)), 0, 1);
            assertThat(Files.mismatch(path, serial)).isEqualTo(-1);
            Files.delete(serial);
        }
    }

    private static void writeLargeFrames(GsdFile file, int rank, int size) throws IOException {
        int first = rowsBelow(rank, size);
        int rows = rowsBelow(rank + 1, size) - first;
        int[] position = new int[3 * rows];
        int[] step = rank == size - 1 ? new int[] {7, 8, 9} : new int[0];
        try (file) {
            file.setMaximumAge(GsdCalls.NO_AGE);
            for (int frame = 0; frame < 4; frame++) {
                for (int i = 0; i < position.length; i++) {
                    position[i] = frame * 10_000_000 + 3 * first + i;
                }
                file.writeChunk("position", position, rows, 3);
                file.writeChunk("step-" + frame, step, step.length, 1);
                file.endFrame();
                if (frame == 1) {
                    file.flush();
                }
            }
        }
    }

    /** The first rank has the fewest rows, the last the most. */
    private static int rowsBelow(int rank, int size) {
        return (int) (2_000_003L * rank * rank / size / size);
    }

    @Test
    void everyRankReadsItsPart() throws IOException {
        try (GsdFile file = GsdFile.create(path, world, "test", "none", new Version(1, 0))) {
            file.writeChunk("rank", new int[] {world.rank(), world.rank()}, 2, 1);
            assertThatThrownBy(() -> file.writeChunk("rank", new int[0], 0, 1)).hasMessageContaining("already");
            file.endFrame();
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            Chunk chunk = file.findChunk(0, "rank").orElseThrow();
            assertThat(chunk.rows()).isEqualTo(2L * world.size());
            assertThat(chunk.part(world.rank(), world.size()).ints()).containsOnly(world.rank());
        }
    }
}
