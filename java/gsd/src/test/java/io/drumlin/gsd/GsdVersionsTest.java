package io.drumlin.gsd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of all versions are made, and keep their version. */
class GsdVersionsTest {

    private static final Version SCHEMA = new Version(1, 4);

    @TempDir
    private Path directory;

    private Path path;

    @BeforeEach
    void choosePath() {
        path = directory.resolve("file.gsd");
    }

    private static Stream<Version> versions() {
        return Stream.of(Version.FIRST, Version.PACKED, Version.CURRENT);
    }

    private Version stored() throws IOException {
        int word = ByteBuffer.wrap(Files.readAllBytes(path))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt(44);
        return new Version(word >>> 16, word & 0xffff);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aFileKeepsItsVersion(Version version) throws IOException {
        GsdFile.create(path, "test", "none", SCHEMA, version).close();
        assertThat(Files.size(path)).isEqualTo(version.equals(Version.FIRST) ? 256 + 4096 + 8192 : 5376);
        for (int round = 0; round < 3; round++) {
            try (GsdFile file = GsdFile.open(path, Access.APPEND)) {
                for (int i = 0; i < 60; i++) {
                    file.writeChunk("chunk " + (60 * round + i), new float[] {round, i}, 2, 1);
                }
                file.endFrame();
            }
            assertThat(stored()).isEqualTo(version);
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.gsdVersion()).isEqualTo(version);
            assertThat(file.frameCount()).isEqualTo(3);
            assertThat(file.names("")).hasSize(180);
            assertThat(file.findChunk(2, "chunk 179").orElseThrow().floats()).containsExactly(2, 59);
        }
        try (GsdFile file = GsdFile.open(path, Access.READ_WRITE)) {
            file.upgrade();
            assertThat(file.gsdVersion()).isEqualTo(Version.CURRENT);
            assertThat(file.findChunk(1, "chunk 60").orElseThrow().floats()).containsExactly(1, 0);
        }
        assertThat(stored()).isEqualTo(Version.CURRENT);
    }

