package io.drumlin.golden.ftiff;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Packing;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.ftiff.CallSequence.Change;
import io.drumlin.golden.ftiff.CallSequence.Checkpoint;
import io.drumlin.golden.ftiff.CallSequence.Compare;
import io.drumlin.golden.ftiff.CallSequence.Finish;
import io.drumlin.golden.ftiff.CallSequence.IncrementalCheckpoint;
import io.drumlin.golden.ftiff.CallSequence.Protect;
import io.drumlin.golden.ftiff.CallSequence.Recover;
import io.drumlin.golden.ftiff.CallSequence.Restart;
import io.drumlin.golden.ftiff.CallSequence.Step;
import io.drumlin.golden.ftiff.CallSequence.TakeSnapshot;
import io.drumlin.golden.ftiff.CallSequence.WaitForHeads;
import io.drumlin.golden.ftiff.Manifest.Segment;
import io.drumlin.golden.ftiff.Manifest.Snapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of a case with the checkpoint engine, threads as ranks, and compares the run directory with each snapshot
 * at the moment at which the golden program copied it.
 */
final class Rewriter {

    /** Letters of the layouts that the engine writes. */
    private static final List<String> WRITTEN = List.of("A", "E", "F");

    /**
     * Writes the case again, in a temporary directory.
     *
     * @param manifest the case
     * @param directory the case's golden files
     * @param outcome gets what was compared or why not, and what differs
     */
    void rewrite(Manifest manifest, Path directory, Outcome outcome) throws IOException {
        Optional<String> missing = missing(manifest);
        if (missing.isPresent()) {
            outcome.compared("not written again: " + missing.get());
            return;
        }
        Path run = Files.createTempDirectory("drumlin-golden");
        try {
            writeConfig(manifest, directory, run);
            Replay replay = new Replay(manifest, directory, run, outcome);
            for (List<Step> process : processes(manifest.calls().steps())) {
                ThreadCommunicator.run(manifest.ranks(), comm -> replay.process(comm, process));
            }
            outcome.compared("written again: " + replay.summary());
        } finally {
            delete(run);
        }
    }

    /** Returns what the case needs and this version lacks. */
    private static Optional<String> missing(Manifest manifest) {
        if (!WRITTEN.contains(manifest.layout())) {
            return Optional.of("layout " + manifest.layout() + " is not written by this version");
        }
        return Optional.empty();
    }

    /** The golden configuration as it was before the first start, with our directories. */
    private static void writeConfig(Manifest manifest, Path directory, Path run) throws IOException {
        String first = manifest.snapshots().keySet().iterator().next();
        String text = Files.readString(directory.resolve(first).resolve("config.fti"))
                .replaceAll("= \\./", "= " + run + "/")
                .replaceAll("(?m)^failure( *)= .*$", "failure$1= 0")
                .replaceAll("(?m)^exec_id( *)= .*$", "exec_id$1= none");
        Files.writeString(run.resolve("config.fti"), text + "[drumlin]\nlayout = " + manifest.layout() + "\n");
    }

    private static List<List<Step>> processes(List<Step> steps) {
        List<List<Step>> processes = new ArrayList<>(List.of(new ArrayList<>()));
        for (Step step : steps) {
            if (step instanceof Restart) {
                processes.add(new ArrayList<>());
            } else {
                processes.get(processes.size() - 1).add(step);
            }
        }
        return processes;
    }

