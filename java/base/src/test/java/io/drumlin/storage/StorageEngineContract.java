package io.drumlin.storage;

import static io.drumlin.storage.OpenMode.CREATE;
import static io.drumlin.storage.OpenMode.DIRECT;
import static io.drumlin.storage.OpenMode.EXCLUSIVE;
import static io.drumlin.storage.OpenMode.PRIVATE;
import static io.drumlin.storage.OpenMode.READ;
import static io.drumlin.storage.OpenMode.TRUNCATE;
import static io.drumlin.storage.OpenMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every storage engine must do, clause by clause of {@link StorageEngine} and {@link BlockFile}. */
public abstract class StorageEngineContract {

    private static final long GIB = 1L << 30;
    private static final int NOBODY = 65534;

    @TempDir(factory = BesideTheBuild.class)
    Path folder;

    private final List<AlignedBuffer> buffers = new ArrayList<>();
    private StorageEngine engine;
    private Path file;

    /** Makes the engine under test, or skips the test with the reason why it is not available. */
    protected abstract StorageEngine makeEngine();

    /** Whether {@link BlockFile#allocate} can reserve space where the file system can. */
    protected boolean reserves() {
        return true;
    }

    /** The temporary folder often is a tmpfs; the build's folder is where a disk is. */
    static final class BesideTheBuild implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws Exception {
            Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
            return Files.createTempDirectory(target, "storage");
        }
    }

    @BeforeEach
    void makeEngineAndName() {
        engine = makeEngine();
        file = folder.resolve("file");
    }

    @AfterEach
    void closeBuffers() {
        buffers.forEach(AlignedBuffer::close);
    }

    // ------------------------------------------------------------------------------------------------ opening

    @Test
    void hasTheNameItIsChosenBy() throws IOException {
        assertThat(StorageEngines.byName(engine.name()).name()).isEqualTo(engine.name());
    }

    @Test
    void refusesToOpenWhatIsMissing() {
        assertErrno(() -> engine.open(file, EnumSet.of(READ)), "ENOENT");
        assertErrno(() -> engine.open(file, EnumSet.of(READ, WRITE)), "ENOENT");
        assertErrno(() -> engine.open(folder.resolve("no/file"), EnumSet.of(WRITE, CREATE)), "ENOENT");
        assertThat(file).doesNotExist();
    }

    @Test
    void createsAnEmptyFile() throws IOException {
        try (BlockFile created = engine.open(file, EnumSet.of(WRITE, CREATE))) {
            assertThat(created.path()).isEqualTo(file);
            assertThat(created.size()).isZero();
        }
        assertThat(file).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsWhatIsThereUnlessToldToTruncate(boolean direct) throws IOException {
        Files.writeString(file, "there");
        engine.open(file, modes(direct, WRITE, CREATE)).close();
        assertThat(file).hasContent("there");
        engine.open(file, modes(direct, WRITE, CREATE, TRUNCATE)).close();
        assertThat(file).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void createsExclusivelyOrNotAtAll(boolean direct) throws IOException {
        engine.open(file, modes(direct, WRITE, CREATE, EXCLUSIVE)).close();
        Files.writeString(file, "first");
        assertErrno(() -> engine.open(file, modes(direct, WRITE, CREATE, EXCLUSIVE)), "EEXIST");
        assertErrno(() -> engine.open(file, modes(direct, WRITE, CREATE, EXCLUSIVE, TRUNCATE)), "EEXIST");
        assertThat(file).hasContent("first");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPrivateFileIsItsOwners(boolean direct) throws IOException {
        engine.open(file, modes(direct, WRITE, CREATE, PRIVATE)).close();
        assertThat(permissions()).isEqualTo("rw-------");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        engine.open(file, modes(direct, READ, WRITE, CREATE, TRUNCATE, PRIVATE)).close();
        assertThat(permissions()).as("of a file that was there").isEqualTo("rw-r-----");
    }

    private String permissions() throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void refusesModesThatContradictEachOther() {
        List<Set<OpenMode>> wrong = List.of(
                EnumSet.noneOf(OpenMode.class),
                EnumSet.of(DIRECT),
                EnumSet.of(READ, CREATE),
                EnumSet.of(READ, TRUNCATE),
                EnumSet.of(WRITE, EXCLUSIVE),
                EnumSet.of(WRITE, PRIVATE));
        assertThat(wrong).allSatisfy(modes -> assertThatThrownBy(() -> engine.open(file, modes))
                .isInstanceOf(IllegalArgumentException.class));
        assertThat(file).doesNotExist();
    }

    @Test
    void namesWhatIsWrongWithThePath() throws IOException {
        assertErrno(() -> engine.open(folder, EnumSet.of(WRITE)), "EISDIR");
        Files.createFile(file);
        assertErrno(() -> engine.open(file.resolve("below"), EnumSet.of(WRITE, CREATE)), "ENOTDIR");
        assertErrno(() -> engine.open(folder.resolve("x".repeat(300)), EnumSet.of(WRITE, CREATE)), "ENAMETOOLONG");
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        assertErrno(() -> engine.open(loop, EnumSet.of(READ)), "ELOOP");
    }

    @Test
    void takesPathsWithSpacesAndLettersBeyondAscii() throws IOException {
        Path odd = folder.resolve("Zw\u00f6lf gro\u00dfe K\u00e4fer \u6c34 'x' \"y\" %20 #");
        try (BlockFile opened = engine.open(odd, EnumSet.of(READ, WRITE, CREATE))) {
            opened.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
        }
        assertThat(Files.readAllBytes(odd)).containsExactly(1, 2, 3);
        Path renamed = folder.resolve("\u00e9t\u00e9");
        engine.rename(odd, renamed);
        assertThat(listed()).containsExactly("\u00e9t\u00e9");
    }

    @Test
    void opensTheFileALinkPointsTo() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        try (BlockFile opened = engine.open(link, EnumSet.of(WRITE, CREATE))) {
            opened.write(ByteBuffer.wrap(new byte[] {7}), 0);
        }
        assertThat(Files.readAllBytes(file)).containsExactly(7);
    }

    @Test
    void reportsMissingPermission() throws Exception {
        Files.createFile(file);
        Path below = Files.createDirectory(folder.resolve("below"));
        withoutPermission(() -> {
            assertErrno(() -> engine.open(file, EnumSet.of(WRITE)), "EACCES");
            assertErrno(() -> engine.rename(file, folder.resolve("other")), "EACCES");
            assertErrno(() -> engine.delete(file), "EACCES");
            assertErrno(() -> engine.syncDirectory(folder), "EACCES");
            assertErrno(() -> engine.syncDirectory(below), "EACCES");
            return null;
        });
    }

    @Test
    void reportsAReadOnlyFileSystem() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=1m,ro")) {
            assertErrno(() -> engine.open(mounted.root().resolve("file"), EnumSet.of(WRITE, CREATE)), "EROFS");
            assertErrno(() -> engine.createDirectories(mounted.root().resolve("folder")), "EROFS");
        }
    }

    // ---------------------------------------------------------------------------------------------- transfers

    @ParameterizedTest
    @EnumSource(Memory.class)
    void movesRandomPiecesAsJavaNioSeesThem(Memory memory) throws IOException {
        Random random = random();
        byte[] expected = new byte[3_000_000];
        int length = 0;
        try (BlockFile buffered = engine.open(file, EnumSet.of(READ, WRITE, CREATE))) {
            assertThat(buffered.direct()).isFalse();
            assertThat(buffered.alignment()).isEqualTo(1);
            for (int i = 0; i < 40; i++) {
                int offset = random.nextInt(expected.length);
                byte[] piece = bytes(random, random.nextInt(expected.length - offset + 1));
                ByteBuffer source = memory.wrap(piece, random);
                unmoved(source, () -> buffered.write(source, offset));
                System.arraycopy(piece, 0, expected, offset, piece.length);
                length = piece.length == 0 ? length : Math.max(length, offset + piece.length);
                assertThat(buffered.size()).isEqualTo(length);
            }
            byte[] whole = Arrays.copyOf(expected, length);
            assertThat(Files.readAllBytes(file)).isEqualTo(whole);
            for (int i = 0; i < 40 && memory != Memory.READ_ONLY_HEAP; i++) {
                int offset = random.nextInt(length);
                ByteBuffer target = memory.wrap(new byte[random.nextInt(expected.length)], random);
                int count = Math.min(target.remaining(), length - offset);
                unmoved(target, () -> assertThat(buffered.read(target, offset)).isEqualTo(count));
                assertThat(contents(target.slice(target.position(), count)))
                        .isEqualTo(Arrays.copyOfRange(whole, offset, offset + count));
            }
        }
    }

    @Test
    void movesRandomBlocksPastThePageCache() throws IOException {
        Random random = random();
        byte[] expected = new byte[4 << 20];
        try (BlockFile direct = openDirect(READ, WRITE, CREATE)) {
            int alignment = direct.alignment();
            assertThat(Integer.bitCount(alignment)).isEqualTo(1);
            assertThat(alignment).isBetween(2, AlignedBuffer.ALIGNMENT);
            direct.truncate(expected.length);
            for (int i = 0; i < 40; i++) {
                int blocks = 1 + random.nextInt(100);
                int offset = alignment * random.nextInt(expected.length / alignment - blocks);
                byte[] piece = bytes(random, blocks * alignment);
                ByteBuffer source = aligned(piece.length + alignment);
                source.position(alignment).put(piece).position(alignment);
                unmoved(source, () -> direct.write(source, offset));
                System.arraycopy(piece, 0, expected, offset, piece.length);
                ByteBuffer target = aligned(piece.length);
                unmoved(target, () -> assertThat(direct.read(target, offset)).isEqualTo(piece.length));
                assertThat(contents(target)).isEqualTo(piece);
            }
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(expected);
    }

    @Test
    void refusesMisalignedDirectTransfersBeforeAnythingMoves() throws IOException {
        byte[] before = bytes(random(), 2 * AlignedBuffer.ALIGNMENT);
        Files.write(file, before);
        try (BlockFile direct = openDirect(READ, WRITE)) {
            int block = direct.alignment();
            assertRefused(direct, aligned(block), 1);
            assertRefused(direct, aligned(block), block / 2);
            assertRefused(direct, aligned(block).limit(block - 1), 0);
            assertRefused(direct, aligned(2 * block).limit(block + block / 2), 0);
            assertRefused(direct, aligned(2 * block).position(1).limit(1 + block), 0);
            assertRefused(direct, aligned(2 * block).position(block / 2).limit(block / 2 + block), 0);
            assertRefused(direct, ByteBuffer.allocate(block), 0);
            assertRefused(direct, aligned(block), -block);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void refusesImpossibleArguments() throws IOException {
        Files.writeString(file, "there");
        try (BlockFile opened = engine.open(file, EnumSet.of(READ, WRITE))) {
            assertRefused(opened, ByteBuffer.allocateDirect(1), -1);
            ByteBuffer readOnly = ByteBuffer.allocateDirect(1).asReadOnlyBuffer();
            assertIllegal(() -> opened.read(readOnly, 0));
            assertIllegal(() -> opened.startWrite(ByteBuffer.allocate(1), 0));
            assertIllegal(() -> opened.truncate(-1));
            assertIllegal(() -> opened.allocate(-1));
            assertIllegal(() -> opened.reserve(-1, 1));
            assertIllegal(() -> opened.reserve(0, 0));
            assertIllegal(() -> opened.startWriteback(-1, 1));
            assertIllegal(() -> opened.startWriteback(0, 0));
        }
        assertThat(file).hasContent("there");
        assertIllegal(() -> engine.allocate(0));
        assertIllegal(() -> engine.allocate(-1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsUpToTheEndOfTheFile(boolean direct) throws IOException {
        byte[] content = bytes(random(), 3 * AlignedBuffer.ALIGNMENT + 5);
        Files.write(file, content);
        int block = AlignedBuffer.ALIGNMENT;
        try (BlockFile opened = engine.open(file, modes(direct, READ))) {
            ByteBuffer target = aligned(8 * block);
            assertThat(opened.read(target, 0)).isEqualTo(content.length);
            assertThat(contents(target.slice(0, content.length))).isEqualTo(content);
            assertThat(opened.read(target, 3L * block)).isEqualTo(5);
            assertThat(opened.read(target, 2L * block)).isEqualTo(block + 5);
            assertThat(opened.read(target, 4L * block)).isZero();
            assertThat(opened.read(target, 100L * block)).isZero();
            assertThat(opened.read(target.limit(block), block)).isEqualTo(block);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void movesNothingWhenNothingIsAsked(boolean direct) throws Exception {
        try (BlockFile opened = engine.open(file, modes(direct, READ, WRITE, CREATE))) {
            ByteBuffer empty = aligned(AlignedBuffer.ALIGNMENT).limit(0);
            opened.write(empty, 0);
            opened.startWrite(empty, AlignedBuffer.ALIGNMENT).await();
            assertThat(opened.read(empty, 0)).isZero();
            assertThat(opened.size()).isZero();
        }
    }

    @Test
    void transfersOnlyWhatTheFileWasOpenedFor() throws IOException {
        Files.writeString(file, "there");
        ByteBuffer memory = ByteBuffer.allocateDirect(5);
        try (BlockFile readOnly = engine.open(file, EnumSet.of(READ));
                BlockFile writeOnly = engine.open(file, EnumSet.of(WRITE))) {
            assertErrno(() -> readOnly.write(memory, 0), "EBADF");
            assertErrno(() -> readOnly.startWrite(memory, 0).await(), "EBADF");
            assertErrno(() -> readOnly.allocate(100), "EBADF");
            assertErrno(() -> readOnly.reserve(0, 100), "EBADF");
            assertThatThrownBy(() -> readOnly.truncate(0)).isInstanceOf(DrumlinException.class);
            assertErrno(() -> writeOnly.read(memory, 0), "EBADF");
        }
        assertThat(file).hasContent("there");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reachesOffsetsBeyondFourGib(boolean direct) throws IOException {
        long offset = 5 * GIB + 7L * AlignedBuffer.ALIGNMENT;
        byte[] content = bytes(random(), AlignedBuffer.ALIGNMENT);
        try (BlockFile opened = engine.open(file, modes(direct, READ, WRITE, CREATE))) {
            opened.write(aligned(content), offset);
            opened.startWrite(aligned(content), 2 * offset).await();
            assertThat(opened.size()).isEqualTo(2 * offset + content.length);
            ByteBuffer back = aligned(content.length);
            assertThat(opened.read(back, 2 * offset)).isEqualTo(content.length);
            assertThat(contents(back)).isEqualTo(content);
        }
        assertThat(Files.size(file)).isEqualTo(2 * offset + content.length);
        assertThat(nioRead(offset, content.length)).isEqualTo(content);
        assertThat(nioRead(2 * offset, content.length)).isEqualTo(content);
        assertThat(nioRead(offset - GIB, 16)).containsOnly(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, 2 * GIB, 4 * GIB})
    void writesAcrossTheLimitsOfSmallIntegers(long limit) throws IOException {
        byte[] content = bytes(random(), 10_000);
        try (BlockFile opened = engine.open(file, EnumSet.of(READ, WRITE, CREATE))) {
            opened.write(ByteBuffer.wrap(content), limit - 5_000);
            ByteBuffer back = ByteBuffer.allocate(content.length);
            assertThat(opened.read(back, limit - 5_000)).isEqualTo(content.length);
            assertThat(back.array()).isEqualTo(content);
        }
        assertThat(nioRead(limit - 5_000, content.length)).isEqualTo(content);
    }

    // ------------------------------------------------------------------------------------------ started writes

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsManyStartedWritesInAnyOrder(boolean direct) throws IOException {
        Random random = random();
        int piece = 4 * AlignedBuffer.ALIGNMENT;
        byte[] expected = bytes(random, 500 * piece);
        List<Integer> order = shuffled(500, random);
        List<PendingWrite> writes = new ArrayList<>();
        try (BlockFile opened = engine.open(file, modes(direct, WRITE, CREATE))) {
            for (int i : order) {
                ByteBuffer source = aligned(Arrays.copyOfRange(expected, i * piece, (i + 1) * piece));
                writes.add(opened.startWrite(source, (long) i * piece));
                // What moves the caller's buffer must not move the write.
                source.position(source.limit());
            }
            Collections.shuffle(writes, random);
            for (PendingWrite write : writes) {
                write.await();
            }
            assertThat(Files.readAllBytes(file)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsManyStartedReadsInAnyOrder(boolean direct) throws IOException {
        Random random = random();
        int piece = 4 * AlignedBuffer.ALIGNMENT;
        byte[] expected = bytes(random, 100 * piece - 777);
        Files.write(file, expected);
        List<ByteBuffer> targets = new ArrayList<>();
        List<PendingRead> reads = new ArrayList<>();
        try (BlockFile opened = engine.open(file, modes(direct, READ))) {
            for (int i = 0; i < 101; i++) {
                ByteBuffer target = aligned(new byte[piece]);
                targets.add(target.duplicate());
                reads.add(opened.startRead(target, (long) i * piece));
                // What moves the caller's buffer must not move the read.
                target.position(target.limit());
            }
            byte[] read = new byte[101 * piece];
            for (int i : shuffled(101, random)) {
                // The last begins at the end of the file, the one before ends there.
                assertThat(reads.get(i).await()).isEqualTo(Math.max(0, Math.min(piece, expected.length - i * piece)));
                targets.get(i).get(read, i * piece, piece);
            }
            assertThat(Arrays.copyOf(read, expected.length)).isEqualTo(expected);
            assertIllegal(() -> opened.startRead(ByteBuffer.allocate(piece), 0));
        }
        ByteBuffer memory = aligned(new byte[piece]);
        try (BlockFile writeOnly = engine.open(file, modes(direct, WRITE))) {
            assertErrno(() -> writeOnly.startRead(memory, 0).await(), "EBADF");
        }
        BlockFile closed = engine.open(file, modes(direct, READ));
        closed.startRead(memory, 0);
        closed.close();
        assertThat(memory.get(0)).isEqualTo(expected[0]);
        assertClosed(() -> closed.startRead(memory, 0));
    }

    @Test
    void finishesStartedWritesBeforeItCloses() throws IOException {
        Random random = random();
        for (int round = 0; round < 20; round++) {
            byte[] content = bytes(random, 1 << 20);
            ByteBuffer source = aligned(content);
            List<PendingWrite> writes = new ArrayList<>();
            try (BlockFile opened = engine.open(file, EnumSet.of(WRITE, CREATE, TRUNCATE))) {
                for (int i = 0; i < 16; i++) {
                    writes.add(opened.startWrite(source.slice(i << 16, 1 << 16), (long) i << 16));
                }
            }
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
            for (PendingWrite write : writes) {
                write.await();
            }
        }
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void closesWhileAnotherThreadStartsWrites() throws Exception {
        ByteBuffer memory = aligned(4096);
        ExecutorService starter = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 500; round++) {
                BlockFile closing = engine.open(file, EnumSet.of(WRITE, CREATE));
                CountDownLatch started = new CountDownLatch(1);
                Future<?> refused = starter.submit(() -> assertClosed(() -> {
                    while (true) {
                        closing.startWrite(memory, 0);
                        started.countDown();
                    }
                }));
                started.await();
                closing.close();
                refused.get();
            }
        } finally {
            starter.shutdown();
        }
        assertThat(file).hasSize(4096);
    }

    @Test
    void reportsTheFailureOfAStartedWriteWhenAwaited() throws IOException {
        try (BlockFile full = engine.open(Path.of("/dev/full"), EnumSet.of(WRITE))) {
            PendingWrite write = full.startWrite(aligned(4096), 0);
            assertErrno(write::await, "ENOSPC");
        }
    }

    @Test
    void reportsTheFailureOfAStartedWriteThatNobodyAwaitedAtClose() throws IOException {
        BlockFile full = engine.open(Path.of("/dev/full"), EnumSet.of(WRITE));
        full.startWrite(aligned(4096), 0);
        assertErrno(full::close, "ENOSPC");
        full.close();
    }

    @Test
    void awaitsOnAnInterruptedThread() throws IOException {
        byte[] content = bytes(random(), 1 << 16);
        try (BlockFile opened = engine.open(file, EnumSet.of(WRITE, CREATE))) {
            Thread.currentThread().interrupt();
            opened.startWrite(aligned(content), 0).await();
            opened.startWrite(aligned(content), content.length).await();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(Files.size(file)).isEqualTo(2 * content.length);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void letsThreadsTransferAtTheSameTime(boolean direct) throws Exception {
        Random random = random();
        int block = AlignedBuffer.ALIGNMENT;
        byte[] expected = bytes(random, 512 * block);
        List<Integer> order = shuffled(512, random);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (BlockFile opened = engine.open(file, modes(direct, READ, WRITE, CREATE))) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                List<Integer> mine = order.subList(64 * t, 64 * (t + 1));
                work.add(() -> writeAndReadBack(opened, expected, mine));
            }
            for (Future<Void> done : threads.invokeAll(work)) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(expected);
    }

    private Void writeAndReadBack(BlockFile opened, byte[] expected, List<Integer> blocks) throws IOException {
        int block = AlignedBuffer.ALIGNMENT;
        try (AlignedBuffer source = engine.allocate(block);
                AlignedBuffer target = engine.allocate(block)) {
            for (int i : blocks) {
                source.buffer().clear().put(expected, i * block, block).flip();
                if (i % 2 == 0) {
                    opened.write(source.buffer(), (long) i * block);
                } else {
                    opened.startWrite(source.buffer(), (long) i * block).await();
                }
                assertThat(opened.read(target.buffer(), (long) i * block)).isEqualTo(block);
                assertThat(target.buffer()).isEqualTo(source.buffer());
            }
        }
        return null;
    }

    // ------------------------------------------------------------------------------------- length and durability

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cutsAndExtendsToAnyLength(boolean direct) throws IOException {
        Random random = random();
        byte[] expected = bytes(random, 2 * AlignedBuffer.ALIGNMENT + 17);
        Files.write(file, expected);
        try (BlockFile opened = engine.open(file, modes(direct, WRITE))) {
            for (int i = 0; i < 50; i++) {
                int size = random.nextInt(i % 2 == 0 ? 5 * AlignedBuffer.ALIGNMENT : expected.length + 20);
                opened.truncate(size);
                expected = Arrays.copyOf(expected, size);
                assertThat(opened.size()).isEqualTo(size);
                assertThat(Files.readAllBytes(file)).isEqualTo(expected);
            }
            opened.truncate(3 * GIB + 1);
            assertThat(opened.size()).isEqualTo(3 * GIB + 1);
            opened.truncate(0);
        }
        assertThat(file).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allocatesWithoutTouchingWhatIsThere(boolean direct) throws IOException {
        byte[] content = bytes(random(), AlignedBuffer.ALIGNMENT + 17);
        Files.write(file, content);
        try (BlockFile opened = engine.open(file, modes(direct, WRITE))) {
            opened.allocate(0);
            opened.allocate(100);
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
            opened.allocate(content.length + 1);
            assertThat(Files.readAllBytes(file)).isEqualTo(Arrays.copyOf(content, content.length + 1));
            opened.allocate(1_000_003);
            assertThat(Files.readAllBytes(file)).isEqualTo(Arrays.copyOf(content, 1_000_003));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reservesARangeWithoutTouchingWhatIsThere(boolean direct) throws IOException {
        byte[] content = bytes(random(), 3 * AlignedBuffer.ALIGNMENT + 17);
        Files.write(file, content);
        try (BlockFile opened = engine.open(file, modes(direct, WRITE))) {
            opened.reserve(AlignedBuffer.ALIGNMENT, AlignedBuffer.ALIGNMENT);
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
            opened.reserve(5 << 20, 1 << 20);
            int expected = reserves() ? 6 << 20 : content.length;
            assertThat(Files.readAllBytes(file)).isEqualTo(Arrays.copyOf(content, expected));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void startsWritebackOfWhatIsThereAndMore(boolean direct) throws IOException {
        byte[] content = bytes(random(), 3 * AlignedBuffer.ALIGNMENT + 17);
        Files.write(file, content);
        try (BlockFile opened = engine.open(file, modes(direct, WRITE))) {
            opened.startWriteback(100, 10L << 20);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }

    @Test
    void reservesTheSpaceItAllocates() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=1m")) {
            Path small = mounted.root().resolve("file");
            try (BlockFile opened = engine.open(small, EnumSet.of(WRITE, CREATE))) {
                if (reserves()) {
                    assertErrno(() -> opened.allocate(2 << 20), "ENOSPC");
                    assertErrno(() -> opened.reserve(2 << 20, 2 << 20), "ENOSPC");
                } else {
                    opened.allocate(2 << 20);
                    assertThat(opened.size()).isEqualTo(2 << 20);
                    assertErrno(() -> opened.write(ByteBuffer.allocate(2 << 20), 0), "ENOSPC");
                }
                opened.truncate(0);
                opened.allocate(1 << 20);
                opened.write(ByteBuffer.allocate(1 << 20), 0);
            }
            assertThat(small).hasSize(1 << 20);
        }
    }

    @Test
    void onlyMakesTheFileLongerWhereTheFileSystemCannotReserve() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("ramfs", "mode=700")) {
            Path other = Files.write(mounted.root().resolve("file"), new byte[] {1, 2, 3});
            try (BlockFile opened = engine.open(other, EnumSet.of(WRITE))) {
                opened.allocate(10_000);
                opened.allocate(5_000);
            }
            assertThat(Files.readAllBytes(other)).isEqualTo(Arrays.copyOf(new byte[] {1, 2, 3}, 10_000));
        }
    }

    @Test
    void syncsFilesAndDirectories() throws IOException {
        try (BlockFile opened = engine.open(file, EnumSet.of(WRITE, CREATE))) {
            opened.write(ByteBuffer.allocate(100), 0);
            opened.sync();
        }
        try (BlockFile opened = engine.open(file, EnumSet.of(READ))) {
            opened.sync();
        }
        engine.syncDirectory(folder);
        assertErrno(() -> engine.syncDirectory(folder.resolve("missing")), "ENOENT");
        assertErrno(() -> engine.syncDirectory(file), "ENOTDIR");
    }

    @Test
    void countsDirectoriesThatCannotBeSyncedAsSynced() throws IOException {
        Path withoutSync = Path.of("/proc/self");
        assumeTrue(Files.isDirectory(withoutSync), "there is no proc file system");
        try (FileChannel directory = FileChannel.open(withoutSync, StandardOpenOption.READ)) {
            assertThatThrownBy(() -> directory.force(true)).hasMessage("Invalid argument");
        }
        engine.syncDirectory(withoutSync);
    }

    @Test
    void refusesEverythingOnAClosedFile() throws IOException {
        BlockFile closed = engine.open(file, EnumSet.of(READ, WRITE, CREATE));
        closed.close();
        closed.close();
        ByteBuffer memory = aligned(16);
        assertClosed(() -> closed.write(memory, 0));
        assertClosed(() -> closed.startWrite(memory, 0));
        assertClosed(() -> closed.read(memory, 0));
        assertClosed(() -> closed.allocate(10));
        assertClosed(() -> closed.truncate(10));
        assertClosed(closed::sync);
        assertClosed(closed::size);
        assertThat(closed.path()).isEqualTo(file);
        assertThat(file).isEmptyFile();
    }

    // ---------------------------------------------------------------------------------- full and odd file systems

    @Test
    void saysWhatFailedWhereAndWhatToDoOnAFullFileSystem() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=1m")) {
            Path small = mounted.root().resolve("small file");
            try (BlockFile opened = engine.open(small, EnumSet.of(READ, WRITE, CREATE))) {
                opened.write(aligned(512 << 10), 0);
                ByteBuffer tooMuch = aligned(1 << 20);
                DrumlinException failure =
                        catchThrowableOfType(DrumlinException.class, () -> opened.write(tooMuch, 512 << 10));
                assertThat(failure.errno()).isEqualTo("ENOSPC");
                assertThat(failure.path()).isEqualTo(small.toString());
                assertThat(failure.offset()).isEqualTo(512 << 10);
                assertThat(failure.length()).isEqualTo(1 << 20);
                assertThat(failure)
                        .hasMessageContainingAll(
                                "write", "1048576 bytes", "offset 524288", "small file", "ENOSPC", "free space");
                opened.truncate(0);
                opened.write(aligned(512 << 10), 0);
            }
        }
    }

    @Test
    void reportsEveryStartedWriteThatAFullFileSystemRefuses() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=1m")) {
            try (BlockFile opened = engine.open(mounted.root().resolve("file"), EnumSet.of(WRITE, CREATE))) {
                ByteBuffer source = aligned(256 << 10);
                List<PendingWrite> writes = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    writes.add(opened.startWrite(source, (long) i * source.capacity()));
                }
                int refused = 0;
                for (PendingWrite write : writes) {
                    Throwable failure = catchThrowableOfType(DrumlinException.class, write::await);
                    refused += failure == null ? 0 : 1;
                }
                assertThat(refused).isBetween(12, 16);
            }
        }
    }

    @Test
    void goesThroughThePageCacheWhereDirectIsRefused() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("ramfs", "mode=700")) {
            Path other = mounted.root().resolve("file");
            byte[] content = bytes(random(), 12_345);
            try (BlockFile opened = engine.open(other, EnumSet.of(READ, WRITE, CREATE, EXCLUSIVE, DIRECT))) {
                assertThat(opened.direct()).isFalse();
                assertThat(opened.alignment()).isEqualTo(1);
                opened.write(ByteBuffer.wrap(content), 0);
            }
            assertThat(Files.readAllBytes(other)).isEqualTo(content);
            assertErrno(() -> engine.open(other, EnumSet.of(WRITE, CREATE, EXCLUSIVE, DIRECT)), "EEXIST");
            engine.open(other, EnumSet.of(WRITE, TRUNCATE, DIRECT)).close();
            assertThat(other).isEmptyFile();
        }
    }

    @Test
    void servesAFileSystemInMemory() throws IOException {
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=4m")) {
            Path other = mounted.root().resolve("file");
            byte[] content = bytes(random(), 8 * AlignedBuffer.ALIGNMENT);
            try (BlockFile opened = engine.open(other, EnumSet.of(READ, WRITE, CREATE, DIRECT))) {
                opened.write(aligned(content), 0);
                opened.sync();
                ByteBuffer back = aligned(content.length);
                assertThat(opened.read(back, 0)).isEqualTo(content.length);
                assertThat(contents(back)).isEqualTo(content);
            }
            engine.syncDirectory(mounted.root());
            assertThat(Files.readAllBytes(other)).isEqualTo(content);
        }
    }

    // -------------------------------------------------------------------------------------------------- names

    @Test
    void renamesOverAnExistingFile() throws IOException {
        Path old = Files.writeString(folder.resolve("old"), "old");
        Files.writeString(file, "new");
        engine.rename(file, old);
        assertThat(old).hasContent("new");
        assertThat(file).doesNotExist();
    }

    @Test
    void renamesAcrossDirectories() throws IOException {
        Path a = Files.createDirectory(folder.resolve("a"));
        Path b = Files.createDirectory(folder.resolve("b"));
        Files.writeString(a.resolve("file"), "content");
        engine.rename(a.resolve("file"), b.resolve("other"));
        assertThat(b.resolve("other")).hasContent("content");
        assertThat(a).isEmptyDirectory();
    }

    @Test
    void renamesDirectoriesButNeverOverAFullOne() throws IOException {
        Path a = Files.createDirectory(folder.resolve("a"));
        Path b = Files.createDirectory(folder.resolve("b"));
        Files.writeString(a.resolve("file"), "in a");
        engine.rename(a, b);
        assertThat(a).doesNotExist();
        assertThat(b.resolve("file")).hasContent("in a");
        Files.createDirectory(a);
        assertErrno(() -> engine.rename(a, b), "ENOTEMPTY");
        assertThat(a).isEmptyDirectory();
        assertThat(b.resolve("file")).hasContent("in a");
    }

    @Test
    void refusesRenamesThatCannotBe() throws IOException {
        Files.writeString(file, "here");
        assertErrno(() -> engine.rename(folder.resolve("missing"), folder.resolve("x")), "ENOENT");
        assertErrno(() -> engine.rename(file, folder.resolve("missing/x")), "ENOENT");
        Path directory = Files.createDirectory(folder.resolve("directory"));
        assertErrno(() -> engine.rename(file, directory), "EISDIR");
        assertErrno(() -> engine.rename(directory, file), "ENOTDIR");
        assertThat(file).hasContent("here");
        assertThat(listed()).containsExactly("directory", "file");
    }

    @Test
    void refusesToRenameIntoAnotherFileSystem() throws IOException {
        Files.writeString(file, "here");
        try (MountedFileSystem mounted = MountedFileSystem.mount("tmpfs", "size=1m")) {
            Path there = mounted.root().resolve("there");
            assertErrno(() -> engine.rename(file, there), "EXDEV");
            assertThat(there).doesNotExist();
        }
        assertThat(file).hasContent("here");
    }

    @Test
    void makesDirectoriesAndDeletesNames() throws IOException {
        Path deep = folder.resolve("a/b/c");
        engine.createDirectories(deep);
        engine.createDirectories(deep);
        assertThat(deep).isDirectory();
        assertErrno(() -> engine.delete(folder.resolve("a")), "ENOTEMPTY");
        engine.delete(deep);
        engine.delete(deep);
        assertThat(deep).doesNotExist();
        Files.writeString(file, "here");
        assertErrno(() -> engine.createDirectories(file), "EEXIST");
        engine.delete(file);
        assertThat(listed()).containsExactly("a");
    }

    // -------------------------------------------------------------------------------------------------- memory

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 4096, 4097, 1 << 20})
    void makesZeroedAlignedMemory(int size) {
        try (AlignedBuffer memory = engine.allocate(size)) {
            ByteBuffer buffer = memory.buffer();
            assertThat(buffer.isDirect()).isTrue();
            assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(buffer.capacity()).isEqualTo(size);
            assertThat(buffer.remaining()).isEqualTo(size);
            assertThat(buffer.alignmentOffset(0, AlignedBuffer.ALIGNMENT)).isZero();
            assertThat(contents(buffer)).containsOnly(0);
            assertThat(memory.buffer()).isSameAs(buffer);
        }
    }

    @Test
    void zeroesMemoryThatIsUsedAgain() {
        for (int use = 0; use < 3; use++) {
            try (AlignedBuffer memory = engine.allocate((4 << 20) + 100)) {
                assertThat(contents(memory.buffer())).containsOnly(0);
                while (memory.buffer().hasRemaining()) {
                    memory.buffer().put((byte) 7);
                }
            }
        }
    }

    @Test
    void forgetsMemoryThatWasClosed() {
        AlignedBuffer memory = engine.allocate(100);
        memory.close();
        memory.close();
        assertThatThrownBy(memory::buffer).isInstanceOf(IllegalStateException.class);
    }

    // ------------------------------------------------------------------------------------------------- helpers

    /** Where the bytes of a transfer can lie. */
    enum Memory {
        HEAP {
            @Override
            ByteBuffer place(int capacity) {
                return ByteBuffer.allocate(capacity);
            }
        },
        HEAP_SLICE {
            @Override
            ByteBuffer place(int capacity) {
                return ByteBuffer.allocate(capacity + 11).slice(7, capacity);
            }
        },
        READ_ONLY_HEAP {
            @Override
            ByteBuffer place(int capacity) {
                return ByteBuffer.allocate(capacity);
            }
        },
        DIRECT {
            @Override
            ByteBuffer place(int capacity) {
                return ByteBuffer.allocateDirect(capacity);
            }
        },
        DIRECT_SLICE {
            @Override
            ByteBuffer place(int capacity) {
                return ByteBuffer.allocateDirect(capacity + 11).slice(7, capacity);
            }
        };

        abstract ByteBuffer place(int capacity);

        /** The bytes between a random position and limit. */
        ByteBuffer wrap(byte[] content, Random random) {
            int before = random.nextInt(10);
            ByteBuffer buffer = place(before + content.length + random.nextInt(10));
            buffer.position(before).put(content).flip().position(before);
            return this == READ_ONLY_HEAP ? buffer.asReadOnlyBuffer() : buffer;
        }
    }

    private BlockFile openDirect(OpenMode... modes) throws IOException {
        BlockFile opened = engine.open(file, modes(true, modes));
        if (!opened.direct()) {
            opened.close();
        }
        assumeTrue(opened.direct(), "the build folder's file system knows no direct I/O");
        return opened;
    }

    private static Set<OpenMode> modes(boolean direct, OpenMode... modes) {
        Set<OpenMode> all = EnumSet.copyOf(List.of(modes));
        if (direct) {
            all.add(DIRECT);
        }
        return all;
    }

    private ByteBuffer aligned(int size) {
        AlignedBuffer memory = engine.allocate(size);
        buffers.add(memory);
        return memory.buffer();
    }

    private ByteBuffer aligned(byte[] content) {
        return aligned(content.length).put(content).flip();
    }

    private static byte[] contents(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    private byte[] nioRead(long offset, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer target = ByteBuffer.allocate(length);
            assertThat(channel.read(target, offset)).isEqualTo(length);
            return target.array();
        }
    }

    private List<String> listed() throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private static Random random() {
        long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
        System.out.println("seed: -Ddrumlin.test.seed=" + seed);
        return new Random(seed);
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static List<Integer> shuffled(int count, Random random) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, random);
        return numbers;
    }

    private interface Transfer {
        void run() throws IOException;
    }

    private static void unmoved(ByteBuffer buffer, Transfer transfer) throws IOException {
        int position = buffer.position();
        int limit = buffer.limit();
        transfer.run();
        assertThat(buffer.position()).isEqualTo(position);
        assertThat(buffer.limit()).isEqualTo(limit);
    }

    private static void assertRefused(BlockFile opened, ByteBuffer memory, long offset) {
        assertIllegal(() -> opened.write(memory, offset));
        assertIllegal(() -> opened.startWrite(memory, offset));
        assertIllegal(() -> opened.read(memory, offset));
    }

    private static void assertIllegal(ThrowingCallable call) {
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(call);
    }

    private static void assertErrno(ThrowingCallable call, String errno) {
        assertThatThrownBy(call).isInstanceOfSatisfying(DrumlinException.class, failure -> assertThat(failure.errno())
                .as(failure.getMessage())
                .isEqualTo(errno));
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IOException.class).hasMessageContaining("closed");
    }

    /**
     * Runs where the folder may not be touched. Root may do anything, so its tests run on a thread whose file accesses the
     * kernel checks as those of nobody.
     */
    private void withoutPermission(Callable<Void> body) throws Exception {
        boolean root = "root".equals(System.getProperty("user.name"));
        Function setFileSystemUser = root ? findSetFileSystemUser() : null;
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(folder);
        Files.setPosixFilePermissions(folder, EnumSet.noneOf(PosixFilePermission.class));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            thread.submit(() -> {
                        if (root) {
                            setFileSystemUser.invokeInt(new Object[] {NOBODY});
                        }
                        return body.call();
                    })
                    .get();
        } finally {
            thread.shutdown();
            Files.setPosixFilePermissions(folder, before);
        }
    }

    private static Function findSetFileSystemUser() {
        try {
            return NativeLibrary.getProcess().getFunction("setfsuid");
        } catch (LinkageError e) {
            return abort("JNA, by which this test gives up root's rights, does not load: " + e);
        }
    }
}
