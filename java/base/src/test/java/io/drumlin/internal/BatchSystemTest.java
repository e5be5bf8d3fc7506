package io.drumlin.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the environment says about the end of the job. Slurm itself is asked by the tests on the virtual cluster. */
class BatchSystemTest {

    private static OptionalLong end(String... pairs) {
        Map<String, String> environment =
                pairs.length == 2 ? Map.of(pairs[0], pairs[1]) : Map.of(pairs[0], pairs[1], pairs[2], pairs[3]);
        return new BatchSystem(environment).end();
    }

    @Test
    void theEnvironmentTellsTheEnd() {
        assertThat(end("SLURM_JOB_END_TIME", "1790000000")).hasValue(1_790_000_000);
        assertThat(end("COBALT_ENDTIME", "1790000000")).hasValue(1_790_000_000);
        assertThat(end("SCR_END_TIME", " 1790000000 ")).hasValue(1_790_000_000);
    }

    @Test
    void aJobScriptOverridesTheBatchSystem() {
        assertThat(end("SLURM_JOB_END_TIME", "1790000000", "DRUMLIN_END_TIME", "1780000000"))
                .hasValue(1_780_000_000);
    }

    @Test
    void whatIsNoTimeIsIgnored() {
        assertThat(end("DRUMLIN_END_TIME", "10:30")).isEmpty();
        assertThat(end("DRUMLIN_END_TIME", "10:30", "SLURM_JOB_END_TIME", "1790000000"))
                .hasValue(1_790_000_000);
        assertThat(end("HOME", "/")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0:45, 45", "12:05, 725", "1:02:03, 3723", "2-01:00:00, 176400", "' 10:00\n', 600"})
    void squeuePrintsTheTimeLeft(String text, long seconds) {
        assertThat(BatchSystem.secondsLeft(text)).hasValue(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UNLIMITED", "NOT_SET", "INVALID", "", "slurm_load_jobs error: Invalid job id specified"})
    void aJobMayHaveNoLimit(String text) {
        assertThat(BatchSystem.secondsLeft(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0:45 L, 2700", "26:03 L, 93780", "'2:00:30 L\n', 7230", "1:00L, 3600"})
    void bjobsPrintsTheTimeLeftUntilTheLimit(String text, long seconds) {
        assertThat(BatchSystem.secondsLeftInBjobs(text)).hasValue(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "", "0:45 E", "0:45 X", "0:45", "Job <12> is not found"})
    void anEstimateIsNoLimit(String text) {
        assertThat(BatchSystem.secondsLeftInBjobs(text)).isEmpty();
    }

    /** PBS has a start and a limit. */
    @Test
    void qstatPrintsStartAndLimit() {
        String text =
                """
                Job Id: 1234.server
                    Job_Name = heat
                    resources_used.walltime = 00:00:12
                    job_state = R
                    mtime = Mon Mar  2 10:00:07 2026
                    Resource_List.walltime = 04:00:00
                    stime = Mon Mar  2 10:00:05 2026
                    Variable_List = PBS_O_HOME=/home/user,PBS_O_LANG=C,
                \tPBS_O_WORKDIR=/home/user
                """;
        long begin = LocalDateTime.of(2026, 3, 2, 10, 0, 5)
                .atZone(ZoneId.systemDefault())
                .toEpochSecond();
        assertThat(BatchSystem.endInQstat(text, 0)).hasValue(begin + 4 * 3600);
        assertThat(BatchSystem.endInQstat(text.replace("stime", "start_time"), 0))
                .as("Torque")
                .hasValue(begin + 4 * 3600);
        assertThat(BatchSystem.endInQstat(
                        text.replace("04:00:00", "720:00:00").replace("Mon Mar  2 10:00:05", "Thu Mar 12 10:00:05"), 0))
                .hasValue(begin + 10 * 86_400L + 720 * 3600L);
        assertThat(BatchSystem.endInQstat(text + "    Walltime.Remaining = 100\n", 50))
                .hasValue(150);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "qstat: Unknown Job Id 12.server",
                "    stime = Mon Mar  2 10:00:05 2026",
                "    Resource_List.walltime = 04:00:00",
                "    Resource_List.walltime = 04:00:00\n    stime = yesterday",
                "    Resource_List.walltime = long\n    stime = Mon Mar  2 10:00:05 2026"
            })
    void qstatMayTellNoEnd(String text) {
        assertThat(BatchSystem.endInQstat(text, 0)).isEmpty();
    }

    /** Commands of our own in the place of those that PBS and LSF have. */
    @Test
    void theCommandsOfTheBatchSystemAreAsked(@TempDir Path folder) throws Exception {
        // More than a pipe holds.
        command(folder, "qstat", "head -c 300000 /dev/zero | tr '\\0' x; echo; echo \"  Walltime.Remaining = $2\"");
        command(folder, "bjobs", "[ \"$*\" = '-noheader -o time_left 12[3]' ] && echo '1:00 L'");
        command(folder, "squeue", "echo 5:00");
        assertThat(secondsLeft(folder, Map.of("PBS_JOBID", "1000"))).isBetween(990L, 1000L);
        assertThat(secondsLeft(folder, Map.of("LSB_JOBID", "12", "LSB_JOBINDEX", "3")))
                .isBetween(3590L, 3600L);
        assertThat(secondsLeft(folder, Map.of("SLURM_JOB_ID", "7"))).isBetween(290L, 300L);
        command(folder, "qstat", "echo no such job; exit 1");
        assertThat(secondsLeft(folder, Map.of("PBS_JOBID", "1000"))).isNegative();
    }

    private static void command(Path folder, String name, String script) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static long secondsLeft(Path folder, Map<String, String> job) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SecondsLeft.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.matches("(SLURM|PBS|LSB|DRUMLIN|SCR|COBALT)_.*"));
        environment.merge("PATH", folder.toString(), (path, first) -> first + ":" + path);
        environment.putAll(job);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return Long.parseLong(output.strip());
    }

    /** Prints the seconds that this job has left, -1 if they are unknown. */
    static final class SecondsLeft {
        public static void main(String[] args) {
            OptionalLong end = new BatchSystem(System.getenv()).end();
            System.out.println(end.isEmpty() ? -1 : end.getAsLong() - System.currentTimeMillis() / 1000);
        }
    }

    @Test
    void onlySlurmQueuesAJobAgain() {
        assertThatThrownBy(() -> new BatchSystem(Map.of()).requeue())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no job of Slurm");
    }
}
