package io.drumlin.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.cli.CommandRun;
import io.drumlin.cli.Python;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drumlin extract} in other formats than raw, and of everything. */
class ExtractFormatTest {

    @TempDir
    private Path folder;

    private Path types = Path.of("");
    private Path trajectory = Path.of("");

    private final CommandRun command = new CommandRun();

    @BeforeEach
    void find() throws IOException {
        types = ShowCommandTest.golden("fti-posix/types-4r", "Ckpt12-Rank3.fti");
        trajectory = ShowCommandTest.golden("gsd/hoomd_v341_full", "file.gsd");
    }

    private Path extract(Object... arguments) {
        Path target = folder.resolve("extracted");
        Object[] words = Stream.of(new Object[] {"extract", "-o", target}, arguments)
                .flatMap(Arrays::stream)
                .toArray();
        assertThat(command.run(words)).as(command.err()).isZero();
        return target;
    }

    /** The header has 128 bytes or a multiple of 64, and says the type and the shape. */
    private static void assertNpy(Path file, String type, String shape, byte[] data) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).startsWith(0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0);
        int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(8);
        assertThat((10 + length) % 64).isZero();
        String header = new String(bytes, 10, length, StandardCharsets.US_ASCII);
        assertThat(header)
                .matches("[^\n]+ *\n")
                .isEqualTo(header.stripTrailing()
                        + " ".repeat(length - header.stripTrailing().length() - 1) + "\n")
                .startsWith("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }");
        assertThat(Arrays.copyOfRange(bytes, 10 + length, bytes.length)).isEqualTo(data);
    }

    @Test
    void npyHasTypeAndShape() throws IOException {
        byte[] doubles = Files.readAllBytes(extract(types, "--select", "var=10"));
        assertNpy(extract(types, "--select", "var=10", "--format", "npy"), "<f8", "(14,)", doubles);
        assertNpy(
                extract(types, "--select", "var=10,rows=2:5", "--format", "npy"),
                "<f8",
                "(3,)",
                Arrays.copyOfRange(doubles, 16, 40));
        assertNpy(extract(types, "--select", "var=10", "--format", "npy", "--type", "ubyte"), "|u1", "(112,)", doubles);
        String chunk = "chunk=particles/position,frame=0";
        byte[] floats = Files.readAllBytes(extract(trajectory, "--select", chunk));
        assertNpy(extract(trajectory, "--select", chunk, "--format", "npy"), "<f4", "(2, 3,)", floats);
    }

    @Test
    void npyIsWhatNumPyReads() throws IOException, InterruptedException {
        Python.require("numpy");
        Path all = folder.resolve("all");
        assertThat(command.run("extract", types, "--all", "--format", "npy", "-o", all))
                .isZero();
        String printed = Python.run(
                all,
                "import numpy, sys\n"
                        + "for i in range(1, 12):\n"
                        + "    a = numpy.load('rank3-var-%d.npy' % i)\n"
                        + "    assert a.flags.c_contiguous\n"
                        + "    print(i, a.dtype.kind + str(a.itemsize), a.shape[0], a[0])");
        assertThat(printed.lines())
                .containsExactly(
                        "1 i1 5 109",
                        "2 i2 6 6276",
                        "3 i4 7 3030939",
                        "4 i8 8 3040946",
                        "5 u1 9 201",
                        "6 u2 10 46304",
                        "7 u4 11 3070967",
                        "8 u8 12 3080974",
                        "9 f4 13 1545490.5",
                        "10 f8 14 775247.0",
                        "11 f16 15 388874.375");
        Path chunk = extract(trajectory, "--select", "chunk=particles/position,frame=0", "--format", "npy");
        assertThat(Python.run(folder, "import numpy; print(numpy.load('extracted').tolist())"))
                .startsWith("[[0.1")
                .endsWith("[-1.0, -2.0, -3.0]]\n");
        assertThat(chunk).exists();
    }

    @Test
    void csvHasALineForEachRow() throws IOException {
        assertThat(extract(types, "--select", "var=10", "--format", "csv"))
                .content()
                .startsWith("775247.0\n775254.75\n")
                .endsWith("\n775347.75\n");
        assertThat(extract(trajectory, "--select", "chunk=particles/position,frame=0", "--format", "csv"))
                .hasContent("0.1,0.2,0.3\n-1.0,-2.0,-3.0\n");
    }

    @Test
    void everythingGoesIntoAFolder() throws IOException {
        Path shared = ShowCommandTest.golden("fti-posix/l4-mpiio-8r", "Ckpt4-mpiio.fti");
        Path all = Files.createDirectory(folder.resolve("all"));
        assertThat(command.run("extract", shared, "--all", "-o", all)).isZero();
        try (Stream<Path> files = Files.list(all)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .hasSize(16)
                    .contains("rank0-var-1.bin", "rank7-var-2.bin");
        }
        byte[] one = Files.readAllBytes(extract(shared, "--select", "var=2@6"));
        assertThat(all.resolve("rank6-var-2.bin")).hasBinaryContent(one);
        assertThat(command.run("extract", shared, "--all", "-o", all)).isEqualTo(ExitCode.IO_ERROR);
        assertThat(command.err()).contains(all + " is there already");
    }

    @Test
    void nothingIsLeftOfWhatFailed() throws IOException {
        Path untyped = ShowCommandTest.golden("fti-ff/types-l1", "Ckpt1-Rank1.fti");
        Path damaged = folder.resolve("damaged");
        byte[] bytes = Files.readAllBytes(untyped);
        bytes[bytes.length / 10]++;
        Files.write(damaged, bytes);
        List<Path> before = List.of(damaged);
        Path all = folder.resolve("all");
        assertThat(command.run("extract", untyped, "--all", "--format", "npy", "-o", all))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("does not have the type of its elements; say --type");
        assertThat(command.run("extract", untyped, "--select", "var=1", "--format", "csv", "-o", all))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("extract", damaged, "--all", "-o", all)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.run("extract", damaged, "--all", "-o", folder.resolve("no/folder")))
                .isEqualTo(ExitCode.IO_ERROR);
        assertThat(command.run("extract", damaged, "--all", "--select", "var=1", "-o", all))
                .isEqualTo(ExitCode.USAGE);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactlyElementsOf(before);
        }
    }
}
