package io.drumlin.comm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks the batch system when it ends this job, and tells it to queue the job again. Thread-safe. */
public final class BatchSystem {

    private static final System.Logger LOG = System.getLogger(BatchSystem.class.getName());

    /**
     * Variables that hold the end of the job in seconds since 1970, in order of priority. Drumlin's own is for job
     * scripts, SCR_END_TIME is SCR's, the others are those of Slurm from 23.02 on and of Cobalt. Neither PBS nor LSF
     * tells a job its end.
     */
    private static final List<String> ENDS =
            List.of("DRUMLIN_END_TIME", "SCR_END_TIME", "SLURM_JOB_END_TIME", "COBALT_ENDTIME");

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

    /** The time that a job of Slurm has left: days, hours, minutes, seconds. */
    private static final Pattern TIME_LEFT = Pattern.compile("(?:(?:(\\d+)-)?(\\d+):)?(\\d+):(\\d+)");

    private static final long PATIENCE_SECONDS = 20;

    private final Map<String, String> environment;

    /**
     * Makes the view of a job on its batch system.
     *
     * @param environment normally {@link System#getenv()}
     */
    public BatchSystem(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /**
     * Returns when the batch system ends this job. The environment tells it; where it does not, Slurm is asked by
     * {@code squeue}, which takes a moment, so one rank should call this once.
     *
     * @return seconds since 1970; empty if the end is unknown
     */
    public OptionalLong end() {
        OptionalLong end = endInEnvironment();
        return end.isPresent() || slurmJob().isEmpty() ? end : askSlurm();
    }

    /**
     * Returns when the batch system ends this job, as far as the environment tells it.
     *
     * @return seconds since 1970; empty if no variable tells it
     */
    public OptionalLong endInEnvironment() {
        for (String name : ENDS) {
            String value = environment.getOrDefault(name, "").strip();
            if (SECONDS.matcher(value).matches()) {
                return OptionalLong.of(Long.parseLong(value));
            }
            if (!value.isEmpty()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        name + " is '" + value + "', which is not a time in seconds since 1970");
            }
        }
        return OptionalLong.empty();
    }

    private OptionalLong askSlurm() {
        try {
            long now = System.currentTimeMillis() / 1000;
            OptionalLong left =
                    secondsLeft(output(List.of("squeue", "--noheader", "--jobs=" + slurmJob(), "--format=%L")));
            return left.isEmpty() ? left : OptionalLong.of(now + left.getAsLong());
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the end of job " + slurmJob() + " is unknown: " + e.getMessage()
                            + "; set DRUMLIN_END_TIME in the job's script to the seconds since 1970");
            return OptionalLong.empty();
        }
    }

    /**
     * Reads what {@code squeue} prints as the time left.
     *
     * @param text such as {@code 1-02:03:04}, or a word where there is no limit
     * @return seconds; empty if there is no limit
     */
    static OptionalLong secondsLeft(String text) {
        Matcher parts = TIME_LEFT.matcher(text.strip());
        if (!parts.matches()) {
            return OptionalLong.empty();
        }
        long hours = number(parts.group(1)) * 24 + number(parts.group(2));
        return OptionalLong.of((hours * 60 + number(parts.group(3))) * 60 + number(parts.group(4)));
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /**
     * Tells Slurm to queue this job again, by {@code scontrol requeue}. Slurm then ends the job.
     *
     * @throws IOException this is no job of Slurm, or Slurm refuses
     */
    public void requeue() throws IOException {
        if (slurmJob().isEmpty()) {
            throw new IOException("SLURM_JOB_ID is not set, so this is no job of Slurm");
        }
        output(List.of("scontrol", "requeue", slurmJob()));
    }

    private String slurmJob() {
        return environment.getOrDefault("SLURM_JOB_ID", "");
    }

    private static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            // What these commands print fits into the pipe, so they end without a reader.
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(String.join(" ", command) + " did not end in " + PATIENCE_SECONDS + " s");
            }
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.exitValue() != 0) {
                throw new IOException(
                        String.join(" ", command) + " failed with status " + process.exitValue() + ": " + text);
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
