package io.drumlin.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.format.hdf5.internal.Hdf5Library;
import io.drumlin.storage.internal.IoFailures;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.bytedeco.hdf5.global.hdf5;
import org.bytedeco.javacpp.BytePointer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that were made to harm the library harm nobody else. */
@Tag("native")
class HostileFileTest {

    private static final String MEMORY = "drumlin.hdf5.memory";

    @TempDir
    private Path directory;

    @BeforeAll
    static void requireLibrary() throws IOException {
        Repacked.requireLibrary();
    }

    /**
     * A name in it is longer than its place, and the library frees memory that is none. Whether that ends the process
     * depends on what else is in the memory; the library may also find what it read there wrong.
     */
    private static byte[] nameWithoutRoom() throws IOException {
        try (InputStream file =
                Objects.requireNonNull(HostileFileTest.class.getResourceAsStream("name-without-room.h5"))) {
            return file.readAllBytes();
        }
    }

    @Test
    void aFileThatTheLibraryDoesNotStandIsRefused() throws IOException {
        byte[] bytes = nameWithoutRoom();
        Path file = Files.write(directory.resolve("file.h5"), bytes);
        ByteBuffer image = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        Hdf5Library library = new NativeHdf5Library();
        assertThatThrownBy(() -> library.open(file).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageMatching("(?s).*(is damaged|the HDF5 library refuses it).*");
        assertThatThrownBy(() -> library.open(image, file).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }

    /**
     * The JVM warns on stdout, where the answers are; other words there are an error, which is not waited for, and so is a
     * process that ends at once.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec \"$REAL\" -Xlog:safepoint=info,class+load=info \"$@\"",
                "echo words; exec sleep 100",
                "kill -ABRT $$"
            })
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void wordsOfTheJvmAreNoAnswers(String body) throws IOException {
        Path file = zeros(1 << 20);
        String home = System.getProperty("java.home");
        Path java = Files.createDirectories(directory.resolve("home/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nREAL='" + home + "/bin/java'\n" + body + "\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        System.setProperty("java.home", directory.resolve("home").toString());
        try (Hdf5Library.Content content = new NativeHdf5Library().open(file)) {
            assertThat(content.datasets()).hasSize(1);
            assertThat(body).contains("REAL");
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("has ended").hasMessageContaining("damaged");
            assertThat(body).doesNotContain("REAL");
        } finally {
            System.setProperty("java.home", home);
        }
    }

    /** A chunk of zeros that is a thousand times as large as the file, which a small limit of memory does not hold. */
    @Test
    void aChunkThatWouldFillTheMemoryIsRefused() throws IOException {
        Path file = zeros(256 << 20);
        String before = System.getProperty(MEMORY);
        System.setProperty(MEMORY, "256");
        try (Hdf5Library.Content content = new NativeHdf5Library().open(file)) {
            assertThatThrownBy(() -> content.read("/zeros", 0, ByteBuffer.allocate(100)))
                    .isInstanceOfSatisfying(IOException.class, e -> assertThat(IoFailures.mayPass(e))
                            .isTrue())
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("memory");
        } finally {
            System.clearProperty(MEMORY);
        }
        assertThat(before).isNull();
        try (Hdf5Library.Content content = new NativeHdf5Library().open(file)) {
            ByteBuffer found = ByteBuffer.allocate(100);
            content.read("/zeros", 1 << 20, found);
            assertThat(found.array()).containsOnly(0);
        }
    }

    private Path zeros(int bytes) throws IOException {
        Path file = directory.resolve("zeros.h5");
        byte[] compressed = compressedZeros(bytes);
        long[] size = {bytes};
        long made = hdf5.H5Fcreate(file.toString(), hdf5.H5F_ACC_TRUNC, 0, 0);
        long properties = hdf5.H5Pcreate(hdf5.H5P_CLS_DATASET_CREATE_ID_g());
        assertThat(hdf5.H5Pset_chunk(properties, 1, size)).isZero();
        assertThat(hdf5.H5Pset_deflate(properties, 1)).isZero();
        long space = hdf5.H5Screate_simple(1, size, (long[]) null);
        long dataset = hdf5.H5Dcreate2(made, "/zeros", hdf5.H5T_STD_I8LE_g(), space, 0, properties, 0);
        try (BytePointer chunk = new BytePointer(compressed)) {
            assertThat(hdf5.H5Dwrite_chunk(dataset, 0, 0, new long[] {0}, compressed.length, chunk))
                    .isZero();
        }
        hdf5.H5Dclose(dataset);
        assertThat(hdf5.H5Fclose(made)).isZero();
        assertThat(Files.size(file)).isLessThan(4 << 20);
        return file;
    }

    private static byte[] compressedZeros(int bytes) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = new DeflaterOutputStream(compressed, new Deflater(1))) {
            byte[] piece = new byte[1 << 20];
            for (int left = bytes; left > 0; left -= piece.length) {
                out.write(piece);
            }
        }
        return compressed.toByteArray();
    }
}
