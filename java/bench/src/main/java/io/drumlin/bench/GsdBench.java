package io.drumlin.bench;

import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.GsdFile;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import picocli.CommandLine.Command;

/** GSD files: many small frames, few large ones, opening, finding and reading. One process, one thread. */
@Command(name = "gsd", mixinStandardHelpOptions = true, description = "Measures GSD files.")
public final class GsdBench extends Bench {

    private static final int WARM_UP = 2;

    /** Compiling what writes small chunks goes on for some millions of them. */
    private static final int WARM_UP_OF_SMALL = 20;

    private static final int SMALL_FRAMES = 100_000;

    /** The row whose limit is what the C library did. */
    static final String SMALL_BY_CPU = "GSD, frames of 3 small chunks by CPU second";

    /**
     * The figures of the C library for as many frames of 3 small chunks, in CPU seconds and in millions of frames per second. It is not
     * measured here, but was on an idle machine with the processors of docs/performance.md, in a C program that linked it.
     */
    private static final double C_CPU_SECONDS = 0.070;

    private static final double C_FRAMES = 1.1;

    private static final int PARTICLES = 1_000_000;
    private static final int LARGE_FRAMES = 40;
    private static final int LOOKUPS = 100_000;
    private static final double MEGA = 1e6;

    private final float[] positions = new float[3 * PARTICLES];

    private GsdBench() {}

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new GsdBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createDirectories(home());
        Path path = folder.resolve("bench.gsd");
        Path few = folder.resolve("few.gsd");
        Path many = folder.resolve("many.gsd");
        writeSmallFrames(few, 1000 / 3);
        writeSmallFrames(many, 1_000_000 / 3);
        for (int run = 0; run < WARM_UP_OF_SMALL; run++) {
            writeSmallFrames(path, SMALL_FRAMES);
        }
        try (RawTransfer raw = new RawTransfer(StorageEngines.best())) {
            for (int run = -WARM_UP; run < runs(); run++) {
                smallFrames(run, path);
                largeFrames(run, path, raw);
                lookUps(run, few, many);
            }
        }
        for (Path file : List.of(path, few, many)) {
            Files.delete(file);
        }
        report();
        return 0;
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

    private void smallFrames(int run, Path path) throws IOException {
        long cpu = cpuTime();
        long begin = System.nanoTime();
        writeSmallFrames(path, SMALL_FRAMES);
        keep(run, "frames", SMALL_FRAMES / MEGA / seconds(begin));
        keep(run, "frames by cpu", SMALL_FRAMES / MEGA * 1e9 / (cpuTime() - cpu));
    }

    /** Returns the CPU time of this thread, which does all the work. */
    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** With the sync that closing makes, in turn with raw direct writes and a sync. */
    private void largeFrames(int run, Path path, RawTransfer raw) throws IOException {
        long bytes = (long) LARGE_FRAMES * positions.length * Float.BYTES;
        Files.deleteIfExists(path);
        long begin = System.nanoTime();
        writeLargeFrames(path, true);
        keep(run, "large", bytes / GB / seconds(begin));
        Files.delete(path);
        begin = System.nanoTime();
        writeLargeFrames(path, false);
        keep(run, "unbuffered", bytes / GB / seconds(begin));
        Files.delete(path);
        long whole = bytes / RawTransfer.SLAB * RawTransfer.SLAB;
        begin = System.nanoTime();
        raw.write(path, whole);
        keep(run, "raw", whole / GB / seconds(begin));
        Files.delete(path);
        writeLargeFrames(path, true);
        // What was written is not in the page cache, what was read is.
        readLargeFrames(path);
        begin = System.nanoTime();
        readLargeFrames(path);
        keep(run, "read", bytes / GB / seconds(begin));
    }

    private void writeLargeFrames(Path path, boolean gather) throws IOException {
        Files.deleteIfExists(path);
        try (GsdFile file = GsdFile.create(path, "bench", "none", new Version(1, 0))) {
            if (!gather) {
                file.setMaximumWriteBufferSize(1);
            }
            for (int frame = 0; frame < LARGE_FRAMES; frame++) {
                file.writeChunk("position", positions, PARTICLES, 3);
                file.endFrame();
            }
        }
    }

    private static void readLargeFrames(Path path) throws IOException {
        try (GsdFile file = GsdFile.open(path, Access.READ)) {
            for (int frame = 0; frame < LARGE_FRAMES; frame++) {
                file.findChunk(frame, "position").orElseThrow().floats();
            }
        }
    }

    private void lookUps(int run, Path few, Path many) throws IOException {
        keep(run, "open few", opening(few));
        keep(run, "open many", opening(many));
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
            keep(run, "find", LOOKUPS / MEGA / seconds(begin));
            double read = 0;
            for (int i = 0; i < LOOKUPS; i++) {
                Chunk chunk = file.findChunk(random.nextInt(frames), "energies").orElseThrow();
                long start = System.nanoTime();
                chunk.doubles();
                read += seconds(start);
            }
            keep(run, "random", LOOKUPS / MEGA / read);
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

    private void report() throws IOException {
        report(List.of(
                Row.rate("GSD, frames of 3 small chunks", "M/s", figures("frames"))
                        .limit(C_FRAMES),
                Row.rate(SMALL_BY_CPU, "M/s", figures("frames by cpu"))
                        .limit(SMALL_FRAMES / MEGA / C_CPU_SECONDS)
                        .goal(1.0),
                Row.rate("GSD, frames of 10^6 particles", "GB/s", figures("large"))
                        .limit(figures("raw"))
                        .goal(0.9),
                Row.rate("GSD, frames of 10^6 particles, unbuffered", "GB/s", figures("unbuffered"))
                        .limit(figures("raw")),
                Row.rate("GSD, frames of 10^6 particles, read, cached", "GB/s", figures("read")),
                Row.cost("GSD, opening, 10^6 entries; limit: 10^3", "us", figures("open many"))
                        .limit(figures("open few")),
                Row.rate("GSD, findChunk, 10^6 entries", "M/s", figures("find")),
                Row.rate("GSD, reads of small chunks, random", "M/s", figures("random"))));
    }
}
