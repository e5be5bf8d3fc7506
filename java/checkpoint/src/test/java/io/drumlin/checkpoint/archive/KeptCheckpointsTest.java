package io.drumlin.checkpoint.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints.Kept;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Earlier checkpoints of level 4 that a run keeps: {@code keep}, {@code keep_every} and {@code keep_size}. */
class KeptCheckpointsTest {

    private static final long HOUR = 3_600_000_000_000L;

    @TempDir
    Path directory;

    private Set<Integer> ids(RunFixture run, String folder) throws IOException {
        Set<Integer> ids = new TreeSet<>();
        for (Path file :
                PathStatus.entries(directory.resolve("Global/" + run.restartValue("exec_id") + "/" + folder))) {
            ids.add(Integer.valueOf(file.getFileName().toString().replaceAll("Ckpt(\\d+)-.*", "$1")));
        }
        return ids;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theNewestAreKeptAndRecovered(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "3"));
        run.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1, 2, 3, 4, 5, 6, 7));
        assertThat(ids(run, "l4_archive")).containsExactly(5, 6);
        assertThat(ids(run, "l4")).containsExactly(7);
        Path meta = directory.resolve("Meta/" + run.restartValue("exec_id"));
        if (!ioMode.equals("3")) {
            assertThat(PathStatus.entries(meta.resolve("l4_archive")))
                    .extracting(each -> each.getFileName().toString())
                    .containsExactly("Ckpt_5", "Ckpt_6");
        }
        assertThat(Files.readString(meta.resolve("Checkpoint.fti")))
                .contains("[checkpoint_id.5]", "[checkpoint_id.7]")
                .doesNotContain("checkpoint_id.1]", "checkpoint_id.2]", "checkpoint_id.3]");

        for (Path file : PathStatus.entries(directory.resolve("Global/" + run.restartValue("exec_id") + "/l4"))) {
            Files.write(file, new byte[10]);
        }
        run.run(2, (checkpoints, comm) -> {
            assertThat(Pair.recovered(checkpoints)).containsExactly(6, comm.rank());
        });
    }

    /** A restart has read it and gone on from an older one. It would keep a whole one from its place. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aDamagedOneIsNotKept(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "3"));
        run.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1, 2, 3));
        damage(directory.resolve("Global/" + run.restartValue("exec_id") + "/l4"));
        run.run(2, (checkpoints, comm) -> {
            assertThat(recovered(checkpoints)).containsExactly(2, comm.rank());
            Pair.take(checkpoints, Level.L4, 5);
        });
        assertThat(ids(run, "l4_archive")).containsExactly(1, 2);
        run.run(2, (checkpoints, comm) -> {
            assertThat(recovered(checkpoints)).containsExactly(5, comm.rank());
            Pair.take(checkpoints, Level.L4, 6);
        });
        assertThat(ids(run, "l4_archive")).containsExactly(2, 5);
    }

    /** The file was away, and a restart has gone on from an older one; then it is back, and the next restart takes it. */
    @Test
    void oneThatIsWholeAgainIsKept() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", "3", "drumlin.keep", "3"));
        run.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1, 2, 3));
        Path level = directory.resolve("Global/" + run.restartValue("exec_id") + "/l4");
        Path away = directory.resolve("away");
        Files.move(level.resolve("Ckpt3-Rank0.fti"), away);
        run.run(2, (checkpoints, comm) -> assertThat(recovered(checkpoints)).containsExactly(2, comm.rank()));
        Files.move(away, level.resolve("Ckpt3-Rank0.fti"));
        run.run(2, (checkpoints, comm) -> {
            assertThat(recovered(checkpoints)).containsExactly(3, comm.rank());
            Pair.take(checkpoints, Level.L4, 4);
        });
        assertThat(ids(run, "l4_archive")).containsExactly(2, 3);
    }

    /** As at level 4, with the checkpoints that stay on the nodes. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aDamagedOneIsNotKeptOnNodes(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep_l1", "3"));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4, 1);
            for (int id = 2; id <= 4; id++) {
                checkpoints.protect(0, new int[] {id, comm.rank()});
                checkpoints.checkpoint(id, Level.L1);
            }
        });
        Path local = directory.resolve("Local/node0/" + run.restartValue("exec_id"));
        damage(local.resolve("l1"));
        run.run(2, (checkpoints, comm) -> {
            assertThat(recovered(checkpoints)).containsExactly(1, comm.rank());
            checkpoints.checkpoint(6, Level.L1);
        });
        assertThat(local.resolve("drumlin-kept-l1-4")).doesNotExist();
        assertThat(local.resolve("drumlin-kept-l1-3")).exists();
        assertThat(local.resolve("drumlin-kept-l1-2")).exists();
    }

    private static void damage(Path level) throws IOException {
        for (Path file : PathStatus.entries(level)) {
            Files.write(file, new byte[10]);
        }
    }

    private static int[] recovered(Checkpoints checkpoints) throws IOException {
        int[] values = {0, 0};
        checkpoints.protect(0, values);
        checkpoints.recover();
        return values;
    }

    /** Data and metadata are in one directory. */
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "3, 0", "4, 0", "5, 0", "1, 1", "3, 1"})
    void metadataMayLieWithTheData(String ioMode, String keepL4) throws IOException {
        RunFixture run = new RunFixture(
                directory,
                Map.of(
                        "basic.ckpt_io",
                        ioMode,
                        "basic.meta_dir",
                        directory.resolve("Global").toString(),
                        "basic.keep_l4_ckpt",
                        keepL4,
                        "drumlin.keep",
                        keepL4.equals("1") ? "1" : "3"));
        run.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1, 2, 3, 4));
        Path own = directory.resolve("Global/" + run.restartValue("exec_id"));
        for (Path file : PathStatus.entries(own.resolve("l4"))) {
            if (file.getFileName().toString().startsWith("Ckpt")) {
                Files.write(file, new byte[10]);
            }
        }
        run.run(2, (checkpoints, comm) -> {
            assertThat(Pair.recovered(checkpoints)).containsExactly(3, comm.rank());
            Pair.take(checkpoints, Level.L4, 5);
            checkpoints.complete();
        });
        assertThat(PathStatus.entries(own.resolve("l4_archive")))
                .extracting(each -> each.getFileName().toString())
                .anyMatch(name -> name.startsWith("Ckpt5-"))
                .doesNotContain("Ckpt_damaged");
    }

    /** The run is over, and what was kept can still be restored. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aCompletedRunLeavesWhatItKept(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "3"));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4, 1, 2, 3, 4, 5);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("0");
        assertThat(ids(run, "l4_archive")).containsExactly(3, 4, 5);
    }

    /** A kill may have interrupted the deletion, or the move to the archive. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void whatAKillHasLeftIsDeletedNextTime(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "5"));
        run.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1, 2, 3, 4, 5));
        Path archive = directory.resolve("Global/" + run.restartValue("exec_id") + "/l4_archive");
        Files.delete(PathStatus.entries(archive).get(0));
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("(?m)^keep +=.*", "keep = 2"));
        run.run(2, (checkpoints, comm) -> {
            assertThat(Pair.recovered(checkpoints)).containsExactly(5, comm.rank());
            Pair.take(checkpoints, Level.L4, 6);
        });
        assertThat(ids(run, "l4_archive")).containsExactly(5);
    }

    @ParameterizedTest
    @CsvSource({
        "keep, 0, allowed: 1 to 1000000",
        "keep_every, 6 years, a time such as 6h",
        "keep_every, 0h, a time such as 6h",
        "keep_size, 12, a size such as 500G",
        "keep_size, 500G, nothing without keep"
    })
    void refusesWhatMakesNoSense(String key, String value, String message) {
        String text = "[basic]\n[drumlin]\n" + key + " = " + value + "\n";
        assertThatThrownBy(() ->
                        new RunFixture(directory, Map.of("drumlin." + key, value)).run(1, (checkpoints, comm) -> {}))
                .as(text)
                .hasMessageContaining("[drumlin] " + key)
                .hasMessageContaining(message);
    }

    @Test
    void keepsAllOrSome() {
        assertThatThrownBy(() -> new RunFixture(directory, Map.of("basic.keep_l4_ckpt", "1", "drumlin.keep", "3"))
                        .run(1, (checkpoints, comm) -> {}))
                .hasMessageContaining("keep_l4_ckpt")
                .hasMessageContaining("all checkpoints are kept");
    }

    @Test
    void readsTimesAndSizes() throws IOException {
        RunFixture run = new RunFixture(directory, "drumlin.keep=4, drumlin.keep_every=1.5h, drumlin.keep_size=2T");
        FtiConfig config = FtiConfig.parse(Files.readString(run.config()), "config.fti");
        assertThat(config.kept()).isEqualTo(rule(false, 4, Duration.ofMinutes(90), 2L << 40));
    }

    private static KeptCheckpoints rule(boolean all, int newest, Duration every, long mostBytes) {
        return new KeptCheckpoints(all, newest, every, mostBytes, List.of(1, 1, 1));
    }

    private static Set<Integer> kept(KeptCheckpoints rule, List<Kept> archived, long current) {
        Set<Integer> ids = new TreeSet<>();
        archived.forEach(each -> ids.add(each.ckptId()));
        rule.superfluous(archived, current).forEach(each -> ids.remove(each.ckptId()));
        return ids;
    }

    @Test
    void theOldestGoWhenSpaceIsShort() {
        List<Kept> archived = new ArrayList<>();
        for (int id = 9; id >= 1; id--) {
            archived.add(new Kept(id, id, 10));
        }
        assertThat(kept(rule(false, 6, Duration.ZERO, 45), archived, 10)).containsExactly(7, 8, 9);
        assertThat(kept(rule(false, 6, Duration.ZERO, 5), archived, 10)).isEmpty();
        assertThat(kept(rule(true, 1, Duration.ZERO, 0), archived, 10)).hasSize(9);
    }

    /** One checkpoint after the other: what is kept has the given time between it, and nothing that was kept goes later. */
    @Test
    void olderOnesAreSpaced() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        KeptCheckpoints rule = rule(false, 3, Duration.ofHours(6), 0);
        Map<Integer, Kept> archive = new TreeMap<>();
        List<Kept> all = new ArrayList<>();
        Set<Integer> spaced = new TreeSet<>();
        long time = 0;
        for (int id = 1; id <= 300; id++) {
            time += (long) (random.nextDouble() * 4 * HOUR);
            Kept taken = new Kept(id, time, 1);
            archive.put(id, taken);
            all.add(taken);
            List<Kept> newestFirst = new ArrayList<>(archive.values());
            Collections.reverse(newestFirst);
            rule.superfluous(newestFirst, 1).forEach(gone -> archive.remove(gone.ckptId()));
            List<Kept> left = List.copyOf(archive.values());
            List<Kept> old = left.subList(0, Math.max(0, left.size() - 2));
            for (int i = 1; i < old.size(); i++) {
                assertThat(old.get(i).nanos() - old.get(i - 1).nanos()).isGreaterThanOrEqualTo(6 * HOUR);
            }
            old.forEach(each -> spaced.add(each.ckptId()));
            assertThat(archive.keySet()).containsAll(spaced);
            assertThat(archive).containsKey(id);
        }
        assertThat(spaced).hasSizeGreaterThan(20).contains(1);
    }
}
