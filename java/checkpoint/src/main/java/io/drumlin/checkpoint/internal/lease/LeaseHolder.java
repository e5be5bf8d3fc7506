package io.drumlin.checkpoint.internal.lease;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.ConfigValues;
import io.drumlin.comm.internal.HostName;
import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * The process that writes to a run's directories, and its job if a batch system names one.
 *
 * @param token a token of this start
 * @param machine the scope of the process id: host, boot and name space of process ids
 * @param start when the process started, because process ids are reused
 * @param job the job; empty without a batch system
 */
public record LeaseHolder(String token, String host, String machine, long pid, String start, String job) {

    private static final String SECTION = "lease";

    /** The end of a lease whose process was told to end, and may be killed. As long as that of another lease. */
    static final String TOLD = "told-to-end\n";

    private static final Path PROC = Path.of("/proc");

    /**
     * The variables in which {@code drumlin launch} and batch systems name a job, each with the variable that
     * distinguishes jobs of the same number.
     */
    private static final List<List<String>> JOBS = List.of(
            List.of("SLURM_JOB_ID", "SLURM_CLUSTER_NAME"),
            List.of("PBS_JOBID"),
            List.of("LSB_JOBID", "LSB_JOBINDEX"),
            List.of("JOB_ID", "SGE_TASK_ID"),
            List.of("DRUMLIN_JOB_ID"));

    /**
     * Returns the holder that describes this process.
     *
     * @param environment returns the value of a variable, or {@code null}
     */
    public static LeaseHolder here(UnaryOperator<String> environment) throws IOException {
        return here(environment, PROC);
    }

    /** @param proc the kernel's files about processes; macOS has none */
    static LeaseHolder here(UnaryOperator<String> environment, Path proc) throws IOException {
        long pid = ProcessHandle.current().pid();
        String token = UUID.randomUUID().toString();
        String host = HostName.read();
        String start = startOf(pid, proc);
        String scope;
        if (Files.exists(proc.resolve("self"))) {
            scope = Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip() + " "
                    + Files.readSymbolicLink(proc.resolve("self/ns/pid"));
        } else {
            // If the system does not tell when a process started, nobody can look for this one.
            scope = start.isEmpty() ? token : "-";
        }
        return new LeaseHolder(token, host, host + " " + scope, pid, start, job(environment));
    }

    private static String job(UnaryOperator<String> environment) {
        for (List<String> names : JOBS) {
            String id = environment.apply(names.get(0));
            if (id != null && !id.isEmpty()) {
                String more = names.size() > 1 ? environment.apply(names.get(1)) : null;
                return names.get(0) + "=" + id
                        + (more == null || more.isEmpty() ? "" : " " + names.get(1) + "=" + more);
            }
        }
        return "";
    }

    static String startOf(long pid) {
        return startOf(pid, PROC);
    }

    /**
     * Returns when a process of this machine started, in ticks since boot, or without {@code /proc} as a time; empty if
     * it has ended.
     */
    static String startOf(long pid, Path proc) {
        if (!Files.exists(proc.resolve("self"))) {
            return ProcessHandle.of(pid)
                    .flatMap(process -> process.info().startInstant())
                    .map(Instant::toString)
                    .orElse("");
        }
        try {
            String stat = Files.readString(proc.resolve(pid + "/stat"));
            // The name may contain any character.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            boolean ended = fields[0].equals("Z") || fields[0].equals("X");
            return ended ? "" : fields[19];
        } catch (IOException | IndexOutOfBoundsException e) {
            return "";
        }
    }

    /** Returns whether it was read from a file that names nobody. */
    boolean isEmpty() {
        return token.isEmpty() && machine.isEmpty() && start.isEmpty();
    }

    boolean isThisProcess(LeaseHolder here) {
        return machine.equals(here.machine) && pid == here.pid && start.equals(here.start);
    }

    /** Returns whether the process can be looked up on this machine. */
    boolean isOnMachineOf(LeaseHolder here) {
        return machine.equals(here.machine);
    }

    /** Returns whether the process, which must be on this machine, is alive. */
    boolean isAlive() {
        return !start.isEmpty() && startOf(pid).equals(start);
    }

    /**
     * Returns whether both belong to the same job of a batch system, which restarts a job only after its earlier run
     * has ended.
     */
    boolean isOfJobOf(LeaseHolder here) {
        return !job.isEmpty() && job.equals(here.job);
    }

    @Override
    public String toString() {
        return "process " + pid + " on host " + host + (job.isEmpty() ? "" : ", " + job);
    }

    String toText() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("token", token);
        values.put("host", host);
        values.put("machine", machine);
        values.put("pid", Long.toString(pid));
        values.put("start", start);
        values.put("job", job);
        return IniFile.dump(Map.of(SECTION, values)).stripTrailing() + "\nrenewed = " + renewed(0);
    }

    /** Returns the end of a lease that was renewed so many times. */
    static String renewed(long times) {
        return String.format(Locale.ROOT, "%0" + (TOLD.length() - 1) + "d\n", times);
    }

    /** Returns whether the text of a lease says that its process was told to end. */
    static boolean isTold(String text) {
        return text.endsWith(TOLD);
    }

    /** Parses a file that may be damaged; missing fields are empty. */
    static LeaseHolder of(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        try {
            IniFile ini = IniFile.parse(text, "lease");
            if (ini.sections().contains(SECTION)) {
                values.putAll(ini.section(SECTION));
            }
        } catch (DrumlinException damaged) {
            values.clear();
        }
        long pid = ConfigValues.parseInteger(values.getOrDefault("pid", ""));
        return new LeaseHolder(
                values.getOrDefault("token", ""),
                values.getOrDefault("host", "?"),
                values.getOrDefault("machine", ""),
                pid,
                values.getOrDefault("start", ""),
                values.getOrDefault("job", ""));
    }
}
