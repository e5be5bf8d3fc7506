package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.costs.Allocations;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As AllocationTest of the core, with the messages of the levels that send some; run on ranks by {@link AllocationIT}. */
class AllocationChecks extends SharedFolderChecks {

    private static final int CHECKPOINTS = 3;

    private static final long MIB = 1 << 20;

    /** Mebibytes of a rank: from here on a variable has as many containers as there are lanes, and no more. */
    private static final int SMALL = 16;

    private static final int LARGE = 64;

    /**
     * Bytes on the heap for each MiB, in slabs of 128 KiB: an object of 64 bytes or less for each write and each
     * message. Level 3 of 4 ranks needs most, 3,750: of each slab two files are written, three messages are sent and
     * three received.
     */
    private static final long MOST_PER_MIB = 4000;

    /**
     * Bytes on the heap of a checkpoint of any size, without the objects of its slabs. Half of it is for the small
     * files that rank 0 writes for all.
     */
    private static final long MOST_FIXED = 192 << 10;

    @ParameterizedTest
    @EnumSource(names = {"L2", "L3"})
    void messagesLeaveLittleBehind(Level level) throws IOException {
        long small = perCheckpoint(level, SMALL);
        long large = perCheckpoint(level, LARGE);
        long perMebibyte = (large - small) / (LARGE - SMALL);
        assertThat(perMebibyte).isLessThan(MOST_PER_MIB);
        assertThat(small - SMALL * perMebibyte).isLessThan(MOST_FIXED);
    }

    /** Bytes of the heap that this rank allocates for one checkpoint of {@code mebibytes} of data: the least of several. */
    private long perCheckpoint(Level level, int mebibytes) throws IOException {
        Path run = folder.resolve(mebibytes + "-MiB");
        if (world.rank() == 0) {
            new RunFixture(
                    Files.createDirectory(run), "node_size=1, group_size=" + world.size() + ", drumlin.slab_memory=4");
        }
        world.barrier();
        long fewest = Long.MAX_VALUE;
        try (Checkpoints checkpoints = Checkpoints.open(run.resolve("config.fti"), world)) {
            double[] data = new double[(int) (mebibytes * MIB / Double.BYTES)];
            checkpoints.protect(1, data);
            for (int id = 1; id <= CHECKPOINTS; id++) {
                Arrays.fill(data, id);
                long before = Allocations.ofAllThreads();
                checkpoints.checkpoint(id, level);
                long allocated = Allocations.ofAllThreads() - before;
                // The first one makes what stays.
                fewest = id == 1 ? fewest : Math.min(fewest, allocated);
            }
        }
        return fewest;
    }
}
