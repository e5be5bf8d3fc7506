package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.NativeEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is recovered is what was verified, whether it was kept or is read again. */
@Tag("native")
class KeptBytesTest {

    private static final int FIRST = 5_000_001;
    private static final int SECOND = 40_000;
    private static final int SECOND_AT = 5_002_777;

    @TempDir
    private Path directory;

    private final byte[] content = new byte[SECOND_AT + SECOND];
    private final byte[] first = new byte[FIRST];
    private final byte[] second = new byte[SECOND];
    private Path file = Path.of("");
    private NativeEngine engine;
    private SlabPool slabs;
    private StoredFile meta;

    @BeforeEach
    void write() throws Exception {
        assumeTrue(NativeEngine.unavailabilityCause() == null, "there is no native engine");
        engine = new NativeEngine();
        slabs = new SlabPool(engine, 2 * Md5Lanes.LANES, SlabPool.SLAB_BYTES);
        new Random(8).nextBytes(content);
        file = Files.write(directory.resolve("file"), content);
        meta = new StoredFile(
                1, List.of(chunk(1, 0, FIRST), chunk(2, SECOND_AT, SECOND)), Map.of(1, (long) FIRST, 2, (long) SECOND));
    }

    @AfterEach
    void freeSlabs() {
        if (slabs != null) {
            slabs.close();
        }
    }

    private Chunk chunk(int id, int offset, int length) throws Exception {
        MessageDigest md5 = MessageDigest.getInstance("MD5");
        md5.update(content, offset, length);
        return new Chunk(id, 0, offset, length, Optional.of(HexFormat.of().formatHex(md5.digest())));
    }

    private CheckpointReader reader(long limit) {
        return new CheckpointReader(engine, slabs, new KeptBytes(engine, () -> limit));
    }

    private void recover(CheckpointReader reader, Path path) throws IOException {
        reader.recover(path, meta, Map.of(1, ProtectedData.of(first), 2, ProtectedData.of(second)));
    }

    private void assertRecovered() {
        assertThat(first).isEqualTo(Arrays.copyOf(content, FIRST));
        assertThat(second).isEqualTo(Arrays.copyOfRange(content, SECOND_AT, SECOND_AT + SECOND));
    }

    @Test
    void areRecoveredFromAFileThatWasRenamed() throws IOException {
        CheckpointReader reader = reader(Long.MAX_VALUE);
        reader.verify(file, meta, Keep.IN_MEMORY);
        recover(reader, Files.move(file, directory.resolve("committed")));
        assertRecovered();
        reader.forget();
    }

    @Test
    void areNotNeeded() throws IOException {
        CheckpointReader reader = reader(content.length / 2);
        reader.verify(file, meta, Keep.IN_MEMORY);
        recover(reader, file);
        assertRecovered();
    }

