package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.ThreadCommunicator;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whenever it fails, the result is that of a run that did not fail. */
class ForagersTest {

    private static final int RANKS = 2;
    private static final int STEPS = 47;

    @TempDir
    Path folder;

    private static List<String> run(RunFolder run, int failsAfter) throws IOException {
        return ThreadCommunicator.call(
                RANKS,
                comm -> Foragers.simulate(run.config(), comm, STEPS, step -> {
                    if (step == failsAfter && comm.rank() == 1) {
                        throw new IllegalStateException("the plug was pulled");
                    }
                }));
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 10, 38})
    void continuesWithTheSameForagers(int failsAfter) throws IOException {
        List<String> undisturbed = run(RunFolder.create(folder.resolve("undisturbed"), 1, false), -1);
        assertThat(undisturbed)
                .allMatch(line -> line.matches("rank . *: [1-9][0-9]* of [1-9][0-9]* foragers live, .*"));
        RunFolder failing = RunFolder.create(folder.resolve("failing"), 1, false);
        assertThatThrownBy(() -> run(failing, failsAfter)).hasStackTraceContaining("the plug was pulled");
        assertThat(failing.failure()).isEqualTo(failsAfter < 10 ? 0 : 1);
        assertThat(run(failing, -1)).isEqualTo(undisturbed);
    }

    /** The process, and not only its work. */
    @Tag("exhaustive")
    @Test
    void continuesAfterAKill() throws Exception {
        String undisturbed = end(RunFolder.create(folder.resolve("undisturbed"), 1, false));
        RunFolder killed = RunFolder.create(folder.resolve("killed"), 1, false);
        Process process = start(killed);
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (!String.valueOf(line).startsWith("checkpoint after step 20") && line != null) {
                line = lines.readLine();
            }
            process.destroyForcibly();
        }
        assertThat(process.waitFor()).isNotZero();
        assertThat(end(killed)).isEqualTo(undisturbed);
    }

    private static Process start(RunFolder run) throws IOException {
        return new ProcessBuilder(
                        JavaCommand.of(Foragers.class.getName(), run.config().toString(), "3000"))
                .redirectErrorStream(true)
                .start();
    }

    private static String end(RunFolder run) throws Exception {
        Process process = start(run);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines()
                .filter(line -> line.startsWith("rank 0"))
                .findFirst()
                .orElseThrow();
    }
}
