package io.drumlin.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drumlin run} on a run of two ranks with checkpoints 1 to 4 of level 4. */
class RunCommandTest {

    @TempDir
    private Path directory;

    private Path config;
    private String execId;

    private final CommandRun command = new CommandRun();

    @BeforeEach
    void takeCheckpoints() throws IOException {
        config = Files.writeString(
                directory.resolve("config.fti"),
                String.join(
                        "\n",
                        "[basic]",
                        "node_size = 2",
                        "group_size = 1",
                        "ckpt_dir = Local",
                        "glbl_dir = Global",
                        "meta_dir = Meta",
                        "ckpt_io = 3",
                        "verbosity = 3",
                        "[restart]",
                        "failure = 0",
                        "exec_id = none",
                        "[advanced]",
                        "block_size = 1024",
                        "local_test = 1",
                        "[drumlin]",
                        "keep = 4",
                        ""));
        Path absolute = Files.writeString(
                directory.resolve("absolute.fti"),
                Files.readString(config).replaceAll("_dir = ", "_dir = " + directory + "/"));
        ThreadCommunicator.run(2, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(absolute, comm)) {
                for (int id = 1; id <= 4; id++) {
                    checkpoints.protect(1, new int[] {id, comm.rank()});
                    checkpoints.checkpoint(id, Level.L4);
                }
            }
        });
        IniFile ini = IniFile.parse(Files.readString(absolute), "config");
        execId = ini.get("restart", "exec_id").orElseThrow();
        Files.writeString(
                config,
                IniFile.parse(Files.readString(config), "config")
                        .with("restart", "exec_id", execId)
                        .with("restart", "failure", "1")
                        .text());
    }

    private List<String> lines() {
        return command.out().lines().map(line -> line.replaceAll(" +", " ")).toList();
    }

    private Path archived(int ckptId) {
        return directory.resolve("Global/" + execId + "/l4_archive/Ckpt" + ckptId + "-Rank0.fti");
    }

    @Test
    void listsTheRunsOfAllConfigurationsBelowAFolder() throws IOException {
        Files.delete(directory.resolve("absolute.fti"));
        assertThat(command.run("run", "list", directory)).as(command.err()).isZero();
        assertThat(lines())
                .anyMatch(line -> line.startsWith(" * " + execId + " 4 l4 whole "))
                .anyMatch(line -> line.startsWith(" * " + execId + " 1 l4_archive whole "));
        assertThat(command.run("run", "list", directory, "--json")).isZero();
        assertThat(command.run("run", "show", directory, "--checkpoint", "2")).isZero();
        Path other = Files.createDirectories(directory.resolve("below/other"));
        assertThat(command.run("run", "list", other)).isEqualTo(2);
        assertThat(command.err()).contains("there is no configuration file of FTI in " + other);
        Files.writeString(
                other.resolve("branch.fti"),
                Files.readString(config).replaceAll("_dir = ", "_dir = ../../").replace(execId, "none"));
        Files.writeString(other.resolve("wrong.fti"), "[basic]\nckpt_dir = x\n");
        assertThat(command.run("run", "list", directory)).isEqualTo(1);
        assertThat(lines().stream().filter(line -> line.contains(execId + " 4 l4 whole ")))
                .as("the run is listed once")
                .hasSize(1);
        assertThat(lines())
                .anyMatch(line -> line.contains("branch.fti: 0 runs in "))
                .anyMatch(line -> line.contains("wrong.fti: ? "));
        assertThat(command.run("run", "show", other, "--checkpoint", "2")).isEqualTo(2);
        assertThat(command.err()).contains("has several configuration files");
        assertThat(command.run("run", "list", directory, "--json")).isEqualTo(2);
        assertThat(command.err()).contains("--json is for one configuration file");
    }

    /** A damaged configuration can name a directory that no path can have. */
    @Test
    void aNameThatNoPathCanHaveIsDamage() throws IOException {
        Files.delete(directory.resolve("absolute.fti"));
        Files.writeString(config, Files.readString(config).replace("glbl_dir = Global", "glbl_dir = Glo\0bal"));
        assertThat(command.run("run", "list", directory)).isIn(ExitCode.DAMAGED, ExitCode.NOT_RECOGNISED);
        assertThat(command.out() + command.err()).contains(config.toString()).doesNotContain("\tat ");
    }

    @Test
    void listsTheCheckpointsOfAllRuns() throws IOException {
        assertThat(command.run("run", "list", config)).as(command.err()).isZero();
        assertThat(lines())
                .contains(" the next start restarts run " + execId + ", failure = 1")
                .anyMatch(line -> line.matches(
                        " \\* " + execId + " 4 l4 whole \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d [\\d.]+ (B|KiB) 2"))
                .anyMatch(line -> line.startsWith(" * " + execId + " 1 l4_archive whole "));
        Files.write(archived(2), new byte[10]);
        assertThat(command.run("run", "list", "--data", config)).isEqualTo(ExitCode.DAMAGED);
        assertThat(lines()).anyMatch(line -> line.startsWith(" * " + execId + " 2 l4_archive lost "));
    }

    @Test
    void jsonHasTheStarts() throws IOException {
        assertThat(command.run("run", "list", "--json", config)).isZero();
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json).containsEntry("exec_id", execId).containsEntry("failure", 1);
        assertThat(json.get("runs").toString())
                .contains("ckpt_id=4, level=4, archived=false, folders=[l4], state=whole, time=20")
                .contains("start={time=20", "ranks=2", "node_size=2");
        // Whoever can write the file does not choose what a terminal obeys, and no object of JSON is broken by it.
        Path starts = directory.resolve("Meta/" + execId + "/drumlin-starts");
        String line = "{\"time\":\"2026-01-01T00:00:00Z\",\"program\":\"\\u001b[31m\"";
        Files.writeString(starts, line + "}\n");
        assertThat(command.run("run", "show", config, "--checkpoint", 4)).isZero();
        assertThat(command.out()).contains("taken after the start", "program").doesNotContain("\u001b");
        for (String end : List.of(",\"x\":{}}\n", ",}\n", ",\"x\":[[1]]}\n")) {
            Files.writeString(starts, line + end);
            assertThat(command.run("run", "list", "--json", config)).isZero();
            assertThat(JSON.std.mapFrom(command.out()).toString()).doesNotContain("start=");
            assertThat(command.run("run", "show", config, "--checkpoint", 4)).isZero();
            assertThat(command.out()).contains("no start of the job is recorded");
        }
    }

    @Test
    void showsACheckpoint() {
        assertThat(command.run("run", "show", config, "--checkpoint", 3)).isZero();
        assertThat(lines())
                .contains("checkpoint 3 of run " + execId, " level 4", " in l4_archive", " state whole", " ranks 2")
                .contains(" taken after the start:", " ckpt_io 3");
        assertThat(command.run("run", "show", config, "--checkpoint", 9)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("has no checkpoint 9");
        assertThat(command.run("run", "show", config)).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void restoresACheckpoint() throws IOException {
        assertThat(command.run("run", "restore", config, "--checkpoint", 2))
                .as(command.err())
                .isZero();
        assertThat(command.out())
                .contains("begins with checkpoint 2 of run " + execId)
                .contains("set exec_id = " + execId + " and failure = 1");
        assertThat(Files.readString(config)).contains(execId + "-from-2");
        assertThat(command.run("run", "list", config)).isZero();
        assertThat(lines())
                .contains(execId + "-from-2 began with checkpoint 2 of " + execId)
                .anyMatch(line -> line.startsWith(" * " + execId + "-from-2 2 l4 whole"));
    }

    @Test
    void refusesWhatCannotBeRestored() throws IOException {
        String before = Files.readString(config);
        Files.write(archived(2), new byte[10]);
        assertThat(command.run("run", "restore", config, "--checkpoint", 2)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("it is damaged");
        assertThat(command.run("run", "restore", config, "--before", "yesterday"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.err()).contains("a time is needed");
        assertThat(command.run("run", "restore", config, "--before", "2001-01-01T00:00:00"))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("run", "restore", config, "--before", "2001-01-01T00:00:00Z", "--checkpoint", 1))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.run("run", "restore", config)).isEqualTo(ExitCode.USAGE);
        assertThat(command.run("run", "restore", config, "--checkpoint", 3, "--name", "a/b"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.run("run", "restore", directory.resolve("none"), "--checkpoint", 3))
                .isEqualTo(ExitCode.IO_ERROR);
        assertThat(Files.readString(config)).isEqualTo(before);
        try (Stream<Path> runs = Files.list(directory.resolve("Meta"))) {
            assertThat(runs).hasSize(1);
        }
    }

    /** Tests have no terminal. */
    @Test
    void deletesOnlyIfItIsTold() {
        assertThat(command.run("run", "delete", config, "--run", execId, "--checkpoint", 1))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.err()).contains("--yes is needed");
        assertThat(archived(1)).exists();
        assertThat(command.run("run", "delete", config, "--run", execId, "--checkpoint", 1, "--yes"))
                .isZero();
        assertThat(archived(1)).doesNotExist();
        assertThat(command.run("run", "delete", config, "--run", execId, "--checkpoint", 4, "--yes"))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("run", "delete", config, "--run", execId, "--yes"))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("--force");
        assertThat(command.run("run", "delete", config, "--run", execId, "--yes", "--force"))
                .isZero();
        assertThat(command.out()).contains("run " + execId + " is deleted; freed: ");
        assertThat(directory.resolve("Global/" + execId)).doesNotExist();
        assertThat(command.run("run", "list", config)).isZero();
    }

    @Test
    void prunesByTheRule() {
        assertThat(command.run("run", "prune", config, "--keep", 2, "--dry-run"))
                .isZero();
        assertThat(command.out())
                .contains("would go: checkpoint " + execId + "/1", "would go: checkpoint " + execId + "/2")
                .contains("would free: ");
        assertThat(archived(1)).exists();
        assertThat(command.run("run", "prune", config)).isZero();
        assertThat(command.out()).doesNotContain("deleted:");
        assertThat(command.run("run", "prune", config, "--keep", 2, "--all")).isZero();
        assertThat(archived(1)).doesNotExist();
        assertThat(archived(2)).doesNotExist();
        assertThat(archived(3)).exists();
        assertThat(command.run("run", "prune", config, "--keep", "two")).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.run("run", "prune", config, "--all", "--run", execId))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.run("run")).isEqualTo(ExitCode.USAGE);
    }
}
