package io.drumlin.checkpoint.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.Golden;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.comm.Communicator;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes come back under other names, in another order, or not at all: rank r of the communicator that the program gave has what rank r of
 * that communicator protected.
 */
@Tag("exhaustive")
public class NodeOrderTest {

    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

    @TempDir(factory = InMemory.class)
    Path directory;

    private final Random random = new Random();
    private final long seed = random.nextLong();

    NodeOrderTest() {
        random.setSeed(seed);
        System.out.println("NodeOrderTest: seed " + seed);
    }

    @Test
    void ranksOnInventedHostsKeepTheirFilesThere() throws IOException {
        RunFixture run = run("3", Map.of("basic.group_size", "2"));
        write(run, block(List.of("n1", "n2"), 2), 1, Level.L2);
        Path local = run.localRoot("n2").resolve(run.restartValue("exec_id"));
        assertThat(local.resolve("l2/Ckpt1-Rank2.fti")).exists();
        assertThat(Files.readString(run.file("Topology.fti"))).containsPattern("0 += n1\n1 += n2\n");
        run.loseDisk("n2");
        read(run, block(List.of("n1", "n3"), 2), 1, Level.L2);
    }

    /** What was brought to its nodes is newer than a differential checkpoint, also at the next start. */
    @Test
    void theNewestStaysTheNewestBesideADifferentialOne() throws IOException {
        RunFixture run = run("3", RunFixture.settings("group_size=2, enable_dcp=1, dcp_mode=1, dcp_block_size=512"));
        write(run, block(NODES, 2), 1, Level.L4_DCP);
        write(run, block(NODES, 2), 2, Level.L2);
        List<String> order = block(List.of("n4", "n2", "n1", "n3"), 2);
        read(run, order, 2, Level.L2);
        read(run, order, 2, Level.L1);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 3", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4", "4, 1", "4, 2",
        "4, 3", "4, 4", "5, 1", "5, 2", "5, 3", "5, 4"
    })
    void someOrdersOfNodes(String ioMode, int level) throws IOException {
        List<List<String>> orders = new ArrayList<>(ordersOf(NODES));
        Collections.shuffle(orders, random);
        reorder(ioMode, level, orders.get(0), false);
        if (level > 1) {
            reorder(ioMode, level, orders.get(1), true);
        }
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 3", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4", "4, 1", "4, 2",
        "4, 3", "4, 4", "5, 1", "5, 2", "5, 3", "5, 4"
    })
    void everyOrderOfNodes(String ioMode, int level) throws IOException {
        for (List<String> order : ordersOf(NODES)) {
            reorder(ioMode, level, order, false);
            reorder(ioMode, level, order, level > 1);
        }
    }

    /** @param loss whether a node is lost and another takes its place */
    private void reorder(String ioMode, int level, List<String> order, boolean loss) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, block(NODES, 2), 5, Level.of(level));
        List<String> later = new ArrayList<>(order);
        if (loss) {
            int lost = random.nextInt(later.size());
            run.loseDisk(later.get(lost));
            later.set(lost, random.nextBoolean() ? "a0" : "z9");
        }
        // Twice: the second time they are in place.
        read(run, block(later, 2), 5, Level.of(level));
        readAtAnyLevel(run, block(later, 2), 5);
        write(run, block(later, 2), 6, Level.of(level));
        Collections.shuffle(later, random);
        read(run, block(later, 2), 6, Level.of(level));
    }

    /** What is left of the newest checkpoint is not replaced by the one before it. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void whatIsLeftOfTheNewestStays(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, block(NODES, 2), 1, Level.L4);
        write(run, block(NODES, 2), 2, Level.L1);
        // As after a kill: only the next checkpoint says in the log that this one was committed.
        run.takenAt(run.restartValue("exec_id"), entry -> Instant.ofEpochSecond(0, entry.nanos()));
        for (Path file : run.walk()) {
            if (file.getParent().endsWith("l1") && (ioMode.equals("3") || MetadataFiles.isOne(file))) {
                Files.write(file, new byte[10]);
            }
        }
        List<String> left =
                run.files().stream().filter(name -> name.contains("/l1/")).toList();
        assertThat(left).hasSizeGreaterThan(4);
        readAtAnyLevel(run, block(List.of("n4", "n2", "n1", "n3"), 2), 1);
        assertThat(run.files()).containsAll(left);
    }

    /** What protects a checkpoint also does so between the move and the next checkpoint: in the order of nodes before. */
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 3", "3, 2", "3, 3", "5, 3", "4, 2"})
    void aNodeIsLostAfterTheMove(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, block(NODES, 2), 1, Level.of(level));
        List<String> later = new ArrayList<>(List.of("n3", "n1", "n4", "n2"));
        read(run, block(later, 2), 1, Level.of(level));
        for (int i = 0; i < 3; i++) {
            int lost = random.nextInt(later.size());
            run.loseDisk(later.get(lost));
            later.set(lost, "r" + i);
            if (i % 2 == 1) {
                Collections.shuffle(later, random);
            }
            read(run, block(later, 2), 1, Level.of(level));
        }
        write(run, block(later, 2), 2, Level.L1);
        Collections.shuffle(later, random);
        read(run, block(later, 2), 2, Level.L1);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 3", "1, 4", "2, 4", "3, 2", "3, 4", "4, 3", "4, 4", "5, 2", "5, 4"})
    void ranksAreDealtOutInAnotherWay(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, cyclic(NODES, 2), 1, Level.of(level));
        List<String> others = List.of("n4", "n2", "n1", "n3");
        read(run, cyclic(others, 2), 1, Level.of(level));
        readAtAnyLevel(run, block(others, 2), 1);
        write(run, block(others, 2), 2, Level.of(level));
        read(run, cyclic(NODES, 2), 2, Level.of(level));
        List<String> any = new ArrayList<>(block(NODES, 2));
        Collections.shuffle(any, random);
        readAtAnyLevel(run, any, 2);
        write(run, any, 3, Level.of(level));
        Collections.shuffle(any, random);
        read(run, any, 3, Level.of(level));
    }

    /**
     * The order of the nodes is that of two starts before, so level 1 of that order is looked at in its place, on the way to what was
     * written since in another order and a newer checkpoint that is lost.
     */
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 3", "2, 2", "2, 3", "3, 2", "3, 3", "4, 2", "4, 3", "5, 2", "5, 3"})
    void ranksAreDealtOutAsTwoStartsBefore(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, block(NODES, 2), 1, Level.L2);
        run.runOn(cyclic(NODES, 2), (checkpoints, comm) -> {
            assertHasItsOwn(checkpoints, comm, 1);
            checkpoints.protect(0, values(comm.rank(), 2));
            checkpoints.checkpoint(2, Level.of(level));
            checkpoints.protect(0, values(comm.rank(), 3));
            checkpoints.checkpoint(3, Level.L1);
        });
        String execId = run.restartValue("exec_id");
        Path meta = run.directory().resolve("Meta").resolve(execId);
        DirectoryTree.delete(meta.resolve("l1"), new NioEngine());
        for (String host : NODES) {
            DirectoryTree.delete(run.localRoot(host).resolve(execId).resolve("l1"), new NioEngine());
        }
        // As after a kill: otherwise it may be at level 4, and the search there hides one that level 1 still remembers.
        Path log = meta.resolve("drumlin-commits");
        List<String> lines = Files.readAllLines(log);
        assertThat(lines.removeIf(line -> line.startsWith("committed 3 "))).isTrue();
        Files.write(log, lines);
        read(run, block(NODES, 2), 2, Level.of(level));
        readAtAnyLevel(run, block(NODES, 2), 2);
    }

    /** The checkpoint of level 4 stays as it was when a restart brings it to nodes on which the ranks are dealt out in another way. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void level4IsReadInTheOrderInWhichItWasWritten(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, block(NODES, 2), 1, Level.L4);
        read(run, cyclic(NODES, 2), 1, Level.L4);
        readWithoutDisks(run, cyclic(NODES, 2), 1);
        readWithoutDisks(run, cyclic(List.of("n3", "n1", "n4", "n2"), 2), 1);
        readWithoutDisks(run, block(NODES, 2), 1);
        write(run, cyclic(NODES, 2), 2, Level.L4);
        readWithoutDisks(run, block(NODES, 2), 2);
    }

    /** In the archive, too, metadata go by place: each rank gets its file however the ranks are dealt out. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theArchiveIsReadInTheOrderInWhichItWasWritten(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of("drumlin.keep", "3"));
        run.runOn(block(NODES, 2), (checkpoints, comm) -> {
            for (int id = 1; id <= 3; id++) {
                checkpoints.protect(0, values(comm.rank(), id));
                checkpoints.checkpoint(id, Level.L4);
            }
            checkpoints.protect(0, values(comm.rank(), 4));
            checkpoints.checkpoint(4, Level.L1);
        });
        String execId = run.restartValue("exec_id");
        DirectoryTree.delete(run.directory().resolve("Global").resolve(execId).resolve("l4"), new NioEngine());
        loseDisk(run, "n2");
        readAtAnyLevel(run, cyclic(NODES, 2), 2);
        readAtAnyLevel(run, cyclic(NODES, 2), 2);
        readWithoutDisks(run, cyclic(List.of("n3", "n1", "n4", "n2"), 2), 2);
        readWithoutDisks(run, block(NODES, 2), 2);
        write(run, cyclic(NODES, 2), 5, Level.L4);
        readWithoutDisks(run, block(NODES, 2), 5);
    }

    /** What the commands show. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aSurveyFindsTheFileOfEachRank(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, cyclic(NODES, 2), 1, Level.L4);
        RunSurvey survey = RunSurvey.open(run.config(), directory);
        for (int rank = 0; rank < 8; rank++) {
            RunSurvey.RankFile file =
                    survey.fetch(rank, directory.resolve("scratch" + rank)).orElseThrow();
            assertThat(file.rank()).isEqualTo(rank);
            if (!ioMode.equals("5")) {
                RunSurvey.Part part = file.variables().get(0).get(0);
                int[] values = new int[values(rank, 1).length];
                ByteBuffer.wrap(Files.readAllBytes(file.path()), (int) part.offset(), (int) part.length())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asIntBuffer()
                        .get(values);
                assertThat(values).containsExactly(values(rank, 1));
            }
        }
    }

    private static void loseDisk(RunFixture run, String host) {
        try {
            run.loseDisk(host);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 3", "2, 4", "3, 2", "3, 3", "3, 4", "4, 2", "5, 3"})
    void nodesWithHeads(String ioMode, int level) throws IOException {
        for (String inline : List.of("0", "1")) {
            RunFixture run = run(
                    ioMode,
                    RunFixture.settings("head=1, node_size=3, inline_l2=" + inline + ", inline_l3=" + inline
                            + ", inline_l4=" + inline));
            List<String> later = new ArrayList<>(List.of("n2", "n4", "n1", "n3"));
            boolean cyclic = random.nextBoolean();
            write(run, cyclic ? cyclic(NODES, 3) : block(NODES, 3), 1, Level.of(level));
            if (level > 1) {
                run.loseDisk("n4");
                later.set(1, "n0");
            }
            read(run, cyclic ? cyclic(later, 3) : block(later, 3), 1, Level.of(level));
        }
    }

    @Test
    void withHeadsRanksAreDealtOutAsBefore() throws IOException {
        RunFixture run = run("3", Map.of("basic.head", "1", "basic.node_size", "3"));
        write(run, block(NODES, 3), 1, Level.L2);
        assertThatThrownBy(() -> readAtAnyLevel(run, cyclic(NODES, 3), 1))
                .hasMessageContaining("place the ranks on the nodes as in the run before");
        read(run, block(NODES, 3), 1, Level.L2);
    }

    /** They are found in any order of nodes, by the ranks in their names. */
    @ParameterizedTest
    @CsvSource({"1", "3"})
    void differentialCheckpoints(String ioMode) throws IOException {
        RunFixture run =
                run(ioMode, Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        write(run, block(NODES, 2), 1, Level.L2);
        write(run, block(NODES, 2), 2, Level.L4_DCP);
        List<String> later = List.of("n2", "n0", "n4", "n1");
        readDifferential(run, block(later, 2), 2);
        write(run, block(later, 2), 3, Level.L1);
        read(run, block(List.of("n1", "n2", "n0", "n4"), 2), 3, Level.L1);
        write(run, block(List.of("n1", "n2", "n0", "n4"), 2), 4, Level.L4_DCP);
        if (ioMode.equals("1")) {
            assertThatThrownBy(() -> readAtAnyLevel(run, cyclic(later, 2), 4))
                    .hasMessageContaining("dealt out to the nodes in another way");
        } else {
            readDifferential(run, cyclic(later, 2), 4);
        }
    }

    private static void readDifferential(RunFixture run, List<String> hosts, int ckptId) throws IOException {
        run.runOn(hosts, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(Level.L4_DCP);
            assertRecovers(checkpoints, comm, ckptId);
        });
    }

    /** The program's ranks are those of the communicator that it gave, also where another number of them wrote. */
    @Test
    void otherNumbersOfRanksThatAreDealtOutInTurn() throws IOException {
        RunFixture run = run("3", Map.of("basic.group_size", "1"));
        run.runOn(cyclic(NODES, 2), (checkpoints, comm) -> {
            checkpoints.protect(0, block(80, comm));
            checkpoints.checkpoint(1, Level.L4);
        });
        List<String> later = List.of("n3", "n1", "n3", "n1");
        run.runOn(later, builder -> builder.anyNumberOfRanks().open(), (checkpoints, comm) -> {
            int[] expected = block(80, comm);
            int[] values = new int[expected.length];
            checkpoints.protect(0, values);
            checkpoints.distribute(0, Distribution.block(80));
            checkpoints.recover();
            assertThat(values).isEqualTo(expected);
        });
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "4"})
    void otherNumbersOfRanksThatWereDealtOutInTurnAreRefused(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of("basic.group_size", "1"));
        write(run, cyclic(NODES, 2), 1, Level.L4);
        assertThatThrownBy(() -> run.runOn(
                        block(List.of("n3", "n1"), 2),
                        builder -> builder.anyNumberOfRanks().open(),
                        (checkpoints, comm) -> {}))
                .hasMessageContaining("at no level");
        read(run, cyclic(NODES, 2), 1, Level.L4);
    }

    /** A stash has the groups of the run that made it: under another placement its entries are those of other ranks. */
    @ParameterizedTest
    @CsvSource({"1", "3", "5"})
    void aStashGivesNobodyTheDataOfAnother(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        run.runOn(block(NODES, 2), (checkpoints, comm) -> {
            checkpoints.protect(0, values(comm.rank(), 1));
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.stash().put(1, 1);
            checkpoints.stash().push(1);
            checkpoints.checkpoint(2, Level.L4);
        });
        for (String node : NODES) {
            run.loseDisk(node);
        }
        for (List<String> hosts : List.of(block(List.of("n2", "n4", "n1", "n3"), 2), cyclic(NODES, 2))) {
            run.runOn(hosts, (checkpoints, comm) -> {
                int[] expected = values(comm.rank(), 1);
                int[] found = new int[expected.length];
                checkpoints.protect(0, found);
                checkpoints.discardRestart();
                try {
                    checkpoints.stash().pull(1);
                    checkpoints.stash().load(1);
                    assertThat(found).as("seed %d", seed).isEqualTo(expected);
                } catch (IOException refused) {
                    assertThat(refused.getMessage()).contains("stash 1");
                    assertThat(hosts).isEqualTo(cyclic(NODES, 2));
                }
            });
        }
    }

    private static int[] block(int length, Communicator comm) {
        int each = length / comm.size();
        return IntStream.range(comm.rank() * each, (comm.rank() + 1) * each).toArray();
    }

    /** The rule of C FTI: places keep their data, and its communicator is in their order. */
    @ParameterizedTest
    @CsvSource({"1, 2", "2, 4", "3, 3", "3, 4", "5, 1"})
    void placesKeepTheirDataInTheOrderOfNodes(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        boolean cyclic = random.nextBoolean();
        RunFixture.Opening opening = builder -> builder.orderOfNodes().open();
        run.runOn(cyclic ? cyclic(NODES, 2) : block(NODES, 2), opening, (checkpoints, comm) -> {
            checkpoints.protect(0, values(checkpoints.communicator().rank(), 1));
            checkpoints.checkpoint(1, Level.of(level));
        });
        List<String> later = List.of("n4", "n2", "n1", "n3");
        for (List<String> hosts : List.of(block(later, 2), cyclic(later, 2), cyclic(NODES, 2))) {
            run.runOn(hosts, opening, (checkpoints, comm) -> {
                int[] expected = values(checkpoints.communicator().rank(), 1);
                int[] values = new int[expected.length];
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values).isEqualTo(expected);
            });
        }
    }

    /**
     * After a restart with its nodes in another order, C FTI names files by the new ranks; places keep their data. Whoever restarts then
     * gets the data of the place with its number.
     */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 4", "4, 1", "4, 3", "4, 4", "5, 1", "5, 2", "5, 4"})
    void filesOfCFtiAfterARestartInAnotherOrder(String ioMode, int level) throws IOException {
        List<List<String>> orders = new ArrayList<>(ordersOf(NODES));
        Collections.shuffle(orders, random);
        RunFixture.Opening inPlaces = builder -> builder.orderOfNodes().open();
        for (List<String> hosts : List.of(block(NODES, 2), block(orders.get(0), 2), cyclic(orders.get(1), 2))) {
            for (RunFixture.Opening opening : List.of(inPlaces, (RunFixture.Opening) Checkpoints.Builder::open)) {
                RunFixture run = run(ioMode, Map.of());
                run.runOn(block(NODES, 2), inPlaces, (checkpoints, comm) -> {
                    checkpoints.protect(0, values(comm.rank(), 7));
                    checkpoints.checkpoint(7, Level.of(level));
                });
                nameAsCFti(run, Level.of(level), block(orders.get(2), 2));
                if (level > 1 && level < 4 && random.nextBoolean()) {
                    run.loseDisk(orders.get(1).get(0));
                }
                RunFixture.Body body =
                        (checkpoints, comm) -> assertRecovers(checkpoints, checkpoints.communicator(), 7);
                if (opening != inPlaces && !hosts.get(0).equals(hosts.get(1))) {
                    // C FTI does not record how ranks were dealt out.
                    Path topology = run.file("Topology.fti");
                    String ours = Files.readString(topology);
                    Files.writeString(topology, ours.replaceAll("(?s)\\[drumlin.*|digest *= [^\n]*\n", ""));
                    assertThatThrownBy(() -> run.runOn(hosts, opening, body)).hasMessageContaining("at no level");
                    Files.writeString(topology, ours);
                }
                run.runOn(hosts, opening, body);
                run.runOn(hosts, opening, body);
            }
        }
    }

    /** Files of C FTI in the mode FTI-FF do not say to which checkpoint they belong, and nodes have files of the same names. */
    @ParameterizedTest
    @CsvSource({"1, 3-2-1-0", "1, 1-2-3-0", "2, 3-2-1-0", "3, 1-0-3-2"})
    void filesOfCFtiInTheModeFtiFf(int level, String order) throws IOException {
        List<String> hosts =
                Stream.of(order.split("-")).map(node -> "node" + node).toList();
        List<String> expected =
                recovered(ofCFti(level), List.of("node0", "node1", "node2", "node3"), Checkpoints.Builder::open);
        assertThat(expected).doesNotHaveDuplicates();
        RunFixture run = ofCFti(level);
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        CrashJournal journal = storage.record(run.directory());
        RunFixture.Opening recorded = builder -> builder.storage(storage).open();
        assertThat(recovered(run, hosts, recorded)).isEqualTo(expected);
        assertThat(recovered(run, hosts, Checkpoints.Builder::open)).isEqualTo(expected);
        for (int prefix = random.nextInt(20); prefix <= journal.size(); prefix += 20) {
            Path copy = Files.createTempDirectory(directory, "replay");
            journal.replay(prefix, copy, Crash.KILL, random);
            Path config = copy.resolve("config.fti");
            Files.writeString(
                    config, Files.readString(config).replace(run.directory().toString(), copy.toString()));
            assertThat(recovered(RunFixture.at(copy), hosts, Checkpoints.Builder::open))
                    .as("after %d operations", prefix)
                    .isEqualTo(expected);
        }
    }

    /** Returns what the ranks have in variable 1. */
    private static List<String> recovered(RunFixture run, List<String> hosts, RunFixture.Opening opening)
            throws IOException {
        String[] found = new String[hosts.size()];
        run.runOn(hosts, opening, (checkpoints, comm) -> {
            byte[] ints = new byte[800];
            checkpoints.protect(1, ints);
            checkpoints.recover(1);
            found[comm.rank()] = HexFormat.of().formatHex(ints);
        });
        return List.of(found);
    }

    /** Makes a run whose checkpoint C FTI has written on four hosts of one rank. */
    private RunFixture ofCFti(int level) throws IOException {
        Path golden = Golden.path("fti-ff", "v1.6-levels", "" + level);
        Path run = Files.createTempDirectory(directory, "c");
        for (String node : List.of("node0", "node1", "node2", "node3")) {
            Tamper.copy(golden.resolve("Local").resolve(node), run.resolve("hosts/" + node + "/Local"));
        }
        Tamper.copy(golden.resolve("Meta"), run.resolve("Meta"));
        Files.createDirectories(run.resolve("Global"));
        String config = Files.readString(golden.resolve("config.fti"));
        Files.writeString(
                run.resolve("config.fti"),
                config.replaceAll("(local_test += )1", "$10").replace("= ./", "= " + run + "/"));
        return RunFixture.at(run);
    }

    /** Makes a checkpoint one that C FTI wrote when it was started with ranks on these hosts, in places that they had before. */
    private static void nameAsCFti(RunFixture run, Level level, List<String> hosts) throws IOException {
        NioEngine storage = new NioEngine();
        int l = level.number();
        String execId = run.restartValue("exec_id");
        for (int group = 0; group < 2; group++) {
            Path path = run.directory().resolve("Meta/" + execId + "/l" + l + "/" + GroupMetadata.fileName(0, group));
            GroupMetadata metadata = MetadataFiles.read(path, storage);
            List<FileEntry> files = new ArrayList<>();
            for (int node = 0; node < NODES.size(); node++) {
                FileEntry file = metadata.files().get(node);
                int rank = hosts.indexOf(NODES.get(node)) + group;
                // Digests that C FTI writes.
                String md5 = file.checksum();
                String name = file.name().replaceFirst("Rank\\d", "Rank" + rank);
                FileEntry own = new FileEntry(
                        name, file.size(), file.maxSize(), md5, file.variables(), List.of(), file.rsedChecksum());
                files.add(own);
                Path local = run.localRoot(NODES.get(node)).resolve(execId).resolve("l" + l);
                Path global = run.directory().resolve("Global/" + execId + "/l4");
                Path directory = level == Level.L4 ? global : local;
                int place = 2 * node + group;
                for (String kind : List.of("Rank", "Pcof", "RSed")) {
                    for (String suffix : List.of(".fti", ".h5")) {
                        Path from = directory.resolve("Ckpt7-" + kind + place + suffix);
                        if (Files.exists(from)) {
                            Files.move(from, directory.resolve("c" + kind + rank + suffix));
                        }
                    }
                }
            }
            MetadataFiles.write(path, new GroupMetadata(metadata.type(), metadata.ckptId(), files), storage);
        }
        try (Stream<Path> walk = Files.walk(run.directory())) {
            for (Path file : walk.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                if (name.matches("c(Rank|Pcof|RSed).*")) {
                    Files.move(file, file.resolveSibling("Ckpt7-" + name.substring(1, 5) + name.substring(5)));
                }
            }
        }
        Files.delete(run.directory().resolve("Meta/" + execId + "/drumlin-commits"));
    }

    @ParameterizedTest
    @CsvSource({"KILL, 3, 3, false", "POWER_LOSS, 1, 2, true", "KILL, 1, 1, false", "POWER_LOSS, 3, 2, true"})
    void somePrefixesOfAMoveAreRecoverable(Crash crash, String ioMode, int level, boolean loss) throws IOException {
        prefixesOfAMove(crash, ioMode, level, loss, 30);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "KILL, 3, 1, false",
        "KILL, 3, 2, true",
        "KILL, 3, 3, true",
        "POWER_LOSS, 3, 1, false",
        "POWER_LOSS, 3, 2, true",
        "POWER_LOSS, 3, 3, false",
        "KILL, 1, 1, false",
        "KILL, 1, 2, true",
        "KILL, 1, 3, true",
        "POWER_LOSS, 1, 1, false",
        "POWER_LOSS, 1, 2, true",
        "POWER_LOSS, 1, 3, false",
        "KILL, 5, 3, true",
        "POWER_LOSS, 2, 2, false",
        "KILL, 4, 1, false"
    })
    void everyPrefixOfAMoveIsRecoverable(Crash crash, String ioMode, int level, boolean loss) throws IOException {
        prefixesOfAMove(crash, ioMode, level, loss, 1);
    }

    /** In whatever order the nodes come then. */
    private void prefixesOfAMove(Crash crash, String ioMode, int level, boolean loss, int stride) throws IOException {
        RunFixture run = run(ioMode, Map.of("basic.node_size", "1"));
        write(run, NODES, 1, Level.of(level));
        List<String> later = new ArrayList<>(List.of("n4", "n3", "n1", "n2"));
        if (loss) {
            run.loseDisk("n3");
            later.set(1, "n5");
        }
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        Files.createDirectories(run.localRoot("n5").getParent());
        CrashJournal journal = storage.record(run.directory());
        run.runOn(later, builder -> builder.storage(storage).open(), (checkpoints, comm) -> {});
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            Path copy = Files.createDirectory(directory.resolve("replay"));
            journal.replay(prefix, copy, crash, random);
            Path config = copy.resolve("config.fti");
            Files.writeString(
                    config, Files.readString(config).replace(run.directory().toString(), copy.toString()));
            List<String> then = new ArrayList<>(later);
            if (random.nextBoolean()) {
                Collections.shuffle(then, random);
            }
            try {
                readAtAnyLevel(RunFixture.at(copy), then, 1);
            } catch (IOException | AssertionError e) {
                throw new AssertionError("after " + prefix + " of " + journal.size() + " operations, nodes " + then, e);
            }
            DirectoryTree.delete(copy, new NioEngine());
        }
    }

    /** Nothing is lost where a node has no room for what is brought to it. */
    @ParameterizedTest
    @CsvSource({"1, 3", "3, 1", "3, 2"})
    void aFullNodeLosesNothing(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        write(run, block(NODES, 2), 1, Level.of(level));
        List<String> later = List.of("n4", "n2", "n1", "n3");
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        storage.fail(Operation.ALLOCATE, random.nextInt(8) + 1, "ENOSPC");
        assertThatThrownBy(() -> run.runOn(
                        block(later, 2), builder -> builder.storage(storage).open(), (c, comm) -> {}))
                .hasStackTraceContaining("ENOSPC")
                .hasStackTraceContaining("nothing is lost");
        read(run, block(later, 2), 1, Level.of(level));
    }

    private RunFixture run(String ioMode, Map<String, String> changes) throws IOException {
        return new RunFixture(
                Files.createTempDirectory(directory, "run"),
                RunFixture.settings(
                        "advanced.local_test=0, group_size=4, ckpt_io=" + ioMode + ", node_size=2", changes));
    }

    static void write(RunFixture run, List<String> hosts, int ckptId, Level level) throws IOException {
        run.runOn(hosts, (checkpoints, comm) -> {
            assertOrderAsGiven(checkpoints, comm);
            if (checkpoints.isRestart()) {
                checkpoints.protect(0, new int[values(comm.rank(), 0).length]);
                checkpoints.recover();
            }
            checkpoints.protect(0, values(comm.rank(), ckptId));
            checkpoints.checkpoint(ckptId, level);
        });
    }

    static void read(RunFixture run, List<String> hosts, int ckptId, Level level) throws IOException {
        run.runOn(hosts, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            assertHasItsOwn(checkpoints, comm, ckptId);
        });
    }

    /** All nodes have lost what they had. */
    private void readWithoutDisks(RunFixture run, List<String> hosts, int ckptId) throws IOException {
        NODES.forEach(host -> loseDisk(run, host));
        readAtAnyLevel(run, hosts, ckptId);
    }

    static void readAtAnyLevel(RunFixture run, List<String> hosts, int ckptId) throws IOException {
        run.runOn(hosts, (checkpoints, comm) -> assertHasItsOwn(checkpoints, comm, ckptId));
    }

    private static void assertHasItsOwn(Checkpoints checkpoints, Communicator comm, int ckptId) throws IOException {
        assertOrderAsGiven(checkpoints, comm);
        assertThat(checkpoints.lastCheckpoint()).contains(ckptId);
        assertRecovers(checkpoints, comm, ckptId);
    }

    static void assertRecovers(Checkpoints checkpoints, Communicator comm, int ckptId) throws IOException {
        int[] expected = values(comm.rank(), ckptId);
        int[] values = new int[expected.length];
        checkpoints.protect(0, values);
        checkpoints.recover();
        assertThat(values).as("rank %d", comm.rank()).isEqualTo(expected);
    }

    static void assertOrderAsGiven(Checkpoints checkpoints, Communicator comm) throws IOException {
        long before = checkpoints.communicator().exscan(1);
        assertThat(checkpoints.communicator().rank()).isEqualTo((int) before);
        long[] given = {-comm.rank()};
        checkpoints.communicator().allreduce(given, Communicator.Op.MAX);
        assertThat(checkpoints.communicator().rank() == 0).isEqualTo(given[0] == -comm.rank());
    }

    /** Not the same size on all ranks. */
    static int[] values(int rank, int ckptId) {
        int[] values = new int[500 + 33 * rank];
        Arrays.setAll(values, i -> 1_000_000 * ckptId + 10_000 * rank + i);
        return values;
    }

    /** Ranks that fill one node after the other. */
    public static List<String> block(List<String> nodes, int perNode) {
        return nodes.stream()
                .flatMap(node -> Collections.nCopies(perNode, node).stream())
                .toList();
    }

    /** Ranks that are dealt out to the nodes in turn. */
    static List<String> cyclic(List<String> nodes, int perNode) {
        return IntStream.range(0, perNode).boxed().flatMap(i -> nodes.stream()).toList();
    }

    private static List<List<String>> ordersOf(List<String> nodes) {
        if (nodes.isEmpty()) {
            return List.of(List.of());
        }
        List<List<String>> orders = new ArrayList<>();
        for (String first : nodes) {
            List<String> rest = new ArrayList<>(nodes);
            rest.remove(first);
            for (List<String> order : ordersOf(rest)) {
                List<String> whole = new ArrayList<>(List.of(first));
                whole.addAll(order);
                orders.add(whole);
            }
        }
        return orders;
    }
}
