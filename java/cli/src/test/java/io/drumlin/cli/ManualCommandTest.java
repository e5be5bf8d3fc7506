package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What scripts/install puts beside the command. */
class ManualCommandTest {

    @TempDir
    private Path folder;

    private final CommandRun command = new CommandRun();

    @Test
    void theManualHasEveryCommandAndExitCode() {
        assertThat(command.run("manual")).isZero();
        assertThat(command.out())
                .startsWith(".TH DRUMLIN 1")
                .contains(".SS drumlin inspect", ".SS drumlin gsd log", ".SS drumlin sion dump", ".SH EXIT STATUS")
                .contains("\n\\fB64\\fR\n")
                .doesNotContain("drumlin manual", "generate\\-completion");
    }

    @Test
    void theCompletionIsAScriptForBash() throws IOException, InterruptedException {
        assertThat(command.run("generate-completion")).isZero();
        Path script = Files.writeString(folder.resolve("drumlin"), command.out());
        Process bash = new ProcessBuilder(
                        "bash",
                        "-c",
                        "source \"$0\" && COMP_WORDS=(drumlin ins) COMP_CWORD=1 && _complete_drumlin &&"
                                + " echo \"${COMPREPLY[@]}\"",
                        script.toString())
                .redirectErrorStream(true)
                .start();
        String answer = new String(bash.getInputStream().readAllBytes());
        assertThat(bash.waitFor()).as(answer).isZero();
        assertThat(answer.strip()).isEqualTo("inspect");
    }
}
