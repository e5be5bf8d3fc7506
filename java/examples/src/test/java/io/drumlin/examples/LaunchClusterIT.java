package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code drumlin launch} brings Heat2D through failures of nodes, and of a rank and of launch itself, without a hand: the field is that
 * of an undisturbed run.
 */
@Tag("native")
@Tag("soak")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LaunchClusterIT {

    private static final int NODES = 3;
    private static final int ITERATIONS = 16_000;
    private static final int EVERY = 500;

    /** {@code ci/cluster} cannot be had here. */
    private static final int SKIPPED = 77;

    @TempDir
    private Path folder;

    private Path cluster() {
        return folder.resolve("cluster");
    }

    private Path shared() {
        return cluster().resolve("shared");
    }

    private ProcessBuilder onCluster(String... arguments) {
        List<String> command = new ArrayList<>(List.of(script()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("CLUSTER", cluster().toString());
        return builder;
    }

    private static String script() {
        return Path.of(System.getProperty("drumlin.root"), "ci", "cluster").toString();
    }

    private void call(String... arguments) throws IOException, InterruptedException {
        Process process = onCluster(arguments).start();
        String output = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        if (status == SKIPPED) {
            abort(output);
        }
        assertThat(status).as(output).isZero();
    }

    @AfterEach
    void shutDown() throws IOException, InterruptedException {
        if (Files.exists(cluster().resolve("hosts"))) {
            call("down");
        }
    }

    /** A rank is killed, then launch is, whose job goes on; another launch waits for it and repeats nothing. */
    @Test
    void aKilledRankAndAKilledLaunchNeedNoHand() throws IOException, InterruptedException {
        List<String> heat = prepare();
        // A pipe would be closed with launch, and end mpirun.
        Path said = folder.resolve("said");
        Process first = starting(heat).redirectOutput(said.toFile()).start();
        await(said, "Heat2D: checkpoint ");
        call("run", "node2", "kill -9 $(pgrep -f '^[^ ]*java .*Heat2D' | head -1)");
        await(said, "Heat2D: restart ");
        call("run", "login", "kill -9 $(pgrep -f '^[^ ]*java .*DrumlinCommand launch .*" + shared() + "')");
        first.waitFor();
        Process second = starting(heat).start();
        String output = new String(second.getInputStream().readAllBytes());
        String story = output + "\n" + Files.readString(shared().resolve("log"));
        assertThat(second.waitFor()).as(story).isZero();
        assertThat(output).doesNotContain("Heat2D: ");
        assertThat(story).contains("\"event\":\"waiting\"", "\"event\":\"done\"");
        compare(story);
    }

    private ProcessBuilder starting(List<String> heat) {
        return onCluster("run", "login", "exec " + JavaCommand.quoted(launch(heat)));
    }

    private static void await(Path output, String words) throws IOException, InterruptedException {
        while (!Files.readString(output).contains(words)) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Boots the cluster and writes the configuration. Returns the command of the job. */
    private List<String> prepare() throws IOException, InterruptedException {
        List<String> heat = heat(); // skips the test where there is no MPI
        call("up", Integer.toString(NODES + 1));
        RunFolder run = RunFolder.create(shared(), 1, false);
        Files.writeString(
                run.config(),
                Files.readString(run.config())
                        .replace(
                                shared().resolve("local").toString(),
                                cluster().resolve("local").toString())
                        .replaceAll("group_size +=.*", "group_size = " + NODES)
                        .replaceAll("ckpt_io +=.*", "ckpt_io = 3")
                        .replaceAll("local_test +=.*", "local_test = 0"));
        Files.write(shared().resolve("hosts"), List.of("node1", "node2", "node3", "node4"));
        return heat;
    }

    @Test
    void threeFailuresNeedNoHand() throws IOException, InterruptedException {
        Process process = starting(prepare()).start();
        List<String> output = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            int failures = 0;
            boolean started = true;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                output.add(line);
                started |= line.startsWith("Heat2D: restart ");
                if (started && line.startsWith("Heat2D: checkpoint ") && failures < 3) {
                    started = false;
                    fail(++failures);
                }
            }
        } finally {
            process.destroy();
        }
        assertThat(process.waitFor()).as(String.join("\n", output)).isZero();
        String story = String.join("\n", output) + "\n" + Files.readString(shared().resolve("log"));
        System.out.println(story);
        assertThat(Files.readAllLines(shared().resolve("log")).stream()
                        .filter(line -> line.contains("\"event\":\"start\"")))
                .as(story)
                .hasSize(4);
        compare(story);
    }

    /** The first node's disk is lost, the second node comes back, the third loses its power. */
    private void fail(int number) throws IOException, InterruptedException {
        switch (number) {
            case 1 -> {
                call("crash", "node2");
                call("wipe", "node2");
            }
            case 2 -> {
                call("boot", "node2");
                call("crash", "node3");
            }
            default -> {
                call("boot", "node3");
                call("cut", "node1");
            }
        }
    }

    private List<String> heat() {
        List<String> command = new ArrayList<>(JavaCommand.mpirun(
                NODES,
                "io.drumlin.examples.Heat2D",
                "--level",
                "2",
                "--config",
                shared().resolve("config.fti").toString(),
                "--size",
                "512",
                "--iterations",
                Integer.toString(ITERATIONS),
                "--every",
                Integer.toString(EVERY),
                "--field",
                shared().resolve("field.f64").toString(),
                "--no-progress"));
        command.addAll(1, List.of("--mca", "plm_rsh_agent", "/tmp/agent", "--mca", "plm_rsh_no_tree_spawn", "1"));
        return command;
    }

    private List<String> launch(List<String> job) {
        List<String> command = new ArrayList<>(JavaCommand.of(
                "io.drumlin.cli.DrumlinCommand",
                "launch",
                "--hostfile",
                shared().resolve("hosts").toString(),
                "--nodes",
                Integer.toString(NODES),
                "--config",
                shared().resolve("config.fti").toString(),
                "--timeout",
                "120",
                "--back-off",
                "1",
                "--log",
                shared().resolve("log").toString(),
                "--"));
        command.addAll(job);
        return command;
    }

    private void compare(String story) throws IOException, InterruptedException {
        byte[] undisturbed = UndisturbedHeat2D.field(NODES, 512, ITERATIONS, EVERY, folder.resolve("undisturbed.f64"));
        assertThat(shared().resolve("field.f64")).as(story).hasBinaryContent(undisturbed);
    }
}
