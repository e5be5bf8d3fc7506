package io.drumlin.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.cli.DrumlinCommand;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.FileSource;
import io.drumlin.format.ByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import picocli.CommandLine;

/** Files beyond 2 GiB and beyond 4 GiB. They are holes, but for their metadata and a few bytes at the end of each chunk. */
@Tag("exhaustive")
class LargeFileTest {

    private static final long GIB = 1L << 30;
    private static final byte[] MARK = {1, 2, 3, 4, 5};

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(Object... arguments) {
        CommandLine command = DrumlinCommand.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return command.execute(Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
    }

    /** Variable 1 was large and has shrunk, so that little is to be digested; 2 lies behind it, 3 behind both. */
    private static ContainerPlan shrunk(long large) {
        return ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, large), new VariableSize(2, 100)))
                .next(List.of(new VariableSize(1, 70_000), new VariableSize(2, 100), new VariableSize(3, 50)));
    }

    @ParameterizedTest
    @CsvSource({"B,3", "B,5", "C,3", "C,5", "D,3", "D,5", "F,3", "F,5"})
    void readsWhatLiesBehindAHole(Layout layout, long gib) throws IOException {
        Path file = write(layout, shrunk(gib * GIB));
        assertThat(Files.size(file)).isGreaterThan(gib * GIB);

        assertThat(run("verify", file)).as("%s%s", out, err).isZero();
        assertThat(run("inspect", file)).isZero();
        assertThat(out.toString()).contains("layout " + layout + ",", gib + ".0 GiB");
        assertExtracts(file, 1, 70_000);
        assertExtracts(file, 2, 100);
        assertExtracts(file, 3, 50);
    }

    /** The checksum of layout A covers all of a file: see the long test. Chunks have a hash of their own. */
    @ParameterizedTest
    @CsvSource({"3", "5"})
    void extractsFromLayoutABehindAHole(long gib) throws IOException {
        Path file = write(Layout.A, shrunk(gib * GIB), false);

        assertThat(run("inspect", file)).isZero();
        assertThat(out.toString()).contains("layout A,", gib + ".0 GiB");
        assertExtracts(file, 1, 70_000);
        assertExtracts(file, 3, 50);
    }

    /** A chunk of more than 2 GiB that begins beyond 4 GiB. Reads 5 to 25 GiB, writes 2.5. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "E")
    @Tag("soak")
    void readsAndDigestsLargeChunks(Layout layout) throws IOException {
        long large = 5 * GIB / 2 + 12345;
        Path file = write(
                layout,
                ContainerPlan.empty(Packing.COMPACT)
                        .next(List.of(new VariableSize(1, 4 * GIB), new VariableSize(2, large)))
                        .next(List.of(new VariableSize(1, 1000), new VariableSize(2, large), new VariableSize(3, 50))));

        assertThat(run("verify", file)).as("%s%s", out, err).isZero();
        assertExtracts(file, 2, large);
        assertExtracts(file, 3, 50);

        try (FileChannel damaged = FileChannel.open(file, StandardOpenOption.WRITE)) {
            damaged.write(ByteBuffer.wrap(new byte[] {9}), 6 * GIB);
        }
        assertThat(run("verify", file)).isEqualTo(ExitCode.DAMAGED);
        assertThat(out.toString()).contains("(variable 2, container 0)");
    }

    /** Layout E has no place for such a size: what claims to be of it is damaged, wherever its record points. */
    @Test
    @Tag("soak")
    void aLargeFileOfLayoutEIsDamaged() throws IOException {
        Path small = write(Layout.E, shrunk(200_000));
        byte[] end = Arrays.copyOfRange(Files.readAllBytes(small), 200_000, (int) Files.size(small));
        for (long size : new long[] {2 * GIB, 4 * GIB + Files.size(small)}) {
            Path file = directory.resolve("large");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(end), size - end.length);
            }
            assertThat(run("verify", file)).isEqualTo(ExitCode.DAMAGED);
            assertThat(out.toString()).contains(": fs at offset " + (size - 17) + ": is " + Files.size(small));
        }
    }

    private void assertExtracts(Path file, int id, long size) throws IOException {
        Path target = directory.resolve("variable");
        assertThat(run("extract", file, "--select", "var=" + id, "-o", target))
                .as(err.toString())
                .isZero();
        assertThat(target).hasSize(size);
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(MARK.length);
            channel.read(last, size - MARK.length);
            assertThat(last.array()).isEqualTo(MARK);
        }
        Files.delete(target);
    }

    private Path write(Layout layout, ContainerPlan plan) throws IOException {
        return write(layout, plan, true);
    }

    private Path write(Layout layout, ContainerPlan plan, boolean withChecksum) throws IOException {
        Path path = directory.resolve("file");
        PlacedFile placed = PlacedFile.of(layout, plan);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), placed.size() - 1);
            for (VariableMeta chunk : chunks(placed)) {
                channel.write(ByteBuffer.wrap(MARK), chunk.fptr() + chunk.chunkSize() - MARK.length);
            }
        }
        try (FileSource source = FileSource.open(path);
                FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            PlacedFile hashed = PlacedFile.of(layout, plan.withHashes(digests(source, chunks(placed))));
            for (Piece piece : hashed.records()) {
                channel.write(piece.bytes(), piece.offset());
            }
            String checksum = withChecksum ? hashed.checksum(source) : "0".repeat(32);
            Piece record = hashed.fileRecord(hashed.seal(checksum, 1, 0, -1, -1));
            channel.write(record.bytes(), record.offset());
        }
        return path;
    }

    private static List<VariableMeta> chunks(PlacedFile file) {
        return file.blocks().stream()
                .flatMap(block -> block.variables().stream())
                .filter(VariableMeta::hasContent)
                .toList();
    }

    private static List<byte[]> digests(ByteSource source, List<VariableMeta> chunks) throws IOException {
        return new SequentialDigester()
                .digest(
                        source,
                        chunks.stream()
                                .map(chunk -> new Range(chunk.fptr(), chunk.chunkSize()))
                                .toList());
    }
}
