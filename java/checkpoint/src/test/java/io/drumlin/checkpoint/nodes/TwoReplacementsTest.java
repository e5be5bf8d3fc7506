package io.drumlin.checkpoint.nodes;

import static io.drumlin.checkpoint.nodes.NodeOrderTest.block;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.cyclic;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two nodes come back at once under names that nobody knows: empty, with their disks, with each other's, or with what these had before. A
 * restart gives each rank its data, or none of them any.
 */
class TwoReplacementsTest {

    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

    private static final int NEWEST = 3;

    /** What the disks of the two hosts hold. */
    enum Disks {
        EMPTY,
        /** The first host has the disk of the first node that is missing. */
        KEPT,
        /** The second has it. */
        SWAPPED,
        /** As at the checkpoint before. */
        OLDER,
        OLDER_SWAPPED,
        /** One has its disk, the other has nothing. */
        HALF,
        HALF_SWAPPED
    }

    @TempDir(factory = InMemory.class)
    Path directory;

    private final Random random = new Random();
    private final long seed = random.nextLong();

    TwoReplacementsTest() {
        random.setSeed(seed);
        System.out.println("TwoReplacementsTest: seed " + seed);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 3", "3, 1", "3, 2", "3, 3", "4, 2", "5, 4"})
    void someReplacements(String ioMode, int level) throws IOException {
        new Restarts(ioMode, level, random.nextInt(4), Disks.values()[random.nextInt(Disks.values().length)]).run();
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 3", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4", "4, 1", "4, 2",
        "4, 3", "4, 4", "5, 1", "5, 2", "5, 3", "5, 4"
    })
    void everyReplacement(String ioMode, int level) throws IOException {
        for (Disks disks : Disks.values()) {
            for (int first = 0; first < 4; first++) {
                for (int i = 0; i < 3; i++) {
                    new Restarts(ioMode, level, first, disks).run();
                }
            }
        }
    }

    /** A run that loses two nodes and is started again. */
    private final class Restarts {
        private final RunFixture run;
        private final Level level;
        private final boolean ofPlaces = random.nextInt(3) == 0;
        private final boolean inTurn = random.nextInt(3) == 0;
        private final boolean repeatsIds = random.nextInt(3) == 0;
        private final int heads = random.nextInt(4) == 0 ? 1 : 0;
        private final Disks disks;
        private final int[] lost;
        private final List<String> order;
        private final String life;

        Restarts(String ioMode, int level, int first, Disks disks) throws IOException {
            this.level = Level.of(level);
            this.disks = disks;
            lost = new int[] {first, (first + 1 + random.nextInt(3)) % 4};
            order = new ArrayList<>(NODES);
            order.set(lost[0], "x0");
            order.set(lost[1], "a0");
            if (random.nextInt(3) > 0) {
                Collections.shuffle(order, random);
            }
            life = String.format(
                    "seed %d: mode %s, level %d, nodes %s, disks %s, lost %d and %d, places %s, in turn %s, same ids %s, heads %d",
                    seed, ioMode, level, order, disks, lost[0], lost[1], ofPlaces, inTurn, repeatsIds, heads);
            run = new RunFixture(
                    Files.createTempDirectory(directory, "run"),
                    "advanced.local_test=0, group_size=4, ckpt_io=" + ioMode + ", head=" + heads + ", node_size="
                            + (2 + heads));
        }

        void run() throws IOException {
            write(1);
            Path before = run.directory().resolve("before");
            copyDisks(before);
            write(2);
            write(NEWEST);
            Path disksNow = run.directory().resolve("now");
            copyDisks(disksNow);
            replace(before, disksNow);
            Optional<String> refused = read(order);
            if (mustBeRight()) {
                assertThat(refused).as(life).isEmpty();
            }
            if (refused.isEmpty()) {
                // What was brought to its nodes, or made again there, is found there.
                assertThat(read(order)).as(life).isEmpty();
                List<String> other = new ArrayList<>(order);
                Collections.shuffle(other, random);
                assertThat(read(other)).as(life).isEmpty();
            } else {
                assertThat(refused.get()).as(life).contains("at no level");
                for (String node : NODES) {
                    restore(disksNow, node, node);
                }
                assertThat(read(NODES)).as(life).isEmpty();
            }
        }

        private void write(int time) throws IOException {
            run.runOn(ranks(NODES), this::open, (checkpoints, comm) -> {
                if (checkpoints.isRestart()) {
                    checkpoints.discardRestart();
                }
                checkpoints.protect(0, values(owner(checkpoints, comm), time));
                checkpoints.checkpoint(repeatsIds ? 1 : time, level);
            });
        }

        /** Why nothing was recovered; empty if all ranks have their own. */
        private Optional<String> read(List<String> nodes) throws IOException {
            try {
                run.runOn(ranks(nodes), this::open, (checkpoints, comm) -> {
                    int[] expected = values(owner(checkpoints, comm), NEWEST);
                    int[] found = new int[expected.length];
                    checkpoints.protect(0, found);
                    checkpoints.recover();
                    assertThat(found).as(life).isEqualTo(expected);
                });
                return Optional.empty();
            } catch (DrumlinException refused) {
                return Optional.of(refused.getMessage());
            }
        }

        private Checkpoints open(Checkpoints.Builder builder) throws IOException {
            return (ofPlaces ? builder.orderOfNodes() : builder).open();
        }

        private int owner(Checkpoints checkpoints, Communicator comm) throws IOException {
            return ofPlaces ? checkpoints.communicator().rank() : comm.rank();
        }

        private List<String> ranks(List<String> nodes) {
            return inTurn ? cyclic(nodes, 2 + heads) : block(nodes, 2 + heads);
        }

        private void replace(Path before, Path now) throws IOException {
            List<String> hosts =
                    order.stream().filter(name -> !NODES.contains(name)).toList();
            int[] places = lost.clone();
            Arrays.sort(places);
            boolean swapped = disks.name().endsWith("SWAPPED");
            for (int i = 0; i < 2; i++) {
                String node = NODES.get(places[swapped ? 1 - i : i]);
                switch (disks) {
                    case KEPT, SWAPPED -> restore(now, node, hosts.get(i));
                    case OLDER, OLDER_SWAPPED -> restore(before, node, hosts.get(i));
                    case HALF, HALF_SWAPPED -> {
                        if (i == 0) {
                            restore(now, node, hosts.get(i));
                        }
                    }
                    case EMPTY -> {}
                }
            }
            run.loseDisk(NODES.get(lost[0]));
            run.loseDisk(NODES.get(lost[1]));
        }

        /** Whether enough is left in its place to give all ranks their data. */
        private boolean mustBeRight() {
            boolean adjacent = Math.abs(lost[0] - lost[1]) != 2;
            return switch (level.number()) {
                case 1 -> disks == Disks.KEPT;
                case 2 -> disks == Disks.KEPT || disks == Disks.HALF || !adjacent;
                default -> true;
            };
        }

        private void copyDisks(Path to) throws IOException {
            for (String node : NODES) {
                Tamper.copy(run.localRoot(node), to.resolve(node));
            }
        }

        private void restore(Path from, String node, String host) throws IOException {
            run.loseDisk(host);
            Tamper.copy(from.resolve(node), run.localRoot(host));
        }
    }
}
