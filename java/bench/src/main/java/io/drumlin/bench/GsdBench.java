package io.drumlin.bench;

import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.GsdFile;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** GSD files: many small frames, few large ones, opening, finding and reading. One process, one thread. */
@Command(name = "gsd", mixinStandardHelpOptions = true, description = "Measures GSD files.")
public final class GsdBench implements Callable<Integer> {

    private static final int SMALL_FRAMES = 100_000;
    /** CPU seconds of the C library for as many frames of 3 small chunks, on a machine that it shared. */
    private static final double C_LIBRARY = 0.07;

    private static final int PARTICLES = 1_000_000;
    private static final int LARGE_FRAMES = 20;
    private static final int LOOKUPS = 100_000;
    private static final double GB = 1e9;

    @Option(names = "--runs", defaultValue = "5", description = "counted runs (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--dir", defaultValue = ".", description = "an existing directory on the device to measure")
    private Path directory = Path.of(".");

    @Option(names = "--json", description = "adds the rows to the list in this file")
    private @Nullable Path json;

    private final Map<String, List<Double>> figures = new LinkedHashMap<>();
    private final float[] positions = new float[3 * PARTICLES];

    private GsdBench() {}

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new GsdBench()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createDirectories(directory.resolve("drumlin-bench"));
        Path path = folder.resolve("bench.gsd");
        Path few = folder.resolve("few.gsd");
        Path many = folder.resolve("many.gsd");
        writeSmallFrames(few, 1000 / 3);
        writeSmallFrames(many, 1_000_000 / 3);
        for (int run = -2; run < runs; run++) {
            if (run == 0) {
                figures.clear();
            }
            smallFrames(path);
            largeFrames(path);
            lookUps(few, many);
        }
        for (Path file : List.of(path, few, many)) {
            Files.delete(file);
        }
        report();
        return 0;
    }

    private void add(String name, double value) {
        figures.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    /** Step, box and energies. */
    private static void writeSmallFrames(Path path, int frames) throws IOException {
        long[] step = new long[1];
        float[] box = {10, 10, 10, 0, 0, 0};
        double[] energies = new double[3];
        try (GsdFile file = GsdFile.create(path, "bench", "none", new Version(1, 0))) {
            for (int frame = 0; frame < frames; frame++) {
                step[0] = frame;
                file.writeChunk("step", step, 1, 1);
                file.writeChunk("box", box, 6, 1);
                file.writeChunk("energies", energies, 3, 1);
                file.endFrame();
            }
        }
    }

    private void smallFrames(Path path) throws IOException {
        long cpu = cpuTime();
        long begin = System.nanoTime();
        writeSmallFrames(path, SMALL_FRAMES);
        add("frames", SMALL_FRAMES / seconds(begin) / 1e6);
        add("cpu", (cpuTime() - cpu) / 1e9);
    }

    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** With the sync that closing makes, in turn with raw writes and a sync. */
    private void largeFrames(Path path) throws IOException {
        double bytes = (double) LARGE_FRAMES * positions.length * Float.BYTES;
        long begin = System.nanoTime();
        writeLargeFrames(path, 64 << 20);
        add("buffered", bytes / GB / seconds(begin));
        begin = System.nanoTime();
        writeLargeFrames(path, 1);
        add("direct", bytes / GB / seconds(begin));
        begin = System.nanoTime();
        writeRaw(path);
        add("raw", bytes / GB / seconds(begin));
        writeLargeFrames(path, 64 << 20);
        begin = System.nanoTime();
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            for (int frame = 0; frame < LARGE_FRAMES; frame++) {
                file.findChunk(frame, "position").orElseThrow().floats();
            }
        }
        add("read", bytes / GB / seconds(begin));
    }

    private void writeLargeFrames(Path path, long bufferSize) throws IOException {
        Files.deleteIfExists(path);
        try (GsdFile file = GsdFile.create(path, "bench", "none", new Version(1, 0))) {
            file.setMaximumWriteBufferSize(bufferSize);
            for (int frame = 0; frame < LARGE_FRAMES; frame++) {
                file.writeChunk("position", positions, PARTICLES, 3);
                file.endFrame();
            }
        }
    }

    private void writeRaw(Path path) throws IOException {
        Files.deleteIfExists(path);
        StorageEngine engine = StorageEngines.best();
        ByteBuffer bytes = ByteBuffer.allocateDirect(positions.length * Float.BYTES);
        try (BlockFile file = engine.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE))) {
            for (int frame = 0; frame < LARGE_FRAMES; frame++) {
                file.write(bytes, (long) frame * bytes.capacity());
            }
            file.sync();
        }
    }

    private void lookUps(Path few, Path many) throws IOException {
        add("open few", opening(few));
        add("open many", opening(many));
        Random random = new Random(1);
        try (GsdFile file = GsdFile.open(many, Access.READ)) {
            int frames = Math.toIntExact(file.frameCount());
            int found = 0;
            long begin = System.nanoTime();
            for (int i = 0; i < LOOKUPS; i++) {
                found += file.findChunk(random.nextInt(frames), "energies").isPresent() ? 1 : 0;
            }
            if (found < LOOKUPS) {
                throw new AssertionError(found + " chunks of " + LOOKUPS + " were found");
            }
            add("find", LOOKUPS / seconds(begin) / 1e6);
            double read = 0;
            for (int i = 0; i < LOOKUPS; i++) {
                Chunk chunk = file.findChunk(random.nextInt(frames), "energies").orElseThrow();
                long start = System.nanoTime();
                chunk.doubles();
                read += seconds(start);
            }
            add("random", LOOKUPS / read / 1e6);
        }
    }

    /** Microseconds. */
    private static double opening(Path path) throws IOException {
        int repetitions = 200;
        long begin = System.nanoTime();
        for (int i = 0; i < repetitions; i++) {
            GsdFile.open(path, Access.READ).close();
        }
        return seconds(begin) * 1e6 / repetitions;
    }

    private List<Double> figure(String name) {
        return figures.getOrDefault(name, List.of());
    }

    private void report() throws IOException {
        List<Double> cLibrary = figure("cpu").stream().map(each -> C_LIBRARY).toList();
        List<Row> rows = List.of(
                new Row("gsd 100,000 frames of 3 small chunks", figure("frames"), "M/s", List.of()),
                new Row("gsd the same, CPU; limit: C library", figure("cpu"), "s", cLibrary),
                new Row("gsd frames of 10^6 particles, buffered", figure("buffered"), "GB/s", figure("raw")),
                new Row("gsd frames of 10^6 particles, direct", figure("direct"), "GB/s", figure("raw")),
                new Row("gsd frames of 10^6 particles, read", figure("read"), "GB/s", List.of()),
                new Row("gsd opening, 10^6 entries; limit: 10^3", figure("open many"), "us", figure("open few")),
                new Row("gsd findChunk, 10^6 entries", figure("find"), "M/s", List.of()),
                new Row("gsd reads of small chunks, random", figure("random"), "M/s", List.of()));
        rows.forEach(row -> System.out.println(row.line()));
        if (json != null) {
            Row.append(json, rows);
        }
    }
}
