package io.drumlin.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Asks the batch system when it ends this job, and tells it to queue the job again. Thread-safe. */
public final class BatchSystem {

    private static final System.Logger LOG = System.getLogger(BatchSystem.class.getName());

    /**
     * Variables that hold the end of the job in seconds since 1970, in order of priority. Drumlin's own is for job
     * scripts, SCR_END_TIME is SCR's, the others are those of Slurm from 23.02 on and of Cobalt. Slurm before that, PBS
     * and LSF must be asked.
     */
    private static final List<String> ENDS =
            List.of("DRUMLIN_END_TIME", "SCR_END_TIME", "SLURM_JOB_END_TIME", "COBALT_ENDTIME");

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

    /** A time of Slurm or PBS: days, hours, minutes, seconds. */
    private static final Pattern TIME_LEFT = Pattern.compile("(?:(?:(\\d{1,6})-)?(\\d{1,6}):)?(\\d{1,6}):(\\d{1,6})");

    /** The time that a job of LSF has left until its limit: hours, minutes, perhaps seconds. Other letters stand for estimates. */
    private static final Pattern LSF_TIME_LEFT = Pattern.compile("(\\d{1,6}):(\\d{1,6})(?::(\\d{1,6}))? *L");

    /** How {@code qstat} prints a time, in the time zone of its caller. */
    private static final DateTimeFormatter QSTAT_TIME =
            DateTimeFormatter.ofPattern("EEE MMM d HH:mm:ss yyyy", Locale.US);

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
     * {@code squeue}, PBS by {@code qstat} and LSF by {@code bjobs}. That takes a moment, so one rank should call this once.
     *
     * @return seconds since 1970; empty if the end is unknown
     */
    public OptionalLong end() {
        OptionalLong end = endInEnvironment();
        if (end.isPresent()) {
            return end;
        }
        if (!slurmJob().isEmpty()) {
            return ask(
                    slurmJob(),
                    List.of("squeue", "--noheader", "--jobs=" + slurmJob(), "--format=%L"),
                    (text, now) -> after(now, secondsLeft(text)));
        }
        String pbsJob = variable("PBS_JOBID");
        if (!pbsJob.isEmpty()) {
            return ask(pbsJob, List.of("qstat", "-f", pbsJob), BatchSystem::endInQstat);
        }
        String lsfJob = lsfJob();
        return lsfJob.isEmpty()
                ? OptionalLong.empty()
                : ask(
                        lsfJob,
                        List.of("bjobs", "-noheader", "-o", "time_left", lsfJob),
                        (text, now) -> after(now, secondsLeftInBjobs(text)));
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

    /** Reads the end of a job from what a command has printed at a time in seconds since 1970. */
    @FunctionalInterface
    private interface Reading {
        OptionalLong end(String text, long now);
    }

    private static OptionalLong ask(String job, List<String> command, Reading reading) {
        try {
            long now = System.currentTimeMillis() / 1000;
            return reading.end(output(command), now);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the end of job " + job + " is unknown: " + e.getMessage()
                            + "; set DRUMLIN_END_TIME in the job's script to the seconds since 1970");
            return OptionalLong.empty();
        }
    }

    private static OptionalLong after(long now, OptionalLong seconds) {
        return seconds.isEmpty() ? seconds : OptionalLong.of(now + seconds.getAsLong());
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

    /**
     * Reads what {@code bjobs} prints as the time left.
     *
     * @param text such as {@code 26:03 L}; another letter or none where there is no limit
     * @return seconds; empty if there is no limit
     */
    static OptionalLong secondsLeftInBjobs(String text) {
        Matcher parts = LSF_TIME_LEFT.matcher(text.strip());
        return parts.matches()
                ? OptionalLong.of((number(parts.group(1)) * 60 + number(parts.group(2))) * 60 + number(parts.group(3)))
                : OptionalLong.empty();
    }

    /**
     * Reads the end of a job from its attributes, which {@code qstat -f} prints: PBS has the start and the limit, Torque
     * may have the rest too.
     *
     * @param now seconds since 1970
     * @return seconds since 1970; empty if there is no limit
     */
    static OptionalLong endInQstat(String text, long now) {
        String left = attribute(text, "Walltime.Remaining");
        if (SECONDS.matcher(left).matches()) {
            return OptionalLong.of(now + Long.parseLong(left));
        }
        OptionalLong limit = secondsLeft(attribute(text, "Resource_List.walltime"));
        String start = attribute(text, "stime");
        if (start.isEmpty()) {
            start = attribute(text, "start_time");
        }
        if (limit.isEmpty() || start.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            // A day of one digit has a space before it.
            LocalDateTime begin = LocalDateTime.parse(start.replaceAll(" +", " "), QSTAT_TIME);
            return after(begin.atZone(ZoneId.systemDefault()).toEpochSecond(), limit);
        } catch (DateTimeParseException e) {
            LOG.log(System.Logger.Level.WARNING, "qstat says that this job began at '" + start + "', which is no time");
            return OptionalLong.empty();
        }
    }

    private static String attribute(String text, String name) {
        return text.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(name + " = "))
                .map(line -> line.substring(name.length() + 3).strip())
                .findFirst()
                .orElse("");
    }

    private static long number(@Nullable String digits) {
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
        return variable("SLURM_JOB_ID");
    }

    /** With the place in the array that the job belongs to. */
    private String lsfJob() {
        String job = variable("LSB_JOBID");
        String place = variable("LSB_JOBINDEX");
        return job.isEmpty() || place.isEmpty() || place.equals("0") ? job : job + "[" + place + "]";
    }

    private String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    private static String text(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            // A job of PBS has all its environment in its attributes, which may be more than fits into the pipe.
            String text = CompletableFuture.supplyAsync(() -> text(process)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new TimeoutException();
            }
            if (process.exitValue() != 0) {
                throw new IOException(
                        String.join(" ", command) + " failed with status " + process.exitValue() + ": " + text);
            }
            return text;
        } catch (TimeoutException e) {
            throw new IOException(String.join(" ", command) + " did not end in " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new IOException("the output of " + String.join(" ", command) + " could not be read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
