package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Heat2D on four hosts of {@code ci/cluster}, of which one crashes. The hosts come back in another order, one replaced under another name
 * and one with the disk that it had before, and the ranks may be dealt out to them in another way: the field is that of an undisturbed
 * run, bit for bit.
 */
@Tag("native")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("exhaustive")
class VirtualClusterIT {

    private static final String HEAT = "io.drumlin.examples.Heat2D";
    private static final List<String> NODES = List.of("node1", "node2", "node3", "node4");
    private static final String SPARE = "spare";
    private static final String RENAMED = "renamed";
    private static final int EVERY = 100;
    private static final Pattern CHECKPOINT = Pattern.compile("Heat2D: (restart from )?checkpoint (\\d+) .*");

    /** {@code ci/cluster} cannot be had here. */
    private static final int SKIPPED = 77;

    @TempDir
    static Path folder;

    private static Path cluster;
    private Path shared;

    /** How ranks are dealt out: the two of a host follow each other, or the hosts get one after the other in turn. */
    private enum Mapping {
        BLOCK("slot"),
        CYCLIC("node");

        private final String by;

        Mapping(String by) {
            this.by = by;
        }
    }

    /** What is run. */
    private record Setting(int ioMode, int level, int ranksPerHost, Mapping before, Mapping after) {}

    @BeforeAll
    static void boot() throws IOException, InterruptedException {
        cluster = folder.resolve("cluster");
        Process process = cluster("up", "4").redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        if (status == SKIPPED) {
            abort(output);
        }
        assertThat(status).as(output).isZero();
    }

    @AfterAll
    static void shutDown() throws IOException, InterruptedException {
        if (Files.exists(cluster.resolve("hosts"))) {
            call("down");
        }
    }

    /** All hosts are there again. */
    @AfterEach
    void repair() throws IOException, InterruptedException {
        for (String node : NODES) {
            if (!isUp(node)) {
                call("boot", node);
            }
        }
        for (String other : List.of(SPARE, RENAMED)) {
            if (isUp(other)) {
                call("crash", other);
                call("wipe", other);
            }
        }
    }

    private static boolean isUp(String host) {
        return Files.exists(cluster.resolve("hosts").resolve(host).resolve("pid"));
    }

    private static ProcessBuilder cluster(String... arguments) {
        List<String> command = new ArrayList<>(List.of(script()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("CLUSTER", cluster.toString());
        return builder;
    }

    private static String script() {
        return Path.of(System.getProperty("drumlin.root"), "ci", "cluster").toString();
    }

    private static void call(String... arguments) throws IOException, InterruptedException {
        Process process = cluster(arguments).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** The hosts have a /tmp of their own, and mpirun takes the command that reaches a host apart at its blanks. */
    @Test
    void theRepositoryMayLieBelowTmp() throws IOException, InterruptedException {
        Path clone = Files.createDirectories(folder.resolve("a homé/ci"));
        Path copy = Files.copy(Path.of(script()), clone.resolve("cluster"));
        for (String arguments :
                List.of("up 1", "run login /tmp/agent node1 \"test -e '" + copy + "'\"", "crash node1", "down")) {
            ProcessBuilder builder = new ProcessBuilder(copy.toString());
            builder.command().addAll(List.of(arguments.split(" ", arguments.startsWith("run") ? 3 : 0)));
            builder.environment().remove("CLUSTER");
            Process process = builder.redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes());
            assertThat(process.waitFor()).as(arguments + ": " + output).isZero();
        }
    }

    @Test
    void aHostIsReplacedAndTheOthersComeInAnotherOrderOneUnderAnotherName(TestInfo info)
            throws IOException, InterruptedException {
        Setting setting = new Setting(3, 2, 1, Mapping.BLOCK, Mapping.BLOCK);
        makeRun(info, setting);
        String before = untilCrash(setting, setting.before(), NODES, "node2");
        call("crash", "node3");
        Files.createDirectories(disk(RENAMED).getParent());
        Files.move(disk("node3"), disk(RENAMED));
        Files.createDirectory(disk("node3"));
        call("boot", SPARE, RENAMED);
        finish(setting, List.of("node4", RENAMED, "node1", SPARE), lastCheckpoint(before));
    }

    static Stream<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        for (int ioMode : new int[] {1, 3}) {
            for (int level = 1; level <= 4; level++) {
                for (Mapping before : Mapping.values()) {
                    settings.add(new Setting(ioMode, level, 1, before, before));
                    for (Mapping after : Mapping.values()) {
                        settings.add(new Setting(ioMode, level, 2, before, after));
                    }
                }
            }
        }
        return settings.stream();
    }

    /** Level 1 stands neither the loss of a disk nor an old one: there all come back as they are. */
    @Tag("soak")
    @ParameterizedTest
    @MethodSource("settings")
    void hostsComeBackInAnyState(Setting setting, TestInfo info) throws IOException, InterruptedException {
        long seed = new Random().nextLong();
        System.out.println(setting + ", seed " + seed);
        Random random = new Random(seed);
        makeRun(info, setting);
        int lost = random.nextInt(4);
        String old = NODES.get((lost + 2) % 4);
        List<String> hosts = new ArrayList<>(NODES);

        String first = untilCrash(setting, setting.before(), hosts, old);
        copy(disk(old), shared.resolve("old"));
        call("boot", old);
        String second = untilCrash(setting, setting.before(), hosts, NODES.get(lost));
        assertThat(firstCheckpoint(second)).as(second).isGreaterThanOrEqualTo(lastCheckpoint(first));
        if (setting.level() == 1) {
            call("boot", NODES.get(lost));
        } else {
            call("boot", SPARE);
            hosts.set(lost, SPARE);
            call("crash", old);
            call("wipe", old);
            copy(shared.resolve("old"), disk(old));
            call("boot", old);
        }
        Collections.shuffle(hosts, random);
        System.out.println(lost + " lost, old " + old + ", then " + hosts);
        finish(setting, hosts, lastCheckpoint(second));
    }

    private static Path disk(String host) {
        return cluster.resolve("hosts").resolve(host).resolve("local");
    }

    private static void copy(Path from, Path to) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("cp", "-a", from + "/.", to.toString()).start();
        assertThat(process.waitFor()).isZero();
    }

