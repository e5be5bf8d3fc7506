package io.drumlin.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.DrumlinCommand;
import io.drumlin.cli.RunConfig;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code drumlin launch} with scripts in the place of mpirun and of nodes. */
// It waits for seconds, so one run has it.
@Tag("exhaustive")
class LaunchCommandTest {

    @TempDir
    private Path folder;

    private final CommandRun drumlin = new CommandRun();
    private Path hosts;
    private Path log;

    @BeforeEach
    void writeHosts() throws IOException {
        hosts = Files.writeString(folder.resolve("hosts"), "a slots=2\n# spare\nb slots=2\nc slots=2\nd slots = 2\n");
        log = folder.resolve("log");
        script("reach", "[ ! -e \"$DIR/down-$1\" ]");
    }

    private String script(String name, String body) throws IOException {
        Path path = Files.writeString(folder.resolve(name), "#!/bin/sh\nDIR='" + folder + "'\n" + body + "\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
        return path.toString();
    }

    /** An mpirun that writes down how it was called. */
    private String mpirun(String body) throws IOException {
        return script(
                "mpirun",
                "if [ \"$1\" = --version ]; then echo 'mpirun (Open MPI) 4.1.4'; exit; fi\n"
                        + "echo \"$DRUMLIN_JOB_ID $*\" >>\"$DIR/calls\"\ncall=$(wc -l <\"$DIR/calls\")\n" + body);
    }

    private int launch(List<String> options, String... command) {
        List<Object> arguments = new ArrayList<>(List.of("launch", "--log", log, "--back-off", "0"));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(List.of(command));
        return drumlin.run(arguments.toArray());
    }

    private List<String> onNodes() {
        return List.of(
                "--hostfile",
                hosts.toString(),
                "--nodes",
                "2",
                "--probe",
                folder.resolve("reach").toString());
    }

    private List<Map<String, Object>> events() throws IOException {
        List<Map<String, Object>> events = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            events.add(JSON.std.mapFrom(line));
        }
        return events;
    }

    private List<Object> all(String event, String detail) throws IOException {
        return events().stream()
                .filter(each -> each.get("event").equals(event))
                .map(each -> each.get(detail))
                .toList();
    }

    @Test
    void threeFailuresAreOvercomeOnTheNodesThatAreLeft() throws IOException {
        String mpirun = mpirun(
                "case $call in 1) touch \"$DIR/down-a\" ;; 2) touch \"$DIR/down-c\"; rm \"$DIR/down-a\" ;; esac\n"
                        + "[ $call -ge 4 ]");
        assertThat(launch(onNodes(), mpirun, "-n", "4", "java", "--version"))
                .as(drumlin.err())
                .isZero();
        // A node that still has its disk keeps its place.
        assertThat(all("start", "nodes"))
                .containsExactly(List.of("a", "b"), List.of("c", "b"), List.of("a", "b"), List.of("a", "b"));
        assertThat(all("nodes_down", "nodes")).containsExactly(List.of("a"), List.of("c"), List.of("c"));
        assertThat(all("end", "status")).containsExactly(1, 1, 1, 0);
        assertThat(events().get(events().size() - 1)).containsEntry("event", "done");
        List<String> calls = Files.readAllLines(folder.resolve("calls"));
        assertThat(calls.get(1))
                .contains(
                        "--mca oob_tcp_keepalive_time 10 --mca oob_tcp_keepalive_intvl 5 --mca oob_tcp_keepalive_probes 2 ")
                .contains("-x DRUMLIN_JOB_ID")
                .contains("--host c:2,b:2")
                .endsWith("-n 4 java --version");
        assertThat(calls.stream().map(call -> call.split(" ")[0]).distinct()).hasSize(1);
    }

    @Test
    void aJobThatStoppedInTimeIsNotStartedAgain() throws IOException {
        assertThat(launch(onNodes(), mpirun("exit 75"), "x")).isEqualTo(75);
        assertThat(events()).extracting(each -> each.get("event")).containsExactly("start", "end", "come_again");
    }

