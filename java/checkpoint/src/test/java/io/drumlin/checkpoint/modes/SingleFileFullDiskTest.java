package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.SingleFile;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real disk becomes full in the midst of a shared HDF5 file, at one place after the other: the file before is still there. */
class SingleFileFullDiskTest {

    private static final int RANKS = 2;
    private static final int COLUMNS = 5000;
    private static final int PAGE = 4096;
    private static final int STEP = 5;

    @TempDir
    private Path directory;

    @Test
    void theFileBeforeIsRecovered() throws IOException {
        try (MountedFileSystem disk = MountedFileSystem.mount("tmpfs", "size=1m")) {
            int failed = 0;
            for (int pages = 0; !roomFor(disk.root(), pages); pages += STEP) {
                failed++;
            }
            assertThat(failed).as("checkpoints that failed").isGreaterThan(1);
        }
    }

    private RunFixture run(Path disk, String failure) throws IOException {
        return new RunFixture(
                directory,
                Map.of(
                        "basic.ckpt_io", "5",
                        "basic.node_size", "1",
                        "basic.h5_single_file_enable", "1",
                        "basic.h5_single_file_dir", disk.toString(),
                        "basic.h5_single_file_prefix", "shared",
                        "restart.failure", failure));
    }

    /** Declares a matrix of which each rank has a row. */
    private static long[] declare(Checkpoints checkpoints, Communicator comm) {
        long[] row = new long[COLUMNS];
        SingleFile file = checkpoints.singleFile();
        GlobalDataset matrix = file.globalDataset("matrix", List.of((long) RANKS, (long) COLUMNS), ElementType.LONG);
        checkpoints.protect(0, row);
        file.subset(0, matrix, List.of((long) comm.rank(), 0L), List.of(1L, (long) COLUMNS));
        return row;
    }

    /** Takes checkpoint 1, then one for which only some pages are left; whether that was enough. */
    private boolean roomFor(Path disk, int pages) {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        Path ballast = disk.resolve("ballast");
        return assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            run(disk, "0").run(RANKS, (checkpoints, comm) -> {
                long[] row = declare(checkpoints, comm);
                Arrays.fill(row, 1);
                checkpoints.singleFile().checkpoint(1);
                if (comm.rank() == 0) {
                    long free = Files.getFileStore(disk).getUsableSpace();
                    Files.write(ballast, new byte[Math.toIntExact(free - (long) pages * PAGE)]);
                }
                comm.barrier();
                Arrays.fill(row, 2);
                String outcome = "";
                try {
                    checkpoints.singleFile().checkpoint(2);
                } catch (IOException full) {
                    outcome = full.getMessage();
                }
                synchronized (outcomes) {
                    outcomes.set(comm.rank(), outcome);
                }
            });
            boolean done = outcomes.get(0).isEmpty();
            assertThat(outcomes)
                    .as("%d pages left", pages)
                    .allMatch(outcome -> done ? outcome.isEmpty() : outcome.contains("ENOSPC"));
            Files.delete(ballast);
            int last = done ? 2 : 1;
            assertThat(files(disk)).containsExactly("shared-ID0000000" + last + ".h5");
            assertRecovers(disk, last);
            return done;
        });
    }

    private static List<String> files(Path disk) throws IOException {
        try (Stream<Path> files = Files.list(disk)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private void assertRecovers(Path disk, long value) throws IOException {
        run(disk, "3").run(RANKS, (checkpoints, comm) -> {
            long[] row = declare(checkpoints, comm);
            checkpoints.recover();
            assertThat(row).containsOnly(value);
        });
    }
}
