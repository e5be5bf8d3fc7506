package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
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

    @Test
    void onlySlurmQueuesAJobAgain() {
        assertThatThrownBy(() -> new BatchSystem(Map.of()).requeue())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no job of Slurm");
    }
}