    @Test
    void tooManyFailuresEndIt() throws IOException {
        List<String> options = new ArrayList<>(onNodes());
        options.addAll(List.of("--tries", "3"));
        assertThat(launch(options, mpirun("exit 9"), "x")).isEqualTo(1);
        assertThat(all("end", "status")).containsExactly(9, 9, 9);
        assertThat(events().get(events().size() - 1)).containsEntry("event", "given_up");
    }

    @Test
    void withTooFewNodesNothingStarts() throws IOException {
        for (String node : List.of("a", "b", "d")) {
            Files.createFile(folder.resolve("down-" + node));
        }
        List<String> options = new ArrayList<>(onNodes());
        options.addAll(List.of("--tries", "2"));
        assertThat(launch(options, mpirun("exit 0"), "x")).isEqualTo(1);
        assertThat(all("too_few_nodes", "missing")).containsExactly(1, 1);
        assertThat(folder.resolve("calls")).doesNotExist();
    }

    /** Options that tell launch of a run, whose id is {@code id} at first. */
    private List<String> withRun(String... more) throws IOException {
        Files.createDirectories(folder.resolve("meta/id"));
        List<String> options = new ArrayList<>(onNodes());
        options.addAll(List.of("--config", writeConfig("id").toString()));
        options.addAll(List.of(more));
        return options;
    }

    private Path writeConfig(String execId) throws IOException {
        return Files.writeString(
                folder.resolve("config.fti"),
                "[basic]\nverbosity = 3\nnode_size = 1\ngroup_size = 1\nckpt_io = 3\nckpt_dir = %1$s/local\nglbl_dir = %1$s/global\nmeta_dir = %1$s/meta\n"
                                .formatted(folder)
                        + "[restart]\nfailure = 0\nexec_id = " + execId
                        + "\n[advanced]\nblock_size = 1024\nlocal_test = 1\n");
    }

    @Test
    void checkpointsThatAreOnlyBegunAreNoProgress() throws IOException {
        String mpirun = mpirun("echo \"begun $call L1 0 0\" >>\"$DIR/meta/id/drumlin-commits\"\n" + "[ $call -ge 6 ]");
        assertThat(launch(withRun("--tries", "3"), mpirun, "x")).isEqualTo(1);
        assertThat(all("end", "status")).containsExactly(1, 1, 1);
    }

    @Test
    void runsThatBeginAfreshEachTimeAreNoProgress() throws IOException {
        String mpirun = mpirun("sed -i \"s/exec_id.*/exec_id = id$call/\" \"$DIR/config.fti\"\n"
                + "mkdir \"$DIR/meta/id$call\"\ntouch \"$DIR/meta/id$call/Topology.fti\"\necho \"begun 1 L1 0 0\" >\"$DIR/meta/id$call/drumlin-commits\"\n"
                + "[ $call -ge 6 ]");
        assertThat(launch(withRun("--tries", "3"), mpirun, "x")).isEqualTo(1);
        assertThat(all("end", "status")).containsExactly(1, 1, 1);
    }

