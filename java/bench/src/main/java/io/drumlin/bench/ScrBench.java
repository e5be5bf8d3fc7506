package io.drumlin.bench;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.DatasetDescriptor;
import io.drumlin.scr.Dialect;
import io.drumlin.scr.ScrIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long it takes to read, change and write indexes of SCR with 10, 1,000 and 100,000 datasets, in memory. The rows per
 * dataset show whether time grows in proportion.
 */
public final class ScrBench {

    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 21, 0, 0);
    private static final int[] SIZES = {10, 1_000, 100_000};

    private ScrBench() {}

    /** A step that is timed. */
    private interface Step {
        void run() throws IOException;
    }

    /**
     * Measures and prints.
     *
     * @param arguments {@code --runs N}, and {@code --json FILE} for a file to which rows are added
     * @throws IOException the file cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        int runs = 5;
        Path json = null;
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--runs" -> runs = Integer.parseInt(arguments[i + 1]);
                case "--json" -> json = Path.of(arguments[i + 1]);
                default -> throw new IllegalArgumentException("unknown argument " + arguments[i]);
            }
        }
        for (int datasets : SIZES) {
            measure(datasets, runs, json);
        }
    }

    private static void measure(int datasets, int runs, @Nullable Path json) throws IOException {
        ScrIndex index = ScrIndex.empty(Dialect.FLAT);
        for (int id = 1; id <= datasets; id++) {
            index.complete(descriptor(id), NOW);
        }
        ByteBuffer bytes = KvTreeFile.encode(index.tree());
        report(
                "read",
                datasets,
                runs,
                json,
                () -> ScrIndex.of(KvTreeFile.read(new MemoryByteSource(bytes)).tree()));
        report("update", datasets, runs, json, () -> {
            index.complete(descriptor(datasets + 1), NOW);
            index.remove("ckpt." + (datasets + 1));
        });
        report("write", datasets, runs, json, () -> KvTreeFile.encode(index.tree()));
    }

    private static void report(String what, int datasets, int runs, @Nullable Path json, Step step) throws IOException {
        // Small ones many times, so that the clock and the compiler do not count.
        int repetitions = Math.max(1, 100_000 / datasets);
        List<Double> values = new ArrayList<>();
        for (int run = -1; run < runs; run++) {
            long start = System.nanoTime();
            for (int i = 0; i < repetitions; i++) {
                step.run();
            }
            if (run >= 0) {
                values.add((System.nanoTime() - start) / 1e3 / repetitions / datasets);
            }
        }
        Row row = new Row("scr " + what + ", " + datasets + " datasets, each", values, "us", List.of());
        System.out.println(row.line());
        if (json != null) {
            Row.append(json, List.of(row));
        }
    }

    private static DatasetDescriptor descriptor(int id) {
        return DatasetDescriptor.started(id, "ckpt." + id, true, false, 1_795_177_284_016_990L + id)
                .with("USER", "user1")
                .with("JOBNAME", "simulation123")
                .with("JOBID", "112573")
                .withCheckpoint(id)
                .completed(4, 1242, true);
    }
}
