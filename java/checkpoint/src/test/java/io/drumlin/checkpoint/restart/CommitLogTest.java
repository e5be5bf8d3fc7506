package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.recovery.CommitLog;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes come back with old disks that together have a whole checkpoint which was superseded: a restart takes the newest. */
@Tag("exhaustive")
class CommitLogTest {

    private static final List<String> HOSTS = List.of("n0", "n1", "n2", "n3");

    /** One of each group. */
    private static final List<String> HALF = List.of("n0", "n2");

    @TempDir
    Path directory;

    private List<String> hosts = HOSTS;
    private RunFixture run;
    private Path old;

    private void prepare(int ioMode) throws IOException {
        Map<String, String> config = new HashMap<>();
        config.put("basic.node_size", "1");
        config.put("basic.group_size", "2");
        config.put("basic.ckpt_io", Integer.toString(ioMode));
        config.put("basic.enable_dcp", "1");
        config.put("basic.dcp_mode", "1");
        config.put("basic.dcp_block_size", "512");
        config.put("advanced.local_test", "0");
        run = new RunFixture(Files.createDirectories(directory.resolve("run")), config);
        old = directory.resolve("old");
    }

    @ParameterizedTest
    @CsvSource({"L1, L4", "L2, L4", "L3, L4", "L2, L3", "L2, L2", "L3, L3", "L1, L4_DCP", "L3, L4_DCP"})
    void oldDisksHaveASupersededCheckpoint(Level former, Level newer) throws IOException {
        prepare(3);
        checkpoint(9, former, 1);
        remember();
        checkpoint(3, newer, 2);
        putBack(former == Level.L1 ? HOSTS : HALF);
        assertThat(restart()).containsOnly("2");
        assertThat(restart()).containsOnly("2");
    }

    /** In these modes the metadata say what there is, unless they are old too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 5})
    void theMetadataAreOldToo(int ioMode) throws IOException {
        prepare(ioMode);
        checkpoint(9, Level.L2, 1);
        remember();
        checkpoint(3, Level.L4, 2);
        putBack(HALF);
        String metadata = "Meta/" + run.restartValue("exec_id") + "/l2";
        Tamper.copy(old.resolve(metadata), run.directory().resolve(metadata));
        assertThat(restart()).containsOnly("2");
    }

    /** The modes have the same files at level 2, but not at level 4: the older checkpoint would be taken for the newest. */
    @ParameterizedTest
    @CsvSource({"2, 1", "4, 1", "1, 2", "2, 4"})
    void theNewestIsOfAnotherMode(int ioMode, String other) throws IOException {
        prepare(ioMode);
        checkpoint(9, Level.L2, 1);
        remember();
        checkpoint(3, Level.L4, 2);
        putBack(HALF);
        String metadata = "Meta/" + run.restartValue("exec_id") + "/l2";
        Tamper.copy(old.resolve(metadata), run.directory().resolve(metadata));
        List<String> files = run.files();
        String log = Files.readString(log());
        replace("ckpt_io", other);
        assertThatThrownBy(this::restart)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a newer checkpoint")
                .hasMessageContaining("at level 4")
                .hasMessageContaining("restart with the ckpt_io of the run");
        // Lost files of the older one have been rebuilt.
        assertThat(run.files()).containsAll(files);
        assertThat(Files.readString(log())).isEqualTo(log);
        replace("ckpt_io", Integer.toString(ioMode));
        assertThat(restart()).containsOnly("2");
    }

    @Test
    void theLastCheckpointWasKept() throws IOException {
        prepare(3);
        replace("keep_last_ckpt", "1");
        checkpoint(9, Level.L3, 1);
        remember();
        run.runOn(HOSTS, (checkpoints, comm) -> {
            take(checkpoints, comm.rank(), 3, Level.L2, 2);
            checkpoints.complete();
        });
        putBack(HALF);
        assertThat(restart()).containsOnly("2");
    }

