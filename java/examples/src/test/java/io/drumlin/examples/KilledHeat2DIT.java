package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heat2D in processes of its own, one of which is killed with SIGKILL. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class KilledHeat2DIT {

    private static final int SIZE = 64;
    private static final int EVERY = 1000;
    private static final Pattern CHECKPOINT_FILE = Pattern.compile("Ckpt(\\d+)-Rank\\d+\\.fti");

    /** In name spaces of the kernel's, which root may make: {@code here} is another folder on each host. */
    private static final String ON_ITS_HOST = "set -e; hosts=($HOSTS); host=${hosts[OMPI_COMM_WORLD_RANK]};"
            + " hostname \"$host\"; mount --bind \"$NODES/$host\" \"$NODES/here\"; exec \"$@\"";

    @TempDir
    Path folder;

    @Test
    void threadsOfAKilledProcessComeBack() throws IOException, InterruptedException {
        killAndCompare(JavaCommand.of("io.drumlin.examples.Heat2D", "--threads", "4"), 0);
    }

    @Tag("native")
    @Test
    void ranksUnderMpirunComeBack() throws IOException, InterruptedException {
        killAndCompare(mpirun(4), 2);
    }

    /** On 4 ranks until one is killed, then on 6 until one is killed, then on 3 to the end: 64 rows are no multiple of 6 or 3. */
    @Test
    @Tag("native")
    @Tag("soak")
    void anotherNumberOfRanksGoesOn() throws IOException, InterruptedException {
        RunFolder killed = RunFolder.create(folder.resolve("killed"), 1, false);

        runAndKill(mpirun(4, "--level", "4"), killed, 2);
        assertThat(runAndKill(mpirun(6, "--level", "4"), killed, 4)).contains(") of 4 ranks, after iteration ");

        int iterations = (lastCheckpoint(killed.path()) + 2) * EVERY;
        assertThat(run(mpirun(3), killed, iterations)).contains(") of 6 ranks, after iteration ");
        assertThat(killed.field()).isEqualTo(undisturbed(iterations));
    }

    /** Each rank on a host of its own, of which one is lost and replaced: the field is that of an undisturbed run, bit for bit. */
    @Tag("native")
    @Test
    void nodesComeInAnotherOrder() throws IOException, InterruptedException {
        killAndReplace(2, "b c d e");
    }

    @Tag("native")
    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(strings = {"d e a c", "a b c d"})
    void nodesComeAtLevelThree(String then) throws IOException, InterruptedException {
        killAndReplace(3, then);
    }

    private void killAndReplace(int level, String then) throws IOException, InterruptedException {
        List<String> ranks = mpirun(4, "--level", Integer.toString(level));
        Process trial = new ProcessBuilder("unshare", "--uts", "--mount", "hostname", "drumlin-test").start();
        assumeTrue(trial.waitFor() == 0, "unshare may not give processes host names of their own");
        RunFolder killed = RunFolder.create(folder.resolve("killed"), 1, false);
        Path nodes = Files.createDirectory(folder.resolve("nodes"));
        Path here = Files.createDirectory(nodes.resolve("here"));
        Files.writeString(
                killed.config(),
                Files.readString(killed.config())
                        .replaceAll("group_size +=.*", "group_size = 4")
                        .replace(killed.path().resolve("local").toString(), here.toString())
                        .replaceAll("local_test +=.*", "local_test = 0"));

        runAndKill(onHosts(ranks, nodes, "a b c d"), killed, 2);
        for (String lost : List.of("a", "b", "c", "d")) {
            if (!then.contains(lost)) {
                Files.move(nodes.resolve(lost), folder.resolve("lost"));
            }
        }
        int iterations = (lastCheckpoint(folder) + 2) * EVERY;
        assertThat(run(onHosts(ranks, nodes, then), killed, iterations)).contains("Heat2D: restart from checkpoint ");
        assertThat(killed.field()).isEqualTo(undisturbed(iterations));
    }

    private static List<String> onHosts(List<String> mpirun, Path nodes, String hosts) throws IOException {
        for (String host : hosts.split(" ")) {
            Files.createDirectories(nodes.resolve(host));
        }
        List<String> command = new ArrayList<>(mpirun);
        command.addAll(
                command.indexOf("-n") + 2, List.of("unshare", "--uts", "--mount", "bash", "-c", ON_ITS_HOST, "host"));
        command.addAll(0, List.of("env", "HOSTS=" + hosts, "NODES=" + nodes));
        return command;
    }

    private static List<String> mpirun(int ranks, String... arguments) {
        return JavaCommand.mpirun(ranks, "io.drumlin.examples.Heat2D", arguments);
    }

    private void killAndCompare(List<String> command, int victim) throws IOException, InterruptedException {
        RunFolder killed = RunFolder.create(folder.resolve("killed"), 4, false);

        // It would never end, so that the kill cannot come too late.
        runAndKill(command, killed, victim);
        assertThat(killed.failure()).isEqualTo(1);

        int iterations = (lastCheckpoint(killed.path()) + 2) * EVERY;
        assertThat(run(command, killed, iterations)).contains("Heat2D: restart from checkpoint ");
        assertThat(killed.field()).isEqualTo(undisturbed(iterations));
    }

    private byte[] undisturbed(int iterations) throws IOException, InterruptedException {
        return UndisturbedHeat2D.field(4, SIZE, iterations, EVERY, folder.resolve("undisturbed.f64"));
    }

    private static ProcessBuilder builder(List<String> command, RunFolder run, int iterations) {
        List<String> full = new ArrayList<>(command);
        full.addAll(List.of(
                "--config",
                run.config().toString(),
                "--size",
                Integer.toString(SIZE),
                "--iterations",
                Integer.toString(iterations),
                "--every",
                Integer.toString(EVERY),
                "--field",
                run.path().resolve("field.f64").toString(),
                "--pids",
                run.path().toString(),
                "--no-progress"));
        return new ProcessBuilder(full).redirectErrorStream(true);
    }

    private static String runAndKill(List<String> command, RunFolder run, int victim)
            throws IOException, InterruptedException {
        Process process = builder(command, run, Integer.MAX_VALUE).start();
        List<String> output = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            int checkpoints = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                output.add(line);
                if (line.startsWith("Heat2D: checkpoint ") && ++checkpoints == 2) {
                    kill(run.path().resolve("rank-" + victim + ".pid"));
                }
            }
            assertThat(process.waitFor()).as(String.join("\n", output)).isNotZero();
            return String.join("\n", output);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The highest number of a checkpoint of which there is any file. */
    private static int lastCheckpoint(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> CHECKPOINT_FILE.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToInt(name -> Integer.parseInt(name.group(1)))
                    .max()
                    .orElseThrow();
        }
    }

    /** On Unix, to destroy a process forcibly is to send it SIGKILL. */
    private static void kill(Path pidFile) throws IOException {
        long pid = Long.parseLong(Files.readString(pidFile).strip());
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }

    private static String run(List<String> command, RunFolder run, int iterations)
            throws IOException, InterruptedException {
        Process process = builder(command, run, iterations).start();
        try (BufferedReader reader = process.inputReader()) {
            String output = String.join("\n", reader.lines().toList());
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
