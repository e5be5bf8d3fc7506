package io.drumlin.checkpoint.nodes;

import static io.drumlin.checkpoint.nodes.NodeOrderTest.block;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.cyclic;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.read;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.readAtAnyLevel;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.values;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Disks come back on hosts of other names: a restart looks at what a node has, and not at what it is called. */
@Tag("exhaustive")
class NodeDiskTest {

    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

    @TempDir(factory = InMemory.class)
    Path directory;

    private final Random random = new Random();
    private final long seed = random.nextLong();

    NodeDiskTest() {
        random.setSeed(seed);
        System.out.println("NodeDiskTest: seed " + seed);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "2, 3", "3, 1", "3, 2", "5, 1"})
    void someNames(String ioMode, int level) throws IOException {
        changeNames(ioMode, level);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "2, 1", "2, 3", "3, 1", "3, 2", "3, 3", "4, 2", "5, 1", "5, 3"})
    void manyNames(String ioMode, int level) throws IOException {
        for (int i = 0; i < 40; i++) {
            changeNames(ioMode, level);
        }
    }

    private void changeNames(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        boolean cyclic = random.nextBoolean();
        List<String> hosts = NODES;
        write(run, ranks(hosts, cyclic), 1, Level.of(level));
        for (int ckptId = 1; ckptId <= 3; ckptId++) {
            hosts = otherNames(run, hosts);
            read(run, ranks(hosts, cyclic), ckptId, Level.of(level));
            hosts = otherNames(run, hosts);
            cyclic = random.nextBoolean();
            if (level > 1) {
                hosts.set(random.nextInt(4), "lost" + ckptId);
            }
            readAtAnyLevel(run, ranks(hosts, cyclic), ckptId);
            hosts = otherNames(run, hosts);
            write(run, ranks(hosts, cyclic), ckptId + 1, Level.of(level));
        }
    }

    /** The rule of C FTI: places keep their data. */
    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1"})
    void placesKeepTheirData(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        RunFixture.Opening opening = builder -> builder.orderOfNodes().open();
        run.runOn(block(NODES, 2), opening, (checkpoints, comm) -> {
            checkpoints.protect(0, values(checkpoints.communicator().rank(), 1));
            checkpoints.checkpoint(1, Level.of(level));
        });
        List<String> hosts = NODES;
        for (int i = 0; i < 3; i++) {
            hosts = otherNames(run, hosts);
            run.runOn(block(hosts, 2), opening, (checkpoints, comm) -> {
                int[] expected = values(checkpoints.communicator().rank(), 1);
                int[] found = new int[expected.length];
                checkpoints.protect(0, found);
                checkpoints.recover();
                assertThat(found).as("seed %d", seed).isEqualTo(expected);
            });
        }
    }

    /** The disk that a node had before its last one was replaced comes back on another node. */
    @Test
    void anOldDiskTakesNoPlaceOfANewerOne() throws IOException {
        RunFixture run = run("3", Map.of());
        write(run, block(NODES, 2), 1, Level.L2);
        move(run, "n2", "old");
        write(run, block(NODES, 2), 2, Level.L2);
        read(run, block(List.of("n3", "old", "n4", "n2"), 2), 2, Level.L2);
    }

    @Test
    void ofTwoCopiesOfADiskTheNodeThatKeepsItsNameKeepsItsPlace() throws IOException {
        RunFixture run = run("3", Map.of());
        write(run, block(NODES, 2), 1, Level.L2);
        run.loseDisk("n3");
        Tamper.copy(run.localRoot("n2"), run.localRoot("a0"));
        for (int i = 0; i < 2; i++) {
            read(run, block(List.of("a0", "n2", "n4", "n1"), 2), 1, i == 0 ? Level.L2 : Level.L1);
        }
    }

    /** As in runs of C FTI. */
    @Test
    void disksWithoutAnIdAreKnownByTheNamesOfTheirNodes() throws IOException {
        RunFixture run = run("3", Map.of());
        write(run, block(NODES, 2), 1, Level.L2);
        forget(run);
        List<String> hosts = List.of("n3", "n1", "n4", "n2");
        read(run, block(hosts, 2), 1, Level.L2);
        List<String> others = otherNames(run, hosts);
        read(run, block(others, 2), 1, Level.L1);
    }

    @Test
    void aDamagedIdIsNone() throws IOException {
        RunFixture run = run("3", Map.of());
        write(run, block(NODES, 2), 1, Level.L2);
        Files.writeString(disk(run, "n2"), "\0\0\0\0");
        Files.writeString(disk(run, "n4"), "");
        read(run, block(List.of("n3", "n1", "n4", "n2"), 2), 1, Level.L2);
    }

    /** The name alone could lead to another place. */
    @Test
    void anIdThatCannotBeReadNowStopsTheStart() throws IOException {
        RunFixture run = run("3", Map.of("drumlin.on_unreadable", "stop"));
        write(run, block(NODES, 2), 1, Level.L2);
        Files.delete(disk(run, "n2"));
        makeUnreadable(disk(run, "n2"));
        assertThatThrownBy(() -> read(run, block(NODES, 2), 1, Level.L2))
                .hasMessageContaining("reading the id of the disk")
                .hasMessageContaining("drumlin-disk")
                .hasMessageContaining("EIO");
        Path config = run.config();
        Files.writeString(config, Files.readString(config).replaceAll("on_unreadable +=.*", "on_unreadable = older"));
        read(run, block(NODES, 2), 1, Level.L2);
    }

    /** A lone node has no other place to go. */
    @Test
    void aRunOnOneNodeDoesNotAskForTheId() throws IOException {
        RunFixture run = run("3", Map.of("drumlin.on_unreadable", "stop", "basic.group_size", "1"));
        write(run, block(List.of("n1"), 2), 1, Level.L1);
        assertThat(disk(run, "n1")).doesNotExist();
        makeUnreadable(disk(run, "n1"));
        read(run, block(List.of("n1"), 2), 1, Level.L1);
    }

    /** The first page cannot be read: EIO. */
    private static void makeUnreadable(Path file) throws IOException {
        Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
    }

    @ParameterizedTest
    @CsvSource({"KILL, 3, 2", "POWER_LOSS, 3, 1", "POWER_LOSS, 1, 3"})
    void somePrefixesOfARestartUnderOtherNames(Crash crash, String ioMode, int level) throws IOException {
        prefixes(crash, ioMode, level, 40);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"KILL, 3, 1", "KILL, 3, 2", "KILL, 1, 3", "POWER_LOSS, 3, 1", "POWER_LOSS, 3, 2", "POWER_LOSS, 1, 3"})
    void everyPrefixOfARestartUnderOtherNames(Crash crash, String ioMode, int level) throws IOException {
        prefixes(crash, ioMode, level, 1);
    }

    private void prefixes(Crash crash, String ioMode, int level, int stride) throws IOException {
        RunFixture run = run(ioMode, Map.of("basic.node_size", "1"));
        write(run, NODES, 1, Level.of(level));
        List<String> hosts = otherNames(run, NODES);
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        CrashJournal journal = storage.record(run.directory());
        run.runOn(hosts, builder -> builder.storage(storage).open(), (checkpoints, comm) -> {});
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            Path copy = Files.createDirectory(directory.resolve("replay"));
            journal.replay(prefix, copy, crash, random);
            Path config = copy.resolve("config.fti");
            Files.writeString(
                    config, Files.readString(config).replace(run.directory().toString(), copy.toString()));
            RunFixture then = RunFixture.at(copy);
            try {
                readAtAnyLevel(then, otherNames(then, hosts), 1);
            } catch (IOException | AssertionError e) {
                throw new AssertionError(
                        "seed " + seed + ", after " + prefix + " of " + journal.size() + " operations", e);
            }
            DirectoryTree.delete(copy, new NioEngine());
        }
    }

    private RunFixture run(String ioMode, Map<String, String> changes) throws IOException {
        return new RunFixture(
                Files.createTempDirectory(directory, "run"),
                RunFixture.settings(
                        "advanced.local_test=0, group_size=4, ckpt_io=" + ioMode + ", node_size=2", changes));
    }

    private static List<String> ranks(List<String> hosts, boolean cyclic) {
        return cyclic ? cyclic(hosts, 2) : block(hosts, 2);
    }

    /** Moves all disks to hosts of other names, of which some are names that other disks had; returns the hosts in a new order. */
    private List<String> otherNames(RunFixture run, List<String> hosts) throws IOException {
        Set<String> known = new TreeSet<>(hosts);
        known.addAll(List.of("a0", "z9"));
        List<String> names = new ArrayList<>(known);
        Collections.shuffle(names, random);
        List<String> others = new ArrayList<>(names.subList(0, hosts.size()));
        for (String host : hosts) {
            move(run, host, "from-" + host);
        }
        for (int i = 0; i < hosts.size(); i++) {
            move(run, "from-" + hosts.get(i), others.get(i));
        }
        Collections.shuffle(others, random);
        return others;
    }

    private static void move(RunFixture run, String host, String other) throws IOException {
        run.loseDisk(other);
        if (Files.exists(run.localRoot(host))) {
            Files.createDirectories(run.localRoot(other).getParent());
            Files.move(run.localRoot(host), run.localRoot(other));
        }
    }

    private static Path disk(RunFixture run, String host) throws IOException {
        return run.localRoot(host).resolve(run.restartValue("exec_id")).resolve("drumlin-disk");
    }

    private static void forget(RunFixture run) throws IOException {
        Path topology = run.file("Topology.fti");
        String text = Files.readString(topology);
        assertThat(text).contains("[drumlin.disks]");
        String withoutDigest = text.replaceFirst("(?m)^digest .*$", "");
        Files.writeString(topology, withoutDigest.replaceAll("(?s)\\[drumlin\\.disks][^\\[]*", ""));
        for (String node : NODES) {
            Files.delete(disk(run, node));
        }
    }
}
