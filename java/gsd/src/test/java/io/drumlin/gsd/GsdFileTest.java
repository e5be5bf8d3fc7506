package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the golden files cannot show: reading in parts, refusals, and faults. */
class GsdFileTest {

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void choosePath() {
        path = directory.resolve("file.gsd");
    }

    private GsdFile create() throws IOException {
        return GsdFile.at(path).storage(new NioEngine()).create("test", "none", new Version(1, 0));
    }

    private GsdFile open(Access access) throws IOException {
        return GsdFile.at(path).storage(new NioEngine()).open(access);
    }

    private static float[] numbers(int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i;
        }
        return numbers;
    }

    @Test
    void readsRowsAndStrides() throws IOException {
        float[] data = numbers(300_000);
        try (GsdFile file = create()) {
            file.writeChunk("v", data, 100_000, 3);
            file.writeChunk("wide", data, 3, 100_000);
            file.endFrame();
        }
        try (GsdFile file = open(Access.READ)) {
            Chunk chunk = file.findChunk(0, "v").orElseThrow();
            assertThat(chunk.floats()).isEqualTo(data);
            assertThat(chunk.rows(5, 7).floats()).containsExactly(15, 16, 17, 18, 19, 20);
            assertThat(chunk.rows(0, 0).floats()).isEmpty();
            assertThat(chunk.rows(1, 100_000, 99_998).floats()).containsExactly(3, 4, 5, 299_997, 299_998, 299_999);
            float[] every7th = chunk.rows(3, 99_990, 7).floats();
            for (int row = 0; row < every7th.length / 3; row++) {
                assertThat(every7th[3 * row]).isEqualTo((3 + 7 * row) * 3);
            }
            assertThat(chunk.rows(10, 100, 10).rows(1, 9, 3).floats())
                    .containsExactly(60, 61, 62, 150, 151, 152, 240, 241, 242);
            float[] rows = file.findChunk(0, "wide").orElseThrow().rows(0, 3, 2).floats();
            assertThat(rows).hasSize(200_000);
            assertThat(rows[100_000]).isEqualTo(200_000);
            assertThatThrownBy(() -> chunk.rows(0, 100_001)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatIllegalArgumentException().isThrownBy(chunk::doubles).withMessageContaining("float");
        }
    }

    @Test
    void partsOfRanksAreTheWhole() throws IOException {
        try (GsdFile file = create()) {
            file.writeChunk("v", new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, 1);
            file.endFrame();
            Chunk chunk = file.findChunk(0, "v").orElseThrow();
            assertThat(chunk.part(0, 4).ints()).containsExactly(0, 1, 2);
            assertThat(chunk.part(1, 4).ints()).containsExactly(3, 4, 5);
            assertThat(chunk.part(2, 4).ints()).containsExactly(6, 7);
            assertThat(chunk.part(3, 4).ints()).containsExactly(8, 9);
        }
    }

    @Test
    void aWriterFindsWhatCouldNotBeOpenedAgain() throws IOException {
        GsdFile.Builder how = GsdFile.at(path).storage(new NioEngine()).strictness(Strictness.REFERENCE);
        try (GsdFile file = how.create("test", "none", new Version(1, 0))) {
            for (int frame = 0; frame < 130; frame++) {
                file.endFrame();
            }
            file.writeChunk("v", new int[] {7}, 1, 1);
            file.endFrame();
            assertThat(file.findChunk(130, "v").orElseThrow().ints()).containsExactly(7);
        }
        assertThatThrownBy(() -> open(Access.READ))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("frame");
    }

    @Test
    void upgradesNothingWhileChunksArePending() throws IOException {
        try (GsdFile file = create()) {
            file.writeChunk("v", new int[] {1}, 1, 1);
            assertThatThrownBy(file::upgrade)
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("frame 0 has chunks that are not in the file yet");
            file.endFrame();
            file.flush();
            file.upgrade();
            assertThat(file.gsdVersion()).isEqualTo(Version.CURRENT);
        }
    }

    @Test
    void walksFramesAndChunks() throws IOException {
        try (GsdFile file = create()) {
            file.writeChunk("b", new long[] {1}, 1, 1);
            file.writeChunk("a", "text");
            file.endFrame();
            file.endFrame();
            file.writeChunk("c", ElementType.UINT32, IntBuffer.wrap(new int[] {-1}), 1, 1);
            file.endFrame();
        }
        try (GsdFile file = open(Access.READ)) {
            StringBuilder walked = new StringBuilder();
            for (Frame frame : file.frames()) {
                walked.append(frame.number()).append(':');
                for (Chunk chunk : frame.chunks()) {
                    walked.append(chunk.name()).append(chunk.type().label()).append(' ');
                }
            }
            assertThat(walked).hasToString("0:bint64 acharacter 1:2:cuint32 ");
            assertThat(file.findChunk(0, "a").orElseThrow().text()).isEqualTo("text");
            assertThat(file.names("")).containsExactly("b", "a", "c");
            assertThat(file.findChunk(1, "a")).isEmpty();
            assertThat(file.findChunk(3, "a")).isEmpty();
            assertThat(file.findChunk(-1, "a")).isEmpty();
        }
    }

    @Test
    void refusesWhatWouldSpoilTheFile() throws IOException {
        try (GsdFile file = create()) {
            file.writeChunk("a", new int[] {1}, 1, 1);
            assertThatThrownBy(() -> file.writeChunk("a", new int[] {2}, 1, 1))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("frame 0 has this chunk already");
            assertThatIllegalArgumentException().isThrownBy(() -> file.writeChunk("", new int[] {2}, 1, 1));
            assertThatIllegalArgumentException().isThrownBy(() -> file.writeChunk("b", new int[] {2}, 1, 0));
            assertThatIllegalArgumentException().isThrownBy(() -> file.writeChunk("b", new int[] {2}, 2, 1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> file.writeChunk("b", new int[] {2}, Long.MAX_VALUE, 1L << 31));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> file.writeChunk("b", ElementType.FLOAT, IntBuffer.allocate(1), 1, 1));
            file.endFrame();
            file.writeChunk("a", new int[] {3}, 1, 1);
            file.endFrame();
        }
        try (GsdFile file = open(Access.READ)) {
            assertThat(file.frameCount()).isEqualTo(2);
            assertThatThrownBy(() -> file.writeChunk("a", new int[] {2}, 1, 1))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("reading only");
        }
        assertThatThrownBy(() -> GsdFile.at(path).createNew("test", "none", new Version(1, 0)))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("EEXIST");
    }

    @Test
    void aSparseFileCanBeOpened() throws IOException {
        try (GsdFile file = create()) {
            for (int i = 0; i < 5000; i++) {
                file.endFrame();
            }
            file.writeChunk("a", new int[] {1}, 1, 1);
            file.endFrame();
        }
        try (GsdFile file = open(Access.APPEND)) {
            assertThat(file.frameCount()).isEqualTo(5001);
            file.writeChunk("a", new int[] {2}, 1, 1);
            file.endFrame();
            assertThat(file.findChunk(5001, "a").orElseThrow().ints()).containsExactly(2);
        }
    }

    @Test
    void opensALargeIndexWithFewReads() throws IOException {
        try (GsdFile file = create()) {
            for (int frame = 0; frame < 100_000; frame++) {
                file.writeChunk("a", new int[] {frame}, 1, 1);
                file.endFrame();
            }
        }
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        try (GsdFile file = GsdFile.at(path).storage(storage).open(Access.READ)) {
            assertThat(file.findChunk(77_777, "a").orElseThrow().ints()).containsExactly(77_777);
        }
        assertThat(storage.count(Operation.READ)).isLessThan(50);
    }

    /** A simulation goes on while somebody looks at its trajectory. */
    @Test
    void theFileMayGrowWhileItIsOpened() throws IOException {
        long before;
        try (GsdFile file = create()) {
            file.writeChunk("a", new int[100], 100, 1);
            file.endFrame();
            file.flush();
            before = Files.size(path);
            file.writeChunk("a", new int[100], 100, 1);
            file.endFrame();
        }
        NioEngine real = new NioEngine();
        StorageEngine growing = (StorageEngine) Proxy.newProxyInstance(
                GsdFileTest.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    return result instanceof BlockFile file ? new GrowingFile(file, before) : result;
                });
        try (GsdFile file = GsdFile.at(path).storage(growing).open(Access.READ)) {
            assertThat(file.frameCount()).isEqualTo(2);
        }
    }

    /** Has its size at last only when it is asked for the third time. */
    private static final class GrowingFile extends ForwardingFile {

        private final long before;
        private int asked;

        GrowingFile(BlockFile file, long before) {
            super(file);
            this.before = before;
        }

        @Override
        public long size() throws IOException {
            return asked++ < 2 ? before : super.size();
        }
    }

    @Test
    void aFailedFlushCanBeRepeated() throws IOException {
        for (Operation operation : new Operation[] {Operation.WRITE, Operation.SYNC}) {
            for (int count = 1; count <= 8; count++) {
                FaultyEngine storage = new FaultyEngine(new NioEngine());
                try (GsdFile file = GsdFile.at(path).storage(storage).create("test", "none", new Version(1, 0))) {
                    writeFrames(file, 0, 3);
                    file.flush();
                    writeFrames(file, 3, 300);
                    storage.fail(operation, count, "ENOSPC");
                    try {
                        file.flush();
                    } catch (IOException e) {
                        assertThat(e).hasMessageContaining("ENOSPC");
                    }
                    storage.heal();
                    writeFrames(file, 300, 310);
                }
                try (GsdFile file = open(Access.READ)) {
                    assertThat(file.frameCount()).isEqualTo(310);
                    for (int frame = 0; frame < 310; frame++) {
                        assertThat(file.findChunk(frame, "a").orElseThrow().ints())
                                .containsExactly(frame, -frame);
                    }
                }
            }
        }
    }

    /** It is not taken for damage, or for the end of what is in the file. */
    @Test
    void aReadThatFailsLosesNoFrame() throws IOException {
        try (GsdFile file = create()) {
            writeFrames(file, 0, 300);
        }
        byte[] before = Files.readAllBytes(path);
        int failed = 0;
        for (int nth = 1; nth <= 40; nth++) {
            Files.write(path, before);
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            storage.fail(Operation.READ, nth, "EIO");
            long frames = 310;
            try (GsdFile file = GsdFile.at(path).storage(storage).open(Access.APPEND)) {
                writeFrames(file, 300, 310);
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("EIO");
                failed++;
                frames = 300;
            }
            try (GsdFile file = open(Access.READ)) {
                assertThat(file.frameCount()).isBetween(frames, 310L);
                for (int frame = 0; frame < file.frameCount(); frame++) {
                    assertThat(file.findChunk(frame, "a").orElseThrow().ints()).containsExactly(frame, -frame);
                }
            }
        }
        assertThat(failed).isPositive();
    }

    /** After a flush that failed, data are written behind all that the header in the file may name already. */
    @Test
    void aFailedFlushLeavesAFileThatCanBeOpened() throws IOException {
        for (Operation operation : new Operation[] {Operation.WRITE, Operation.SYNC}) {
            for (int count = 1; count <= 8; count++) {
                FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
                Path killed = directory.resolve(operation + "-" + count);
                try (GsdFile file = GsdFile.at(path).storage(storage).create("test", "none", new Version(1, 0))) {
                    writeFrames(file, 0, 3);
                    file.flush();
                    writeFrames(file, 3, 300);
                    file.writeChunk("long name ".repeat(200), new int[1], 1, 1);
                    storage.fail(operation, count, "EIO");
                    try {
                        file.flush();
                    } catch (IOException e) {
                        assertThat(e).hasMessageContaining("EIO");
                    }
                    storage.heal();
                    file.setMaximumWriteBufferSize(1);
                    file.writeChunk("direct", ElementType.UINT8, ByteBuffer.allocate(30_000), 30_000, 1);
                    Files.copy(path, killed);
                }
                try (GsdFile file = GsdFile.at(killed).storage(new NioEngine()).open(Access.READ)) {
                    assertThat(file.frameCount()).isIn(3L, 300L);
                    for (int frame = 0; frame < file.frameCount(); frame++) {
                        assertThat(file.findChunk(frame, "a").orElseThrow().ints())
                                .containsExactly(frame, -frame);
                    }
                }
            }
        }
    }

    @Test
    void aFailedTruncationEndsTheWriting() throws IOException {
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        try (GsdFile file = GsdFile.at(path).storage(storage).create("test", "none", new Version(1, 0))) {
            writeFrames(file, 0, 3);
            file.flush();
            storage.fail(Operation.WRITE, 4, "EIO");
            assertThatThrownBy(file::truncate).hasMessageContaining("EIO");
            assertThatThrownBy(() -> writeFrames(file, 3, 4)).hasMessageContaining("open it again");
        }
        try (GsdFile file = open(Access.APPEND)) {
            assertThat(file.frameCount()).isIn(0L, 3L);
            writeFrames(file, (int) file.frameCount(), 10);
            assertThat(file.frameCount()).isEqualTo(10);
        }
    }

    private static void writeFrames(GsdFile file, int from, int to) throws IOException {
        for (int frame = from; frame < to; frame++) {
            file.writeChunk("a", new int[] {frame, -frame}, 2, 1);
            file.endFrame();
        }
    }

    @Test
    void aBufferOfBytesIsWrittenAsItIs() throws IOException {
        byte[] bytes = new byte[48];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        try (GsdFile file = create()) {
            file.setMaximumWriteBufferSize(10);
            file.writeChunk("a", ElementType.DOUBLE, ByteBuffer.wrap(bytes), 2, 3);
            file.endFrame();
            ByteBuffer read = ByteBuffer.allocate(50);
            file.findChunk(0, "a").orElseThrow().read(read);
            assertThat(read.position()).isEqualTo(48);
            assertThat(Arrays.copyOf(read.array(), 48)).isEqualTo(bytes);
        }
        assertThat(Files.size(path)).isEqualTo(5376 + 48);
    }
}
