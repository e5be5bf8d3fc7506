package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job scripts of {@code docs/slurm} under Slurm on {@code ci/cluster}, with a node that fails and a time limit that is too short:
 * the field is that of an undisturbed run, bit for bit. Slurm counts limits in minutes and makes a job wait for two before it comes again.
 */
@Tag("native")
@Tag("soak")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SlurmRecipesIT {

    private static final String HEAT = "io.drumlin.examples.Heat2D";

    /** How long the undisturbed run takes: more than the half minute that a limit of a minute leaves for the program. */
    private static final int SECONDS = 45;

    private static final int CHECKPOINTS = 30;
    private static final int SIZE = 1024;

    /** What is needed cannot be had here. */
    private static final int SKIPPED = 77;

    @TempDir
    private Path folder;

    private Path log;
    private int every;

    @BeforeEach
    void boot() throws IOException, InterruptedException {
        every = Math.max(100, SECONDS * iterationsPerSecond() / CHECKPOINTS);
        call("cluster", "up", "5");
        call("slurm", "up");
        log = shared().resolve("job.log");
    }

    @AfterEach
    void shutDown() throws IOException, InterruptedException {
        if (Files.exists(cluster().resolve("hosts"))) {
            call("slurm", "down");
            call("cluster", "down");
        }
    }

    private int iterationsPerSecond() throws IOException, InterruptedException {
        int few = 2000;
        int many = 12_000;
        long difference = nanosOf(many) - nanosOf(few);
        return (int) ((many - few) * 1_000_000_000L / Math.max(1_000_000_000L, difference));
    }

    private long nanosOf(int iterations) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        UndisturbedHeat2D.field(4, SIZE, iterations, iterations, folder.resolve("timed.f64"));
        return System.nanoTime() - begin;
    }

    private Path cluster() {
        return folder.resolve("cluster");
    }

    private Path shared() {
        return cluster().resolve("shared");
    }

    private String call(String script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("drumlin.root"), "ci", script).toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("CLUSTER", cluster().toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        if (status == SKIPPED) {
            abort(output);
        }
        assertThat(status).as(output).isZero();
        return output;
    }

    /** After the time limit the job queues itself again, and after the failure of a node Slurm does. */
    @Test
    void aJobIsQueuedAgain() throws IOException, InterruptedException {
        submit("requeue.sh", 1, "--time=1 --ntasks-per-node=1");
        await("Heat2D: stopped.*Heat2D: restart from checkpoint \\d+ \\(L4\\).*Heat2D: checkpoint \\d+ .*");
        call("cluster", "crash", "node2");
        call("cluster", "wipe", "node2");
        await(".*Heat2D: restart.*Heat2D: restart.*Heat2D: done.*");
        compare(4);
    }

    @Test
    void aJobContinuesInItsAllocation() throws IOException, InterruptedException {
        submit("no-kill.sh", 2, "");
        await("Heat2D: checkpoint \\d+ .*");
        call("cluster", "crash", "node2");
        call("cluster", "wipe", "node2");
        await("Heat2D: restart.*Heat2D: done.*");
        compare(8);
    }

    @Test
    void eachJobOfAChainContinuesWhereTheOneBeforeHasStopped() throws IOException, InterruptedException {
        submit("chain.sh", 1, "--time=1 --ntasks-per-node=1");
        await("Heat2D: stopped.*Heat2D: restart from checkpoint \\d+ \\(L4\\).*Heat2D: done.*");
        compare(4);
    }

    private void submit(String recipe, int ranksPerNode, String options) throws IOException, InterruptedException {
        RunFolder run = RunFolder.create(shared(), ranksPerNode, false);
        String text = Files.readString(run.config())
                .replace(
                        shared().resolve("local").toString(),
                        cluster().resolve("local").toString())
                .replaceAll("group_size +=.*", "group_size = 4")
                .replaceAll("local_test +=.*", "local_test = 0");
        Files.writeString(
                run.config(), text + "\n[drumlin]\nrequeue = " + (recipe.equals("requeue.sh") ? "yes" : "no") + "\n");
        Path script = Path.of(System.getProperty("drumlin.root"), "docs", "slurm", recipe);
        // Slurm takes the script, but not from /tmp of this machine.
        Files.copy(script, shared().resolve(recipe));
        List<String> heat = JavaCommand.of(
                HEAT,
                "--level",
                "2",
                "--config",
                run.config().toString(),
                "--size",
                Integer.toString(SIZE),
                "--iterations",
                Integer.toString(every * CHECKPOINTS),
                "--every",
                Integer.toString(every),
                "--field",
                shared().resolve("field.f64").toString(),
                "--no-progress");
        String drumlin = Path.of(System.getProperty("drumlin.root"), "scripts", "drumlin")
                .toString();
        call(
                "slurm",
                "run",
                "DRUMLIN=" + JavaCommand.quoted(List.of(drumlin)) + " sbatch " + options + " --output=" + log + " "
                        + recipe + " " + JavaCommand.quoted(heat));
    }

    private void await(String expected) throws IOException, InterruptedException {
        Pattern pattern = Pattern.compile(".*" + expected, Pattern.DOTALL);
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(15);
        String story = "";
        while (!pattern.matcher(story).matches()) {
            assertThat(System.nanoTime()).as(story).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(300);
            story = Files.exists(log) ? Files.readString(log) : "";
        }
        System.out.println(story);
    }

    private void compare(int ranks) throws IOException, InterruptedException {
        byte[] undisturbed =
                UndisturbedHeat2D.field(ranks, SIZE, every * CHECKPOINTS, every, folder.resolve("undisturbed.f64"));
        assertThat(shared().resolve("field.f64")).hasBinaryContent(undisturbed);
    }
}
