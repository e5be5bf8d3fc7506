package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.SparseEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files of more than 2 GiB per rank, most of them holes, go to the partner, come back from there and are kept
 * at the end of the run. (C FTI reports success of empty files.)
 */
@Tag("soak")
class LargeRankFileTest {

    private static final int RANKS = 2;
    private static final int VARIABLES = 34;
    private static final int BYTES = 64 << 20;
    private static final int SPACING = 1 << 20;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"1, 2", "1, 3", "1, 4", "2, 4", "3, 2", "3, 3", "3, 4"})
    void isNotLost(String ioMode, int level) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, group_size=2, keep_last_ckpt=1, ckpt_io=" + ioMode);
        onEachRank(run, (checkpoints, comm, data) -> checkpoints.checkpoint(1, Level.of(level)));
        // Of the rank with the large file.
        DirectoryTree.delete(directory.resolve("Local/node0"), new NioEngine());
        onEachRank(run, (checkpoints, comm, data) -> {
            assertThat(checkpoints.lastLevel()).contains(Level.of(level));
            check(checkpoints, comm, data);
            checkpoints.complete();
        });
        assertThat(run.files()).noneMatch(file -> file.startsWith("Local"));
        assertThat(largest()).isGreaterThan(size(0) * VARIABLES - VARIABLES * VARIABLES * 1000L);
        onEachRank(run, (checkpoints, comm, data) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            check(checkpoints, comm, data);
        });
    }

    private long largest() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> found = files.filter(Files::isRegularFile).toList();
            long largest = 0;
            for (Path file : found) {
                largest = Math.max(largest, Files.size(file));
            }
            return largest;
        }
    }

    /** What a rank does with data that are protected under all ids, on rank 1 those of a single one. */
    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, Communicator comm, byte[] data) throws IOException;
    }

    private static void onEachRank(RunFixture run, Body body) throws IOException {
        run.run(RANKS, (builder, rank) -> builder.storage(new SparseEngine(new NioEngine())), (checkpoints, comm) -> {
            byte[] data = new byte[BYTES];
            mark(data);
            for (int id = 0; id < VARIABLES; id++) {
                checkpoints.protect(id, data, comm.rank() == 0 ? size(id) : 3);
            }
            body.run(checkpoints, comm, data);
        });
    }

    private static long size(int id) {
        return BYTES - 1001L * id;
    }

    /** Something in every mebibyte. */
    private static void mark(byte[] data) {
        for (int at = 0; at < data.length; at += SPACING) {
            data[at] = value(at);
        }
    }

    private static byte value(int at) {
        return (byte) (1 + at / SPACING);
    }

    private static void check(Checkpoints checkpoints, Communicator comm, byte[] data) throws IOException {
        for (int id = 0; id < VARIABLES; id++) {
            long size = comm.rank() == 0 ? size(id) : 3;
            assertThat(checkpoints.storedSize(id)).isEqualTo(size);
            Arrays.fill(data, (byte) 99);
            checkpoints.recover(id);
            for (int at = 0; at < size; at++) {
                byte expected = at % SPACING == 0 ? value(at) : 0;
                if (data[at] != expected) {
                    throw new AssertionError("variable " + id + " has " + data[at] + " at " + at);
                }
            }
        }
    }
}
