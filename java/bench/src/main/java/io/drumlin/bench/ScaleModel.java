package io.drumlin.bench;

import io.drumlin.bench.FileOperation.Kind;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Records what ranks do in a real run with threads as ranks and small files: opening, two checkpoints of each level, a restart from
 * each, and the end. The ranks are on nodes of {@value Step#NODE_SIZE} in groups of {@value Step#GROUP_SIZE}.
 */
final class ScaleModel {

    /** All that are not for differential checkpoints. */
    static final List<Level> LEVELS = List.of(Level.L1, Level.L2, Level.L3, Level.L4);

    /** The directory that stands for the disks of the nodes. */
    private static final String LOCAL = "local";

    private static final String CONFIG = "config.fti";

    private ScaleModel() {}

    /**
     * The work of a rank in a phase.
     *
     * @param calls of a communicator
     * @param schedule tells apart other calls, another order of them, other communicators and other partners nearby
     * @param bytes of this rank in its calls
     * @param shared operations on names in shared directories
     * @param onNode operations on names on the disk of the node
     * @param names names that it was told when it listed directories
     * @param heap bytes of heap that it allocated
     */
    record Work(long calls, int schedule, long bytes, long shared, long onNode, long names, long heap) {

        static Work of(List<Step> steps) {
            List<Call> calls = ScaleModel.calls(steps);
            return new Work(
                    calls.size(),
                    calls.stream().map(Call::kind).toList().toString().hashCode(),
                    calls.stream().mapToLong(Call::bytes).sum(),
                    count(steps, operation -> operation.shared() && operation.kind() != Kind.NAME),
                    count(steps, operation -> !operation.shared() && operation.kind() != Kind.NAME),
                    count(steps, operation -> operation.kind() == Kind.NAME),
                    only(Allocation.class, steps).stream()
                            .mapToLong(Allocation::bytes)
                            .sum());
        }

        private static long count(List<Step> steps, Predicate<FileOperation> counted) {
            return only(FileOperation.class, steps).stream()
                    .filter(counted)
                    .mapToLong(FileOperation::count)
                    .sum();
        }
    }

    /**
     * Runs the job.
     *
     * @param folder a new one is made in it
     * @param ranks of the job, a multiple of the ranks of a sector
     * @param ioMode {@code ckpt_io}
     * @return the calls of a communicator by each rank, and its operations on files if {@link WatchedFileSystemProvider} has the
     *     file system, by what it did, in the order in which it did
     */
    static List<Map<String, List<Step>>> run(Path folder, int ranks, int ioMode) throws IOException {
        return run(folder, ranks, ioMode, LEVELS, (begun, world) -> {});
    }

    /**
     * Runs the job with some levels, and tells its phases; otherwise like {@link #run(Path, int, int)}.
     *
     * @param marker learns of all phases, also of those that are the same for each level
     */
    static List<Map<String, List<Step>>> run(
            Path folder, int ranks, int ioMode, List<Level> levels, Phases.Marker marker) throws IOException {
        List<Map<String, List<Step>>> phases = Stream.<Map<String, List<Step>>>generate(LinkedHashMap::new)
                .limit(ranks)
                .toList();
        for (Level level : levels) {
            Path run = Files.createDirectories(folder.toAbsolutePath().resolve("L" + level.number()));
            Files.writeString(run.resolve(CONFIG), configuration(run, ioMode));
            for (boolean restart : new boolean[] {false, true}) {
                ThreadCommunicator.<IOException>run(
                        ranks, world -> phases.get(world.rank()).putAll(job(world, marker, run, level, restart)));
            }
        }
        return phases;
    }

    /** Returns the calls of a communicator among the steps of a rank. */
    static List<Call> calls(List<Step> steps) {
        return only(Call.class, steps);
    }

    private static <T extends Step> List<T> only(Class<T> kind, List<Step> steps) {
        return steps.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static Map<String, List<Step>> job(
            Communicator world, Phases.Marker marker, Path run, Level level, boolean restart) throws IOException {
        byte[] data = new byte[Long.BYTES];
        String name = "level " + level.number();
        Phases phases = new Phases(world, run.toString(), run.resolve(LOCAL).toString(), marker);
        Communicator ranks = phases.world();
        phases.begin(restart ? "restart from " + name : level == Level.L1 ? "start" : "");
        try (Checkpoints checkpoints = Checkpoints.open(run.resolve(CONFIG), ranks)) {
            checkpoints.protect(0, data);
            if (restart) {
                phases.begin("recovery from " + name);
                checkpoints.recover();
                phases.begin("end after " + name);
                checkpoints.complete();
            } else {
                phases.begin("checkpoint of " + name);
                checkpoints.checkpoint(1, level);
                phases.begin("next checkpoint of " + name);
                checkpoints.checkpoint(2, level);
            }
        }
        // What is deleted behind the program is deleted by now, and belongs to the last phase.
        return phases.end();
    }

    private static String configuration(Path run, int ioMode) {
        return String.join(
                "\n",
                "[basic]",
                "node_size = " + Step.NODE_SIZE,
                "group_size = " + Step.GROUP_SIZE,
                "ckpt_dir = " + run.resolve(LOCAL),
                "glbl_dir = " + run.resolve("global"),
                "meta_dir = " + run.resolve("meta"),
                "ckpt_io = " + ioMode,
                "verbosity = 3",
                "[restart]",
                "failure = 0",
                "[advanced]",
                "block_size = 1024",
                "local_test = 1",
                "[drumlin]",
                "slab_memory = 2",
                "");
    }
}