    @Test
    void areDoneWithoutWhereMemoryIsShort() throws IOException {
        FaultyEngine faulty = new FaultyEngine(engine);
        KeptBytes kept = new KeptBytes(faulty, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(engine, slabs, kept);
        faulty.fail(FaultyEngine.Operation.MEMORY, 1, "ENOMEM");
        faulty.mapNothing();
        reader.verify(file, meta, Keep.IN_MEMORY);
        assertThat(faulty.count(FaultyEngine.Operation.MEMORY)).isOne();
        assertThat(kept.of(file, meta.chunks())).isEmpty();
        recover(reader, file);
        assertRecovered();
    }

    @Test
    void ofAMappedFileNeedNoMemory() throws IOException {
        FaultyEngine faulty = new FaultyEngine(engine);
        assumeTrue(engine.map(file, 0, FIRST).isPresent(), "the system maps no file in " + directory);
        KeptBytes kept = new KeptBytes(faulty, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(faulty, slabs, kept);
        reader.verify(file, meta, Keep.IN_MEMORY);
        reader.verify(file, meta, Keep.IN_MEMORY);
        recover(reader, file);
        assertRecovered();
        assertThat(faulty.count(FaultyEngine.Operation.MEMORY)).isZero();
        // Once, although it was verified twice.
        assertThat(faulty.bytesRead(directory)).isEqualTo(FIRST + SECOND);
        reader.forget();
    }

    /** Of nothing that is lost: it is read again, and compared, unless only all of it has a digest. */
    @ParameterizedTest
    @CsvSource({
        "true, false, IN_VARIABLES, 2",
        "true, true, IN_VARIABLES, 1",
        "false, false, IN_VARIABLES, 1",
        "true, false, IN_MEMORY, 1"
    })
    void areReadTwiceWhereMemoryIsDear(boolean dear, boolean together, Keep keep, int times) throws Exception {
        FaultyEngine faulty = new FaultyEngine(engine);
        KeptBytes kept = new KeptBytes(faulty, () -> Long.MAX_VALUE, () -> dear);
        CheckpointReader reader = new CheckpointReader(faulty, slabs, kept);
        Optional<Chunk> whole = together ? Optional.of(chunk(-1, 0, content.length)) : Optional.empty();
        reader.verify(file, new StoredFile(1, meta.chunks(), meta.sizes(), Map.of(), whole, Optional.empty()), keep);
        recover(reader, file);
        assertRecovered();
        long bytes = together ? content.length : FIRST + SECOND;
        assertThat(faulty.bytesRead(directory)).isBetween(times * bytes, times * bytes + 4 * 4096);
        reader.forget();
    }

    @Test
    void areTheSameWithoutAMapping() throws IOException {
        FaultyEngine faulty = new FaultyEngine(engine);
        faulty.mapNothing();
        CheckpointReader reader = new CheckpointReader(faulty, slabs, new KeptBytes(faulty, () -> Long.MAX_VALUE));
        reader.verify(file, meta, Keep.IN_MEMORY);
        recover(reader, file);
        assertRecovered();
        assertThat(faulty.count(FaultyEngine.Operation.MEMORY)).isPositive();
        reader.forget();
    }

    @Test
    void ofAFileThatIsCutAreNotHeld() throws IOException {
        Files.write(file, Arrays.copyOf(content, SECOND_AT + 100));
        KeptBytes kept = new KeptBytes(engine, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(engine, slabs, kept);
        assertThatThrownBy(() -> reader.verify(file, meta, Keep.IN_MEMORY))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("the file ends at " + (SECOND_AT + 100));
        assertThat(kept.of(file, meta.chunks())).isEmpty();
    }

    @Test
    void ofAFileThatCannotBeReadAreNotHeld() throws IOException {
        FaultyEngine faulty = new FaultyEngine(engine);
        KeptBytes kept = new KeptBytes(faulty, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(faulty, slabs, kept);
        faulty.mapNothing();
        faulty.fail(FaultyEngine.Operation.READ, 3, "EIO");
        assertThatThrownBy(() -> reader.verify(file, meta, Keep.IN_MEMORY)).hasMessageContaining("EIO");
        assertThat(kept.of(file, meta.chunks())).isEmpty();
        reader.verify(file, meta, Keep.IN_MEMORY);
        assertThat(kept.of(file, meta.chunks())).isPresent();
        reader.forget();
    }

    @Test
    void areDoneWithoutWhereAMappingCannotBeFilled() throws IOException {
        FaultyEngine faulty = new FaultyEngine(engine);
        KeptBytes kept = new KeptBytes(faulty, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(faulty, slabs, kept);
        faulty.fail(FaultyEngine.Operation.READ, 3, "ENOMEM");
        reader.verify(file, meta, Keep.IN_MEMORY);
        assumeTrue(faulty.mappings() == 1, "the system maps no file in " + directory);
        assertThat(kept.of(file, meta.chunks())).isEmpty();
        recover(reader, file);
        assertRecovered();
    }

    @Test
    void ofAFileThatIsMadeAreDoneWithoutWhereMemoryIsShort() {
        FaultyEngine faulty = new FaultyEngine(engine);
        try (KeptBytes kept = new KeptBytes(faulty, () -> 40 << 20)) {
            faulty.fail(FaultyEngine.Operation.MEMORY, 2, "ENOMEM");
            assertThat(kept.slabs(kept.begin(40 << 20).orElseThrow(), SlabPool.SLAB_BYTES))
                    .isEmpty();
            // What it had is there for others.
            assertThat(kept.begin(40 << 20).flatMap(file -> kept.slabs(file, SlabPool.SLAB_BYTES)))
                    .isPresent();
        }
    }

    @Test
    void ofAFileThatIsMadeHaveTheMemoryThatWasTakenForThem() {
        FaultyEngine faulty = new FaultyEngine(engine);
        long bytes = 2L * KeptFile.BLOCK_BYTES;
        try (KeptBytes kept = new KeptBytes(faulty, () -> bytes)) {
            kept.prepare(bytes);
            faulty.fail(FaultyEngine.Operation.MEMORY, 1, "ENOMEM");
            assertThat(kept.begin(bytes).flatMap(file -> kept.slabs(file, SlabPool.SLAB_BYTES)))
                    .isPresent();
        }
    }

    @Test
    void takeNoMoreBesideMemoryThatWasTakenAhead() throws IOException {
        FaultyEngine faulty = new FaultyEngine(engine);
        long bytes = 2L * KeptFile.BLOCK_BYTES;
        List<Chunk> chunks = List.of(meta.toVerify().get(0));
        try (KeptBytes kept = new KeptBytes(faulty, () -> bytes)) {
            kept.prepare(bytes);
            int taken = faulty.count(FaultyEngine.Operation.MEMORY);
            assertThat(kept.begin(file, chunks)).isPresent();
            // They were given back, so what is made next takes its own.
            kept.slabs(kept.begin(KeptFile.BLOCK_BYTES).orElseThrow(), SlabPool.SLAB_BYTES);
            assertThat(faulty.count(FaultyEngine.Operation.MEMORY)).isEqualTo(taken + 1);
        }
    }

    @Test
    void areDoneWithoutWhereMemoryCannotBeTakenAhead() {
        FaultyEngine faulty = new FaultyEngine(engine);
        long bytes = 2L * KeptFile.BLOCK_BYTES;
        try (KeptBytes kept = new KeptBytes(faulty, () -> bytes)) {
            kept.prepare(2 * bytes);
            assertThat(faulty.count(FaultyEngine.Operation.MEMORY)).isZero();
            faulty.fail(FaultyEngine.Operation.MEMORY, 2, "ENOMEM");
            kept.prepare(bytes);
            assertThat(kept.begin(bytes)).isPresent();
        }
    }

    /** As slabs of 16 MiB may bring them. */
    @Test
    void inLargePiecesWasteLittleMemory() {
        int piece = 9 << 20;
        List<AlignedBuffer> blocks = new ArrayList<>();
        KeptFile kept = new KeptFile(
                size -> {
                    blocks.add(engine.allocate(size));
                    return blocks.get(blocks.size() - 1);
                },
                3 * piece);
        for (int i = 0; i < 3; i++) {
            assertThat(kept.space(piece).remaining()).isEqualTo(piece);
        }
        int taken = blocks.stream().mapToInt(block -> block.buffer().capacity()).sum();
        kept.release().forEach(AlignedBuffer::close);
        assertThat(taken).isLessThan(3 * piece + KeptFile.BLOCK_BYTES);
    }

    @Test
    void areHeldUntilTheFileIsWritten() throws IOException {
        KeptBytes kept = new KeptBytes(engine, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(engine, slabs, kept);
        reader.verify(file, meta, Keep.IN_MEMORY);
        assertThat(kept.of(file, meta.chunks())).isPresent();
        assertThat(kept.of(file, List.of(chunkBetween()))).isEmpty();
        damage();
        assertThat(kept.of(file, meta.chunks())).isEmpty();
        assertThatThrownBy(() -> recover(reader, file))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("MD5");
        reader.forget();
    }

    /** Of bytes that no digest covers. */
    private static Chunk chunkBetween() {
        return new Chunk(3, 0, FIRST - 10, 20, Optional.empty());
    }

    @Test
    void areNoMoreThanTheConfigurationAllows() {
        try (KeptBytes none = KeptBytes.ofFreeMemory(engine, OptionalLong.of(0), 1);
                KeptBytes few = KeptBytes.ofFreeMemory(engine, OptionalLong.of(1 << 20), 1);
                KeptBytes shared = KeptBytes.ofFreeMemory(engine, OptionalLong.empty(), Integer.MAX_VALUE)) {
            assertThat(none.begin(1)).isEmpty();
            assertThat(few.begin((1 << 20) + 1)).isEmpty();
            assertThat(few.begin(1 << 19)).isPresent();
            assertThat(few.begin((1 << 19) + 1)).isEmpty();
            few.forget(few.begin(1 << 19).orElseThrow());
            assertThat(few.begin(1 << 19)).isPresent();
            assertThat(shared.begin(1 << 20)).isEmpty();
        }
    }

    @Test
    void ofADamagedFileAreNotHeld() throws IOException {
        damage();
        KeptBytes kept = new KeptBytes(engine, () -> Long.MAX_VALUE);
        CheckpointReader reader = new CheckpointReader(engine, slabs, kept);
        assertThatThrownBy(() -> reader.verify(file, meta, Keep.IN_MEMORY)).isInstanceOf(DrumlinException.class);
        assertThat(kept.of(file, meta.chunks())).isEmpty();
    }

    private void damage() throws IOException {
        FileTime before = Files.getLastModifiedTime(file);
        byte[] damaged = content.clone();
        damaged[FIRST / 2]++;
        Files.write(file, damaged);
        Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1000));
    }
}
