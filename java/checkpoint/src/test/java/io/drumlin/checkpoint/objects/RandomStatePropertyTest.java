package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/**
 * A program protects, resizes and takes away variables of all kinds, and gets back what it had: in the running job, after a
 * restart, after the loss of a node, and on another number of ranks. Modes, levels, storage engines and the copy of an
 * asynchronous checkpoint are random, too.
 */
class RandomStatePropertyTest {

    private static final int HDF5 = 5;

    @Tag("exhaustive")
    @Property(tries = 25, shrinking = ShrinkingMode.OFF)
    void comesBack(@ForAll long seed) throws IOException {
        new Life(seed).live();
    }

    @Tag("soak")
    @Property(tries = 20_000, shrinking = ShrinkingMode.OFF)
    void comesBackAlways(@ForAll long seed) throws IOException {
        new Life(seed).live();
    }

    /** A run that is described by a seed. */
    private static final class Life {

        private final long seed;
        private final Random random;
        private final int ioMode;
        private final int ranks;
        private final int otherRanks;
        private final int steps;
        private final boolean async;
        private final StorageEngine storage;

        Life(long seed) throws IOException {
            this.seed = seed;
            random = new Random(seed ^ 0x5DEECE66DL);
            ioMode = 1 + random.nextInt(HDF5);
            ranks = List.of(1, 1, 1, 1, 2, 4).get(random.nextInt(6));
            int other = 1 + random.nextInt(4);
            otherRanks = ioMode != HDF5 && random.nextInt(4) == 0 && other != ranks ? other : ranks;
            steps = 1 + random.nextInt(3);
            async = random.nextInt(4) == 0;
            storage = random.nextBoolean() ? new NioEngine() : StorageEngines.best();
        }

        private boolean isElastic() {
            return otherRanks != ranks;
        }

        private String words() {
            return "seed " + seed + ", mode " + ioMode + ", " + ranks + " ranks, then " + otherRanks;
        }

        private Level level() {
            List<Level> levels =
                    ranks == 4 && !isElastic() ? List.of(Level.values()) : List.of(Level.L1, Level.L4, Level.L4_DCP);
            return levels.get(random.nextInt(levels.size()));
        }

        void live() throws IOException {
            Path directory = Files.createTempDirectory("drumlin-state");
            try {
                live(directory);
            } catch (IOException | RuntimeException | Error e) {
                throw new AssertionError(words(), e);
            } finally {
                DirectoryTree.delete(directory, new NioEngine());
            }
        }

        private void live(Path directory) throws IOException {
            RunFixture run = new RunFixture(
                    directory,
                    "ckpt_io=" + ioMode + ", node_size=1, group_size=" + (ranks == 4 && !isElastic() ? "2" : "1")
                            + ", enable_dcp=1, dcp_block_size=512, drumlin.async=" + (async ? "1" : "0")
                            + ", drumlin.packing=" + (random.nextBoolean() ? "aligned" : "compact"));
            List<Level> levels = random.ints(steps).mapToObj(any -> level()).toList();
            if (isElastic()) {
                levels = levels.stream().map(any -> Level.L4).toList();
            }
            Level last = levels.get(steps - 1);
            List<Level> taken = levels;
            start(run, ranks, (checkpoints, comm) -> begin(checkpoints, comm, taken));
            if ((last == Level.L2 || last == Level.L3) && random.nextBoolean()) {
                run.loseNode(random.nextInt(ranks));
            }
            boolean knowsSizes = random.nextBoolean();
            start(run, otherRanks, (checkpoints, comm) -> goOn(checkpoints, comm, knowsSizes));
        }

        private void start(RunFixture run, int count, RunFixture.Body body) throws IOException {
            ThreadCommunicator.run(count, comm -> {
                Checkpoints.Builder builder =
                        Checkpoints.builder(run.config()).communicator(comm).storage(storage);
                try (Checkpoints checkpoints = (isElastic() ? builder.anyNumberOfRanks() : builder).open()) {
                    body.run(checkpoints, comm);
                }
            });
        }

        private RandomState state(Communicator comm) {
            return new RandomState(seed, isElastic() ? 0 : comm.rank(), isElastic());
        }

        private RandomState expected(Communicator comm, int step) {
            RandomState state = state(comm);
            for (int each = 1; each <= step; each++) {
                state.advance(each);
            }
            return state;
        }

        private void begin(Checkpoints checkpoints, Communicator comm, List<Level> levels) throws IOException {
            RandomState state = state(comm);
            for (int step = 1; step <= steps; step++) {
                RandomState before = state.copy();
                state.advance(step);
                state.protect(checkpoints, before);
                checkpoints.checkpoint(step, levels.get(step - 1));
                if (async) {
                    // A copy has been made, so the checkpoint does not see this.
                    state.scramble(new Random(seed));
                }
                checkpoints.await();
                state.scramble(new Random(seed));
                checkpoints.recover();
                state.requireSame(expected(comm, step), words());
            }
        }

        private void goOn(Checkpoints checkpoints, Communicator comm, boolean knowsSizes) throws IOException {
            assertThat(checkpoints.lastCheckpoint()).hasValue(steps);
            assertThat(checkpoints.formerRanks().isPresent()).isEqualTo(isElastic());
            RandomState state = expected(comm, steps);
            state.scramble(new Random(seed));
            if (knowsSizes || isElastic()) {
                state.protect(checkpoints, state(comm));
            } else {
                state.reallocate(checkpoints);
            }
            if (isElastic()) {
                state.replicate(checkpoints);
            }
            checkpoints.recover();
            state.requireSame(expected(comm, steps), words());
            RandomState before = state.copy();
            state.advance(steps + 1);
            state.protect(checkpoints, before);
            checkpoints.checkpoint(steps + 1, Level.L1);
            checkpoints.await();
            state.scramble(new Random(seed));
            checkpoints.recover();
            state.requireSame(expected(comm, steps + 1), words());
        }
    }
}
