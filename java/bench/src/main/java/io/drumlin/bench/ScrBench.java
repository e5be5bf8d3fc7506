package io.drumlin.bench;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexFormat;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/**
 * Measures how long it takes to read, change and write indexes of SCR with 10, 1,000 and 100,000 datasets, in memory, and to read the
 * largest from its file. The rows per dataset show whether time grows in proportion.
 */
@Command(name = "scr", mixinStandardHelpOptions = true, description = "Measures indexes of SCR.")
public final class ScrBench extends Bench {

    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 21, 0, 0);
    private static final int LARGEST = 100_000;
    private static final int[] SIZES = {10, 1_000, LARGEST};

    static final String LARGE_INDEX =
            String.format(Locale.ROOT, "SCR, index file of %,d datasets, read; limit: 1 s", LARGEST);

    /** The time of the C library for the same work, which is not measured here. */
    static final double C_SECONDS = 287;

    private ScrBench() {}

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new ScrBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        for (int datasets : SIZES) {
            measure(datasets);
        }
        return 0;
    }

    private static void fill(ScrIndex index, int datasets) throws IOException {
        for (int id = 1; id <= datasets; id++) {
            index.complete(descriptor(id), NOW);
        }
    }

    private void measure(int datasets) throws IOException {
        ScrIndex index = ScrIndex.empty(IndexFormat.FLAT);
        fill(index, datasets);
        ByteBuffer bytes = KvTreeFile.encode(index.tree());
        measure(
                "read",
                datasets,
                () -> ScrIndex.of(KvTreeFile.read(new MemoryByteSource(bytes)).tree()));
        if (datasets == LARGEST) {
            readFile();
        }
        measure("update", datasets, () -> {
            index.complete(descriptor(datasets + 1), NOW);
            index.remove("ckpt." + (datasets + 1));
        });
        measure("write", datasets, () -> KvTreeFile.encode(index.tree()));
    }

    private void measure(String what, int datasets, Cost.Work step) throws IOException {
        String name = String.format(Locale.ROOT, "SCR, %s, %,d datasets, each", what, datasets);
        // Small ones many times, so that the clock and the compiler do not count.
        int repetitions = Math.max(1, LARGEST / datasets);
        for (int run = FIRST_RUN; run < runs(); run++) {
            long begin = System.nanoTime();
            for (int i = 0; i < repetitions; i++) {
                step.run();
            }
            keep(run, name, (System.nanoTime() - begin) / 1e3 / repetitions / datasets);
        }
        report(List.of(Row.cost(name, "us", figures(name))));
    }

    /** Ours is to take less than a second. */
    private void readFile() throws IOException {
        IndexFile file = new IndexFile(new ScrPrefix(Files.createDirectories(home())), StorageEngines.best());
        file.update(index -> fill(index, LARGEST));
        String name = LARGE_INDEX;
        for (int run = FIRST_RUN; run < runs(); run++) {
            long begin = System.nanoTime();
            file.read();
            keep(run, name, (System.nanoTime() - begin) / 1e9);
        }
        report(List.of(Row.cost(name, "s", figures(name)).limit(1.0).goal(1.0)));
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