    private static void delete(Path run) throws IOException {
        try (Stream<Path> paths = Files.walk(run)) {
            for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }

    /** The calls of all processes of a case, one after the other; each process has its threads. */
    private static final class Replay {

        private final Manifest manifest;
        private final Path directory;
        private final Path run;
        private final Outcome outcome;
        private final List<SnapshotComparison> comparisons = new ArrayList<>();
        private int compared;
        private boolean ended;

        Replay(Manifest manifest, Path directory, Path run, Outcome outcome) {
            this.manifest = manifest;
            this.directory = directory;
            this.run = run;
            this.outcome = outcome;
        }

        void process(Communicator comm, List<Step> steps) throws IOException {
            try (Checkpoints checkpoints = Checkpoints.builder(run.resolve("config.fti"))
                    .communicator(comm)
                    .packing(Packing.COMPACT)
                    .open()) {
                if (checkpoints.isHead()) {
                    return;
                }
                Rank rank = new Rank(comm.rank(), checkpoints);
                boolean finished = false;
                for (Step step : steps) {
                    finished |= step instanceof Finish;
                    if (step instanceof TakeSnapshot snapshot) {
                        if (!finished) {
                            // C FTI deletes what is replaced before it goes on.
                            checkpoints.await();
                        }
                        takeSnapshot(checkpoints.communicator(), checkpoints.execId(), snapshot.name(), finished);
                    } else {
                        rank.make(step);
                    }
                }
            }
        }

        private void takeSnapshot(Communicator comm, String execId, String name, boolean finished) throws IOException {
            comm.barrier();
            Snapshot snapshot = manifest.snapshots().get(name);
            if (comm.rank() == 0 && snapshot != null) {
                SnapshotComparison comparison =
                        new SnapshotComparison(run, execId, directory.resolve(name), snapshot, manifest, outcome);
                boolean archived = finished && "1".equals(manifest.config().get("keep_l4_ckpt"));
                ended |= finished;
                comparison.compare(archived, ended);
                comparisons.add(comparison);
            }
            comm.barrier();
        }

        synchronized void differs(String difference) {
            outcome.differs(difference);
        }

        synchronized void countComparison() {
            compared++;
        }

        String summary() {
            String text = SnapshotComparison.summary(comparisons);
            return compared == 0 ? text : text + ", " + compared + " variables after a restart by value";
        }

        /** One rank and its variables. */
        private final class Rank {

            private final int rank;
            private final Checkpoints checkpoints;
            private final Map<Integer, Variable> variables = new HashMap<>();

            Rank(int rank, Checkpoints checkpoints) {
                this.rank = rank;
                this.checkpoints = checkpoints;
            }

            private record Variable(ValueRule values, long count, ByteBuffer bytes) {}

            void make(Step step) throws IOException {
                if (step instanceof Protect protect) {
                    protect(protect);
                } else if (step instanceof Change change) {
                    Variable variable = variable(change.id());
                    long end = change.count().isPresent()
                            ? change.start() + change.count().getAsLong()
                            : variable.count;
                    variable.values.fill(variable.bytes, rank, change.id(), change.start(), end, change.seed());
                } else if (step instanceof Checkpoint checkpoint) {
                    checkpoints.checkpoint(checkpoint.id(), Level.of(checkpoint.level()));
                } else if (step instanceof IncrementalCheckpoint checkpoint) {
                    take(checkpoint);
                } else if (step instanceof Recover) {
                    checkpoints.recover();
                } else if (step instanceof Compare compare) {
                    compare(compare);
                } else if (step instanceof WaitForHeads) {
                    checkpoints.await();
                } else if (step instanceof Finish) {
                    checkpoints.complete();
                }
            }

            private void take(IncrementalCheckpoint step) throws IOException {
                try (var checkpoint = checkpoints.incremental(step.id(), Level.of(step.level()))) {
                    for (int id : step.order()) {
                        checkpoint.add(id);
                    }
                    checkpoint.commit();
                }
            }

            private Variable variable(int id) {
                Variable variable = variables.get(id);
                if (variable == null) {
                    throw new IllegalStateException("the manifest changes variable " + id + " before it is protected");
                }
                return variable;
            }

            private void protect(Protect protect) {
                long count = protect.count().on(rank);
                ByteBuffer bytes = ByteBuffer.allocateDirect(
                        Math.toIntExact(count * protect.values().elementSize()));
                keepContent(variables.get(protect.id()), bytes);
                if (protect.fillSeed().isPresent()) {
                    protect.values()
                            .fill(
                                    bytes,
                                    rank,
                                    protect.id(),
                                    0,
                                    count,
                                    protect.fillSeed().getAsLong());
                }
                variables.put(protect.id(), new Variable(protect.values(), count, bytes));
                checkpoints.protect(protect.id(), bytes);
            }

            private static void keepContent(@Nullable Variable old, ByteBuffer bytes) {
                if (old != null) {
                    int kept = Math.min(old.bytes.capacity(), bytes.capacity());
                    bytes.put(0, old.bytes, 0, kept);
                }
            }

            private void compare(Compare compare) {
                Variable variable = variable(compare.id());
                List<Segment> whole = List.of(new Segment(0, OptionalLong.empty(), compare.seed()));
                ByteBuffer expected = variable.values.bytes(rank, compare.id(), variable.count, whole);
                if (!expected.equals(variable.bytes.duplicate().clear())) {
                    differs("rank " + rank + ": variable " + compare.id() + " after the restart");
                }
                countComparison();
            }
        }
    }
}
