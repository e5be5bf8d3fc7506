package io.drumlin.sion;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.GoldenFiles;
import io.drumlin.format.sion.internal.SionMeta;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SionRepairTest {

    @TempDir
    private Path folder;

    private final StorageEngine storage = new NioEngine();
    private final SionOptions options = SionOptions.defaults().storage(storage).fsBlockSize(512);

    /** A job of C SIONlib that died; its manifest says what the tasks had written. */
    @Test
    void aFileOfCSionlibThatWasNeverClosed() throws Exception {
        Path file = folder.resolve("crash.sion");
        Files.copy(GoldenFiles.root().resolve("s14_crash_mpi4/crash.sion"), file);
        file.toFile().setWritable(true);
        byte[] before = Files.readAllBytes(file);
        SionRepair repair = SionRepair.of(file, storage).orElseThrow();
        assertThat(repair.losses()).isEmpty();
        assertThat(repair.sizes(0)).containsExactly(600, 600);
        assertThat(repair.sizes(2)).containsExactly(700);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        repair.apply();
        try (SionInput input = SionFile.open(file, options)) {
            assertThat(input.reader(0).size()).isEqualTo(1200);
            ByteBuffer bytes = ByteBuffer.allocate(600);
            input.reader(3).read(bytes);
            assertThat(bytes.array()).isEqualTo(Arrays.copyOfRange(before, 4608, 5208));
        }
        assertThat(SionRepair.of(file, storage)).isEmpty();
    }

    @Test
    void setsOfFilesAreJoinedAgain() throws Exception {
        Path path = folder.resolve("set.sion");
        ThreadCommunicator.run(5, world -> {
            SionOutput output = SionFile.create(path, world, 300, options.files(2));
            output.writer().write(ByteBuffer.wrap(new byte[] {1, 2, 3, (byte) world.rank(), 9}));
            output.writer().flush();
            output.abandon();
        });
        for (Path file : new Path[] {path, folder.resolve("set.sion.000001")}) {
            SionRepair.of(file, storage).orElseThrow().apply();
        }
        try (SionInput input = SionFile.open(path, options)) {
            assertThat(input.tasks()).hasSize(5);
            for (int task = 0; task < 5; task++) {
                ByteBuffer bytes = ByteBuffer.allocate(6);
                assertThat(input.reader(task).read(bytes)).isEqualTo(5);
                assertThat(bytes.get(3)).isEqualTo((byte) task);
            }
        }
    }

    /** What cannot be read now is not taken for what was never written. */
    @Test
    void aReadThatFailsIsNoEndOfTheData() throws Exception {
        Path path = folder.resolve("keys.sion");
        SionOutput output = SionFile.create(path, new long[] {512, 512}, options.keyValue());
        output.keyValueWriter(0).write(5, ByteBuffer.allocate(1000));
        output.keyValueWriter(1).write(7, ByteBuffer.wrap(new byte[900]).put(899, (byte) 1));
        output.stream(0).flush();
        output.stream(1).flush();
        output.abandon();
        SionRepair whole = SionRepair.of(path, storage).orElseThrow();
        int failed = 0;
        for (int nth = 1; nth <= 20; nth++) {
            FaultyEngine faulty = new FaultyEngine(storage, false);
            faulty.fail(FaultyEngine.Operation.READ, nth, "EIO");
            try {
                SionRepair repair = SionRepair.of(path, faulty).orElseThrow();
                assertThat(repair.losses()).isEqualTo(whole.losses());
                for (int task = 0; task < 2; task++) {
                    assertThat(repair.sizes(task)).isEqualTo(whole.sizes(task));
                }
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("EIO");
                failed++;
            }
        }
        assertThat(failed).isPositive();
    }

    @Test
    void recordsAreFollowedToTheLastWholeOne() throws Exception {
        Path path = folder.resolve("keys.sion");
        SionOutput output = SionFile.create(path, new long[] {512, 512}, options.keyValue());
        output.keyValueWriter(0).write(5, ByteBuffer.allocate(1000));
        output.keyValueWriter(0).write(6, ByteBuffer.wrap(new byte[] {1, 0, 0}));
        output.keyValueWriter(1).write(7, ByteBuffer.wrap(new byte[900]).put(899, (byte) 1));
        output.stream(0).flush();
        output.stream(1).flush();
        output.abandon();
        // The last record of each task never reached the file as a whole.
        try (var channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.truncate(1536 + 1024 + 512 + 100);
        }
        SionRepair repair = SionRepair.of(path, storage).orElseThrow();
        assertThat(repair.losses()).hasSize(2);
        assertThat(Arrays.stream(repair.sizes(0)).sum()).isEqualTo(16 + 1000);
        repair.apply();
        try (SionInput input = SionFile.open(path, options)) {
            assertThat(input.keyValueReader(0).keys()).containsExactly(5L);
            assertThat(input.keyValueReader(1).next()).isEmpty();
        }
    }

    /** The job died, or the device failed, between the second metadata and the tail that says where they are. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasClosedButForTheTailIsTakenAsItWas(boolean keyValue) throws Exception {
        Path path = folder.resolve("tail.sion");
        SionOptions one = keyValue ? options.keyValue() : options;
        ThreadCommunicator.run(3, world -> {
            SionOptions set = one.files(keyValue ? 1 : 2);
            try (SionOutput output = SionFile.create(path, world, 300 + world.rank(), set)) {
                for (int i = 0; i < 3; i++) {
                    if (keyValue) {
                        output.keyValueWriter().write(i, ByteBuffer.allocate(200));
                    } else {
                        output.writer().write(ByteBuffer.allocate(200));
                    }
                }
            }
        });
        byte[] whole = Files.readAllBytes(path);
        Meta1 meta1 =
                SionMeta.read(new MemoryByteSource(ByteBuffer.wrap(whole))).meta1();
        try (var channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.position(meta1.tailOffset()).write(ByteBuffer.allocate(Meta1.TAIL_LENGTH));
        }
        SionRepair repair = SionRepair.of(path, storage).orElseThrow();
        assertThat(repair.losses()).isEmpty();
        assertThat(Arrays.stream(repair.sizes(0)).sum()).isEqualTo(keyValue ? 3 * 216 : 600);
        repair.apply();
        assertThat(Files.readAllBytes(path)).isEqualTo(whole);
    }

    @Test
    void trailingZerosOfRecordsAreKept() throws IOException {
        Path path = folder.resolve("zeros.sion");
        SionOutput output = SionFile.create(path, new long[] {512}, options.keyValue());
        output.keyValueWriter(0).write(5, ByteBuffer.allocate(1000));
        output.keyValueWriter(0).write(6, ByteBuffer.wrap(new byte[] {1, 0, 0}));
        output.stream(0).flush();
        output.abandon();
        SionRepair.of(path, storage).orElseThrow().apply();
        try (SionInput input = SionFile.open(path, options)) {
            KeyValueReader reader = input.keyValueReader();
            assertThat(reader.next().orElseThrow().length()).isEqualTo(1000);
            assertThat(reader.next().orElseThrow().length()).isEqualTo(3);
            assertThat(reader.next()).isEqualTo(Optional.empty());
        }
    }

    @Test
    void defragmentingKeepsContent() throws IOException {
        Path path = folder.resolve("many.sion");
        byte[] data = SionFileContract.data(3, 5000);
        long[] ranks = {7, 9};
        try (SionOutput output = SionFile.create(path, new long[] {100, 100}, ranks, options)) {
            for (int done = 0; done < 5000; done += 250) {
                output.writer(1).write(ByteBuffer.wrap(data, done, 250));
            }
        }
        Path copy = folder.resolve("copy.sion");
        try (SionInput input = SionFile.open(path, options)) {
            SionCopy.defragment(input, copy, 1, SionOptions.defaults().storage(storage), bytes -> {});
        }
        try (SionInput input = SionFile.open(copy, options)) {
            assertThat(input.globalRank(1)).isEqualTo(9);
            assertThat(input.reader(1).blocks()).isOne();
            ByteBuffer all = ByteBuffer.allocate(5000);
            assertThat(input.reader(1).read(all)).isEqualTo(5000);
            assertThat(all.array()).isEqualTo(data);
            assertThat(input.reader(0).size()).isZero();
        }
    }
}
