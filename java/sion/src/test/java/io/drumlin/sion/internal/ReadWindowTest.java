package io.drumlin.sion.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadWindowTest {

    private static final int MIB = 1 << 20;
    private static final int START = 8192;
    private static final int SKIP = 24 * MIB;
    private static final long[] SIZES = {19 * MIB + 12_345, 0, 3 * MIB};

    @TempDir
    private static Path directory;

    private static Path path;
    private static byte[] bytes;
    private FaultyEngine engine;
    private BlockFile file;

    @BeforeAll
    static void write() throws IOException {
        bytes = new byte[START + 3 * SKIP];
        new Random(7).nextBytes(bytes);
        path = Files.write(directory.resolve("file.sion"), bytes);
    }

    @BeforeEach
    void open() throws IOException {
        engine = new FaultyEngine(StorageEngines.best());
        file = engine.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT));
        assumeTrue(file.direct(), "this file system has no direct I/O");
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private ReadWindow window(int tasks) throws IOException {
        return window(SKIP, SIZES, tasks);
    }

    private ReadWindow window(long skip, long[] sizes, int tasks) throws IOException {
        return new ReadTask(0, path, 0, 0, 0, skip, START, skip, sizes).window(engine, file, tasks);
    }

    private void checkAll(ReadWindow window, long skip, long[] sizes) throws IOException {
        for (int block = 0; block < sizes.length; block++) {
            for (int at = 0; at < sizes[block]; at += 54_321) {
                check(window, START + block * skip + at, (int) Math.min(54_321, sizes[block] - at));
            }
        }
    }

    /** Reads a part of the file and compares it with what was written. */
    private void check(ReadWindow window, long offset, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(length);
        window.readFully(offset, target);
        assertThat(Arrays.equals(target.array(), 0, length, bytes, (int) offset, (int) offset + length))
                .as("%d bytes at %d", length, offset)
                .isTrue();
    }

    /** Slabs of all tasks have 64 MiB; those of 1 MiB lie in pairs. */
    @ParameterizedTest
    @CsvSource({"1, 8", "4, 8", "64, 16", "1024, 16", "2048, 8", "16384, 1", "1000000, 1"})
    void tasksShareTheMemory(int tasks, int pieces) throws IOException {
        int before = engine.count(Operation.MEMORY);
        try (ReadWindow window = window(tasks)) {
            for (int at = 0; at < 18 * MIB; at += 100_000) {
                check(window, START + at, 100_000);
            }
        }
        assertThat(engine.count(Operation.MEMORY) - before).isEqualTo(pieces);
    }

    /** What lies behind a task's bytes in a chunk, and the chunks of others, would be read for nothing. */
    @Test
    void nothingIsReadBehindTheEndOfABlock() throws IOException {
        try (ReadWindow window = window(1)) {
            checkAll(window, SKIP, SIZES);
        }
        assertThat(engine.bytesRead(directory)).isEqualTo((20 + 3) * MIB);
    }

    /** Small chunks come as fast as large ones, behind each other and with those of other tasks between them. */
    @ParameterizedTest
    @CsvSource({
        "1048576, 1048576, 60, 1",
        "1048576, 2097152, 30, 1",
        "4194304, 8388608, 8, 1",
        "700000, 2998272, 24, 1",
        // Chunks that begin anywhere end in a second slab.
        "700000, 2998000, 24, 2"
    })
    void blocksAreReadAhead(int block, int skip, int count, int times) throws IOException {
        long[] sizes = new long[count];
        Arrays.fill(sizes, block);
        sizes[3] = 0;
        int before = engine.count(Operation.MEMORY);
        try (ReadWindow window = window(skip, sizes, 1)) {
            checkAll(window, skip, sizes);
        }
        assertThat(engine.count(Operation.MEMORY) - before).isEqualTo(block < MIB ? 16 : 8);
        assertThat(engine.bytesRead(directory)).isLessThanOrEqualTo((count - 1L) * times * (block + 4096L));
    }

    /** Who jumps has nothing read ahead. */
    @Test
    void jumpsReadOneSlabEach() throws IOException {
        try (ReadWindow window = window(1)) {
            for (int mib = 18; mib > 0; mib -= 2) {
                check(window, START + (long) mib * MIB + 100, 1000);
            }
        }
        assertThat(engine.bytesRead(directory)).isEqualTo(9 * MIB);
    }

    @Test
    void anyOrderGivesTheBytes() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (ReadWindow window = window(1)) {
            long at = START;
            for (int i = 0; i < 300; i++) {
                int length = 1 + random.nextInt(random.nextBoolean() ? 2 * MIB : 5000);
                if (random.nextInt(8) == 0 || at + length > bytes.length) {
                    at = START + random.nextInt(bytes.length - START - length);
                }
                check(window, at, length);
                at += length;
            }
        }
    }

    /** What cannot be asked for ahead may be read all the same when it is wanted. */
    @ParameterizedTest
    @CsvSource({"READ, 3", "MEMORY, 2"})
    void whoReadsDoesNotSeeWhatCouldNotBeStarted(Operation operation, int nth) throws IOException {
        engine.fail(operation, nth, "EIO");
        try (ReadWindow window = window(1)) {
            for (int at = 0; at < 19 * MIB; at += 100_000) {
                check(window, START + at, 100_000);
            }
        }
    }

    @Test
    void aReadThatFailsCanBeRepeated() throws IOException {
        engine.fail(Operation.READ, 2, "EIO");
        try (ReadWindow window = window(1)) {
            check(window, START, 100);
            assertThatThrownBy(() -> check(window, START + 5L * MIB, 100)).hasMessageContaining("EIO");
            check(window, START + 5L * MIB, 100);
        }
    }

    @Test
    void aFileThatBecameShorterIsRefused() throws IOException {
        try (ReadWindow window = window(1)) {
            check(window, START, 5 * MIB);
            try (FileChannel cut = FileChannel.open(path, StandardOpenOption.WRITE)) {
                cut.truncate(START);
            }
            assertThatThrownBy(() -> check(window, START + 19L * MIB, 100))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the file ends at ");
        } finally {
            Files.write(path, bytes);
        }
    }
}
