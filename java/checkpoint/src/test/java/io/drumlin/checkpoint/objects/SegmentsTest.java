package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory segments are newer than the release this is compiled for. */
@Tag("java22")
class SegmentsTest {

    private static final int RANKS = 2;
    private static final int LENGTH = 300_001;
    private static final long LARGE = 5L << 30;

    @TempDir
    Path directory;

    @BeforeEach
    void needsThem() {
        assumeTrue(Runtime.version().feature() >= 22, "there are no memory segments before Java 22");
    }

    /** Calls of the classes of Java 22. */
    static final class Segments {

        private Segments() {}

        static Object arena(String kind) throws ReflectiveOperationException {
            return arenaClass().getMethod(kind).invoke(null);
        }

        private static Class<?> arenaClass() throws ReflectiveOperationException {
            return Class.forName("java.lang.foreign.Arena");
        }

        private static Class<?> segmentClass() throws ReflectiveOperationException {
            return Class.forName("java.lang.foreign.MemorySegment");
        }

        static Object allocate(Object arena, long bytes) throws ReflectiveOperationException {
            return arenaClass().getMethod("allocate", long.class).invoke(arena, bytes);
        }

        static Object mapped(FileChannel file, long bytes, Object arena) throws ReflectiveOperationException {
            return FileChannel.class
                    .getMethod("map", MapMode.class, long.class, long.class, arenaClass())
                    .invoke(file, MapMode.READ_WRITE, 0L, bytes, arena);
        }

        static Object ofArray(Object array) throws ReflectiveOperationException {
            return segmentClass().getMethod("ofArray", array.getClass()).invoke(null, array);
        }

        static Object slice(Object segment, long from, long bytes) throws ReflectiveOperationException {
            return segmentClass().getMethod("asSlice", long.class, long.class).invoke(segment, from, bytes);
        }

        static Object readOnly(Object segment) throws ReflectiveOperationException {
            return segmentClass().getMethod("asReadOnly").invoke(segment);
        }

        static Object asByteBuffer(Object segment) throws ReflectiveOperationException {
            return segmentClass().getMethod("asByteBuffer").invoke(segment);
        }

        static void close(Object arena) throws ReflectiveOperationException {
            arenaClass().getMethod("close").invoke(arena);
        }
    }

    private static byte[] bytes(Object segment, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        ProtectedData.of(segment).copyOut(0, bytes);
        return bytes.array();
    }

    private static void fill(Object segment, byte[] bytes) {
        ProtectedData.of(segment).copyIn(0, ByteBuffer.wrap(bytes));
    }

