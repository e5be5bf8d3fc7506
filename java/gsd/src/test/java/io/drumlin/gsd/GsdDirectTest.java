package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.DrumlinException;
import io.drumlin.Golden;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.format.gsd.internal.EmptyFile;
import io.drumlin.format.gsd.internal.GsdVerifier;
import io.drumlin.format.internal.Findings;
import io.drumlin.gsd.DirectWatch.Answer;
import io.drumlin.gsd.internal.DirectWrites;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written past the page cache is, byte for byte, what goes through it, whatever fails. */
@Timeout(300)
class GsdDirectTest {

    private static final int BLOCK = DirectWrites.BLOCK;
    private static final int LEAST = DirectWrites.LEAST;

    private static Path expected;
    private static List<Long> expectedSizes;

    @TempDir
    Path directory;

    private DirectWatch watch;

    @BeforeAll
    static void writeThroughThePageCache(@TempDir Path folder) throws IOException {
        expected = folder.resolve("expected.gsd");
        StorageEngine storage = new DirectWatch(new NioEngine(), Answer.BUFFERED).engine();
        expectedSizes = writeAll(GsdFile.at(expected).storage(storage), expected, new SingleCommunicator());
    }

    @BeforeEach
    void requireDirectWrites() throws IOException {
        StorageEngine best = StorageEngines.best();
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.DIRECT);
        try (BlockFile probe = best.open(directory.resolve("probe"), modes)) {
            assumeTrue(probe.direct(), "the file system of the temporary folder refuses direct I/O");
        }
        watch = new DirectWatch(best, Answer.DIRECT);
    }

    private static GsdFile create(Path path, StorageEngine storage) throws IOException {
        GsdFile file = GsdFile.at(path).storage(storage).create("test", "none", new Version(1, 0));
        file.setMaximumAge(GsdCalls.NO_AGE);
        return file;
    }

    /** The place of each byte can be told from it. */
    private static byte[] bytes(String name, int first, int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            int place = first + i;
            bytes[i] = (byte) (place ^ place >> 8 ^ place >> 16 ^ name.hashCode());
        }
        return bytes;
    }

    private static void write(GsdFile file, Communicator world, String name, int count) throws IOException {
        GsdCalls.Part part = GsdCalls.Part.of(world, count);
        file.writeChunk(name, bytes(name, part.first(), part.rows()), part.rows(), 1);
    }

    private static void write(GsdFile file, String name, int count) throws IOException {
        write(file, new SingleCommunicator(), name, count);
    }

    private static void assertContent(GsdFile file, long frame, String name, int count) throws IOException {
        byte[] found = file.findChunk(frame, name).orElseThrow().bytes();
        assertThat(found).hasSize(count);
        // Shorter than a listing of millions of bytes.
        assertThat(ByteBuffer.wrap(found).mismatch(ByteBuffer.wrap(bytes(name, 0, count))))
                .as("%s of frame %d", name, frame)
                .isEqualTo(-1);
    }

    private static void assertEqual(Path one, Path other) throws IOException {
        assertThat(Files.mismatch(one, other)).isEqualTo(-1);
    }

    /** How much of a chunk is written directly, that all of it is there, and that the file ends behind it. */
    @ParameterizedTest
    @CsvSource({
        "0, 3840, true",
        "0, 3839, true",
        "0, 3840, false",
        "0, 3839, false",
        "3840, 0, true",
        "3840, -1, true",
        "3840, 0, false",
        "3841, 4095, true",
        "3841, 4095, false",
        "3841, 4094, true",
        "3841, 4094, false",
        "1, 1048577, true",
        "1, 1048577, false",
        "5, 5000003, true",
        "5, 5000003, false",
        "4096, 44040192, true"
    })
    void piecesOfAllPlacesAndSizes(int shift, int beyond, boolean gathered) throws IOException {
        Path path = directory.resolve("file.gsd");
        int count = LEAST + beyond;
        try (GsdFile file = create(path, watch.engine())) {
            write(file, "shift", shift);
            write(file, "another", 100_000);
            file.endFrame();
            file.flush();
            long begin = Files.size(path);
            file.setMaximumWriteBufferSize(gathered ? 64 << 20 : 200_000);
            write(file, "large", count);
            file.endFrame();
            file.flush();
            long whole = (begin + count) / BLOCK * BLOCK - (begin + BLOCK - 1) / BLOCK * BLOCK;
            assertThat(watch.direct()).isEqualTo(whole >= LEAST ? whole : 0);
            assertThat(path).hasSize(begin + count);
            assertContent(file, 1, "large", count);
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertContent(file, 0, "shift", shift);
            assertContent(file, 0, "another", 100_000);
            assertContent(file, 1, "large", count);
        }
    }

    /** Elements that lie across the borders of blocks, windows and pieces of memory, from arrays and from buffers of the other byte order. */
    @ParameterizedTest
    @ValueSource(longs = {1 << 30, 1000})
    void elementsAcrossBlocks(long maximum) throws IOException {
        double[] numbers = new double[LEAST / Double.BYTES + 600_001];
        ByteBuffer big = ByteBuffer.allocateDirect(Double.BYTES * numbers.length);
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i * 1.25;
            big.putDouble(Double.BYTES * i, numbers[i]);
        }
        try (GsdFile file = create(directory.resolve("file.gsd"), watch.engine())) {
            file.setMaximumWriteBufferSize(maximum);
            write(file, "shift", 3);
            List<String> chunks = List.of("array", "buffer", "another buffer", "another array");
            for (String chunk : chunks) {
                if (chunk.endsWith("array")) {
                    file.writeChunk(chunk, numbers, numbers.length, 1);
                } else {
                    file.writeChunk(chunk, ElementType.DOUBLE, big.asDoubleBuffer(), numbers.length, 1);
                }
            }
            file.endFrame();
            for (String chunk : chunks) {
                assertThat(file.findChunk(0, chunk).orElseThrow().doubles())
                        .as(chunk)
                        .isEqualTo(numbers);
            }
        }
        assertThat(watch.direct()).isGreaterThan(4L * Double.BYTES * numbers.length - 8 * BLOCK);
    }

    /** All that decides where bytes go, with chunks that are large; how long the file is between the calls. */
    private static List<Long> writeAll(GsdFile.Builder builder, Path path, Communicator world) throws IOException {
        List<Long> sizes = new ArrayList<>();
        int large = 3 * LEAST;
        try (GsdFile file = builder.create("test", "none", new Version(1, 0))) {
            file.setMaximumAge(GsdCalls.NO_AGE);
            file.setMaximumWriteBufferSize(40 << 20);
            for (int frame = 0; frame < 5; frame++) {
                write(file, world, "step", 1 + frame);
                write(file, world, "a", large + 5 * frame);
                write(file, world, "b", 12_345);
                file.endFrame();
            }
            flush(file, path, world, sizes);
            write(file, world, "a", large);
            // Their block moves to where the data were begun to be written.
            for (int name = 0; name < 200; name++) {
                write(file, world, "a name that is not short at all, so that there will be no room for " + name, 1);
            }
            file.endFrame();
            flush(file, path, world, sizes);
            write(file, world, "c", large);
            write(file, world, "at once, in front of what is gathered", 41 << 20);
            write(file, world, "unfinished", large);
            flush(file, path, world, sizes);
            file.endFrame();
            flush(file, path, world, sizes);
            write(file, world, "lost when the file is closed", large);
        }
        try (GsdFile file = builder.open(Access.APPEND)) {
            write(file, world, "a", large + 1);
            file.endFrame();
            for (int i = 0; i < 100; i++) {
                file.writeChunk("small", new byte[0], 0, 1);
                file.endFrame();
            }
            flush(file, path, world, sizes);
            write(file, world, "a", large + 2);
            file.endFrame();
        }
        return sizes;
    }

    private static void flush(GsdFile file, Path path, Communicator world, List<Long> sizes) throws IOException {
        file.flush();
        world.barrier();
        sizes.add(Files.size(path));
        world.barrier();
    }

    @Tag("native")
    @Tag("exhaustive")
    @Test
    void theFileOfLibcIsThatOfThePageCache() throws IOException {
        theFileIsThatOfThePageCache(2, Answer.DIRECT, "libc");
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, DIRECT, best", "3, DIRECT, best", "2, DIRECT, nio", "1, BUFFERED, best", "1, FAILURE, best"})
    void theFileIsThatOfThePageCache(int ranks, Answer answer, String engine) throws IOException {
        Path path = directory.resolve("file.gsd");
        StorageEngine real = engine.equals("best") ? StorageEngines.best() : StorageEngines.byName(engine);
        DirectWatch other = new DirectWatch(real, answer);
        ThreadCommunicator.run(ranks, world -> {
            GsdFile.Builder builder = GsdFile.at(path).communicator(world).storage(other.engine());
            assertThat(writeAll(builder, path, world)).isEqualTo(expectedSizes);
        });
        assertEqual(path, expected);
        if (answer == Answer.DIRECT) {
            assertThat(other.direct()).isGreaterThan(other.buffered());
        } else {
            assertThat(other.direct()).isZero();
        }
    }

    @Test
    void emptyingAFileStopsWhatIsOnItsWay() throws IOException {
        Path path = directory.resolve("file.gsd");
        Path expected = directory.resolve("expected.gsd");
        for (Path each : List.of(path, expected)) {
            Answer answer = each == path ? Answer.DIRECT : Answer.BUFFERED;
            StorageEngine storage = new DirectWatch(StorageEngines.best(), answer).engine();
            ThreadCommunicator.run(2, world -> {
                GsdFile.Builder builder = GsdFile.at(each).communicator(world).storage(storage);
                try (GsdFile file = builder.create("test", "none", new Version(1, 0))) {
                    write(file, world, "a", 6 * LEAST);
                    file.endFrame();
                    file.truncate();
                    world.barrier();
                    assertThat(each).hasSize(EmptyFile.BYTES);
                    world.barrier();
                    write(file, world, "b", 6 * LEAST + 1);
                    file.endFrame();
                }
            });
        }
        assertEqual(path, expected);
    }

    @Test
    void upgradingStopsWhatIsOnItsWay() throws IOException {
        Path golden = Golden.path("gsd", "v10_index_growth", "file.gsd");
        Path path = directory.resolve("file.gsd");
        Path expected = directory.resolve("expected.gsd");
        for (Path each : List.of(path, expected)) {
            Files.copy(golden, each);
            Answer answer = each == path ? Answer.DIRECT : Answer.BUFFERED;
            StorageEngine storage = new DirectWatch(StorageEngines.best(), answer).engine();
            try (GsdFile file = GsdFile.at(each).storage(storage).open(Access.READ_WRITE)) {
                String name = file.names("").get(0);
                write(file, name, 2 * LEAST);
                file.endFrame();
                file.upgrade();
                write(file, name, 2 * LEAST);
                file.endFrame();
                file.flush();
                assertContent(file, file.frameCount() - 1, name, 2 * LEAST);
                assertContent(file, file.frameCount() - 2, name, 2 * LEAST);
            }
        }
        assertEqual(path, expected);
    }

    /** Writes, syncs and reservations of a flush fail, one in a run, on one rank: it fails on all, and can be repeated. */
    @ParameterizedTest
    @Tag("exhaustive")
    @CsvSource({"WRITE, 1", "WRITE, 3", "SYNC, 1", "ALLOCATE, 1", "MEMORY, 3", "OPEN, 1"})
    void aFlushThatFailedCanBeRepeated(Operation operation, int ranks) throws IOException {
        failAFlush(operation, ranks, 4);
    }

    @ParameterizedTest
    @Tag("soak")
    @CsvSource({"WRITE, 1", "WRITE, 3", "SYNC, 1", "ALLOCATE, 1", "MEMORY, 3", "OPEN, 1"})
    void anyFlushThatFailedCanBeRepeated(Operation operation, int ranks) throws IOException {
        failAFlush(operation, ranks, 1);
    }

    private void failAFlush(Operation operation, int ranks, int longestStep) throws IOException {
        Random random = seeded();
        Path expected = directory.resolve("expected.gsd");
        StorageEngine buffered = new DirectWatch(StorageEngines.best(), Answer.BUFFERED).engine();
        assertThat(writeStubbornly(GsdFile.at(expected).storage(buffered), new SingleCommunicator(), () -> {}))
                .isZero();
        int nth = 0;
        int count;
        do {
            nth += nth == 0 ? 1 : 1 + random.nextInt(longestStep);
            Path path = directory.resolve("file.gsd");
            int planned = nth;
            count = ThreadCommunicator.call(ranks, world -> {
                        FaultyEngine storage = new FaultyEngine(StorageEngines.best());
                        boolean failing = world.rank() == ranks - 1;
                        GsdFile.Builder builder =
                                GsdFile.at(path).communicator(world).storage(storage);
                        int[] before = new int[1];
                        int faults = writeStubbornly(builder, world, () -> {
                            before[0] = storage.count(operation);
                            if (failing) {
                                storage.fail(operation, planned, "EIO");
                            }
                        });
                        int made = storage.count(operation) - before[0];
                        // Where direct writes cannot be prepared there are none, and nothing fails.
                        boolean harmless = operation == Operation.ALLOCATE || operation == Operation.OPEN;
                        if (failing) {
                            // A direct write that failed is repeated through the page cache.
                            int least = operation == Operation.WRITE || harmless || made < planned ? 0 : 1;
                            assertThat(faults)
                                    .as("fault %d of %d", planned, made)
                                    .isBetween(least, harmless || made < planned ? 0 : 1);
                        }
                        return made;
                    })
                    .get(ranks - 1);
            check(path, operation == Operation.SYNC ? 0 : FRAMES);
            if (ranks == 1 && operation != Operation.MEMORY && operation != Operation.SYNC) {
                // With chunks that failed, data may be elsewhere.
                assertThat(path).hasSize(Files.size(expected));
            }
        } while (nth <= count);
        assertThat(nth).isGreaterThan(1);
    }

    private interface Call {
        void make() throws IOException;
    }

    private static final int FRAMES = 3;

    private static int writeStubbornly(GsdFile.Builder builder, Communicator world, Runnable plan) throws IOException {
        try (GsdFile file = builder.create("test", "none", new Version(1, 0))) {
            file.setMaximumAge(GsdCalls.NO_AGE);
            plan.run();
            int faults = 0;
            for (int frame = 0; frame < FRAMES; frame++) {
                int count = count(frame, world.size());
                Call write = () -> write(file, world, "large", count);
                faults += faults(write, write);
                Call other = () -> write(file, world, "other", 1234);
                faults += faults(other, other);
                faults += faults(file::endFrame, file::flush);
                faults += faults(file::flush, file::flush);
                file.setMaximumWriteBufferSize(LEAST);
            }
            return faults;
        } catch (DrumlinException e) {
            assertThat(e.getMessage()).contains("could not be made durable");
            return 1;
        }
    }

    /** The last rank has 5/9 of the rows if there are three. */
    private static int count(int frame, int ranks) {
        return (ranks == 1 ? 1 : 2) * (LEAST + 3 * BLOCK + 70_000 * frame);
    }

    private static int faults(Call call, Call again) throws IOException {
        try {
            call.make();
            return 0;
        } catch (DrumlinException e) {
            assertThat(e.getMessage()).contains("injected");
            again.make();
            return 1;
        }
    }

    private static void check(Path path, long least) throws IOException {
        assertSound(path, "at the end");
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.frameCount()).isBetween(least, (long) FRAMES);
            for (int frame = 0; frame < file.frameCount(); frame++) {
                int count = Math.toIntExact(
                        file.findChunk(frame, "large").orElseThrow().rows());
                assertContent(file, frame, "large", count);
                assertContent(file, frame, "other", 1234);
            }
        }
    }

    private static void assertSound(Path path, String story) throws IOException {
        Findings findings = new Findings();
        GsdVerifier.verify(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))), findings);
        assertThat(findings.list()).as(story).isEmpty();
    }

    /** A write that stops half-way leaves the frames that there were, and nothing of it counts as written. */
    @Test
    void aShortWriteLeavesTheFileWhole() throws IOException {
        Path path = directory.resolve("file.gsd");
        FaultyEngine storage = new FaultyEngine(StorageEngines.best());
        try (GsdFile file = create(path, storage)) {
            write(file, "a", 2 * LEAST);
            file.endFrame();
            file.flush();
            storage.cut(3, 5 * BLOCK, "ENOSPC");
            for (int nth = 4; nth <= 100; nth++) {
                storage.fail(Operation.WRITE, nth, "ENOSPC");
            }
            write(file, "a", 2 * LEAST + 1);
            file.endFrame();
            assertThatThrownBy(file::flush).hasMessageContaining("ENOSPC");
            try (GsdFile reader = GsdFile.open(path, Access.READ)) {
                assertThat(reader.frameCount()).isEqualTo(1);
                assertContent(reader, 0, "a", 2 * LEAST);
            }
            storage.heal();
            file.flush();
            assertContent(file, 0, "a", 2 * LEAST);
            assertContent(file, 1, "a", 2 * LEAST + 1);
        }
    }

    /** The system tells once that data did not get to the device; who has them no more cannot write them again. */
    @Test
    void afterASyncThatFailedNothingIsAddedToDataThatNobodyHas() throws IOException {
        Path path = directory.resolve("file.gsd");
        FaultyEngine storage = new FaultyEngine(watch.engine());
        try (GsdFile file = create(path, storage)) {
            write(file, "a", LEAST);
            file.endFrame();
            file.flush();
            file.setMaximumWriteBufferSize(LEAST);
            write(file, "a", 2 * LEAST);
            storage.fail(Operation.SYNC, 1, "EIO");
            assertThatThrownBy(file::endFrame).hasMessageContaining("EIO");
            assertThatThrownBy(file::flush)
                    .hasMessageContaining("could not be made durable")
                    .hasMessageContaining("behind its 1 frames");
        }
        try (GsdFile file = GsdFile.open(path, Access.APPEND)) {
            assertThat(file.frameCount()).isEqualTo(1);
            write(file, "a", 3 * LEAST);
            file.endFrame();
        }
        assertSound(path, "after it was opened again");
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertContent(file, 0, "a", LEAST);
            assertContent(file, 1, "a", 3 * LEAST);
        }
    }

    /** One that fails at once, and in a flush; what was reserved for it is not left. */
    @Test
    void aDirectWriteThatFailsIsRepeatedThroughThePageCache() throws IOException {
        for (long most : new long[] {LEAST, 64L << 20}) {
            Path path = directory.resolve("file-" + most + ".gsd");
            FaultyEngine storage = new FaultyEngine(watch.engine());
            try (GsdFile file = create(path, storage)) {
                file.setMaximumWriteBufferSize(most);
                storage.fail(Operation.WRITE, 2, "EIO");
                write(file, "a", 2 * LEAST);
                file.endFrame();
                file.flush();
                assertThat(storage.count(Operation.WRITE)).isGreaterThan(2);
            }
            try (GsdFile file = GsdFile.open(path, Access.READ)) {
                assertContent(file, 0, "a", 2 * LEAST);
            }
        }
    }

    @Test
    void whatWasReservedForAChunkThatFailedIsCutOff() throws IOException {
        Path path = directory.resolve("file.gsd");
        FaultyEngine storage = new FaultyEngine(watch.engine());
        long before;
        try (GsdFile file = create(path, storage)) {
            write(file, "a", 10);
            file.endFrame();
            file.flush();
            before = Files.size(path);
            file.setMaximumWriteBufferSize(LEAST);
            for (int nth = 1; nth <= 100; nth++) {
                storage.fail(Operation.WRITE, nth, "EIO");
            }
            assertThatThrownBy(() -> write(file, "b", 3 * LEAST)).isInstanceOf(DrumlinException.class);
            storage.heal();
        }
        assertThat(path).hasSize(before);
    }

    /** What a sync was to make durable may be lost when it failed. */
    @Test
    void afterASyncThatFailedAllIsWrittenAgain() throws IOException {
        FaultyEngine storage = new FaultyEngine(watch.engine());
        try (GsdFile file = create(directory.resolve("file.gsd"), storage)) {
            write(file, "a", 2 * LEAST);
            file.endFrame();
            storage.fail(Operation.SYNC, 1, "EIO");
            assertThatThrownBy(file::flush).hasMessageContaining("EIO");
            long before = watch.direct() + watch.buffered();
            file.flush();
            assertThat(watch.direct() + watch.buffered() - before).isGreaterThanOrEqualTo(2 * LEAST);
        }
    }

    @Test
    void aFileThatWasRenamedGetsItsDataAll() throws IOException {
        Path path = directory.resolve("file.gsd");
        Path renamed = directory.resolve("renamed.gsd");
        byte[] other = bytes("other", 0, 3 * LEAST);
        try (GsdFile file = create(path, watch.engine())) {
            Files.move(path, renamed);
            Files.write(path, other);
            write(file, "a", 2 * LEAST);
            file.endFrame();
        }
        assertThat(watch.direct()).isZero();
        assertThat(Files.mismatch(path, Files.write(directory.resolve("same"), other)))
                .isEqualTo(-1);
        try (GsdFile file = GsdFile.open(renamed, Access.READ)) {
            assertContent(file, 0, "a", 2 * LEAST);
        }
    }

    /** Kills and power losses at many places, with data on their way past the page cache. */
    @ParameterizedTest
    @EnumSource(Crash.class)
    @Tag("exhaustive")
    void wholeFramesSurvive(Crash crash) throws IOException {
        crash(crash, 4);
    }

    @ParameterizedTest
    @EnumSource(Crash.class)
    @Tag("soak")
    void wholeFramesSurviveEverywhere(Crash crash) throws IOException {
        crash(crash, 1);
    }

    private static Random seeded() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        return new Random(seed);
    }

    private void crash(Crash crash, int stride) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("run"));
        FaultyEngine storage = new FaultyEngine(StorageEngines.best(), false);
        create(folder.resolve("file.gsd"), storage).close();
        List<Integer> flushed = new ArrayList<>();
        CrashJournal journal = storage.record(folder);
        try (GsdFile file =
                GsdFile.at(folder.resolve("file.gsd")).storage(storage).open(Access.READ_WRITE)) {
            for (int frame = 0; frame < 2; frame++) {
                write(file, "a", crashCount(frame));
                file.endFrame();
                file.flush();
                flushed.add(journal.size());
            }
        }
        Random random = seeded();
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            int end = prefix;
            long atLeast = flushed.stream().filter(position -> position <= end).count();
            Path path = directory.resolve("replay-" + prefix);
            journal.replay(prefix, Files.createDirectories(path), crash, random);
            checkFrames(path.resolve("file.gsd"), atLeast, "after operation " + prefix);
            Files.delete(path.resolve("file.gsd"));
        }
    }

    private static int crashCount(int frame) {
        return frame == 0 ? 10 : LEAST + BLOCK + frame;
    }

    private static void checkFrames(Path path, long atLeast, String story) throws IOException {
        assertSound(path, story);
        long frames;
        try (GsdFile file = GsdFile.open(path, Access.APPEND)) {
            frames = file.frameCount();
            assertThat(frames).as(story).isGreaterThanOrEqualTo(atLeast);
            write(file, "a", crashCount((int) frames));
            file.endFrame();
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            for (int frame = 0; frame <= frames; frame++) {
                assertContent(file, frame, "a", crashCount(frame));
            }
        }
    }
}
