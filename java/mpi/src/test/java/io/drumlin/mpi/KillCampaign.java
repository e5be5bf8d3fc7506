package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.RunFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Kills a {@link KillTarget} with SIGKILL at random moments of checkpoints and of the completion, restarts it with the same
 * command, and holds it to this: it comes back with a checkpoint not older than the last one that was done, and with right
 * content.
 */
final class KillCampaign {

    private static final int STEPS = 4;

    private final ProcessBuilder command;
    private final boolean keepsLast;
    private final Random random;

    private int lastDone;
    private int lastBegun;
    private boolean completing;
    private long checkpointNanos = 30_000_000;
    private int kills;
    private int killsWhileCompleting;

    /**
     * @param command starts the target; the arguments of {@link KillTarget} included
     * @param keepsLast whether a completed run keeps its last checkpoint, so that the next start is a restart too
     */
    KillCampaign(ProcessBuilder command, boolean keepsLast, long seed) {
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
        }
        runOnce(false);
        System.out.printf("%d kills, %d of them while completing%n", kills, killsWhileCompleting);
    }

    private void runOnce(boolean kill) throws IOException, InterruptedException {
        Process process = command.start();
        List<String> output = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            // One moment in the middle of a checkpoint, or now and then of the completion.
            int victimStep = 1 + random.nextInt(STEPS + 1);
            int begun = 0;
            long begin = 0;
            List<Long> pids = List.of();
            boolean killed = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "pids" ->
                        pids = Arrays.stream(words).skip(1).map(Long::valueOf).toList();
                    case "start" -> checkStart(Integer.parseInt(words[1]), output);
                    case "begin" -> {
                        lastBegun = Integer.parseInt(words[1]);
                        begin = System.nanoTime();
                        begun++;
                    }
                    case "done" -> {
                        lastDone = Integer.parseInt(words[1]);
                        checkpointNanos = (checkpointNanos * 3 + (System.nanoTime() - begin)) / 4;
                    }
                    case "finalize" -> {
                        completing = true;
                        begun++;
                    }
                    case "end" -> {
                        lastDone = keepsLast ? lastDone : 0;
                        lastBegun = lastDone;
                    }
                    default -> {}
                }
                boolean now = words[0].equals("begin") || words[0].equals("finalize");
                if (kill && !killed && now && begun == victimStep) {
                    killed = true;
                    killAfter((long) (random.nextDouble() * 1.2 * checkpointNanos), pids);
                }
            }
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as(String.join("\n", output))
                    .isTrue();
            boolean ended = output.contains("end");
            assertThat(killed || ended).as(String.join("\n", output)).isTrue();
            if (!ended) {
                kills++;
                killsWhileCompleting += completing ? 1 : 0;
            } else {
                completing = false;
            }
        }
    }

    private void checkStart(int step, List<String> output) {
        String story = String.join("\n", output);
        if (completing && !keepsLast && step == 0) {
            // The run was complete; what the kill left of its deletion is nobody's checkpoint.
            lastDone = 0;
        }
        assertThat(step).as(story).isBetween(lastDone, Math.max(lastDone, lastBegun));
        completing = false;
        lastDone = step;
        lastBegun = step;
    }

    private void killAfter(long nanos, List<Long> pids) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
        long victim = pids.get(random.nextInt(pids.size()));
        ProcessHandle.of(victim).ifPresent(ProcessHandle::destroyForcibly);
    }
}
