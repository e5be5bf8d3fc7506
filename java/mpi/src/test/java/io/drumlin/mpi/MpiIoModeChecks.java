package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checkpoints with {@code ckpt_io = 2}, whose level 4 goes through MPI-IO; run on ranks by {@link MpiIoModeIT}. */
class MpiIoModeChecks extends SharedFolderChecks {

    @BeforeEach
    void configure() throws IOException {
        configure(folder.resolve("Global"));
    }

    private void configure(Path global) throws IOException {
        if (world.rank() == 0) {
            Files.createDirectories(global);
            Files.writeString(
                    folder.resolve("config.fti"),
                    """
                    [basic]
                    head = 0
                    node_size = 1
                    ckpt_dir = %1$s/Local
                    glbl_dir = %2$s
                    meta_dir = %1$s/Meta
                    ckpt_io = 2
                    verbosity = 3
                    [restart]
                    failure = 0
                    [advanced]
                    block_size = 1024
                    local_test = 1
                    """
                            .formatted(folder, global));
        }
        world.barrier();
    }

    /** Sizes that differ, are no multiple of any block and need several pieces; rank 1 has nothing. */
    private static int[] values(int rank) {
        int[] values = new int[rank == 1 ? 0 : 300_001 + 100_003 * rank];
        for (int i = 0; i < values.length; i++) {
            values[i] = 31 * i + 7 * rank;
        }
        return values;
    }

    /** File systems take longer paths than MPI does. */
    @Test
    void aLongPathIsPossible() throws IOException {
        Path global = folder;
        while (global.toString().length() < 250) {
            global = global.resolve("a-long-name-of-a-directory");
        }
        configure(global);
        theFileHoldsTheDataOfAllRanksAndIsRecovered();
    }

    @Test
    void theFileHoldsTheDataOfAllRanksAndIsRecovered() throws IOException {
        try (Checkpoints checkpoints = Checkpoints.open(folder.resolve("config.fti"), world)) {
            checkpoints.protect(0, values(world.rank()));
            checkpoints.checkpoint(4, Level.L4);
        }
        if (world.rank() == 0) {
            assertThat(sharedFile()).isEqualTo(expected(world.size()));
            delete(folder.resolve("Local"));
        }
        world.barrier();
        try (Checkpoints checkpoints = Checkpoints.open(folder.resolve("config.fti"), world)) {
            assertThat(checkpoints.lastLevel()).contains(Level.L4);
            int[] recovered = new int[values(world.rank()).length];
            checkpoints.protect(0, recovered);
            checkpoints.recover();
            assertThat(recovered).isEqualTo(values(world.rank()));
        }
    }

    private byte[] sharedFile() throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            List<Path> found =
                    paths.filter(path -> path.endsWith("Ckpt4-mpiio.fti")).toList();
            assertThat(found).hasSize(1);
            return Files.readAllBytes(found.get(0));
        }
    }

    private static byte[] expected(int ranks) {
        int count = 0;
        for (int rank = 0; rank < ranks; rank++) {
            count += values(rank).length;
        }
        ByteBuffer expected = ByteBuffer.allocate(count * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int rank = 0; rank < ranks; rank++) {
            for (int value : values(rank)) {
                expected.putInt(value);
            }
        }
        return expected.array();
    }
}
