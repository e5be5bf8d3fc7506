package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfVerifier;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/** Whatever a program protects, resizes, checkpoints and restarts, it gets back what it had. */
class CheckpointsPropertyTest {

    private enum Kind {
        PROTECT,
        CHECKPOINT,
        RECOVER,
        RESTART
    }

    /** One step of a program; {@code id} and {@code elements} say what it protects. */
    private record Step(Kind kind, int id, int elements, Level level) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                Tuple.of(6, Kind.PROTECT),
                Tuple.of(3, Kind.CHECKPOINT),
                Tuple.of(1, Kind.RECOVER),
                Tuple.of(1, Kind.RESTART));
        Arbitrary<Integer> elements = Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(0)),
                Tuple.of(6, Arbitraries.integers().between(1, 300)),
                Tuple.of(6, Arbitraries.integers().between(500, 9000)),
                Tuple.of(1, Arbitraries.integers().between(270_000, 400_000)));
        return Combinators.combine(
                        kinds, Arbitraries.integers().between(0, 5), elements, Arbitraries.of(Level.L1, Level.L4))
                .as(Step::new)
                .list()
                .ofMinSize(3)
                .ofMaxSize(25);
    }

    @Tag("exhaustive")
    @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
    void comesBackAsItWas(@ForAll("programs") List<Step> program, @ForAll Packing packing, @ForAll long seed)
            throws IOException {
        Path directory = Files.createTempDirectory("drumlin-property");
        try (Program running = new Program(directory, packing, new Random(seed))) {
            for (Step step : program) {
                running.run(step);
            }
            running.run(new Step(Kind.CHECKPOINT, 0, 0, Level.L1));
            running.run(new Step(Kind.RESTART, 0, 0, Level.L1));
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(path -> path.toFile().delete());
            }
        }
    }

    /** A program with its memory, and a copy of what was in it at the last checkpoint. */
    private static final class Program implements AutoCloseable {

        private final RunFixture run;
        private final Random random;
        private final Map<Integer, byte[]> memory = new LinkedHashMap<>();
        private final Map<Integer, byte[]> saved = new LinkedHashMap<>();
        private Checkpoints checkpoints;
        private int ckptId;

        Program(Path directory, Packing packing, Random random) throws IOException {
            this.random = random;
            this.run = new RunFixture(
                    directory, "node_size=1, drumlin.packing=" + packing.name().toLowerCase(Locale.ROOT));
            this.checkpoints = Checkpoints.open(run.config(), new SingleCommunicator());
        }

        void run(Step step) throws IOException {
            switch (step.kind()) {
                case PROTECT -> protect(step.id(), step.elements() * (1 << step.id() % 4));
                case CHECKPOINT -> checkpoint(step.level());
                case RECOVER -> {
                    if (ckptId > 0 && sizes(memory).equals(sizes(saved))) {
                        recover();
                    }
                }
                case RESTART -> {
                    if (ckptId > 0) {
                        restart();
                    }
                }
            }
        }

        /** The bytes are seen as elements of 1, 2, 4 or 8 bytes, so that containers end within elements. */
        private void protect(int id, int bytes) {
            byte[] array = new byte[bytes];
            random.nextBytes(array);
            memory.put(id, array);
            ByteBuffer view = ByteBuffer.wrap(array).order(java.nio.ByteOrder.LITTLE_ENDIAN);
            checkpoints.protect(
                    id,
                    switch (id % 4) {
                        case 0 -> view;
                        case 1 -> view.asShortBuffer();
                        case 2 -> view.asFloatBuffer();
                        default -> view.asLongBuffer();
                    });
        }

        private void checkpoint(Level level) throws IOException {
            memory.values().forEach(random::nextBytes);
            checkpoints.checkpoint(++ckptId, level);
            saved.clear();
            memory.forEach((id, array) -> saved.put(id, array.clone()));
            assertFileIsWhole();
        }

        private void assertFileIsWhole() throws IOException {
            byte[] bytes = Files.readAllBytes(run.file("Ckpt" + ckptId + "-Rank0.fti"));
            MemoryByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
            FtiFfFile file = FtiFfFile.read(source);
            Findings findings = new Findings();
            new FtiFfVerifier(source, file, new SequentialDigester()).verify(findings);
            assertThat(findings.list()).isEmpty();
            saved.forEach((id, expected) -> {
                byte[] found = new byte[expected.length];
                file.containers()
                        .filter(container -> container.id() == id)
                        .filter(container -> container.hasContent())
                        .forEach(container ->
                                System.arraycopy(bytes, (int) container.fptr(), found, (int) container.dptr(), (int)
                                        container.chunkSize()));
                assertThat(found).isEqualTo(expected);
            });
        }

        private void recover() throws IOException {
            memory.values().forEach(random::nextBytes);
            checkpoints.recover();
            assertRecovered();
        }

        /** As after a kill: nothing is completed, the memory is new. */
        private void restart() throws IOException {
            checkpoints.close();
            checkpoints = Checkpoints.open(run.config(), new SingleCommunicator());
            assertThat(checkpoints.isRestart()).isTrue();
            memory.clear();
            for (int id : saved.keySet()) {
                protect(id, Math.toIntExact(checkpoints.storedSize(id)));
            }
            checkpoints.recover();
            assertRecovered();
            ckptId = checkpoints.lastCheckpoint().orElseThrow();
        }

        private void assertRecovered() {
            assertThat(memory.keySet()).isEqualTo(saved.keySet());
            memory.forEach((id, array) -> assertThat(array).as("variable " + id).isEqualTo(saved.get(id)));
        }

        private static Map<Integer, Integer> sizes(Map<Integer, byte[]> arrays) {
            Map<Integer, Integer> sizes = new LinkedHashMap<>();
            arrays.forEach((id, array) -> sizes.put(id, array.length));
            return sizes;
        }

        @Override
        public void close() throws IOException {
            checkpoints.close();
        }
    }
}