    private void makeRun(TestInfo info, Setting setting) throws IOException {
        String name = info.getDisplayName().replaceAll("[^A-Za-z0-9]+", "-");
        shared = Files.createDirectories(cluster.resolve("shared").resolve(name));
        RunFolder run = RunFolder.create(shared, setting.ranksPerHost(), false);
        Files.writeString(
                run.config(),
                Files.readString(run.config())
                        .replace(
                                shared.resolve("local").toString(),
                                cluster.resolve("local").resolve(name).toString())
                        .replaceAll("group_size +=.*", "group_size = 4")
                        .replaceAll("ckpt_io +=.*", "ckpt_io = " + setting.ioMode())
                        .replaceAll("local_test +=.*", "local_test = 0"));
    }

    /** All are one job of a batch system, which comes again: otherwise each restart would wait whether the one before still runs. */
    private ProcessBuilder job(Setting setting, Mapping mapping, List<String> hosts, int iterations) {
        int each = setting.ranksPerHost();
        List<String> command = new ArrayList<>(JavaCommand.mpirun(
                4 * each,
                HEAT,
                "--level",
                Integer.toString(setting.level()),
                "--config",
                shared.resolve("config.fti").toString(),
                "--size",
                "64",
                "--iterations",
                Integer.toString(iterations),
                "--every",
                Integer.toString(EVERY),
                "--field",
                shared.resolve("field.f64").toString(),
                "--no-progress"));
        command.addAll(
                1,
                List.of(
                        "-x",
                        "JOB_ID=heat",
                        "--mca",
                        "plm_rsh_agent",
                        "/tmp/agent",
                        "--mca",
                        "plm_rsh_no_tree_spawn",
                        "1",
                        "--map-by",
                        mapping.by,
                        "--host",
                        hosts.stream().map(host -> host + ":" + each).collect(Collectors.joining(","))));
        return cluster("run", "login", "exec " + JavaCommand.quoted(command)).redirectErrorStream(true);
    }

    /** Runs without an end until a host crashes, which is after two checkpoints. */
    private String untilCrash(Setting setting, Mapping mapping, List<String> hosts, String victim)
            throws IOException, InterruptedException {
        Process process = job(setting, mapping, hosts, Integer.MAX_VALUE).start();
        List<String> output = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            int checkpoints = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                output.add(line);
                if (line.startsWith("Heat2D: checkpoint ") && ++checkpoints == 2) {
                    call("crash", victim);
                }
            }
            String story = String.join("\n", output);
            assertThat(process.waitFor()).as(story).isNotZero();
            assertThat(checkpoints).as(story).isGreaterThanOrEqualTo(2);
            return story;
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<Integer> checkpoints(String story) {
        return story.lines()
                .map(CHECKPOINT::matcher)
                .filter(Matcher::matches)
                .map(line -> Integer.valueOf(line.group(2)))
                .toList();
    }

    private static int firstCheckpoint(String story) {
        return checkpoints(story).get(0);
    }

    private static int lastCheckpoint(String story) {
        return Collections.max(checkpoints(story));
    }

    /** Restarts, from the last checkpoint that was told of or one that was under way then, and compares. */
    private void finish(Setting setting, List<String> hosts, int last) throws IOException, InterruptedException {
        int iterations = (last + 3) * EVERY;
        String story = run(job(setting, setting.after(), hosts, iterations));
        assertThat(story).contains("Heat2D: restart from checkpoint ");
        assertThat(firstCheckpoint(story)).as(story).isBetween(last, last + 1);
        run(new ProcessBuilder(JavaCommand.of(
                        HEAT,
                        "--threads",
                        "4",
                        "--no-checkpoints",
                        "--config",
                        "none",
                        "--size",
                        "64",
                        "--iterations",
                        Integer.toString(iterations),
                        "--every",
                        Integer.toString(EVERY),
                        "--field",
                        shared.resolve("undisturbed.f64").toString(),
                        "--no-progress"))
                .redirectErrorStream(true));
        assertThat(shared.resolve("field.f64"))
                .as(story)
                .hasBinaryContent(Files.readAllBytes(shared.resolve("undisturbed.f64")));
    }

    private static String run(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        try (BufferedReader reader = process.inputReader()) {
            String output = String.join("\n", reader.lines().toList());
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