    /** Without the newest there is the one before, and the log says so. */
    @ParameterizedTest
    @CsvSource({"L2, L4", "L3, L4", "L2, L3"})
    void theNewestIsLost(Level former, Level newer) throws IOException {
        prepare(3);
        checkpoint(9, former, 1);
        remember();
        checkpoint(3, newer, 2);
        putBack(HALF);
        for (Path file : files("Ckpt3-")) {
            Files.write(file, new byte[] {1});
        }
        List<String> said = EngineLog.messages(() -> assertThat(restart()).containsOnly("1"));
        assertThat(said)
                .anyMatch(line -> line.contains("checkpoint 9 of level " + former.number()
                        + " is older than checkpoint 3 of level " + newer.number()));
        // It is not deleted: who mends it has it again.
        assertThat(files("Ckpt3-")).isNotEmpty();
    }

    /** A disk is missing when the nodes come in another order, and is there again at the next start. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void aNewerOneStaysWhereFilesWereBroughtFromOtherNodes(int ioMode) throws IOException {
        prepare(ioMode);
        checkpoint(1, Level.L2, 1);
        checkpoint(2, Level.L1, 2);
        remember();
        run.loseDisk("n3");
        hosts = List.of("n1", "n0", "n3", "n2");
        assertThat(restart()).containsOnly("1");
        putBack(List.of("n3"));
        assertThat(restart()).containsOnly("2");
    }

    /**
     * A kill in the commit of checkpoint 3 leaves some of its files in the directory of unfinished ones, which is that of all levels. At
     * level 2 they come first and are not enough; the next there is checkpoint 1, and checkpoints 2 and 3 are at level 3.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void theNewestOfALowerLevelIsUnfinished(int ioMode) throws IOException {
        prepare(ioMode);
        checkpoint(1, Level.L2, 1);
        Path first = directory.resolve("first");
        Tamper.copy(run.directory(), first);
        checkpoint(2, Level.L3, 2);
        remember();
        checkpoint(3, Level.L3, 3);
        for (String host : HOSTS) {
            interrupt(run.localRoot(host), first, HALF.contains(host));
        }
        if (ioMode != 3) {
            interrupt(run.directory().resolve("Meta"), first, false);
        }
        assertThat(restart()).containsOnly("3");
    }

    /** @param renamed whether the new directory has its name already */
    private void interrupt(Path root, Path first, boolean renamed) throws IOException {
        String execId = run.restartValue("exec_id");
        Path here = root.resolve(execId);
        Path relative = run.directory().relativize(here);
        Tamper.copy(first.resolve(relative).resolve("l2"), here.resolve("l2"));
        if (!renamed) {
            Files.move(here.resolve("l3"), here.resolve("tmp"));
        }
        Tamper.copy(old.resolve(relative).resolve("l3"), here.resolve(renamed ? "drumlin-replaced-l3" : "l3"));
    }

    /** The newest is at two levels, and is whole at the second; between the two a restart would find an older one. */
    @Test
    void theNewestIsDamagedAtOneOfTwoLevels() throws IOException {
        prepare(3);
        checkpoint(9, Level.L2, 1);
        remember();
        checkpoint(3, Level.L4, 2);
        // Brings it to the nodes.
        assertThat(restart()).containsOnly("2");
        Path local = run.localRoot("n1").resolve(run.restartValue("exec_id")).resolve("l1");
        try (Stream<Path> copies = Files.list(local)) {
            Files.write(copies.findFirst().orElseThrow(), new byte[] {1});
        }
        for (String host : HALF) {
            Path disk = run.localRoot(host).resolve(run.restartValue("exec_id")).resolve("l2");
            Tamper.copy(old.resolve(run.directory().relativize(disk)), disk);
        }
        assertThat(restart()).containsOnly("2");
    }

    /** Without a log the level says what is newer: so it is with files of C FTI. */
    @Test
    void nothingIsKnown() throws IOException {
        prepare(3);
        checkpoint(9, Level.L2, 1);
        remember();
        checkpoint(3, Level.L4, 2);
        putBack(HALF);
        Files.delete(log());
        assertThat(restart()).containsOnly("1");
    }

