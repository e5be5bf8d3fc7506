package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.GsdFile;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records what ranks do with files of all ranks, in jobs like those of {@link ScaleModel}: a SION file, frames of a GSD file,
 * and datasets of
 * SCR, of which one stays in the caches of the nodes and one is flushed.
 */
final class ScaleFormats {

    private static final int CHUNK = 4096;

    private ScaleFormats() {}

    /**
     * Runs the jobs.
     *
     * @param folder a new one is made in it
     * @param ranks of the job, a multiple of the ranks of a sector
     * @return what each rank did, by phase
     */
    static List<Map<String, List<Step>>> run(Path folder, int ranks) throws IOException {
        Path run = Files.createDirectories(folder.toAbsolutePath().resolve("formats"));
        List<Map<String, List<Step>>> phases = Stream.<Map<String, List<Step>>>generate(LinkedHashMap::new)
                .limit(ranks)
                .toList();
        for (Job job : List.<Job>of(ScaleFormats::sion, ScaleFormats::gsd, ScaleFormats::scr, ScaleFormats::scrAgain)) {
            ThreadCommunicator.<IOException>run(ranks, world -> {
                Phases own = new Phases(world, run.toString(), nodes(run).toString(), (begun, all) -> {});
                job.run(own.world(), run, own);
                phases.get(world.rank()).putAll(own.end());
            });
        }
        return phases;
    }

    /** By all ranks. */
    @FunctionalInterface
    private interface Job {
        void run(Communicator world, Path run, Phases phases) throws IOException;
    }

    private static void sion(Communicator world, Path run, Phases phases) throws IOException {
        Path file = run.resolve("file.sion");
        phases.begin("SION file, opened to write");
        try (SionOutput output = SionFile.create(file, world, CHUNK, SionOptions.defaults())) {
            output.writer().write(ByteBuffer.allocate(Long.BYTES));
            phases.begin("SION file, closed");
        }
        phases.begin("SION file, opened to read");
        try (SionInput input = SionFile.open(file, world, SionOptions.defaults())) {
            input.reader().read(ByteBuffer.allocate(Long.BYTES));
        }
    }

    private static void gsd(Communicator world, Path run, Phases phases) throws IOException {
        phases.begin("GSD file, created");
        try (GsdFile file = GsdFile.create(run.resolve("file.gsd"), world, "scale", "none", new Version(1, 0))) {
            for (int frame = 0; frame < 2; frame++) {
                phases.begin(frame == 0 ? "GSD frame" : "next GSD frame");
                file.writeChunk("step", new long[] {frame}, 1, 1);
                file.writeChunk("position", new float[3], 1, 3);
                file.endFrame();
            }
            phases.begin("GSD file, closed");
        }
    }

    private static void scr(Communicator world, Path run, Phases phases) throws IOException {
        phases.begin("SCR, opened");
        try (ScrDatasets datasets = open(world, run)) {
            phases.begin("SCR dataset, cached");
            write(datasets, world, run, "ckpt.1");
            phases.begin("SCR dataset, cached and flushed");
            write(datasets, world, run, "ckpt.2");
            phases.begin("");
        }
    }

    private static void scrAgain(Communicator world, Path run, Phases phases) throws IOException {
        phases.begin("SCR, opened again");
        try (ScrDatasets datasets = open(world, run)) {
            phases.begin("SCR restart from caches");
            String name = datasets.haveRestart().orElseThrow();
            datasets.startRestart();
            Files.readAllBytes(datasets.routeFile(file(run, name, world)));
            datasets.completeRestart(true);
            phases.begin("SCR, closed");
        }
    }

    private static void write(ScrDatasets datasets, Communicator world, Path run, String name) throws IOException {
        datasets.startOutput(name, true, false);
        Files.write(datasets.routeFile(file(run, name, world)), new byte[Long.BYTES]);
        datasets.completeOutput(true);
    }

    private static Path file(Path run, String name, Communicator world) {
        return run.resolve("prefix").resolve(name).resolve("rank_" + world.rank() + ".dat");
    }

    private static ScrDatasets open(Communicator world, Path run) throws IOException {
        // By name the nodes are in the order of their ranks.
        String node = String.format(Locale.ROOT, "node%06d", world.rank() / Step.NODE_SIZE);
        ScrConfig config = new ScrConfig(Map.of())
                .set("SCR_PREFIX", run.resolve("prefix").toString())
                .set("SCR_CACHE_BASE", nodes(run).resolve(node).toString())
                .set("SCR_CNTL_BASE", nodes(run).resolve(node).toString())
                .set("SCR_NODE_NAME", node)
                .set("SCR_USER_NAME", "user")
                .set("SCR_JOB_ID", "1")
                .set("SCR_CACHE_BYPASS", "0")
                .set("SCR_CACHE_SIZE", "2")
                .set("SCR_COPY_TYPE", "XOR")
                .set("SCR_SET_SIZE", Integer.toString(Step.GROUP_SIZE))
                .set("SCR_FLUSH", "2");
        return ScrDatasets.open(config, world, StorageEngines.best());
    }

    /** Returns the folder that stands for the disks of the nodes. */
    private static Path nodes(Path run) {
        return run.resolve("nodes");
    }
}
