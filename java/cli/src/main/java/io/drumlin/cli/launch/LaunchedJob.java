package io.drumlin.cli.launch;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A job that runs: the process of mpirun or srun. It ends with this process. */
final class LaunchedJob implements AutoCloseable {

    /** Looks for checkpoints are at least and at most so far apart. */
    private static final long SHORTEST_LOOK_MILLIS = 100;

    private static final long LONGEST_LOOK_MILLIS = 10_000;

    private static final int LOOKS_PER_TIMEOUT = 10;

    /** mpirun and srun end their ranks after SIGTERM. */
    private static final long SECONDS_TO_END = 30;

    private final Process process;
    private final Thread atExit;

    private LaunchedJob(Process process) {
        this.process = process;
        atExit = new Thread(null, () -> end(process), "drumlin-launch-exit", 0, false);
    }

    /**
     * Starts the job.
     *
     * @param id the same for all starts of one job
     */
    static LaunchedJob start(List<String> command, String id) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putIfAbsent(JobCommand.JOB, id);
        LaunchedJob job = new LaunchedJob(builder.start());
        Runtime.getRuntime().addShutdownHook(job.atExit);
        return job;
    }

    /** Returns what tells the process from all others of this machine, for the log. */
    Map<String, Object> names() {
        return Map.of(LaunchLog.PID, process.pid(), LaunchLog.SINCE, LaunchLog.since(process.toHandle()));
    }

    /**
     * Waits for the end. A job that takes no checkpoint for too long is ended.
     *
     * @param timeout longest time without a checkpoint, or null
     * @return whether it had to be ended
     */
    boolean awaitEnd(CheckpointWatch watch, @Nullable Duration timeout) throws InterruptedException {
        if (timeout == null) {
            process.waitFor();
            return false;
        }
        long pause = lookMillis(timeout);
        long alive = System.nanoTime();
        while (!process.waitFor(pause, TimeUnit.MILLISECONDS)) {
            if (watch.moves()) {
                alive = System.nanoTime();
            } else if (System.nanoTime() - alive > timeout.toNanos()) {
                end(process);
                return true;
            }
        }
        return false;
    }

    /** Returns the time between two looks: the metadata are on a file system that many jobs share. */
    static long lookMillis(Duration timeout) {
        long wanted = timeout.toMillis() / LOOKS_PER_TIMEOUT;
        return Math.min(LONGEST_LOOK_MILLIS, Math.max(SHORTEST_LOOK_MILLIS, wanted));
    }

    private static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Sends the job a signal, such as USR1. */
    void pass(String signal) throws IOException {
        // The kill of the shell, because there need not be another.
        new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + process.pid())
                .inheritIO()
                .start();
    }

    /** Returns the exit status, after the end. */
    int status() {
        return process.exitValue();
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This process ends now, and the hook ends the job.
            return;
        }
        end(process);
    }
}
