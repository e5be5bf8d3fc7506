package io.drumlin.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.cli.CommandRun;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drumlin scavenge}, and the same at the end of {@code drumlin launch}, with scripts in the place of nodes. */
class ScavengeCommandTest {

    private static final List<String> NODES = List.of("a", "b", "c");

    @TempDir
    private Path folder;

    private final CommandRun drumlin = new CommandRun();
    private Path hosts;
    private Path log;

    @BeforeEach
    void writeHosts() throws IOException {
        hosts = Files.writeString(folder.resolve("hosts"), String.join("\n", NODES));
        log = folder.resolve("log");
        Files.createDirectories(prefix().scr());
        Files.writeString(
                prefix().applicationConfig(),
                "SCR_CNTL_BASE=" + folder.resolve("NODE") + "\nSCR_USER_NAME=user1\nSCR_JOB_ID=7\n");
    }

    private ScrPrefix prefix() {
        return new ScrPrefix(folder.resolve("the prefix"));
    }

    private String script(String name, String body) throws IOException {
        Path path = Files.writeString(folder.resolve(name), "#!/bin/sh\nDIR='" + folder + "'\n" + body + "\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
        return path.toString();
    }

    /** What reaches a node whose caches are in a directory of its name. */
    private String reach() throws IOException {
        return script(
                "reach",
                "[ ! -e \"$DIR/down-$1\" ] || exit 1\nnode=$1; shift\neval \"$(echo \"$*\" | sed \"s#/NODE/#/$node/#\")\"");
    }

    /** What reaches a node that answers in the place of the program. */
    private String answering(String cases) throws IOException {
        return script("reach", "if [ \"$2\" = true ]; then exit 0; fi\ncase $1 in\n" + cases + "\nesac");
    }

    private int scavenge(String probe, String... more) {
        List<Object> arguments = new ArrayList<>(
                List.of("scavenge", "--log", log, "--prefix", prefix().path(), "--hostfile", hosts, "--probe", probe));
        arguments.addAll(List.of(more));
        return drumlin.run(arguments.toArray());
    }

    private int launch(String... options) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(
                "launch", "--log", log, "--back-off", "0", "--hostfile", hosts, "--scr-prefix", prefix().path()));
        arguments.addAll(List.of(options));
        arguments.add("--");
        arguments.add(script("mpirun", "[ \"$1\" != --version ] || exit 0\necho \"$*\" >>\"$DIR/calls\"\nexit 9"));
        return drumlin.run(arguments.toArray());
    }

    private List<Map<String, Object>> events() throws IOException {
        List<Map<String, Object>> events = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            events.add(JSON.std.mapFrom(line));
        }
        return events;
    }

    private Map<String, Object> last() throws IOException {
        return events().get(events().size() - 1);
    }

    private static byte[] content(int rank) {
        byte[] bytes = new byte[5000 + rank];
        new Random(rank).nextBytes(bytes);
        return bytes;
    }

    /** A checkpoint of three ranks, each with a node of its own. */
    private void writeAndDie() throws IOException {
        ThreadCommunicator.run(NODES.size(), world -> {
            String node = NODES.get(world.rank());
            ScrConfig config = new ScrConfig(Map.of(
                    "SCR_PREFIX",
                    prefix().path().toString(),
                    "SCR_CACHE_BASE",
                    folder.resolve(node).toString(),
                    "SCR_CNTL_BASE",
                    folder.resolve(node).toString(),
                    "SCR_NODE_NAME",
                    node,
                    "SCR_USER_NAME",
                    "user1",
                    "SCR_JOB_ID",
                    "7",
                    "SCR_CACHE_BYPASS",
                    "0"));
            ScrDatasets datasets = ScrDatasets.open(config, world, new NioEngine());
            datasets.startOutput("ckpt.1", true, false);
            Files.write(datasets.routeFile(file(world.rank())), content(world.rank()));
            datasets.completeOutput(true);
        });
        writeHosts();
    }

    private Path file(int rank) {
        return prefix().path().resolve("it's/rank_" + rank);
    }

    /** The flush file of a job whose checkpoint 1 is in caches only. */
    private void writeFlushFile() throws IOException {
        FlushStates states = new FlushStates(new KvTree());
        states.cached(DatasetDescriptor.started(1, "ckpt.1", true, false, 5));
        ByteBuffer bytes = KvTreeFile.encode(states.tree());
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        Files.write(prefix().flush(), array);
    }

    private void assertSaved() throws IOException {
        assertThat(new IndexFile(prefix(), new NioEngine())
                        .read()
                        .record("ckpt.1")
                        .orElseThrow()
                        .isRestartable())
                .isTrue();
        for (int rank = 0; rank < NODES.size(); rank++) {
            assertThat(file(rank)).hasBinaryContent(content(rank));
        }
    }

    /** Two nodes are left, and the file of the third is made again. */
    @Test
    void aJobThatIsGivenUpIsSaved() throws IOException {
        writeAndDie();
        Files.createFile(folder.resolve("down-b"));
        assertThat(launch("--nodes", "2", "--tries", "1", "--probe", reach())).isEqualTo(1);
        assertThat(events())
                .as("%s", events())
                .extracting(each -> each.get("event"))
                .containsExactly("warning", "nodes_down", "start", "end", "given_up", "scavenge_start", "scavenge_end");
        assertThat(events().get(5))
                .containsEntry("dataset", 1)
                .containsEntry("name", "ckpt.1")
                .containsEntry("nodes", List.of("a", "c"));
        assertThat(last())
                .as("%s", last())
                .containsEntry("whole", true)
                .containsEntry("rebuilt_ranks", 1)
                .containsEntry("silent", List.of())
                .containsEntry("problems", List.of())
                .containsKeys("seconds", "bytes")
                .containsEntry("files", 12);
        assertSaved();
    }

    @Tag("exhaustive")
    @Test
    void aJobIsSavedWhileItWaitsForNodes() throws IOException {
        writeAndDie();
        Files.createFile(folder.resolve("down-b"));
        assertThat(launch("--tries", "3", "--probe", reach())).isEqualTo(1);
        assertThat(events())
                .extracting(each -> each.get("event"))
                .startsWith(
                        "warning",
                        "nodes_down",
                        "too_few_nodes",
                        "scavenge_start",
                        "scavenge_end",
                        "pause",
                        "nodes_down")
                .containsOnlyOnce("scavenge_start");
        assertSaved();
    }

    @Test
    void withoutSomethingToSaveNothingIsSaid() throws IOException {
        assertThat(scavenge("false")).as(drumlin.err()).isZero();
        assertThat(log).isEmptyFile();
    }

    @Test
    void itCanBeLeft() throws IOException {
        writeFlushFile();
        assertThat(launch("--tries", "1", "--no-scavenge", "--probe", answering("")))
                .isEqualTo(1);
        assertThat(last()).containsEntry("event", "given_up");
    }

    /** The first node is silent, the second has no program, and the third breaks off: none of them counts. */
    @Test
    void nodesThatDoNotAnswerAreLeftOut() throws IOException {
        writeFlushFile();
        String probe = answering(
                "a) sleep 60 ;;\nb) echo 'no java here' >&2; exit 127 ;;\n" + "c) echo 'scavenge: rank 2'; exit 1 ;;");
        assertThat(scavenge(probe, "--scavenge-timeout", "1")).isEqualTo(1);
        assertThat(last())
                .containsEntry("event", "scavenge_end")
                .containsEntry("whole", false)
                .containsEntry("silent", List.of("a"));
        assertThat((List<?>) last().get("problems"))
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .containsExactly(
                        "a: it said nothing for 1 s, and is left out",
                        "b: it did not finish: no java here",
                        "c: it did not finish: ");
        assertThat(last().get("error").toString()).contains("no node has copied anything of it");
        assertThat(prefix().index()).doesNotExist();
    }

    @Tag("exhaustive")
    @Test
    void aNodeThatGoesOnIsWaitedFor() throws IOException {
        writeFlushFile();
        String probe = answering("b) for i in 1 2 3; do echo 'scavenge: progress'; sleep 0.4; done;"
                + " echo 'scavenge: problem rank 1: EIO'; echo 'scavenge: end' ;;\n*) echo 'scavenge: end' ;;");
        assertThat(scavenge(probe, "--scavenge-timeout", "1")).isEqualTo(1);
        assertThat(last()).containsEntry("silent", List.of()).containsEntry("problems", List.of("b: rank 1: EIO"));
    }

    @Test
    void nothingIsMadeOfFilesWhoseOwnerIsUnknown() throws IOException {
        writeFlushFile();
        String probe = answering("*) echo 'scavenge: contested F may be any of G, H'; echo 'scavenge: end' ;;");
        assertThat(scavenge(probe)).isEqualTo(1);
        assertThat(last().get("error").toString()).contains("cannot tell whose its files are");
        assertThat((List<?>) last().get("problems")).hasSize(3).first().isEqualTo("a: F may be any of G, H");
    }

    @Test
    void aFlushFileThatCannotBeReadIsAnEvent() throws IOException {
        Files.write(prefix().flush(), new byte[] {1, 2, 3});
        assertThat(launch("--tries", "1", "--probe", answering(""))).isEqualTo(1);
        assertThat(last()).containsEntry("event", "scavenge_failed");
        assertThat(last().get("error").toString()).contains("flush.scr");
    }

    @Test
    void aNodeIsReachedByAShellOrBySrunOrIsThisMachine() {
        List<String> words = List.of("java", "it's");
        assertThat(new NodeShell(List.of("ssh", "-x"), List.of("srun")).on("n1", words))
                .containsExactly("ssh", "-x", "n1", "'java' 'it'\\''s'");
        assertThat(new NodeShell(List.of(), List.of("/opt/srun")).on("n1", words))
                .containsExactly(
                        "/opt/srun",
                        "--nodes=1",
                        "--ntasks=1",
                        "--ntasks-per-node=1",
                        "--mpi=none",
                        "--nodelist=n1",
                        "java",
                        "it's");
        assertThat(new NodeShell(List.of(), List.of()).on("n1", words)).isEqualTo(words);
    }
}
