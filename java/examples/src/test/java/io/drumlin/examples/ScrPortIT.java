package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The program ported from SCR in processes of its own: losing nodes, and killed while it flushes. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("exhaustive")
class ScrPortIT {

    private static final int RANKS = 4;

    @TempDir
    Path folder;

    private static final String PROGRAM = "io.drumlin.examples.ScrPort";

    private String[] arguments(String copyType, int steps, int threads) {
        return new String[] {
            folder.resolve("prefix").toString(),
            copyType,
            folder.resolve("caches").toString(),
            Integer.toString(steps),
            Integer.toString(threads)
        };
    }

    private List<String> java(String copyType, int steps, int threads) {
        return JavaCommand.of(PROGRAM, arguments(copyType, steps, threads));
    }

    private List<String> mpirun(String copyType, int steps) {
        return JavaCommand.mpirun(RANKS, PROGRAM, arguments(copyType, steps, 0));
    }

    private static ProcessBuilder builder(List<String> command, String flush) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SCR_FLUSH", flush);
        builder.environment().put("SCR_CACHE_SIZE", "2");
        return builder;
    }

    private static String run(List<String> command, String flush) throws IOException, InterruptedException {
        Process process = builder(command, flush).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Tag("native")
    @Test
    void comesBackUnderMpirunFromTheCachesThatAreLeft() throws IOException, InterruptedException {
        comeBackUnderMpirun("RS", "03");
    }

    @ParameterizedTest
    @CsvSource({"PARTNER, 1", "XOR, 2"})
    @Tag("native")
    @Tag("soak")
    void comesBackUnderMpirunWithOtherCopyTypes(String copyType, String lost) throws IOException, InterruptedException {
        comeBackUnderMpirun(copyType, lost);
    }

    private void comeBackUnderMpirun(String copyType, String lost) throws IOException, InterruptedException {
        assertThat(run(mpirun(copyType, 2), "0")).contains("start 0", "end");
        for (char node : lost.toCharArray()) {
            delete(folder.resolve("caches").resolve("node" + node));
        }
        assertThat(run(mpirun(copyType, 3), "0")).contains("start 2", "done 3", "end");
        assertThat(prefix().index()).as("nothing was flushed").doesNotExist();
    }

    /** As in C the library ends the process, all in order. */
    @Test
    void endsByItselfWhenTheJobIsToHalt() throws IOException, InterruptedException {
        new HaltFile(prefix(), new NioEngine()).update(change -> change.checkpointsLeft(OptionalLong.of(2)));
        ProcessBuilder builder = builder(java("XOR", Integer.MAX_VALUE, RANKS), "10");
        builder.environment().put("SCR_HALT_EXIT", "1");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("done 1").doesNotContain("done 2", "end");
        assertThat(new HaltFile(prefix(), new NioEngine()).read().exitReason()).contains("NO_CHECKPOINTS_LEFT");
        assertThat(complete()).as("flushed at the end").isEqualTo(2);
    }

    /** When a kill comes. */
    private enum Moment {
        /** One process dies while files are being copied. */
        FLUSH,
        /** All die while the index is being replaced. */
        INDEX_UPDATE
    }

    @Test
    void killsOfThreadsLeaveOnlyWholeDatasets() throws IOException, InterruptedException {
        kill(2, java("XOR", Integer.MAX_VALUE, RANKS), Moment.FLUSH);
        kill(1, java("XOR", Integer.MAX_VALUE, RANKS), Moment.INDEX_UPDATE);
        restartsFromThePrefix();
    }

    @Tag("native")
    @Test
    void killsOfProcessesLeaveOnlyWholeDatasets() throws IOException, InterruptedException {
        kill(1, mpirun("XOR", Integer.MAX_VALUE), Moment.FLUSH);
        restartsFromThePrefix();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("native")
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void manyKillsOfProcessesLeaveOnlyWholeDatasets(Moment moment) throws IOException, InterruptedException {
        kill(50, mpirun("XOR", Integer.MAX_VALUE), moment);
        restartsFromThePrefix();
    }

    private void kill(int times, List<String> command, Moment moment) throws IOException, InterruptedException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int hits = 0;
        for (int kill = 0; kill < times; kill++) {
            int before = complete();
            runAndKill(command, moment, random, before);
            hits += isWithin(moment) ? 1 : 0;
            assertThat(complete()).isGreaterThanOrEqualTo(before);
        }
        System.out.printf("seed %d: %d of %d kills came within %s%n", seed, hits, times, moment);
    }

    /** Lets it take one checkpoint or two and kills it within the next. */
    private void runAndKill(List<String> command, Moment moment, Random random, int before)
            throws IOException, InterruptedException {
        Process process = builder(command, "1").start();
        List<ProcessHandle> ranks = List.of();
        try (BufferedReader lines = process.inputReader()) {
            int wanted = 1 + random.nextInt(2);
            List<String> output = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                if (line.startsWith("start ")) {
                    // The caches may have one that the prefix directory lacks.
                    assertThat(Integer.parseInt(line.substring(6))).isBetween(before, before + 1);
                } else if (line.startsWith("done ") && --wanted == 0) {
                    ranks = ranks(process);
                    await(moment, Integer.parseInt(line.substring(5)), process);
                    spin(random.nextInt(5_000_000));
                    // Not those of Process, which closes the stream.
                    if (moment == Moment.FLUSH) {
                        ranks.get(random.nextInt(ranks.size())).destroyForcibly();
                    } else {
                        ranks.forEach(ProcessHandle::destroyForcibly);
                    }
                }
            }
            process.waitFor();
            assertThat(wanted).as(String.join("\n", output)).isNotPositive();
        } finally {
            ranks.forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            ranks.forEach(rank -> rank.onExit().join());
        }
    }

    /** Below mpirun, or the process itself. */
    private static List<ProcessHandle> ranks(Process process) {
        List<ProcessHandle> below = process.descendants().toList();
        return below.isEmpty() ? List.of(process.toHandle()) : below;
    }

    private void await(Moment moment, int done, Process process) {
        Path sign =
                folder.resolve("prefix").resolve(moment == Moment.FLUSH ? "ckpt." + (done + 1) : ".scr/index.scr.new");
        while (process.isAlive() && !Files.exists(sign)) {
            Thread.onSpinWait();
        }
    }

    /** Whether what the kill left shows that it came at its moment. */
    private boolean isWithin(Moment moment) throws IOException {
        if (moment == Moment.INDEX_UPDATE) {
            return Files.exists(folder.resolve("prefix/.scr/index.scr.new"));
        }
        return !index().read().records().get(0).isComplete();
    }

    /** Looks at all that the index lists as complete. The newest checkpoint that is. */
    private int complete() throws IOException {
        if (!Files.exists(index().path())) {
            return 0;
        }
        int newest = 0;
        for (IndexRecord record : index().read().records()) {
            if (record.isComplete()) {
                DatasetMetadata metadata = DatasetMetadata.of(prefix(), record, new NioEngine());
                metadata.checkContent(metadata.check());
                newest = Math.max(newest, Integer.parseInt(record.name().substring("ckpt.".length())));
            }
        }
        return newest;
    }

    /** All caches are lost too: what is left is what was flushed. */
    private void restartsFromThePrefix() throws IOException, InterruptedException {
        delete(folder.resolve("caches"));
        int newest = complete();
        assertThat(run(java("XOR", newest + 1, RANKS), "1")).contains("start " + newest, "done " + (newest + 1), "end");
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private ScrPrefix prefix() {
        return new ScrPrefix(folder.resolve("prefix"));
    }

    private IndexFile index() {
        return new IndexFile(prefix(), new NioEngine());
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> paths = Files.walk(path)) {
            for (Path each : paths.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
