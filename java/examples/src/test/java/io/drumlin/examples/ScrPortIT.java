package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.scr.DatasetMetadata;
import io.drumlin.scr.IndexFile;
import io.drumlin.scr.IndexRecord;
import io.drumlin.scr.ScrPrefix;
import io.drumlin.storage.NioEngine;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program ported from SCR in processes of its own: losing nodes, and killed while it flushes. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ScrPortIT {

    private static final int RANKS = 4;

    @TempDir
    Path folder;

    private List<String> java(String copyType, int steps, int threads) {
        return JavaCommand.of(
                "io.drumlin.examples.ScrPort",
                folder.resolve("prefix").toString(),
                copyType,
                folder.resolve("caches").toString(),
                Integer.toString(steps),
                Integer.toString(threads));
    }

    private List<String> mpirun(String copyType, int steps) {
        assumeFalse("off".equals(System.getProperty("drumlin.native")), "MPI needs native code, which is off");
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "mpirun"))),
                "there is no mpirun in PATH");
        List<String> command = new ArrayList<>(List.of("mpirun", "--oversubscribe", "-n", Integer.toString(RANKS)));
        if (System.getProperty("user.name").equals("root")) {
            command.add(1, "--allow-run-as-root");
        }
        command.addAll(java(copyType, steps, 0));
        return command;
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

    @ParameterizedTest
    @CsvSource({"PARTNER, 1", "XOR, 2", "RS, 03"})
    void comesBackUnderMpirunFromTheCachesThatAreLeft(String copyType, String lost)
            throws IOException, InterruptedException {
        assertThat(run(mpirun(copyType, 2), "0")).contains("start 0", "end");
        for (char node : lost.toCharArray()) {
            delete(folder.resolve("caches").resolve("node" + node));
        }
        assertThat(run(mpirun(copyType, 3), "0")).contains("start 2", "done 3", "end");
        assertThat(new ScrPrefix(folder.resolve("prefix")).index())
                .as("nothing was flushed")
                .doesNotExist();
    }

    @Test
    void killsWhileFlushingLeaveOnlyWholeDatasets() throws IOException, InterruptedException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int kills = Integer.getInteger("drumlin.test.kills", 12);
        int done = 0;
        for (int kill = 0; kill < kills; kill++) {
            done = Math.max(done, runAndKill(random, done));
            checkIndex(done);
        }
        // All caches are lost too: what is left is what was flushed.
        delete(folder.resolve("caches"));
        assertThat(run(java("XOR", done + 1, RANKS), "1")).contains("start " + done, "done " + (done + 1), "end");
    }

    /** Lets it take one to three checkpoints and kills it within the next. The last one that it says was done. */
    private int runAndKill(Random random, int before) throws IOException, InterruptedException {
        Process process = builder(java("XOR", Integer.MAX_VALUE, RANKS), "1").start();
        int done = 0;
        try (BufferedReader lines = process.inputReader()) {
            int wanted = 1 + random.nextInt(3);
            List<String> output = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                if (line.startsWith("start ")) {
                    // A checkpoint that was just complete when the kill came may be there too.
                    assertThat(Integer.parseInt(line.substring(6))).isBetween(before, before + 1);
                } else if (line.startsWith("done ")) {
                    done = Integer.parseInt(line.substring(5));
                    if (--wanted == 0) {
                        spin(random.nextInt(40_000_000));
                        // Not that of Process, which closes the stream.
                        process.toHandle().destroyForcibly();
                    }
                }
            }
            process.waitFor();
            assertThat(wanted).as(String.join("\n", output)).isNotPositive();
            return done;
        } finally {
            process.destroyForcibly();
        }
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private void checkIndex(int done) throws IOException {
        ScrPrefix prefix = new ScrPrefix(folder.resolve("prefix"));
        boolean found = false;
        for (IndexRecord record : new IndexFile(prefix, new NioEngine()).read().records()) {
            if (record.isComplete()) {
                DatasetMetadata metadata = DatasetMetadata.of(prefix, record, new NioEngine());
                metadata.checkContent(metadata.check());
            }
            found |= record.isComplete() && record.name().equals("ckpt." + done);
        }
        assertThat(found).as("ckpt.%d was said to be done", done).isTrue();
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> paths = Files.walk(path)) {
            for (Path each : paths.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