    /** A job that is killed before its next checkpoint has not written that its last one was committed. */
    @Test
    void aRestartWritesDownAtOnceFromWhichCheckpointItGoesOn() throws IOException {
        prepare(3);
        checkpoint(9, Level.L4, 1);
        checkpoint(3, Level.L2, 2);
        Path log = log();
        String all = Files.readString(log);
        Files.writeString(log, all.substring(0, all.lastIndexOf("committed 3 ")));
        run.runOn(HOSTS, (checkpoints, comm) -> {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!Files.readString(log).contains("\ncommitted 3 ")) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.onSpinWait();
            }
            comm.barrier();
        });
    }

    /** One bit costs the line that it is in. */
    @Test
    void aDamagedLineIsNone() throws IOException {
        prepare(3);
        checkpoint(9, Level.L2, 1);
        remember();
        checkpoint(3, Level.L4, 2);
        putBack(HALF);
        Path log = log();
        String text = Files.readString(log);
        Files.writeString(
                log, "no such line\n" + text.substring(0, text.length() / 2) + "\n" + text + text.substring(0, 9));
        assertThat(restart()).containsOnly("2");
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < bytes.length; i++) {
            byte[] flipped = bytes.clone();
            flipped[i] ^= 1;
            Files.write(log, flipped);
            CommitLog read = new CommitLog(new SingleCommunicator(), log, new NioEngine());
            assertThat(read.entries()).as("bit in byte " + i).allMatch(entry -> text.contains(entry.words()));
        }
    }

    @Test
    void theLogDoesNotGrowForEver() throws IOException {
        prepare(3);
        checkpoint(1, Level.L4, 1);
        Path log = log();
        String line = Files.readString(log)
                        .lines()
                        .filter(each -> !each.isEmpty())
                        .findFirst()
                        .orElseThrow() + "\n";
        Files.writeString(log, line.repeat(2_000_000 / line.length()));
        checkpoint(2, Level.L4, 2);
        assertThat(Files.size(log)).isLessThan(1_100_000);
        assertThat(restart()).containsOnly("2");
    }

    private void replace(String key, String value) throws IOException {
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("(?m)^" + key + "( *)=.*$", key + "$1= " + value));
    }

    private void checkpoint(int ckptId, Level level, int value) throws IOException {
        run.runOn(HOSTS, (checkpoints, comm) -> {
            take(checkpoints, comm.rank(), ckptId, level, value);
            ((EngineCheckpoints) checkpoints).awaitDeletion();
        });
    }

    private static void take(Checkpoints checkpoints, int rank, int ckptId, Level level, int value) throws IOException {
        int[] values = new int[1000];
        checkpoints.protect(0, values);
        Arrays.fill(values, value * 1000 + rank);
        checkpoints.discardRestart();
        checkpoints.checkpoint(ckptId, level);
    }

    /** What each rank gets back: the value of its checkpoint if all is its own. */
    private List<String> restart() throws IOException {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(HOSTS.size(), "?"));
        run.runOn(hosts, (checkpoints, comm) -> {
            int[] values = new int[1000];
            checkpoints.protect(0, values);
            checkpoints.recover();
            int value = values[0] / 1000;
            boolean own = Arrays.stream(values).allMatch(each -> each == value * 1000 + comm.rank());
            synchronized (outcomes) {
                outcomes.set(comm.rank(), own ? Integer.toString(value) : "wrong: " + values[0]);
            }
        });
        return outcomes;
    }

    private Path log() throws IOException {
        return run.directory()
                .resolve("Meta")
                .resolve(run.restartValue("exec_id"))
                .resolve("drumlin-commits");
    }

    private void remember() throws IOException {
        Tamper.copy(run.directory(), old);
    }

    private void putBack(List<String> hosts) throws IOException {
        for (String host : hosts) {
            run.loseDisk(host);
            Path disk = run.localRoot(host);
            Tamper.copy(old.resolve(run.directory().relativize(disk)), disk);
        }
    }

    private List<Path> files(String part) throws IOException {
        try (Stream<Path> all = Files.walk(run.directory())) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().startsWith(part))
                    .toList();
        }
    }
}