    private List<Object> segments(Object arena, int rank) throws Exception {
        Path path = directory.resolve("mapped" + rank);
        List<Object> segments = new ArrayList<>();
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            segments.add(Segments.mapped(file, LENGTH, arena));
        }
        segments.add(Segments.allocate(arena, LENGTH));
        segments.add(Segments.slice(Segments.allocate(arena, LENGTH + 9), 5, LENGTH));
        segments.add(Segments.slice(Segments.ofArray(new byte[LENGTH + 7]), 3, LENGTH));
        segments.add(Segments.slice(Segments.ofArray(new double[LENGTH]), 12, LENGTH));
        segments.add(Segments.ofArray(new short[0]));
        return segments;
    }

    private static byte[] random(int seed) {
        byte[] bytes = new byte[LENGTH];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"ofShared", "ofConfined", "global"})
    void comeBack(String kind) throws Exception {
        for (String async : List.of("0", "1")) {
            RunFixture run = new RunFixture(
                    Files.createDirectory(directory.resolve(async)),
                    Map.of("drumlin.async", async, "basic.node_size", "1"));
            comeBack(run, kind);
        }
    }

    private void comeBack(RunFixture run, String kind) throws Exception {
        for (boolean restart : new boolean[] {false, true}) {
            run.run(RANKS, (checkpoints, comm) -> {
                try {
                    Object arena = Segments.arena(kind);
                    List<Object> segments = segments(arena, comm.rank());
                    for (int id = 0; id < segments.size(); id++) {
                        checkpoints.protect(id, segments.get(id));
                    }
                    if (restart) {
                        checkpoints.recover();
                    }
                    for (int id = 0; id < 5; id++) {
                        if (restart) {
                            assertThat(bytes(segments.get(id), LENGTH)).isEqualTo(random(10 * id + comm.rank()));
                        }
                        fill(segments.get(id), random(10 * id + comm.rank()));
                    }
                    checkpoints.checkpoint(restart ? 2 : 1, Level.L1);
                    checkpoints.await();
                    if (!kind.equals("global")) {
                        Segments.close(arena);
                    }
                } catch (ReflectiveOperationException e) {
                    throw new IOException(e);
                } catch (IOException | RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IOException(e);
                }
            });
        }
    }

    /** A program in C has an array of doubles. */
    @Test
    void haveTheTypeThatIsGiven() throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", "1"));
        Object segment = Segments.allocate(Segments.arena("ofAuto"), 100);
        ByteBuffer doubles = ByteBuffer.allocate(80).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 10; i++) {
            doubles.putDouble(i + 0.5);
        }
        fill(segment, Arrays.copyOf(doubles.array(), 100));
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(0, segment, 10, ElementType.DBLE);
            assertThat(((FtiCheckpoints) checkpoints).protectedBytes()).isEqualTo(80);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.protect(1, segment, 7);
            assertThat(((FtiCheckpoints) checkpoints).protectedBytes()).isEqualTo(87);
            assertThatThrownBy(() -> checkpoints.protect(1, segment, 101)).hasMessageContaining("0..100");
            Object readOnly = Segments.readOnly(segment);
            assertThatThrownBy(() -> checkpoints.protect(1, readOnly))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("read-only memory segment");
        }
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            double[] values = new double[10];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).startsWith(0.5, 1.5).endsWith(9.5);
        }
    }

    @Test
    void aClosedArenaFailsTheCheckpointAndTheRecoveryOnAllRanks() throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        Object arena = Segments.arena("ofShared");
        Object segment = Segments.allocate(arena, LENGTH);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, comm.rank() == 0 ? segment : new byte[LENGTH]);
            checkpoints.checkpoint(1, Level.L1);
            if (comm.rank() == 0) {
                try {
                    Segments.close(arena);
                } catch (ReflectiveOperationException e) {
                    throw new IOException(e);
                }
            }
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("closed");
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            if (comm.rank() == 0) {
                assertThatThrownBy(checkpoints::recover).hasStackTraceContaining("closed");
            } else {
                checkpoints.recover();
            }
        });
    }

    /** Arenas that are closed and files that become shorter while they are copied. */
    @Tag("soak")
    @ParameterizedTest
    @ValueSource(ints = 10_000)
    void noRaceEndsTheProcess(int rounds) throws Exception {
        requireAlive(rounds);
    }

    @Test
    void someRacesDoNotEndTheProcess() throws Exception {
        requireAlive(60);
    }

    private void requireAlive(int rounds) throws Exception {
        Mpirun.Outcome outcome =
                Mpirun.withoutLauncher().run(Races.class, directory.toString(), String.valueOf(rounds));
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(0);
        assertThat(outcome.output()).contains("alive after " + rounds);
    }

    /** What the other JVM runs. */
    static final class Races {

        private static final int BYTES = 1 << 20;

        private Races() {}

        public static void main(String[] args) throws Exception {
            int rounds = Integer.parseInt(args[1]);
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            int failed = 0;
            for (int round = 0; round < rounds; round++) {
                failed += race(Path.of(args[0]).resolve("file"), random) ? 1 : 0;
            }
            System.out.println("seed " + seed + ", failed copies " + failed + ", alive after " + rounds);
        }

        /** Returns whether a copy has failed. */
        private static boolean race(Path path, Random random) throws Exception {
            boolean mapped = random.nextBoolean();
            Object arena = Segments.arena("ofShared");
            Files.write(path, new byte[0]);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                Object segment = mapped ? Segments.mapped(file, BYTES, arena) : Segments.allocate(arena, (long) BYTES);
                ProtectedData data = ProtectedData.of(segment);
                int pause = random.nextInt(40_000);
                Thread end = new Thread(() -> {
                    for (long until = System.nanoTime() + pause; System.nanoTime() < until; ) {
                        Thread.onSpinWait();
                    }
                    try {
                        if (mapped) {
                            file.truncate(0);
                        } else {
                            Segments.close(arena);
                        }
                    } catch (IOException | ReflectiveOperationException e) {
                        // The copy holds the arena: it stays open.
                    }
                });
                end.start();
                boolean failed = false;
                ByteBuffer slab = ByteBuffer.allocateDirect(256 << 10);
                try {
                    for (int i = 0; i < 40; i++) {
                        slab.clear();
                        long offset = random.nextInt(BYTES - slab.capacity());
                        if (i % 2 == 0) {
                            data.copyOut(offset, slab);
                        } else {
                            data.copyIn(offset, slab);
                        }
                    }
                } catch (IllegalStateException | InternalError e) {
                    failed = true;
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new AssertionError("a failed copy has interrupted its thread");
                }
                end.join();
                return failed;
            }
        }
    }

    /** More elements than a Java array has. */
    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void fiveGigabytesComeBack(String ioMode) throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.ckpt_io", ioMode));
        Object arena = Segments.arena("ofShared");
        Object segment = Segments.allocate(arena, LARGE);
        ProtectedData data = ProtectedData.of(segment);
        pass(data, 7, false);
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(0, segment, LARGE, ElementType.CHAR);
            checkpoints.checkpoint(1, Level.L1);
        }
        pass(data, 9, false);
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            assertThat(checkpoints.storedSize(0)).isEqualTo(LARGE);
            checkpoints.protect(0, segment);
            checkpoints.recover();
        }
        pass(data, 7, true);
        Segments.close(arena);
    }

    /** Memory of the program that cannot be written says nothing about a file: no start goes on from an older one. */
    @ParameterizedTest
    @CsvSource({"1, L1", "2, L1", "3, L1", "4, L1", "1, L4", "3, L4", "1, L2", "3, L2", "1, L3", "3, L3"})
    void memoryThatIsGoneProvesNoDamage(String ioMode, Level level) throws Exception {
        RunFixture run = new RunFixture(
                directory, "ckpt_io=" + ioMode + ", node_size=1, group_size=2, drumlin.on_unreadable=older");
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] data = new byte[LENGTH];
            checkpoints.protect(0, data);
            for (Level each : List.of(Level.L4, Level.L1, level)) {
                data[0]++;
                checkpoints.checkpoint(data[0], each);
            }
        });
        if (level == Level.L2 || level == Level.L3) {
            run.loseNode(1);
        }
        for (boolean asBuffer : new boolean[] {false, true}) {
            assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> {
                        Checkpoints.Builder builder =
                                Checkpoints.builder(run.config()).communicator(comm);
                        if (comm.rank() == 0) {
                            builder.protect(0, new byte[LENGTH]);
                        } else {
                            protectGone(builder, asBuffer);
                        }
                        builder.open().close();
                    }))
                    .hasMessageContaining("variable 0")
                    .hasMessageContaining("Already closed")
                    .hasMessageContaining("no checkpoint was deleted")
                    .hasMessageNotContaining("on_unreadable");
        }
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] data = new byte[LENGTH];
            checkpoints.protect(0, data);
            checkpoints.recover();
            assertThat(data[0]).isEqualTo((byte) 3);
        });
    }

    private static void protectGone(Checkpoints.Builder builder, boolean asBuffer) {
        try {
            Object arena = Segments.arena("ofShared");
            Object segment = Segments.allocate(arena, LENGTH);
            builder.protect(0, asBuffer ? Segments.asByteBuffer(segment) : segment);
            Segments.close(arena);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes words that depend on their place, or compares them. */
    private static void pass(ProtectedData data, long factor, boolean compare) {
        ByteBuffer piece = ByteBuffer.allocateDirect(8 << 20).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer found = ByteBuffer.allocateDirect(8 << 20).order(ByteOrder.LITTLE_ENDIAN);
        for (long offset = 0; offset < LARGE; offset += piece.capacity()) {
            for (int i = 0; i < piece.capacity(); i += Long.BYTES) {
                piece.putLong(i, (offset + i) * factor);
            }
            if (compare) {
                data.copyOut(offset, found.clear());
                assertThat(found.flip().mismatch(piece.clear()))
                        .as("at %d", offset)
                        .isEqualTo(-1);
            } else {
                data.copyIn(offset, piece.clear());
            }
        }
    }
}