    @Test
    void committedCheckpointsAreProgress() throws IOException {
        String mpirun = mpirun("printf 'begun 7 L1 0 0\\ncommitted %d L1 0 0\\nbegun 8 L1 0 0\\n' $((call / 2))"
                + " >>\"$DIR/meta/id/drumlin-commits\"\n[ $call -ge 6 ]");
        assertThat(launch(withRun("--tries", "3"), mpirun, "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("end", "status")).containsExactly(1, 1, 1, 1, 1, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"meta_dir = ", "exec_id = "})
    void aNameThatNoFileCanHaveIsNoCheckpoint(String key) throws IOException {
        List<String> options = withRun("--tries", "2");
        String damaged = "sed -i 's/" + key + ".*/" + key + "a\\x00b/' \"$DIR/config.fti\"\nexit 1";
        assertThat(launch(options, mpirun(damaged), "x")).as(drumlin.err()).isEqualTo(1);
        assertThat(all("given_up", "failures")).containsExactly(2);
    }

    /** Entries that the job writes into the configuration file, and what a start that has taken no checkpoint leaves. */
    private static String entry(String execId, int failure) {
        return "sed -i 's/exec_id.*/exec_id = " + execId + "/; s/failure.*/failure = " + failure
                + "/' \"$DIR/config.fti\"\nmkdir -p \"$DIR/meta/" + execId + "\"\ntouch \"$DIR/meta/" + execId
                + "/Topology.fti\"\n";
    }

    private static String completed(String execId) {
        return entry(execId, 0) + "rm -r \"$DIR/meta/" + execId + "\"\n";
    }

    /** The mpirun of Open MPI 5 ends with 0 when a host is lost. */
    @Test
    void statusZeroIsNoEndOfTheRun() throws IOException {
        String mpirun = mpirun("case $call in 1) " + entry("first", 0) + ";; 2) " + entry("second", 1) + ";; 3) "
                + completed("second") + ";; esac");
        assertThat(launch(withRun(), mpirun, "x")).as(drumlin.err()).isZero();
        assertThat(all("end", "status")).containsExactly(0, 0, 0);
        assertThat(all("not_completed", "failure")).containsExactly(0, 1);
        assertThat(events().get(events().size() - 1)).containsEntry("event", "done");
        assertThat(drumlin.run("run", "ended", folder.resolve("config.fti"))).isZero();
    }

    @Test
    void aLostHostIsNoEndOfARunThatGoesOnFromItsKeptEnd() throws IOException {
        List<String> options = withRun();
        Path config = folder.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace("failure = 0", "failure = 2"));
        assertThat(launch(options, mpirun("if [ $call = 1 ]; then touch \"$DIR/down-a\"; fi"), "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("end", "status")).containsExactly(0, 0);
        assertThat(all("not_completed", "lost")).containsExactly(List.of("a"));
        Files.writeString(config, Files.readString(config).replace("failure = 2", "failure = 1"));
        assertThat(drumlin.run("run", "ended", config)).isEqualTo(ExitCode.DAMAGED);
    }

    /** The processes of a launch that was killed may complete the run, and so may a start that fails after that. */
    @Test
    void aCompletedRunIsNotRepeated() throws IOException {
        assertThat(launch(withRun(), mpirun(completed("first") + "exit 1"), "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("end", "status")).containsExactly(1);
        Path config = folder.resolve("config.fti");
        killedIn(config);
        assertThat(launch(List.of("--config", config.toString()), mpirun("exit 1"), "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("done", "text").get(1).toString()).contains("run first", "exec_id");
        // After its end another launch begins another run.
        String third = mpirun(completed("third"));
        assertThat(launch(List.of("--config", config.toString()), third, "x")).isZero();
        assertThat(Files.readAllLines(folder.resolve("calls"))).hasSize(2);
        // So does one after another job of the same log was killed.
        killedIn(folder.resolve("another.fti"));
        assertThat(launch(List.of("--config", config.toString()), third, "x")).isZero();
        assertThat(Files.readAllLines(folder.resolve("calls"))).hasSize(3);
    }

    /** Writes down that a launch was killed while its first job ran. */
    private void killedIn(Path config) throws IOException {
        killedIn(config, 0);
    }

    private void killedIn(Path config, int failure) throws IOException {
        Files.writeString(
                log,
                "{\"time\":\"\",\"event\":\"start\",\"command\":[],\"config\":\"" + config
                        + "\",\"exec_id\":\"id\",\"failure\":" + failure + "}\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    @Test
    void theLogMayBeAPipe() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", log.toString()).start().waitFor())
                .isZero();
        Process reader = new ProcessBuilder("cat", log.toString())
                .redirectOutput(folder.resolve("events").toFile())
                .start();
        withRun();
        Process launch = startLaunch(
                Map.of(), "--config", folder.resolve("config.fti").toString(), "--", mpirun(completed("first")), "x");
        boolean ended = launch.waitFor(60, TimeUnit.SECONDS);
        launch.destroyForcibly();
        assertThat(ended).isTrue();
        assertThat(reader.waitFor()).isZero();
        assertThat(folder.resolve("events")).content().contains("\"event\":\"done\"");
    }

    @Test
    void aNodeThatAnswersButIsBadGetsASpareInItsPlace() throws IOException {
        String mpirun = mpirun("case \"$*\" in *a:2*) exit 1 ;; esac");
        assertThat(launch(onNodes(), mpirun, "x")).as(drumlin.err()).isZero();
        assertThat(all("start", "nodes"))
                .containsExactly(List.of("a", "b"), List.of("a", "b"), List.of("a", "c"), List.of("c", "b"));
        assertThat(all("node_suspected", "node")).containsExactly("b", "a");
        assertThat(all("node_suspected", "reason").get(0).toString()).startsWith("2 starts in a row failed");
    }

    /**
     * A rank took checkpoints 1 and 2; the program cannot go on from the second. After a kill the log does not say that
     * it was committed.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCheckpointFromWhichStartsFailIsSteppedOver(boolean killed) throws IOException {
        Path config = RunConfig.write(folder, 3, 1, "head = 0");
        Files.writeString(config, "[drumlin]\nkeep = 5\n", StandardOpenOption.APPEND);
        ThreadCommunicator.run(1, world -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, world)) {
                checkpoints.protect(1, new long[10]);
                checkpoints.checkpoint(1, Level.L4);
                checkpoints.checkpoint(2, Level.L4);
            }
        });
        String execId = entryOf(config, "exec_id");
        Path commits = folder.resolve("Meta").resolve(execId).resolve("drumlin-commits");
        if (killed) {
            Files.write(
                    commits,
                    Files.readAllLines(commits).stream()
                            .filter(line -> !line.startsWith("committed 2 "))
                            .toList());
        }
        List<String> options = List.of("--config", config.toString(), "--poison", "2", "--tries", "4");
        String mpirun = mpirun("grep -q from-1 \"$DIR/config.fti\" || exit 1\n"
                + completed(execId + "-from-1").replace("meta", "Meta"));
        assertThat(launch(options, mpirun, "x")).as(drumlin.err()).isZero();
        assertThat(all("end", "status")).containsExactly(1, 1, 0);
        assertThat(all("stepped_over", "checkpoint")).containsExactly(1);
        assertThat(all("stepped_over", "undo")).containsExactly("exec_id = " + execId + ", failure = 1");
        assertThat(launch(List.of("--poison", "2"), mpirun, "x")).isEqualTo(ExitCode.USAGE);
    }

    /** Otherwise a bad node, from whose starts nothing can go on, costs one checkpoint after the other, and no node's turn comes. */
    @Test
    void aStepBackIsNoProgress() throws IOException {
        Path config = RunConfig.write(folder, 3, 1, "head = 0");
        Files.writeString(config, "[drumlin]\nkeep = 5\n", StandardOpenOption.APPEND);
        ThreadCommunicator.run(1, world -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, world)) {
                checkpoints.protect(1, new long[10]);
                for (int id = 1; id <= 4; id++) {
                    checkpoints.checkpoint(id, Level.L4);
                }
            }
        });
        List<String> options = new ArrayList<>(onNodes());
        options.addAll(List.of("--config", config.toString(), "--poison", "2", "--tries", "5"));
        // A restart writes down from what a branch goes on.
        String mpirun = mpirun(
                "LOG=\"$DIR/Meta/$(sed -n 's/^exec_id *= *//p' \"$DIR/config.fti\")/drumlin-commits\"\n"
                        + "grep -q committed \"$LOG\" || printf 'begun 1 L4 7 -1 0\\ncommitted 1 L4 7 -1 0\\n' >>\"$LOG\"\nexit 1");
        assertThat(launch(options, mpirun, "x")).isEqualTo(1);
        assertThat(all("end", "status")).hasSize(5);
        assertThat(all("node_suspected", "node")).containsExactly("b", "a", "b");
    }

    /** It may complete the run while the next job gets its nodes, which would begin another run. */
    @Test
    void whatAKilledLaunchHasLeftIsAwaited() throws Exception {
        withRun();
        Path config = folder.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace("failure = 0", "failure = 1"));
        String mpirun = mpirun("while [ ! -e \"$DIR/go\" ]; do sleep 0.05; done\n" + completed("id"));
        Process killed = startLaunch(Map.of(), "--config", config.toString(), "--", mpirun, "x");
        awaitEvent("running");
        killed.destroyForcibly().waitFor();
        Process second = startLaunch(Map.of(), "--config", config.toString(), "--", mpirun, "x");
        awaitEvent("waiting");
        Files.createFile(folder.resolve("go"));
        assertThat(second.waitFor())
                .as(Files.readString(folder.resolve("output")))
                .isZero();
        assertThat(events())
                .extracting(each -> each.get("event"))
                .containsExactly("start", "running", "waiting", "done");
        assertThat(all("waiting", "pid")).isEqualTo(all("running", "pid"));
    }

    private void awaitEvent(String event) throws IOException, InterruptedException {
        while (!Files.exists(log) || !Files.readString(log).contains("\"event\":\"" + event + "\"")) {
            Thread.sleep(20);
        }
    }

    private static String entryOf(Path config, String key) throws IOException {
        return IniFile.parse(Files.readString(config), "").get("restart", key).orElseThrow();
    }

    /** Batch systems announce the end of a job by SIGUSR1, some of them to the first process only. */
    @Test
    void signalsReachTheJob() throws Exception {
        String mpirun = mpirun("trap 'exit 75' USR1\ntouch \"$DIR/ready\"\nwhile :; do sleep 0.01; done");
        Process launch = startLaunch(Map.of(), mpirun);
        while (!Files.exists(folder.resolve("ready"))) {
            assertThat(launch.isAlive()).isTrue();
            Thread.sleep(20);
        }
        new ProcessBuilder("sh", "-c", "kill -s USR1 " + launch.pid()).start().waitFor();
        assertThat(launch.waitFor()).isEqualTo(75);
        assertThat(all("signal", "name")).containsExactly("SIGUSR1");
    }

    @Test
    void prterunIsOpenMpi() throws IOException {
        String prterun = script(
                "prterun",
                "if [ \"$1\" = --version ]; then echo 'prterun (PRRTE) 3.0.8'; exit; fi\necho \"$*\" >\"$DIR/calls\"");
        Files.createFile(folder.resolve("down-a"));
        List<String> options = List.of("--hostfile", hosts.toString(), "--nodes", "2");
        String reach = folder.resolve("reach").toString();
        assertThat(launch(options, prterun, "--prtemca", "plm_ssh_agent", reach, "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("start", "nodes")).containsExactly(List.of("b", "c"));
        assertThat(Files.readString(folder.resolve("calls")))
                .startsWith("--prtemca oob_tcp_keepalive_time 10 --prtemca")
                .contains("-x DRUMLIN_JOB_ID --host b:2,c:2 --prtemca plm_ssh_agent");
    }

    @Test
    void hydraNeedsATimeoutToNoticeANodeWithoutPower() throws IOException {
        String mpiexec = script("mpiexec", "echo HYDRA build details:");
        assertThat(launch(onNodes(), mpiexec, "x")).as(drumlin.err()).isZero();
        assertThat(all("warning", "text").get(0).toString()).contains("give --timeout");
    }

    @Test
    void whatCannotBeReadHasNotChanged() throws IOException {
        Files.createDirectories(folder.resolve("meta/id"));
        Path config = writeConfig("id");
        Path commits = folder.resolve("meta/id/drumlin-commits");
        CheckpointWatch watch = new CheckpointWatch(config, null);
        assertThat(watch.moves() || watch.hasNewSinceLastCall()).isFalse();
        Files.writeString(commits, "begun 1 L1 0 0\n\ncommitted 1 L1 0 0\nbegun 2 L1 0 0\n");
        assertThat(watch.moves()).isTrue();
        Files.move(config, folder.resolve("away"));
        assertThat(watch.moves() || watch.hasNewSinceLastCall()).isFalse();
        Files.move(folder.resolve("away"), config);
        assertThat(watch.moves()).isFalse();
        assertThat(watch.hasNewSinceLastCall()).isTrue();
        assertThat(watch.hasNewSinceLastCall()).isFalse();
    }

    /** A watch at another place than the job's would end a job that takes checkpoints. */
    @Test
    void directoriesMayHaveVariables() throws IOException {
        Path home = Path.of(System.getenv("HOME")).toRealPath();
        Path config = writeConfig("id");
        String variable = "$HOME/" + home.relativize(folder.toRealPath());
        Files.writeString(config, Files.readString(config).replace(folder.toString(), variable));
        Files.createDirectories(folder.resolve("meta/id"));
        CheckpointWatch watch = new CheckpointWatch(config, null);
        Files.writeString(folder.resolve("meta/id/drumlin-commits"), "committed 3 L1 0 0\n");
        assertThat(watch.moves()).isTrue();
        assertThat(watch.hasNewSinceLastCall()).isTrue();
        assertThat(CheckpointWatch.last(config, true)).hasValue(3);
    }

    @Test
    void aJobWithoutCheckpointsHangsAndOneWithThemDoesNot() throws IOException {
        String mpirun = mpirun(
                "if [ $call = 1 ]; then exec sleep 60; fi\n"
                        + "for name in commits commits starts starts starts; do sleep 1; echo >>\"$DIR/meta/id/drumlin-$name\"; done");
        assertThat(launch(withRun("--timeout", "2", "--tries", "2"), mpirun, "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(events())
                .extracting(each -> each.get("event"))
                .containsExactly("start", "running", "hang", "pause", "start", "running", "end", "done");
    }

    /** Writes what the flush file has when the cache has one dataset. */
    private static void writeFlushFile(Path path, int id) throws IOException {
        FlushStates states = new FlushStates(new KvTree());
        states.cached(DatasetDescriptor.started(id, "ckpt." + id, true, false, 5));
        try (SeekableByteChannel file =
                Files.newByteChannel(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(KvTreeFile.encode(states.tree()));
        }
    }

    /** Options for a job of SCR, which can copy flush files {@code flush-ID} to its prefix directory. */
    private List<String> withScr(String... more) throws IOException {
        new NioEngine().createDirectories(new ScrPrefix(folder).scr());
        for (int id = 1; id <= 4; id++) {
            writeFlushFile(folder.resolve("flush-" + id), id);
        }
        List<String> options = new ArrayList<>(onNodes());
        options.addAll(List.of("--scr-prefix", folder.toString(), "--no-scavenge"));
        options.addAll(List.of(more));
        return options;
    }

    @Test
    void aJobOfScrThatCompletesNoDatasetHangs() throws IOException {
        String mpirun = mpirun("if [ $call = 1 ]; then exec sleep 60; fi\n"
                + "for i in 1 2 3 4; do sleep 1; cp \"$DIR/flush-$i\" \"$DIR/.scr/flush.scr\"; done");
        assertThat(launch(withScr("--timeout", "2", "--tries", "2"), mpirun, "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(events())
                .extracting(each -> each.get("event"))
                .containsExactly("start", "hang", "pause", "start", "end", "done");
    }

    @Test
    void datasetsOfScrAreProgress() throws IOException {
        String mpirun = mpirun("cp \"$DIR/flush-$((call / 2 + 1))\" \"$DIR/.scr/flush.scr\"\n[ $call -ge 6 ]");
        assertThat(launch(withScr("--tries", "3"), mpirun, "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("end", "status")).containsExactly(1, 1, 1, 1, 1, 0);
    }

    @Test
    void theSameDatasetAgainIsNoProgress() throws IOException {
        String mpirun = mpirun("cp \"$DIR/flush-1\" \"$DIR/.scr/flush.scr\"\n[ $call -ge 6 ]");
        assertThat(launch(withScr("--tries", "3"), mpirun, "x")).isEqualTo(1);
        assertThat(all("end", "status")).containsExactly(1, 1, 1);
    }

    @Test
    void looksForCheckpointsAreAsOftenAsTheTimeoutNeeds() {
        assertThat(LaunchedJob.lookMillis(Duration.ofMillis(500))).isEqualTo(100);
        assertThat(LaunchedJob.lookMillis(Duration.ofSeconds(30))).isEqualTo(3000);
        assertThat(LaunchedJob.lookMillis(Duration.ofHours(1))).isEqualTo(10_000);
    }

    /** After SIGTERM a job may end as if it were done, or take a last checkpoint. It hung nevertheless. */
    @ParameterizedTest
    @ValueSource(ints = {0, 75})
    void aJobThatHungIsStartedAgainWhateverItsStatus(int status) throws IOException {
        String mpirun = mpirun("if [ $call = 1 ]; then trap 'kill $!; exit " + status + "' TERM; sleep 60 & wait; fi");
        assertThat(launch(withRun("--timeout", "1", "--tries", "2"), mpirun, "x"))
                .as(drumlin.err())
                .isZero();
        assertThat(all("hang", "status")).containsExactly(status);
        assertThat(all("end", "status")).containsExactly(0);
    }

    @Test
    void withoutACheckpointToLookForThereIsNoTimeout() {
        assertThat(launch(List.of("--timeout", "2"), "true")).isEqualTo(ExitCode.USAGE);
        assertThat(drumlin.err()).contains("--timeout needs --config or --scr-prefix");
    }

    @Test
    void aCommandThatCannotBeStartedAgainIsAFailure() throws IOException {
        List<String> options = new ArrayList<>(onNodes());
        options.addAll(List.of("--tries", "3"));
        assertThat(launch(options, mpirun("rm \"$0\"; exit 9"), "x")).isEqualTo(1);
        assertThat(all("end", "status")).containsExactly(9);
        assertThat(all("not_started", "error")).hasSize(2);
    }

    /** In an allocation of Slurm with the nodes a, b and c, whose commands are scripts. */
    private int launchUnderSlurm(Map<String, String> variables, String... arguments) throws Exception {
        script("scontrol", "printf 'a\\nb\\nc\\n'");
        Map<String, String> all = new HashMap<>(variables);
        all.put("SLURM_JOB_NODELIST", "a,b,c");
        return startLaunch(all, arguments).waitFor();
    }

    /** A process of its own. */
    private Process startLaunch(Map<String, String> variables, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of("launch", "--log", log.toString(), "--back-off", "0"));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DrumlinCommand.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.command().addAll(line);
        builder.environment().keySet().removeIf(name -> name.startsWith("SLURM_"));
        builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        builder.environment().putAll(variables);
        return builder.start();
    }

    @Test
    void aPassingErrorOfSlurmIsOneFailure() throws Exception {
        script(
                "sinfo",
                "if [ ! -e \"$DIR/again\" ]; then touch \"$DIR/again\"; echo timeout; exit 1; fi\n"
                        + "printf 'a idle\\nb down*\\nc mixed\\n'");
        String srun = script("srun", "echo \"$*\" >>\"$DIR/calls\"");
        assertThat(launchUnderSlurm(Map.of(), "--nodes", "2", "--", srun, "x"))
                .as(Files.readString(folder.resolve("output")))
                .isZero();
        assertThat(events())
                .extracting(each -> each.get("event"))
                .containsExactly("nodes_unknown", "pause", "nodes_down", "start", "end", "done");
        assertThat(all("nodes_unknown", "error").get(0).toString()).endsWith(" failed: timeout");
        assertThat(folder.resolve("calls")).hasContent("--kill-on-bad-exit=1 --nodes=2 --nodelist=a,c x");
    }

    @Test
    void aPassingErrorOfSlurmIsNoEndOfTheRun() throws Exception {
        script(
                "sinfo",
                "echo >>\"$DIR/asked\"\nif [ $(wc -l <\"$DIR/asked\") = 2 ]; then echo timeout; exit 1; fi\n"
                        + "printf 'a idle\\nb idle\\nc idle\\n'");
        withRun();
        Path config = folder.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace("failure = 0", "failure = 2"));
        String srun = script("srun", "exit 0");
        assertThat(launchUnderSlurm(Map.of(), "--config", config.toString(), "--", srun, "x"))
                .as(Files.readString(folder.resolve("output")))
                .isZero();
        assertThat(events())
                .extracting(each -> each.get("event"))
                .containsExactly(
                        "start",
                        "running",
                        "end",
                        "nodes_unknown",
                        "not_completed",
                        "pause",
                        "start",
                        "running",
                        "end",
                        "done");
    }

    /** Slurm starts no job on a node that is drained, but does what the job of the allocation asks. */
    @Test
    void whatADrainedNodeHasIsSavedBeforeTheNextStart() throws Exception {
        script(
                "sinfo",
                "[ -e \"$DIR/calls\" ] && state=draining || state=idle\nprintf \"a idle\\nb $state\\nc idle\\n\"");
        String srun = script("srun", "echo \"$*\" >>\"$DIR/calls\"\n[ $(grep -c ' x$' \"$DIR/calls\") -ge 2 ]");
        ScrPrefix prefix = new ScrPrefix(folder);
        new NioEngine().createDirectories(prefix.scr());
        writeFlushFile(prefix.flush(), 1);
        assertThat(launchUnderSlurm(Map.of(), "--nodes", "2", "--scr-prefix", folder.toString(), "--", srun, "x"))
                .as(Files.readString(folder.resolve("output")))
                .isZero();
        assertThat(all("scavenge_start", "nodes")).startsWith(List.of("a", "b", "c"));
        assertThat(events())
                .extracting(each -> each.get("event"))
                .startsWith(
                        "start",
                        "end",
                        "pause",
                        "nodes_down",
                        "scavenge_start",
                        "scavenge_end",
                        "start",
                        "end",
                        "done");
        assertThat(Files.readString(folder.resolve("calls")))
                .contains(
                        "--nodes=1 --ntasks=1 --ntasks-per-node=1 --mpi=none --nodelist=b ",
                        "--nodelist=a,b x\n",
                        "--nodelist=a,c x\n");
    }

    @Test
    void launchersAreToldTheRanksOfTheNodesOfSlurm() throws Exception {
        script("sinfo", "printf 'a idle\\nb down*\\nc mixed\\n'");
        Map<String, String> variables = Map.of("SLURM_TASKS_PER_NODE", "4(x2),3");
        String srun = script("srun", "echo \"$*\" >>\"$DIR/srun-calls\"");
        assertThat(launchUnderSlurm(variables, "--nodes", "2", "--", srun, "x")).isZero();
        // Otherwise it starts the ranks of all nodes, for which these have no room.
        assertThat(folder.resolve("srun-calls"))
                .hasContent("--kill-on-bad-exit=1 --nodes=2 --nodelist=a,c --ntasks=7 x");
        assertThat(launchUnderSlurm(variables, "--nodes", "2", "--", mpirun("exit 0"), "x"))
                .as(Files.readString(folder.resolve("output")))
                .isZero();
        assertThat(Files.readString(folder.resolve("calls"))).contains("--host a:4,c:3 x");
    }

    @Test
    void mpirunIsNotStartedWhereSlurmDoesNotSayItsRanks() throws Exception {
        Map<String, String> variables = Map.of("SLURM_TASKS_PER_NODE", "4(x2)");
        assertThat(launchUnderSlurm(variables, "--", mpirun("exit 0"), "x")).isEqualTo(ExitCode.USAGE);
        assertThat(folder.resolve("output"))
                .content()
                .contains("SLURM_TASKS_PER_NODE is \"4(x2)\"")
                .contains("--hostfile");
        assertThat(folder.resolve("calls")).doesNotExist();
    }

    @Test
    void aCommandThatIsNotThereIsAnError() {
        assertThat(launch(List.of(), folder.resolve("nothing").toString())).isEqualTo(ExitCode.IO_ERROR);
    }
}
