package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/**
 * Four nodes with a rank each, which protect, resize and checkpoint at all levels in any order, and lose any nodes: a restart
 * finds the checkpoint of the lowest level that stands the loss, and no other.
 */
@Tag("exhaustive")
class LostNodesPropertyTest {

    private static final int RANKS = 4;

    /** A variable that all ranks protect, each with some more elements than the one before. */
    private record Change(int id, int elements) {
        int size(int rank) {
            return elements == 0 ? 0 : elements + 37 * rank;
        }
    }

    /** What a program does before a checkpoint, and which one that is. */
    private record Phase(List<Change> changes, Level level) {}

    /** A program between two kills, the second of which takes nodes along. */
    private record Life(List<Phase> phases, List<Integer> lost) {}

    @Provide
    Arbitrary<List<Life>> lives() {
        Arbitrary<Integer> elements = Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(0)),
                Tuple.of(6, Arbitraries.integers().between(1, 9000)),
                Tuple.of(1, Arbitraries.integers().between(1_000_000, 1_200_000)));
        Arbitrary<Change> changes = Combinators.combine(Arbitraries.integers().between(0, 3), elements)
                .as(Change::new);
        Arbitrary<Phase> phases = Combinators.combine(
                        changes.list().ofMinSize(1).ofMaxSize(3), Arbitraries.of(Level.class))
                .as(Phase::new);
        Arbitrary<List<Integer>> lost = Arbitraries.integers()
                .between(0, RANKS - 1)
                .list()
                .uniqueElements()
                .ofMaxSize(2);
        return Combinators.combine(phases.list().ofMaxSize(3), lost)
                .as(Life::new)
                .list()
                .ofMinSize(2)
                .ofMaxSize(4);
    }

    @Provide
    Arbitrary<String> layouts() {
        return Arbitraries.of("F", "E", "A");
    }

    @Provide
    Arbitrary<Integer> groupSizes() {
        return Arbitraries.of(2, 4);
    }

    /** A file of an odd size that is the largest of its group and lost: its last byte does not follow from the code. */
    @Example
    void theLastByteOfAnOddFileOfLayoutAComesBack() throws IOException {
        for (int elements = 1; elements < 9; elements++) {
            List<Phase> phases = List.of(new Phase(List.of(new Change(0, elements)), Level.L3));
            for (Packing packing : Packing.values()) {
                aRestartFindsWhatStandsTheLoss(List.of(new Life(phases, List.of(1, 3))), "A", packing, 2);
                aRestartFindsWhatStandsTheLoss(List.of(new Life(phases, List.of(2, 3))), "A", packing, 4);
            }
        }
    }

    @Property(tries = 20, shrinking = ShrinkingMode.BOUNDED)
    void aRestartFindsWhatStandsTheLoss(
            @ForAll("lives") List<Life> lives,
            @ForAll("layouts") String layout,
            @ForAll Packing packing,
            @ForAll("groupSizes") int groupSize)
            throws IOException {
        Path directory = Files.createTempDirectory("drumlin-property");
        try {
            RunFixture run = new RunFixture(
                    directory,
                    Map.of(
                            "basic.node_size",
                            "1",
                            "basic.group_size",
                            String.valueOf(groupSize),
                            "drumlin.layout",
                            layout,
                            "drumlin.packing",
                            packing.name().toLowerCase(Locale.ROOT),
                            // Messages so small that lost files of level 2 are sent while they are verified.
                            "drumlin.slab_memory",
                            "2"));
            new Model(run, groupSize).live(lives);
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        }
    }

    /** A checkpoint that was taken, and the nodes whose files of it are lost. */
    private record Saved(int ckptId, Map<Integer, Change> variables, BitSet lost) {}

    /** The same on all ranks: what is in a variable follows from the rank, its id and the checkpoint. */
    private static byte[] content(Change change, int rank, int ckptId) {
        byte[] bytes = new byte[change.size(rank)];
        new Random(31L * (31L * ckptId + change.id()) + rank).nextBytes(bytes);
        return bytes;
    }

    private static final class Model {

        private final RunFixture run;
        private final int groupSize;
        private final Map<Level, Saved> saved = new EnumMap<>(Level.class);
        private boolean started;
        private int ckptId;

        Model(RunFixture run, int groupSize) {
            this.run = run;
            this.groupSize = groupSize;
        }

        void live(List<Life> lives) throws IOException {
            List<Life> all = new ArrayList<>(lives);
            all.add(new Life(List.of(), List.of()));
            for (Life life : all) {
                Optional<Saved> source = recoverable();
                if (started && source.isEmpty()) {
                    assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {}))
                            .hasStackTraceContaining("at no level");
                    return;
                }
                live(life, source);
                for (int node : life.lost()) {
                    delete(run.directory().resolve("Local/node" + node));
                    saved.forEach((level, checkpoint) -> {
                        if (level != Level.L4) {
                            checkpoint.lost().set(node);
                        }
                    });
                }
            }
        }

        private void live(Life life, Optional<Saved> source) throws IOException {
            int first = source.map(Saved::ckptId).orElse(ckptId);
            run.run(RANKS, (checkpoints, comm) -> {
                int rank = comm.rank();
                Map<Integer, byte[]> memory = new LinkedHashMap<>();
                assertThat(checkpoints.isRestart()).isEqualTo(source.isPresent());
                if (source.isPresent()) {
                    recover(checkpoints, rank, source.get(), memory);
                }
                int id = first;
                for (Phase phase : life.phases()) {
                    id++;
                    for (Change change : phase.changes()) {
                        memory.put(change.id(), new byte[change.size(rank)]);
                        checkpoints.protect(change.id(), memory.get(change.id()));
                    }
                    for (Map.Entry<Integer, byte[]> variable : memory.entrySet()) {
                        byte[] bytes = variable.getValue();
                        new Random(31L * (31L * id + variable.getKey()) + rank).nextBytes(bytes);
                    }
                    checkpoints.checkpoint(id, phase.level());
                }
            });
            Map<Integer, Change> variables = new LinkedHashMap<>();
            source.ifPresent(checkpoint -> variables.putAll(checkpoint.variables()));
            ckptId = first;
            for (Phase phase : life.phases()) {
                started = true;
                ckptId++;
                phase.changes().forEach(change -> variables.put(change.id(), change));
                saved.keySet().removeIf(level -> level.number() <= phase.level().number());
                saved.put(phase.level(), new Saved(ckptId, new LinkedHashMap<>(variables), new BitSet()));
            }
        }

        private static void recover(Checkpoints checkpoints, int rank, Saved source, Map<Integer, byte[]> memory)
                throws IOException {
            assertThat(checkpoints.lastCheckpoint()).contains(source.ckptId());
            for (Change change : source.variables().values()) {
                memory.put(change.id(), new byte[Math.toIntExact(checkpoints.storedSize(change.id()))]);
                checkpoints.protect(change.id(), memory.get(change.id()));
            }
            checkpoints.recover();
            for (Change change : source.variables().values()) {
                assertThat(memory.get(change.id()))
                        .as("variable %d of rank %d", change.id(), rank)
                        .isEqualTo(content(change, rank, source.ckptId()));
            }
        }

        /** The checkpoint that a restart finds. It mends its level; one of level 4 becomes that of level 1. */
        private Optional<Saved> recoverable() {
            for (Level level : Level.values()) {
                Saved checkpoint = saved.get(level);
                if (checkpoint != null && stands(level, checkpoint.lost())) {
                    checkpoint.lost().clear();
                    if (level == Level.L4) {
                        saved.put(Level.L1, new Saved(checkpoint.ckptId(), checkpoint.variables(), new BitSet()));
                    }
                    return Optional.of(checkpoint);
                }
            }
            return Optional.empty();
        }

        private boolean stands(Level level, BitSet lost) {
            return switch (level) {
                case L1 -> lost.isEmpty();
                case L2 -> lost.stream().noneMatch(node -> lost.get(right(node)));
                case L3 ->
                    Stream.iterate(0, first -> first < RANKS, first -> first + groupSize)
                            .allMatch(first ->
                                    2 * lost.get(first, first + groupSize).cardinality() <= groupSize);
                case L4_DCP, L4 -> true;
            };
        }

        private int right(int node) {
            int first = node - node % groupSize;
            return first + (node - first + 1) % groupSize;
        }
    }
}