    @Test
    void aFileOf20WithCharactersIsOneOf21() throws IOException {
        try (GsdFile file = GsdFile.create(path, "test", "none", SCHEMA, Version.PACKED)) {
            file.writeChunk("number", new int[] {1}, 1, 1);
            file.endFrame();
            file.flush();
            assertThat(stored()).isEqualTo(Version.PACKED);
            file.writeChunk("text", "words");
            file.endFrame();
        }
        assertThat(stored()).isEqualTo(Version.CURRENT);
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.findChunk(1, "text").orElseThrow().text()).isEqualTo("words");
        }
    }

    /** The places are those of the C library, release 3.4.1: its upgrade of version 1.0 writes the buffer first. */
    @Test
    void anUpgradeWritesBufferedFrames() throws IOException {
        try (GsdFile file = GsdFile.create(path, "test", "none", SCHEMA, Version.FIRST)) {
            file.writeChunk("a", new int[1], 1, 1);
            file.endFrame();
            file.flush();
            file.writeChunk("a", new int[2], 2, 1);
            file.endFrame();
            file.upgrade();
            file.setMaximumWriteBufferSize(16);
            file.writeChunk("a", new int[5], 5, 1);
            file.endFrame();
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.findChunk(0, "a").orElseThrow().location()).isEqualTo(12544);
            assertThat(file.findChunk(1, "a").orElseThrow().location()).isEqualTo(12548);
            assertThat(file.findChunk(2, "a").orElseThrow().location()).isEqualTo(12556);
        }
    }

    /**
     * Of equal keys an upgrade sorts those that are in the index already, and a flush has sorted the others. The bytes
     * are those of the C library, release 3.4.1, also the old index, which the flush leaves behind.
     */
    @ParameterizedTest
    @CsvSource({"1, 2, 0, 12547, fdc97627", "2, 0, 130, 21258, e90f8281"})
    void anUpgradeLeavesEqualKeysAsTheCLibraryDoes(int stored, int buffered, int frames, long size, String crc)
            throws IOException {
        GsdFile.Builder how = GsdFile.at(path).version(Version.FIRST).strictness(Strictness.REFERENCE);
        try (GsdFile file = how.create("a", "b", new Version(1, 0))) {
            writeFrame(file, stored);
            file.flush();
            if (buffered > 0) {
                writeFrame(file, buffered);
            }
            for (int frame = 0; frame < frames; frame++) {
                file.writeChunk("a", ElementType.UINT32, IntBuffer.wrap(new int[] {frame}), 1, 1);
                file.endFrame();
            }
            file.upgrade();
            if (buffered > 0) {
                assertThat(file.findChunk(1, "a").orElseThrow().location()).isEqualTo(12546);
            }
        }
        assertThat(Files.size(path)).isEqualTo(size);
        CRC32 sum = new CRC32();
        sum.update(Files.readAllBytes(path));
        assertThat(Long.toHexString(sum.getValue())).isEqualTo(crc);
    }

    private static void writeFrame(GsdFile file, int chunks) throws IOException {
        for (int chunk = 0; chunk < chunks; chunk++) {
            file.writeChunk("a", ElementType.UINT8, ByteBuffer.wrap(new byte[] {60}), 1, 1);
        }
        file.endFrame();
    }

    @Test
    void otherVersionsAreNotMade() {
        for (Version other : List.of(new Version(0, 3), new Version(1, 1), new Version(2, 2), new Version(3, 0))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GsdFile.at(path).version(other))
                    .withMessageContaining(other.toString());
        }
    }

    /** The longest name of each version, and one byte more. */
    @ParameterizedTest
    @MethodSource("versions")
    void namesAsLongAsTheVersionAllows(Version version) throws IOException {
        String longest = version.hasSlots() ? "é".repeat(31) + "x" : "é".repeat(5000);
        try (GsdFile file = GsdFile.create(path, "test", "none", SCHEMA, version)) {
            if (version.hasSlots()) {
                assertThatThrownBy(() -> file.writeChunk(longest + "y", new int[] {1}, 1, 1))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("63 bytes");
            }
            file.writeChunk(longest, new int[] {7}, 1, 1);
            file.endFrame();
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.findChunk(0, longest).orElseThrow().ints()).containsExactly(7);
        }
    }

    /** A file has 65535 names at most. The last one can be used, and there is no further one. */
    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("versions")
    void asManyNamesAsThereAre(Version version) throws IOException {
        int[] number = {1};
        try (GsdFile file = GsdFile.create(path, "test", "none", SCHEMA, version)) {
            for (int name = 0; name < 65535; name++) {
                file.writeChunk("n" + name, number, 1, 1);
            }
            assertThatThrownBy(() -> file.writeChunk("one more", number, 1, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("65535");
            file.endFrame();
        }
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.names("")).hasSize(65535);
            assertThat(file.findChunk(0, "n65534")).isPresent();
        }
    }

    /** Nobody writes such a file, but the C library reads it. */
    @Test
    void dataInTheHeaderAreRead() throws IOException {
        try (GsdFile file = GsdFile.create(path, "test", "none", SCHEMA)) {
            file.writeChunk("bytes", new byte[] {1, 2, 3, 4}, 4, 1);
            file.endFrame();
        }
        byte[] bytes = Files.readAllBytes(path);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(256 + 16, 48);
        Files.write(path, bytes);
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            assertThat(file.findChunk(0, "bytes").orElseThrow().data().array())
                    .isEqualTo(new byte[] {'t', 'e', 's', 't'});
        }
    }

    /** Only other writers leave something after the NUL. The C library copies the text, not the field. */
    @Test
    void truncationClearsWhatFollowsTheTextsOfTheHeader() throws IOException {
        GsdFile.create(path, "test", "none", SCHEMA).close();
        byte[] empty = Files.readAllBytes(path);
        byte[] foreign = empty.clone();
        foreign[48 + 5] = 'x';
        foreign[112 + 62] = 'y';
        Files.write(path, foreign);
        try (GsdFile file = GsdFile.open(path, Access.READ_WRITE)) {
            file.truncate();
        }
        assertThat(Arrays.mismatch(Files.readAllBytes(path), empty)).isEqualTo(-1);
    }
}
