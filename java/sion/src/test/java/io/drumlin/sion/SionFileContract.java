package io.drumlin.sion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read, whoever moves the bytes; every engine has a subclass. */
abstract class SionFileContract {

    @TempDir
    Path folder;

    abstract StorageEngine engine() throws IOException;

    /** Before anything that is expected to throw, which would also take what skips a test. */
    @BeforeEach
    void skipWithoutTheEngine() throws IOException {
        engine();
    }

    SionOptions options() throws IOException {
        return SionOptions.defaults().storage(engine());
    }

    /** Bytes that tell task and position. */
    static byte[] data(int task, int length) {
        byte[] bytes = new byte[length];
        new Random(31L * task + length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] readAll(SionReader reader) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) reader.size());
        while (all.hasRemaining() && reader.read(all) >= 0) {
            // Until the end.
        }
        assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        return all.array();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 4096, 100000",
        "4, 1, 4096, 70000",
        "5, 2, 512, 70000",
        "7, 3, 1, 3000",
        "4, 4, 4096, 3000000",
        "200, 1, 4096, 20000"
    })
    void everyRankReadsWhatItWrote(int ranks, int files, int block, int length) throws Exception {
        Path path = folder.resolve("data.sion");
        ThreadCommunicator.run(ranks, world -> {
            byte[] data = data(world.rank(), length + world.rank());
            SionOptions options = options().files(files).fsBlockSize(block);
            try (SionOutput output = SionFile.create(path, world, length / 2 + 1L, options)) {
                // Parts of many sizes, heap and direct, some larger than a slab and some than a chunk.
                for (int done = 0, part = 1; done < data.length; part = part * 7 + 3) {
                    int size = Math.min(part, data.length - done);
                    ByteBuffer bytes = part % 2 == 0 ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
                    assertThat(output.writer().write(bytes.put(data, done, size).flip()))
                            .isEqualTo(size);
                    done += size;
                }
                assertThat(output.writer().size()).isEqualTo(data.length);
            }
            try (SionInput input = SionFile.open(path, world, options())) {
                assertThat(input.taskCount()).isEqualTo(ranks);
                assertThat(input.header().files()).isEqualTo(files);
                assertThat(input.globalRank(world.rank())).isEqualTo(world.rank());
                assertThat(readAll(input.reader())).isEqualTo(data);
            }
        });
        try (SionInput input = SionFile.open(path, options())) {
            assertThat(input.tasks()).hasSize(ranks);
            for (int task : input.tasks()) {
                assertThat(readAll(input.reader(task))).isEqualTo(data(task, length + task));
                input.reader(task).close();
            }
        }
        try (SionInput input = SionFile.openTask(path, ranks - 1, options().buffered())) {
            assertThat(readAll(input.reader())).isEqualTo(data(ranks - 1, length + ranks - 1));
        }
    }

    @Test
    void directAndBufferedFilesAreEqual() throws Exception {
        for (boolean buffered : new boolean[] {true, false}) {
            Path path = folder.resolve("equal" + buffered);
            ThreadCommunicator.run(3, world -> {
                SionOptions options = buffered ? options().buffered() : options();
                try (SionOutput output = SionFile.create(path, world, 3 << 20, options.fsBlockSize(4096))) {
                    ByteBuffer data = ByteBuffer.wrap(data(world.rank(), 5_000_000));
                    while (data.hasRemaining()) {
                        ByteBuffer part = data.slice(data.position(), Math.min(1_234_567, data.remaining()));
                        output.writer().write(part);
                        output.writer().flush();
                        data.position(data.position() + part.capacity());
                    }
                }
            });
        }
        byte[] one = Files.readAllBytes(folder.resolve("equaltrue"));
        byte[] other = Files.readAllBytes(folder.resolve("equalfalse"));
        Arrays.fill(one, 52, 1076, (byte) 0);
        Arrays.fill(other, 52, 1076, (byte) 0);
        assertThat(one).isEqualTo(other);
    }

    /** Memory that can be written from where it is; many tasks make the slabs small. */
    @Test
    void largeDirectMemory() throws Exception {
        Path path = folder.resolve("large.sion");
        int size = (2 << 20) + 777;
        byte[] data = data(0, size);
        long[] chunks = new long[64];
        chunks[0] = 5 << 20;
        try (SionOutput output = SionFile.create(path, chunks, options().fsBlockSize(4096));
                AlignedBuffer memory = engine().allocate(3 << 20)) {
            ByteBuffer bytes = memory.buffer().clear().put(data).flip();
            output.writer(0).write(bytes.duplicate());
            output.writer(0).write(ByteBuffer.wrap(data, 0, 4096 - 777));
            output.writer(0).write(bytes);
        }
        try (SionInput input = SionFile.open(path, options())) {
            byte[] read = readAll(input.reader(0));
            assertThat(Arrays.copyOf(read, size)).isEqualTo(data);
            assertThat(Arrays.copyOfRange(read, size + 4096 - 777, read.length)).isEqualTo(data);
        }
    }

    @Test
    void blocksAreThoseOfTheWrites() throws Exception {
        Path path = folder.resolve("blocks.sion");
        try (SionOutput output =
                SionFile.create(path, new long[] {1024, 0, 700}, options().fsBlockSize(512))) {
            SionWriter writer = output.writer(0);
            writer.write(ByteBuffer.allocate(600));
            assertThat(writer.freeSpace()).isEqualTo(424);
            writer.write(ByteBuffer.allocate(0));
            writer.write(ByteBuffer.allocate(424));
            assertThat(writer.block()).isZero();
            writer.write(ByteBuffer.allocate(1));
            writer.write(new ByteBuffer[] {ByteBuffer.allocate(1000), ByteBuffer.allocate(24)});
            writer.ensureFreeSpace(1);
            assertThat(writer.block()).isEqualTo(3);
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> writer.ensureFreeSpace(1025))
                    .withMessageContaining("1024 bytes");
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> output.writer(1).write(ByteBuffer.allocate(1)))
                    .withMessageContaining("chunk of 0 bytes");
            output.writer(2).write(ByteBuffer.wrap(data(2, 3000)));
        }
        try (SionInput input = SionFile.open(path, options())) {
            SionReader reader = input.reader(0);
            assertThat(IntStream.range(0, reader.blocks()).mapToLong(reader::blockSize))
                    .containsExactly(1024L, 1L, 1024L, 0L);
            assertThat(input.reader(1).blocks()).isOne();
            assertThat(input.reader(1).endOfFile()).isTrue();
            assertThat(IntStream.range(0, input.reader(2).blocks()).mapToLong(input.reader(2)::blockSize))
                    .containsExactly(1024L, 1024L, 952L);
            assertThat(readAll(input.reader(2))).isEqualTo(data(2, 3000));
        }
    }

    @Test
    void readersSeekAndSeeBlocks() throws Exception {
        Path path = folder.resolve("seek.sion");
        byte[] data = data(0, 1300);
        try (SionOutput output =
                SionFile.create(path, new long[] {512}, options().fsBlockSize(512))) {
            output.writer().write(ByteBuffer.wrap(data, 0, 500));
            output.writer().write(ByteBuffer.wrap(data, 500, 500));
            output.writer().write(ByteBuffer.wrap(data, 1000, 300));
        }
        try (SionInput input = SionFile.open(path, options())) {
            SionReader reader = input.reader();
            reader.position(500);
            assertThat(reader.block()).isZero();
            assertThat(reader.bytesAvailableInBlock()).isZero();
            assertThat(reader.endOfFile()).isFalse();
            assertThat(reader.block()).isEqualTo(1);
            reader.seek(2, 299);
            ByteBuffer one = ByteBuffer.allocate(10);
            assertThat(reader.read(one)).isEqualTo(1);
            assertThat(one.get(0)).isEqualTo(data[1299]);
            assertThat(reader.endOfFile()).isTrue();
            reader.position(490);
            ByteBuffer across = ByteBuffer.allocate(600);
            assertThat(reader.read(across)).isEqualTo(600);
            assertThat(across.array()).isEqualTo(Arrays.copyOfRange(data, 490, 1090));
            assertThat(reader.position()).isEqualTo(1090);
            reader.position(5000);
            assertThat(reader.read(one.clear())).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void numbersAreInTheByteOrderOfTheData(boolean bigEndian) throws Exception {
        Path path = folder.resolve("numbers.sion");
        double[] doubles = new Random(1).doubles(300_001).toArray();
        int[] ints = new Random(2).ints(999).toArray();
        long[] longs = new Random(3).longs(77).toArray();
        float[] floats = {1.5f, Float.NaN, -0f};
        ByteOrder order = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        SionOptions options = options().payloadOrder(order).fsBlockSize(4096);
        try (SionOutput output = SionFile.create(path, new long[] {1_000_003}, options)) {
            output.writer().write(ByteBuffer.wrap(new byte[] {42}));
            output.writer().write(doubles, 0, doubles.length);
            output.writer().write(ints, 1, 998);
            output.writer().write(longs, 0, 77);
            output.writer().write(floats, 0, 3);
        }
        try (SionInput input = SionFile.open(path, options())) {
            ByteBuffer bytes = ByteBuffer.wrap(readAll(input.reader())).order(order);
            assertThat(bytes.get()).isEqualTo((byte) 42);
            for (double value : doubles) {
                assertThat(bytes.getDouble()).isEqualTo(value);
            }
            input.reader().position(1);
            double[] read = new double[doubles.length];
            input.reader().read(read, 0, read.length);
            assertThat(read).isEqualTo(doubles);
            int[] readInts = new int[998];
            input.reader().read(readInts, 0, 998);
            assertThat(readInts).isEqualTo(Arrays.copyOfRange(ints, 1, 999));
            long[] readLongs = new long[77];
            input.reader().read(readLongs, 0, 77);
            assertThat(readLongs).isEqualTo(longs);
            float[] readFloats = new float[3];
            input.reader().read(readFloats, 0, 3);
            assertThat(readFloats).isEqualTo(floats);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> input.reader().read(readFloats, 0, 1))
                    .withMessageContaining("ends");
        }
    }

    @Test
    void fewerProcessesThanTasks() throws Exception {
        Path path = folder.resolve("mapped.sion");
        ThreadCommunicator.run(3, world -> {
            List<MappedTask> tasks = IntStream.range(0, 8)
                    .filter(task -> task % 3 == world.rank())
                    .mapToObj(task -> new MappedTask(task, task % 2, task / 2, 600))
                    .toList();
            SionOptions options = options().files(2).fsBlockSize(512);
            try (SionOutput output = SionFile.createMapped(path, world, tasks, options)) {
                for (MappedTask task : tasks) {
                    byte[] data = data((int) task.globalRank(), 2000);
                    output.writer(task.globalRank()).write(ByteBuffer.wrap(data));
                }
            }
            try (SionInput input = SionFile.openMapped(path, world, options())) {
                int expected = world.rank() == 2 ? 4 : 2;
                assertThat(input.tasks()).hasSize(expected);
                for (int task : input.tasks()) {
                    assertThat(readAll(input.reader(task))).isEqualTo(data(task, 2000));
                }
            }
            int[] named = world.rank() == 1 ? new int[] {7, 0} : new int[0];
            try (SionInput input = SionFile.openMapped(path, world, named, options())) {
                for (int task : input.tasks()) {
                    assertThat(readAll(input.reader(task))).isEqualTo(data(task, 2000));
                }
                assertThat(input.tasks().size()).isEqualTo(named.length);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"0, 8", "3, 8", "8, 8", "2, 40"})
    void collectorsWriteWhatEachWouldHaveWritten(int groupSize, int ranks) throws Exception {
        Path path = folder.resolve("collective.sion");
        ThreadCommunicator.run(ranks, world -> {
            byte[] data = data(world.rank(), 900);
            SionOptions options = options().collective(groupSize).fsBlockSize(512);
            try (SionOutput output = SionFile.create(path, world, 300 + world.rank(), options)) {
                for (int part = 0; part < 3; part++) {
                    output.writeCollective(ByteBuffer.wrap(data, 300 * part, 300));
                }
            }
            try (SionInput input = SionFile.open(path, world, options())) {
                ByteBuffer read = ByteBuffer.allocate(900);
                assertThat(input.readCollective(read)).isEqualTo(900);
                assertThat(read.array()).isEqualTo(data);
                assertThat(input.readCollective(read.clear())).isEqualTo(-1);
            }
        });
    }

    @Test
    void aCollectiveWriteThatOneRankCannotMakeFailsOnAll() throws Exception {
        Path path = folder.resolve("toolarge.sion");
        ThreadCommunicator.run(4, world -> {
            SionOptions options = options().collective(2).fsBlockSize(512);
            try (SionOutput output = SionFile.create(path, world, 100, options)) {
                int size = world.rank() == 2 ? 2000 : 10;
                assertThatExceptionOfType(DrumlinException.class)
                        .isThrownBy(() -> output.writeCollective(ByteBuffer.allocate(size)))
                        .withMessageContaining(world.rank() == 2 ? "a chunk of this task has" : "rank 2 failed");
                output.writeCollective(ByteBuffer.allocate(10));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"bud.sion", "bud.sion.000001", "bud.sion.000002"})
    void aLostFileIsReadFromItsBuddyCopy(String lost) throws Exception {
        Path path = folder.resolve("bud.sion");
        ThreadCommunicator.run(7, world -> {
            SionOptions options = options().files(3).buddies(2).fsBlockSize(512);
            try (SionOutput output = SionFile.create(path, world, 700, options)) {
                assertThatIllegalStateException().isThrownBy(output::writer);
                for (int part = 0; part < 4; part++) {
                    output.writeCollective(ByteBuffer.wrap(data(world.rank(), 2000), 500 * part, 500));
                }
            }
            if (world.rank() == 0) {
                Files.delete(folder.resolve(lost));
            }
            world.barrier();
            try (SionInput input = SionFile.open(path, world, options())) {
                assertThat(readAll(input.reader())).isEqualTo(data(world.rank(), 2000));
            }
            // One copy of two is left.
            if (world.rank() == 0) {
                Files.delete(folder.resolve(lost.replace("bud.sion", "bud.sion_BUDDY_00")));
            }
            world.barrier();
            try (SionInput input = SionFile.open(path, world, options())) {
                assertThat(readAll(input.reader())).isEqualTo(data(world.rank(), 2000));
            }
        });
    }

    /** They would be read in the place of the new file as long as that is not closed. */
    @Test
    void copiesOfAFileThatIsReplacedAreGone() throws Exception {
        Path path = folder.resolve("bud.sion");
        ThreadCommunicator.run(4, world -> {
            SionOptions options = options().files(2);
            try (SionOutput output = SionFile.create(path, world, 700, options.buddies(1))) {
                output.writeCollective(ByteBuffer.allocate(500));
            }
            SionFile.create(path, world, 700, options).abandon();
            world.barrier();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> SionFile.open(path, world, options()))
                    .withMessageContaining("never closed");
        });
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.toString().contains("_BUDDY_"));
        }
    }

    @Test
    void copiesAreOfPlainStreamsOnly() throws Exception {
        Path path = folder.resolve("bud.sion");
        ThreadCommunicator.run(4, world -> {
            SionOptions options = options().files(2).buddies(1);
            for (SionOptions wrong : List.of(options.keyValue(), options.merge(2), options.buddies(2))) {
                assertThatIllegalArgumentException().isThrownBy(() -> SionFile.create(path, world, 700, wrong));
            }
        });
        assertThat(path).doesNotExist();
    }

    @Test
    void recordsNeedAChunk() throws Exception {
        try (SionOutput output = SionFile.create(
                folder.resolve("keys.sion"), new long[] {0}, options().keyValue())) {
            KeyValueWriter writer = output.keyValueWriter();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> writer.write(1, ByteBuffer.allocate(1)))
                    .withMessageContaining("chunk of 0 bytes");
            output.abandon();
        }
    }

    @Test
    void recordsAreFoundByKey() throws Exception {
        Path path = folder.resolve("keys.sion");
        SionOptions options = options().keyValue().fsBlockSize(64);
        try (SionOutput output = SionFile.create(path, new long[] {64}, options)) {
            KeyValueWriter writer = output.keyValueWriter();
            writer.write(1, ByteBuffer.wrap(data(1, 10)));
            writer.write(-1, ByteBuffer.wrap(data(2, 300)));
            writer.write(1, ByteBuffer.allocate(0));
            writer.write(1, ByteBuffer.wrap(data(3, 20)));
            writer.write(7, ByteBuffer.allocate(0));
            assertThatIllegalStateException().isThrownBy(output::writer);
        }
        try (SionInput input = SionFile.open(path, options())) {
            KeyValueReader reader = input.keyValueReader();
            ByteBuffer value = ByteBuffer.allocate(100);
            assertThat(reader.read(1, value)).isEqualTo(10);
            assertThat(reader.read(1, value)).isEqualTo(20);
            assertThat(reader.read(1, value)).isEqualTo(-1);
            assertThat(reader.read(5, value)).isEqualTo(-1);
            assertThat(value.flip())
                    .isEqualTo(ByteBuffer.allocate(30)
                            .put(data(1, 10))
                            .put(data(3, 20))
                            .flip());
            assertThat(reader.keys()).containsExactly(1L, -1L, 7L);
            assertThat(reader.statistics(1)).contains(new KeyValueReader.Statistics(1, 3, 30));
            assertThat(reader.statistics(2)).isEmpty();
            reader.seek(-1, 200);
            assertThat(reader.available(-1)).isEqualTo(100);
            assertThat(reader.read(-1, value.clear())).isEqualTo(100);
            assertThat(value.array()).isEqualTo(Arrays.copyOfRange(data(2, 300), 200, 300));
            reader.seek(1, 2, 19);
            assertThat(reader.read(1, value.clear())).isEqualTo(1);
            assertThat(value.get(0)).isEqualTo(data(3, 20)[19]);
            reader.seek(1, 30);
            assertThat(reader.read(1, value.clear())).isEqualTo(-1);
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> reader.seek(1, 31))
                    .withMessageContaining("no byte 31 of key 1");
            assertThatExceptionOfType(DrumlinException.class).isThrownBy(() -> reader.seek(3, 0, 0));
            int records = 0;
            for (Optional<KeyValueRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
                records++;
            }
            assertThat(records).isEqualTo(5);
        }
    }

    @Test
    void reinitLimitsWhatMayBeUsedOfAChunk() throws Exception {
        Path path = folder.resolve("reinit.sion");
        ThreadCommunicator.run(2, world -> {
            try (SionOutput output = SionFile.create(path, world, 100, options().fsBlockSize(512))) {
                output.reinit(1500);
                output.writer().write(ByteBuffer.allocate(1500));
                output.writer().write(ByteBuffer.allocate(30));
                assertThatExceptionOfType(DrumlinException.class).isThrownBy(() -> output.reinit(1));
            }
            try (SionInput input = SionFile.open(path, world, options())) {
                assertThat(input.chunkSize(world.rank())).isEqualTo(1536);
                assertThat(input.reader().blockSize(0)).isEqualTo(1500);
                assertThat(input.reader().blockSize(1)).isEqualTo(30);
            }
        });
    }

    @Test
    void manyBlocksOfOneTask() throws Exception {
        Path path = folder.resolve("many.sion");
        byte[] data = data(0, 5000);
        try (SionOutput output =
                SionFile.create(path, new long[] {3, 1}, options().fsBlockSize(1))) {
            output.writer(0).write(ByteBuffer.wrap(data));
        }
        try (SionInput input = SionFile.open(path, options())) {
            assertThat(input.reader(0).blocks()).isEqualTo(1667);
            assertThat(readAll(input.reader(0))).isEqualTo(data);
        }
    }

    @Test
    void anOlderLongerFileIsReplaced() throws Exception {
        Path path = folder.resolve("old.sion");
        Files.write(path, data(9, 100_000));
        try (SionOutput output =
                SionFile.create(path, new long[] {100}, options().fsBlockSize(512))) {
            output.writer().write(ByteBuffer.wrap(data(0, 10)));
        }
        assertThat(path).hasSize(1536 + 512 + 16 + 4);
        try (SionInput input = SionFile.open(path, options())) {
            assertThat(readAll(input.reader())).isEqualTo(data(0, 10));
        }
    }

    @Test
    void aFileThatWasNotClosedIsRefused() throws Exception {
        Path path = folder.resolve("unclosed.sion");
        ThreadCommunicator.run(2, world -> {
            SionOutput output = SionFile.create(path, world, 100, options());
            output.writer().write(ByteBuffer.wrap(data(0, 10)));
            output.writer().flush();
            output.abandon();
            world.barrier();
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> SionFile.open(path, world, options()))
                    .withMessageContaining("never closed");
        });
    }

    @Test
    void openingWithAnotherNumberOfProcessesIsRefusedOnAll() throws Exception {
        Path path = folder.resolve("three.sion");
        try (SionOutput output = SionFile.create(path, new long[3], options())) {
            assertThat(output.tasks()).hasSize(3);
        }
        ThreadCommunicator.run(4, world -> assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> SionFile.open(path, world, options()))
                .withMessageContaining("3 tasks"));
        ThreadCommunicator.run(2, world -> {
            Communicator self = world.split(world.rank(), 0);
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> SionFile.openMapped(path, self, new int[] {3}, options()))
                    .withMessageContaining("no task 3");
        });
    }

    @Test
    void tasksThatLeaveGapsAreRefusedOnAll() throws Exception {
        Path path = folder.resolve("gaps.sion");
        ThreadCommunicator.run(2, world -> {
            List<MappedTask> gap = List.of(new MappedTask(world.rank(), 0, 2 * world.rank(), 10));
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> SionFile.createMapped(path, world, gap, options()))
                    .withMessageContaining("local ranks 0 to 1");
            List<MappedTask> twice = List.of(new MappedTask(0, 0, world.rank(), 10));
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> SionFile.createMapped(path, world, twice, options()))
                    .withMessageContaining("global ranks 0 to 1");
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> SionFile.create(path, world, world.rank() == 1 ? -1 : 5, options()))
                    .withMessageContaining("-1 bytes");
        });
    }
}
