package io.drumlin.mpi;

import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests of MPI processes that have a folder in common. */
abstract class SharedFolderChecks {

    NativeMpi world;
    Path folder;

    @BeforeEach
    void meet() throws IOException {
        world = NativeMpi.world();
        String made =
                world.rank() == 0 ? Files.createTempDirectory("drumlin-mpi").toString() : "";
        folder = Path.of(Agreement.bcast(world, made, 0));
    }

    @AfterEach
    void part() throws IOException {
        world.barrier();
        if (world.rank() == 0) {
            delete(folder);
        }
        world.close();
    }

    static void delete(Path top) throws IOException {
        try (Stream<Path> paths = Files.walk(top)) {
            for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }
}
