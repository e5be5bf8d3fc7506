package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.OpenCommunicators;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What many ranks write is what one process writes, and what fails on one rank fails on all. */
@Timeout(120)
class GsdParallelTest {

    @TempDir
    Path directory;

    private static GsdFile.Builder at(Path path, Communicator ranks) {
        return GsdFile.at(path).communicator(ranks).storage(new FaultyEngine(new NioEngine(), false));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7, 64})
    void theFileIsThatOfOneProcess(int ranks) throws IOException {
        Path serial = directory.resolve("serial.gsd");
        GsdCalls.write(at(serial, new SingleCommunicator()), new SingleCommunicator());
        Path parallel = directory.resolve("parallel.gsd");
        ThreadCommunicator.run(ranks, world -> GsdCalls.write(at(parallel, world), world));
        assertThat(Files.readAllBytes(parallel)).isEqualTo(Files.readAllBytes(serial));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7, 64})
    void everyRankReadsItsPart(int ranks) throws IOException {
        Path path = directory.resolve("file.gsd");
        int rows = 1000;
        float[] all = GsdCalls.floats(0, 3 * rows);
        ThreadCommunicator.run(ranks, world -> {
            try (GsdFile file = at(path, world).create("test", "none", new Version(1, 0))) {
                GsdCalls.Part part = GsdCalls.Part.of(world, rows);
                file.writeChunk("v", GsdCalls.floats(3 * part.first(), 3 * part.rows()), part.rows(), 3);
                file.endFrame();
                Chunk own = file.findChunk(0, "v").orElseThrow().part(world.rank(), world.size());
                int from = 3 * (rows * world.rank() / world.size());
                assertThat(own.floats()).hasSizeBetween(3 * (rows / ranks), 3 * (rows / ranks + 1));
                assertThat(own.floats()[0]).isBetween(from - 3f * ranks, from + 3f * ranks);
                file.endFrame();
            }
            // Reading is not collective: some ranks open the file, others do not.
            if (world.rank() % 2 == 0) {
                try (GsdFile file = at(path, world).open(Access.READ)) {
                    Chunk whole = file.findChunk(0, "v").orElseThrow();
                    float[] joined = new float[0];
                    for (int rank = 0; rank < ranks; rank++) {
                        float[] part = whole.part(rank, ranks).floats();
                        joined = Arrays.copyOf(joined, joined.length + part.length);
                        System.arraycopy(part, 0, joined, joined.length - part.length, part.length);
                    }
                    assertThat(joined).isEqualTo(all);
                }
            }
        });
    }

    @Test
    void ranksMayGiveNoRows() throws IOException {
        Path path = directory.resolve("file.gsd");
        ThreadCommunicator.run(5, world -> {
            try (GsdFile file = at(path, world).create("test", "none", new Version(1, 0))) {
                int[] own = world.rank() == 3 ? new int[] {1, 2} : new int[0];
                file.writeChunk("a", own, own.length, 1);
                file.writeChunk("nothing", new double[0], 0, 7);
                file.endFrame();
            }
        });
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.findChunk(0, "a").orElseThrow().ints()).containsExactly(1, 2);
            assertThat(file.findChunk(0, "nothing").orElseThrow().rows()).isZero();
        }
    }

    @Test
    void aWrongCallOfOneRankIsRefusedByAll() throws IOException {
        Path path = directory.resolve("file.gsd");
        ThreadCommunicator.run(4, world -> {
            boolean wrong = world.rank() == 2;
            try (GsdFile file = at(path, world).create("test", "none", new Version(1, 0))) {
                assertThatThrownBy(() -> file.writeChunk("a", new int[1], wrong ? 2 : 1, 1))
                        .isInstanceOf(DrumlinException.class)
                        .hasMessageContaining(wrong ? "the buffer has 4 bytes" : "rank 2 failed");
                assertThatThrownBy(() -> file.writeChunk(wrong ? "" : "a", new int[1], 1, 1))
                        .isInstanceOf(DrumlinException.class)
                        .hasMessageContaining(wrong ? "not empty" : "rank 2 failed");
                for (int difference = 0; difference < 3; difference++) {
                    String name = wrong && difference == 0 ? "b" : "a";
                    ElementType type = wrong && difference == 1 ? ElementType.UINT32 : ElementType.INT32;
                    int columns = wrong && difference == 2 ? 2 : 1;
                    assertThatThrownBy(() -> file.writeChunk(name, type, IntBuffer.allocate(2), 2 / columns, columns))
                            .isInstanceOf(DrumlinException.class)
                            .hasMessageContaining("do not write the same chunk");
                }
                file.writeChunk("a", new int[] {world.rank()}, 1, 1);
                file.endFrame();
            }
        });
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.names("")).containsExactly("a");
            assertThat(file.findChunk(0, "a").orElseThrow().ints()).containsExactly(0, 1, 2, 3);
        }
    }

    @Test
    void aFileThatOneRankCannotOpenIsOpenedByNone() throws IOException {
        Path path = directory.resolve("file.gsd");
        OpenCommunicators communicators = new OpenCommunicators();
        ThreadCommunicator.run(3, real -> {
            Communicator world = communicators.of(real);
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            if (world.rank() == 1) {
                storage.fail(Operation.OPEN, 1, "EACCES");
            }
            GsdFile.Builder builder = at(path, world).storage(storage);
            assertThatThrownBy(() -> builder.create("test", "none", new Version(1, 0)))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("EACCES");
            try (GsdFile file = builder.open(Access.APPEND)) {
                assertThat(file.frameCount()).isZero();
            }
            assertThat(storage.openFiles()).isEmpty();
        });
        assertThat(communicators.count()).isZero();
    }

    /** A rank's storage fails at every place in turn: the call throws on all ranks; repeated, it leaves nothing out. */
    @ParameterizedTest
    @CsvSource({
        "WRITE, 0, 14",
        "WRITE, 2, 6",
        "SYNC, 0, 8",
        "SYNC, 1, 4",
        "READ, 0, 1",
        "TRUNCATE, 0, 2",
        "MEMORY, 2, 1"
    })
    void aFaultOfOneRankIsOneOfAll(Operation operation, int failing, int count) throws IOException {
        for (int nth = 1; nth <= count; nth++) {
            Path path = directory.resolve("file.gsd");
            int planned = nth;
            List<Integer> faults = ThreadCommunicator.call(3, world -> {
                FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
                GsdFile.Builder builder = at(path, world).storage(storage);
                try (GsdFile file = builder.create("test", "none", new Version(1, 0))) {
                    if (world.rank() == failing) {
                        storage.fail(operation, planned, "EIO");
                    }
                    return writeStubbornly(file, world);
                } catch (DrumlinException e) {
                    assertThat(operation).isEqualTo(Operation.SYNC);
                    assertThat(e.getMessage()).contains("could not be made durable");
                    return LOST;
                }
            });
            boolean lost = faults.get(0) == LOST;
            assertThat(faults).as("%s %d", operation, nth).containsOnly(lost ? LOST : 1);
            try (GsdFile file = GsdFile.open(path, Access.READ)) {
                assertThat(file.frameCount()).isBetween(lost ? 0L : FRAMES, (long) FRAMES);
            }
            check(path);
        }
    }

    /** A part of a call sequence. */
    private interface Call {
        void make() throws IOException;
    }

    private static final int FRAMES = 30;

    /** A sync failed while data were in the file that nobody had any more: to go on, the file must be opened again. */
    private static final int LOST = -1;

    /** Repeats what fails, but the end of a frame, which is over; returns how often something did. */
    private static int writeStubbornly(GsdFile file, Communicator world) throws IOException {
        file.setMaximumAge(GsdCalls.NO_AGE);
        file.setMaximumWriteBufferSize(150_000);
        file.setIndexEntriesToBuffer(40);
        int faults = 0;
        for (int frame = 0; frame < FRAMES; frame++) {
            for (int chunk = 0; chunk < 6; chunk++) {
                GsdCalls.Part part = GsdCalls.Part.of(world, rows(frame, chunk));
                float[] data = GsdCalls.floats(part.first() + chunk, part.rows());
                String name = name(frame, chunk);
                Call write = () -> file.writeChunk(name, data, part.rows(), 1);
                faults += faults(write, write);
            }
            faults += faults(file::endFrame, file::flush);
        }
        return faults + faults(file::flush, file::flush);
    }

    private static int faults(Call call, Call again) throws IOException {
        try {
            call.make();
            return 0;
        } catch (DrumlinException e) {
            assertThat(e.getMessage()).containsAnyOf("EIO", "injected");
            again.make();
            return 1;
        }
    }

    private static int rows(int frame, int chunk) {
        return chunk == 5 && frame % 11 == 7 ? 40_000 : 2000 + 10 * chunk;
    }

    private static String name(int frame, int chunk) {
        return chunk == 0 ? "a name that is not short of frame " + frame : "c" + chunk;
    }

    private static void check(Path path) throws IOException {
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            for (int frame = 0; frame < file.frameCount(); frame++) {
                for (int chunk = 0; chunk < 6; chunk++) {
                    Chunk found = file.findChunk(frame, name(frame, chunk)).orElseThrow();
                    assertThat(found.floats()).isEqualTo(GsdCalls.floats(chunk, rows(frame, chunk)));
                }
            }
        }
    }
}
