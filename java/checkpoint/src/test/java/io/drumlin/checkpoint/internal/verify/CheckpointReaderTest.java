package io.drumlin.checkpoint.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recovered is what was verified, though it is read again: each chunk has a digest of its own, or all of the file has one. */
class CheckpointReaderTest {

    private static final int FIRST = 1_000_001;
    private static final int SECOND = 40_000;
    private static final int SECOND_AT = 1_002_777;

    /** Blocks of which a part is wanted. */
    private static final long FEW = 512 << 10;

    @TempDir
    private Path directory;

    private final byte[] content = new byte[SECOND_AT + SECOND];
    private final byte[] first = new byte[FIRST];
    private final byte[] second = new byte[SECOND];
    private final FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
    private final SlabPool slabs = new SlabPool(engine, SlabPool.SLABS, 64 << 10);
    private final CheckpointReader reader = new CheckpointReader(engine, slabs);
    private Path file = Path.of("");

    @BeforeEach
    void write() throws IOException {
        new Random(8).nextBytes(content);
        file = Files.write(directory.resolve("file"), content);
    }

    @AfterEach
    void freeSlabs() {
        slabs.close();
    }

    private StoredFile meta(boolean together) {
        List<Chunk> chunks = List.of(chunk(1, 0, FIRST), chunk(2, SECOND_AT, SECOND));
        Optional<Chunk> whole = together ? Optional.of(chunk(-1, 0, content.length)) : Optional.empty();
        Map<Integer, Long> sizes = Map.of(1, (long) FIRST, 2, (long) SECOND);
        return new StoredFile(1, chunks, sizes, Map.of(), whole, Optional.empty());
    }

    private Chunk chunk(int id, int offset, int length) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            md5.update(content, offset, length);
            return new Chunk(id, 0, offset, length, Optional.of(HexFormat.of().formatHex(md5.digest())));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void recover(Path path, boolean together) throws IOException {
        reader.recover(path, meta(together), Map.of(1, ProtectedData.of(first), 2, ProtectedData.of(second)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileIsReadTwiceAlsoIfItWasRenamed(boolean together) throws IOException {
        reader.verify(file, meta(together), RetainPolicy.BLOCK_SUMS);
        recover(Files.move(file, directory.resolve("committed")), together);
        assertThat(first).isEqualTo(Arrays.copyOf(content, FIRST));
        assertThat(second).isEqualTo(Arrays.copyOfRange(content, SECOND_AT, SECOND_AT + SECOND));
        assertThat(engine.bytesRead(directory)).isBetween(2L * (FIRST + SECOND), 2L * content.length + FEW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileThatWasWrittenMeanwhileIsRefused(boolean together) throws IOException {
        reader.verify(file, meta(together), RetainPolicy.BLOCK_SUMS);
        damage();
        assertThat(reader.blocks().of(file)).isEmpty();
        assertThatThrownBy(() -> recover(file, together))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("MD5");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsKnownOfADamagedFile(boolean together) throws IOException {
        damage();
        assertThatThrownBy(() -> reader.verify(file, meta(together), RetainPolicy.BLOCK_SUMS))
                .isInstanceOf(DamagedException.class);
        assertThat(reader.blocks().of(file)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsKnownOfAFileThatCannotBeRead(boolean together) throws IOException {
        engine.fail(FaultyEngine.Operation.READ, 3, "EIO");
        assertThatThrownBy(() -> reader.verify(file, meta(together), RetainPolicy.BLOCK_SUMS))
                .hasMessageContaining("EIO");
        assertThat(reader.blocks().of(file)).isEmpty();
        reader.verify(file, meta(together), RetainPolicy.BLOCK_SUMS);
        assertThat(reader.blocks().of(file).isPresent()).isEqualTo(together);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whereAFileWasCutIsTold(boolean together) throws IOException {
        Files.write(file, Arrays.copyOf(content, SECOND_AT + 100));
        assertThatThrownBy(() -> reader.verify(file, meta(together), RetainPolicy.BLOCK_SUMS))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("the file ends at " + (SECOND_AT + 100));
    }

    private void damage() throws IOException {
        FileTime before = Files.getLastModifiedTime(file);
        byte[] damaged = content.clone();
        damaged[FIRST / 2]++;
        Files.write(file, damaged);
        Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1000));
    }
}
