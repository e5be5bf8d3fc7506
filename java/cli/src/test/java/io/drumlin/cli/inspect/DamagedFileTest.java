package io.drumlin.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.cli.DrumlinCommand;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.MemoryByteSource;
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
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Whatever is wrong with an FTI-FF file, every command says so in a line or shows what there is; none ends with a trace. */
@Tag("exhaustive")
class DamagedFileTest {

    private static final int ROUNDS = 6;
    private static final long[] EXTREMES = {
        0, 1, -1, 2, 127, 255, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE
    };

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** One for all runs: to make it costs more than most of them. */
    private final CommandLine commandLine = DrumlinCommand.commandLine();

    @ParameterizedTest
    @EnumSource(Layout.class)
    void everyCommandStandsEveryDamage(Layout layout) throws IOException {
        byte[] whole = write(layout);
        Path file = directory.resolve("Ckpt1-Rank0.fti");
        for (int round = 0; round < ROUNDS; round++) {
            byte[] damaged =
                    random.nextInt(5) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length + 50)) : whole.clone();
            ByteBuffer bytes = ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN);
            for (int n = random.nextInt(3); n >= 0 && damaged.length > Long.BYTES; n--) {
                int at = random.nextInt(damaged.length - Long.BYTES);
                long value = EXTREMES[random.nextInt(EXTREMES.length)];
                switch (random.nextInt(3)) {
                    case 0 -> bytes.put(at, (byte) value);
                    case 1 -> bytes.putInt(at, (int) value);
                    default -> bytes.putLong(at, value);
                }
            }
            Files.write(file, damaged);
            String as = layout + ", round " + round + ", -Ddrumlin.test.seed=" + seed;
            run(as, "verify", file);
            run(as, "inspect", file);
            run(as, "inspect", "--json", file);
            run(as, "map", file, "-o", directory.resolve("map.svg"));
            run(as, "map", file, "-o", directory.resolve("map.html"));
            run(as, "extract", file, "--select", "var=1", "-o", directory.resolve("variable"));
            run(as, "show", file, "--all", "--select", "var=1");
            run(as, "convert", "--to", "F", file, directory.resolve("converted"));
        }
    }

    private void run(String as, Object... arguments) {
        StringWriter err = new StringWriter();
        int code = commandLine
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(err, true))
                .execute(Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
        String command = as + ": " + Arrays.toString(arguments);
        assertThat(err.toString()).as(command).doesNotContain("\tat ");
        assertThat(code).as(command + err).isIn(ExitCode.OK, ExitCode.DAMAGED, ExitCode.NOT_RECOGNISED);
    }

    /** Several blocks; containers that are full, partly used, emptied and of size 0. */
    private static byte[] write(Layout layout) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(List.of(new VariableSize(1, 20), new VariableSize(2, 50), new VariableSize(5, 0)))
                .next(List.of(new VariableSize(1, 30), new VariableSize(2, 90), new VariableSize(5, 0)))
                .next(List.of(new VariableSize(1, 25), new VariableSize(2, 40), new VariableSize(5, 0)));
        PlacedFile placed = PlacedFile.of(layout, plan);
        byte[] bytes = new byte[(int) placed.size()];
        List<Range> chunks = placed.blocks().stream()
                .flatMap(block -> block.variables().stream())
                .filter(VariableMeta::hasContent)
                .map(chunk -> new Range(chunk.fptr(), chunk.chunkSize()))
                .toList();
        MemoryByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        PlacedFile hashed = PlacedFile.of(layout, plan.withHashes(new SequentialDigester().digest(source, chunks)));
        hashed.records().forEach(piece -> put(bytes, piece));
        put(bytes, hashed.fileRecord(hashed.seal(hashed.checksum(source), 1, 0, -1, -1)));
        return bytes;
    }

    private static void put(byte[] file, Piece piece) {
        ByteBuffer.wrap(file)
                .put((int) piece.offset(), piece.bytes(), 0, piece.bytes().remaining());
    }
}
