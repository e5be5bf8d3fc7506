package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Kills one rank or all processes of a {@link KillTarget} with SIGKILL at random moments of restarts, checkpoints and the
 * completion, deletes now and then what a node stored, restarts it with the same command, and holds it to this: it comes back
 * with right content and with a checkpoint not older than the last one that was done; where a node was lost, the last one of
 * level 2 or above.
 */
final class KillCampaign {

    private static final int STEPS = 7;

    private final RunFixture run;
    private final ProcessBuilder command;
    private final int nodes;
    private final boolean keepsLast;
    private final Random random;

    private int lastDone;
    private int lastRedundant;
    private int lastBegun;
    private boolean completing;
    /** The node whose files were deleted and have not been made again; -1 for none. */
    private int lostNode = -1;

    private long checkpointNanos = 30_000_000;
    private long restartNanos = 60_000_000;
    private int kills;
    private int killsOfAll;
    private int killsWhileCompleting;
    private int killsWhileRestarting;
    private int losses;

    /**
     * @param run the run directory of the target; each of its ranks is a node
     * @param command starts the target; the arguments of {@link KillTarget} included
     * @param ranks of the target
     * @param keepsLast whether a completed run keeps its last checkpoint, so that the next start is a restart too
     */
    KillCampaign(RunFixture run, ProcessBuilder command, int ranks, boolean keepsLast, long seed) {
        this.run = run;
        this.nodes = ranks;
        this.keepsLast = keepsLast;
        this.command = command.redirectErrorStream(true);
        this.random = new Random(seed);
        System.out.println("seed " + seed);
    }

    static String[] arguments(RunFixture run, int threads) {
        return new String[] {run.config().toString(), Integer.toString(STEPS), Integer.toString(threads)};
    }

    /** Kills as often as asked and lets the last restart run to its end. */
    void run(int wanted) throws IOException, InterruptedException {
        int attempts = 0;
        while (kills < wanted) {
            assertThat(attempts++).as("runs for %d kills", kills).isLessThan(4 * wanted + 10);
            runOnce(true);
            loseNode();
        }
        runOnce(false);
        System.out.printf(
                "%d kills, %d of them of all processes, %d while restarting, %d while completing; %d times a node was"
                        + " lost%n",
                kills, killsOfAll, killsWhileRestarting, killsWhileCompleting, losses);
    }

    private void runOnce(boolean kill) throws IOException, InterruptedException {
        Process process = command.start();
        List<String> output = new ArrayList<>();
        List<ProcessHandle> ranks = List.of();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            // One moment in the middle of the restart, of a checkpoint or of the completion.
            int victim = random.nextInt(STEPS + 2);
            int begun = 0;
            long begin = 0;
            boolean killed = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                String[] words = line.split(" ");
                long usual = 0;
                switch (words[0]) {
                    case "pids" -> ranks = handles(words);
                    case "open" -> {
                        begin = System.nanoTime();
                        usual = restartNanos;
                    }
                    case "start" -> {
                        restartNanos = (restartNanos * 3 + (System.nanoTime() - begin)) / 4;
                        checkStart(Integer.parseInt(words[1]), output);
                    }
                    case "begin" -> {
                        lastBegun = Integer.parseInt(words[1]);
                        begin = System.nanoTime();
                        usual = checkpointNanos;
                    }
                    case "done" -> {
                        done(Integer.parseInt(words[1]));
                        checkpointNanos = (checkpointNanos * 3 + (System.nanoTime() - begin)) / 4;
                    }
                    case "finalize" -> {
                        completing = true;
                        usual = checkpointNanos;
                    }
                    case "end" -> ended();
                    default -> {}
                }
                if (usual > 0 && begun++ == victim && kill) {
                    killed = true;
                    TimeUnit.NANOSECONDS.sleep((long) (random.nextDouble() * 1.2 * usual));
                    kill(process, ranks);
                }
            }
            awaitEnd(process, ranks, output);
            boolean ended = output.contains("end");
            assertThat(killed || ended).as(String.join("\n", output)).isTrue();
            if (!ended) {
                kills++;
                killsWhileCompleting += completing ? 1 : 0;
                killsWhileRestarting += begun == 1 ? 1 : 0;
            } else {
                completing = false;
            }
        }
    }

    private static List<ProcessHandle> handles(String[] words) {
        return Arrays.stream(words)
                .skip(1)
                .distinct()
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream())
                .toList();
    }

    private void checkStart(int step, List<String> output) {
        String story = "lost node " + lostNode + "\n" + String.join("\n", output);
        if (completing && !keepsLast && step == 0) {
            // The run was complete; what the kill left of its deletion is nobody's checkpoint.
            lastDone = 0;
            lastRedundant = 0;
        }
        int promised = lostNode < 0 ? lastDone : lastRedundant;
        assertThat(step).as(story).isBetween(promised, Math.max(lastDone, lastBegun));
        completing = false;
        lastDone = step;
        if (lostNode >= 0) {
            // What stood the loss stands the next one: it was made whole again, or is on the parallel file system.
            lastRedundant = step;
            lostNode = -1;
        }
        lastBegun = step;
    }

    private void done(int step) {
        lastDone = step;
        if (KillTarget.level(step) != Level.L1) {
            lastRedundant = step;
        }
    }

    private void ended() {
        lastDone = keepsLast ? lastDone : 0;
        lastRedundant = lastDone;
        lastBegun = lastDone;
        lostNode = -1;
    }

    private void kill(Process process, List<ProcessHandle> ranks) {
        if (random.nextBoolean()) {
            killsOfAll++;
            process.toHandle().destroyForcibly();
            ranks.forEach(ProcessHandle::destroyForcibly);
        } else {
            ranks.get(random.nextInt(ranks.size())).destroyForcibly();
        }
    }

    /** Also of ranks that lost their launcher: what they write must not meet the restart. */
    private static void awaitEnd(Process process, List<ProcessHandle> ranks, List<String> output)
            throws InterruptedException {
        String story = String.join("\n", output);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(story).isTrue();
        for (ProcessHandle rank : ranks) {
            try {
                rank.onExit().get(60, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new AssertionError("rank with pid " + rank.pid() + " does not end\n" + story, e);
            }
        }
    }

    /** Deletes all that a node stored, where a checkpoint stands that and no other node is lost. */
    private void loseNode() throws IOException {
        if (lastRedundant == 0 || random.nextInt(3) > 0) {
            return;
        }
        if (lostNode < 0) {
            lostNode = random.nextInt(nodes);
        }
        losses++;
        Path directory = run.directory().resolve("Local/node" + lostNode);
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
