package io.drumlin.checkpoint.costs;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code slab_memory} says how much memory the slabs take, and nothing in the files. */
class SlabMemoryTest {

    private static final int RANKS = 3;

    private static final List<Level> LEVELS = List.of(Level.L4, Level.L3, Level.L2, Level.L1);

    @TempDir
    private Path directory;

    /** Slabs of 64 KiB and of 1 MiB leave the same bytes, and each of them finds and makes again what the other has written. */
    @Test
    void isNotToBeSeenInTheFiles() throws IOException {
        checkFiles("1", "0", new FaultyEngine(new NioEngine(), false));
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"2, 0", "3, 0", "3, 1"})
    void isNotToBeSeenInTheFilesOfOtherModesAndOfHeads(String ioMode, String heads) throws IOException {
        checkFiles(ioMode, heads, StorageEngines.best());
    }

    private void checkFiles(String ioMode, String heads, StorageEngine engine) throws IOException {
        RunFixture small = checkpointed("small", ioMode, heads, "2", engine);
        RunFixture usual = checkpointed("usual", ioMode, heads, "32", engine);
        Map<String, byte[]> files = contents(small);
        assertThat(files).containsOnlyKeys(contents(usual).keySet());
        if (!"3".equals(ioMode)) {
            // There the files tell the time.
            contents(usual).forEach((name, bytes) -> assertThat(Arrays.equals(files.get(name), bytes))
                    .as(name)
                    .isTrue());
        }
        restart(small, "32", heads, engine);
        restart(usual, "2", heads, engine);
    }

    private RunFixture checkpointed(String name, String ioMode, String heads, String memory, StorageEngine engine)
            throws IOException {
        Map<String, String> changes = RunFixture.settings("ckpt_io=" + ioMode + ", head=" + heads + ", group_size="
                + RANKS + ", node_size=" + (1 + Integer.parseInt(heads)) + ", drumlin.slab_memory=" + memory);
        for (Level level : List.of(Level.L2, Level.L3, Level.L4)) {
            changes.put("basic.inline_l" + level.number(), "1".equals(heads) ? "0" : "1");
        }
        RunFixture run = new RunFixture(Files.createDirectory(directory.resolve(name)), changes);
        onEachRank(run, heads, engine, (checkpoints, comm) -> {
            byte[] values = protect(checkpoints, comm);
            for (Level level : LEVELS) {
                fill(values, comm.rank(), level);
                checkpoints.checkpoint(10 - level.number(), level);
            }
            ((EngineCheckpoints) checkpoints).awaitDeletion();
        });
        return run;
    }

    private static void onEachRank(RunFixture run, String heads, StorageEngine engine, RunFixture.Body body)
            throws IOException {
        run.run(
                RANKS * (1 + Integer.parseInt(heads)),
                (builder, rank) -> builder.storage(engine),
                (checkpoints, comm) -> {
                    body.run(checkpoints, comm);
                });
    }

    /** The files of the first node are lost, then all of level 2 and those of level 3 on the first node, then all on the nodes. */
    private static void restart(RunFixture run, String memory, String heads, StorageEngine engine) throws IOException {
        IniFile config = IniFile.parse(Files.readString(run.config()), "config");
        Files.writeString(
                run.config(), config.with("drumlin", "slab_memory", memory).text());
        Path local = run.directory().resolve("Local");
        lose(local.resolve("node0"));
        recover(run, heads, Level.L2, engine);
        String execId = run.restartValue("exec_id");
        lose(local.resolve("node0"));
        for (int node = 1; node < RANKS; node++) {
            lose(local.resolve("node" + node).resolve(execId).resolve("l2"));
        }
        recover(run, heads, Level.L3, engine);
        lose(local);
        recover(run, heads, Level.L4, engine);
    }

    private static void lose(Path directory) throws IOException {
        assertThat(directory).isDirectory();
        DirectoryTree.delete(directory, new NioEngine());
    }

    private static void recover(RunFixture run, String heads, Level level, StorageEngine engine) throws IOException {
        onEachRank(run, heads, engine, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            byte[] values = protect(checkpoints, comm);
            checkpoints.recover();
            assertThat(values).isEqualTo(fill(values.clone(), comm.rank(), level));
        });
    }

    private static Map<String, byte[]> contents(RunFixture run) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        for (String file : run.files()) {
            if (!file.startsWith("Meta")) {
                String name = file.replace("X", run.restartValue("exec_id"));
                contents.put(file, Files.readAllBytes(run.directory().resolve(name)));
            }
        }
        return contents;
    }

    /** A checkpoint takes all slabs before ranks exchange messages, and as many as it needs otherwise. */
    @ParameterizedTest
    @CsvSource({"3, L2, 2", "64, L3, 64", "4, L1, 4", "32, L1, 6"})
    void isWhatTheSlabsTake(String memory, Level level, int mebibytes) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, group_size=2, drumlin.slab_memory=" + memory);
        long[] taken = new long[2];
        ThreadCommunicator.run(taken.length, comm -> {
            AtomicLong bytes = new AtomicLong();
            try (Checkpoints checkpoints = new EngineBuilder(run.config())
                    .communicator(comm)
                    .storage(counting(new FaultyEngine(new NioEngine(), false), bytes))
                    .open()) {
                checkpoints.protect(0, new byte[5 << 20]);
                checkpoints.checkpoint(1, level);
            }
            taken[comm.rank()] = bytes.get();
        });
        assertThat(taken).containsOnly((long) mebibytes << 20);
    }

    /** The same engine, with the bytes of memory that are asked of it added up. */
    private static StorageEngine counting(StorageEngine real, AtomicLong bytes) {
        return (StorageEngine) Proxy.newProxyInstance(
                SlabMemoryTest.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    if ("allocate".equals(method.getName())) {
                        bytes.addAndGet((int) arguments[0]);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Odd and even sizes of several slabs, and not the same on all ranks. */
    private static byte[] protect(Checkpoints checkpoints, Communicator comm) {
        byte[] values = new byte[200_001 + 70_000 * comm.rank()];
        checkpoints.protect(0, values);
        return values;
    }

    private static byte[] fill(byte[] values, int rank, Level level) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (31 * i + (i >>> 12) + 7 * rank + level.number());
        }
        return values;
    }
}
