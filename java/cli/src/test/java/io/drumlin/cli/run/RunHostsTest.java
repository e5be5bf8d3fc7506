package io.drumlin.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drumlin run delete --hosts}, on hosts that have names and storage of their own in name spaces of the kernel's. */
class RunHostsTest {

    private static final String ON_ITS_HOST =
            """
            #!/bin/bash
            [[ $1 != down ]] || { echo "no route to $1"; exit 255; }
            exec unshare --uts --mount bash -c 'hostname "$1"; mount --bind "$3/hosts/$1/Local" "$3/Local"; eval "$2"' \\
              host "$1" "$2" "${0%/*}"
            """;

    private final CommandRun command = new CommandRun();

    @TempDir
    Path directory;

    private Path hosts;
    private Path probe;

    @BeforeEach
    void makeHosts() throws IOException, InterruptedException {
        Process trial = new ProcessBuilder("unshare", "--uts", "--mount", "hostname", "drumlin-test").start();
        assumeTrue(trial.waitFor() == 0, "unshare may not give processes host names of their own");
        probe = Files.writeString(directory.resolve("on"), ON_ITS_HOST);
        Files.setPosixFilePermissions(probe, PosixFilePermissions.fromString("rwx------"));
        hosts = Files.createFile(directory.resolve("hostfile"));
    }

    private int delete(RunFixture run, String execId, String nodes) throws IOException {
        Files.writeString(hosts, nodes);
        return command.run(
                "run", "delete", run.config(), "--run", execId, "--hosts", hosts, "--probe", probe, "--yes", "--force");
    }

    @Test
    void deletesTheDirectoriesOnEachHost() throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, group_size=2, advanced.local_test=0");
        run.runOn(List.of("a", "b", "c", "d"), (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {7});
            checkpoints.checkpoint(1, Level.L2);
        });
        String execId = run.restartValue("exec_id");
        Files.createDirectories(directory.resolve("Local"));
        List<String> files = run.files();

        assertThat(delete(run, execId, "a\ndown\n")).isEqualTo(2);
        assertThat(command.err()).contains("nothing was deleted", "down");
        assertThat(command.out()).contains("down: no route", "a: would go: " + directory.resolve("Local/" + execId));
        assertThat(run.files()).isEqualTo(files);

        assertThat(command.run("run", "delete", run.config(), "--run", execId, "--force", "--dry-run"))
                .isZero();
        assertThat(command.out()).contains("would go: " + directory.resolve("Meta/" + execId), "would free: ");
        assertThat(run.files()).isEqualTo(files);

        assertThat(delete(run, execId, "a\nb\nc\n"))
                .as(command.out() + command.err())
                .isZero();
        assertThat(command.out())
                .contains("b: run " + execId + " is deleted", "below ckpt_dir on d. Run")
                .doesNotContain("b: Not seen");
        assertThat(run.localRoot("a")).isEmptyDirectory();
        assertThat(run.localRoot("c")).isEmptyDirectory();
        assertThat(run.localRoot("d")).isNotEmptyDirectory();

        assertThat(delete(run, execId, "d\n")).as(command.out() + command.err()).isZero();
        assertThat(command.out()).doesNotContain("Not seen");
        assertThat(run.localRoot("d")).isEmptyDirectory();
        assertThat(directory.resolve("Global")).isEmptyDirectory();
        assertThat(directory.resolve("Meta")).isEmptyDirectory();
    }
}
