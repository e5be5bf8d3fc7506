package io.drumlin.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on four hosts keeps its checkpoints in their memory, and one host crashes. {@code drumlin launch} saves what the others have, and
 * the job continues on hosts without caches.
 */
@Tag("native")
@Tag("soak")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ScavengeClusterIT {

    private static final List<String> NODES = List.of("node1", "node2", "node3", "node4");

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

    private ScrPrefix prefix() {
        return new ScrPrefix(shared().resolve("prefix"));
    }

    private ProcessBuilder onCluster(String... arguments) {
        List<String> command = new ArrayList<>(List.of(script("cluster")));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("CLUSTER", cluster().toString());
        return builder;
    }

    private static String script(String name) {
        return Path.of(System.getProperty("drumlin.root"), "ci", name).toString();
    }

    private void call(String... arguments) throws IOException, InterruptedException {
        await(onCluster(arguments));
    }

    private void onSlurm(String... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = onCluster(arguments);
        builder.command().set(0, script("slurm"));
        await(builder);
    }

    private static void await(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        if (status == SKIPPED) {
            abort(output);
        }
        assertThat(status).as(output).isZero();
    }

    @BeforeEach
    void boot() throws IOException, InterruptedException {
        program(0); // skips the test where there is no MPI
        call("up", Integer.toString(NODES.size()));
        Files.write(shared().resolve("hosts"), NODES);
        Files.createDirectory(prefix().path());
    }

    @AfterEach
    void shutDown() throws IOException, InterruptedException {
        if (Files.exists(cluster().resolve("hosts"))) {
            call("down");
        }
    }

    private String[] arguments(int steps) {
        return new String[] {prefix().path().toString(), Integer.toString(steps)};
    }

    private List<String> program(int steps) {
        List<String> command =
                new ArrayList<>(JavaCommand.mpirun(NODES.size(), CachingProgram.class.getName(), arguments(steps)));
        command.addAll(1, List.of("--mca", "plm_rsh_agent", "/tmp/agent", "--mca", "plm_rsh_no_tree_spawn", "1"));
        return command;
    }

    /** The command that starts a job once, with more options and the job. */
    private List<String> launch(String... more) {
        List<String> command = new ArrayList<>(JavaCommand.of(
                "io.drumlin.cli.DrumlinCommand",
                "launch",
                "--tries",
                "1",
                "--scr-prefix",
                prefix().path().toString(),
                "--scavenge-timeout",
                "30",
                "--log",
                shared().resolve("log").toString()));
        command.addAll(List.of(more));
        return command;
    }

    /** Runs the program by launch, which does not start it again, and does something after a number of checkpoints. */
    private List<String> launch(int steps, String at, String... then) throws IOException, InterruptedException {
        List<String> command = launch("--hostfile", shared().resolve("hosts").toString(), "--");
        command.addAll(program(steps));
        Process process =
                onCluster("run", "login", "exec " + JavaCommand.quoted(command)).start();
        List<String> output = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                output.add(line);
                if (line.equals(at)) {
                    call(then);
                }
            }
            output.add("status " + process.waitFor());
        } finally {
            process.destroy();
        }
        output.addAll(Files.readAllLines(shared().resolve("log")));
        System.out.println(String.join("\n", output));
        return output;
    }

    @Test
    void aJobContinuesOnFreshHosts() throws IOException, InterruptedException {
        List<String> story = launch(Integer.MAX_VALUE, "done 3", "crash", "node2");
        assertThat(story)
                .contains("status 1")
                .filteredOn(line -> line.contains("\"event\":\"scavenge_end\""))
                .singleElement()
                .asString()
                .contains("\"whole\":true", "\"rebuilt_ranks\":1", "\"silent\":[]", "\"problems\":[]");
        int saved = checkSaved();

        for (String node : NODES) {
            if (!node.equals("node2")) {
                call("crash", node);
            }
        }
        call(Stream.concat(Stream.of("boot"), NODES.stream()).toArray(String[]::new));
        List<String> second = launch(saved + 1, "never");
        assertThat(second).contains("start " + saved, "done " + (saved + 1), "status 0");
        // The end of a job that does not flush is a reason, too.
        assertThat(index().current()).contains("ckpt." + (saved + 1));
    }

    /** The nodes are those of the allocation, and srun reaches them. */
    @Test
    void aJobOfSlurmIsSaved() throws IOException, InterruptedException {
        onSlurm("up");
        try {
            List<String> job = launch("--", "srun", "--mpi=pmix");
            job.addAll(JavaCommand.of(CachingProgram.class.getName(), arguments(Integer.MAX_VALUE)));
            Files.writeString(
                    shared().resolve("job.sh"),
                    "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node=1 --time=10 --no-kill\nexport UCX_ERROR_SIGNALS=\n"
                            + JavaCommand.quoted(job) + "\n");
            onSlurm("run", "sbatch --output=" + shared().resolve("output") + " job.sh");
            await(shared().resolve("output"), "done 3\n");
            call("crash", "node2");
            String events = await(shared().resolve("log"), "\"event\":\"scavenge_end\"");
            assertThat(events).contains("\"rebuilt_ranks\":1", "\"whole\":true");
            checkSaved();
        } finally {
            onSlurm("down");
        }
    }

    private static String await(Path file, String text) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
        String story = "";
        while (!story.contains(text)) {
            assertThat(System.nanoTime()).as(story).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(100);
            story = Files.exists(file) ? Files.readString(file) : "";
        }
        System.out.println(story);
        return story;
    }

    private ScrIndex index() throws IOException {
        return new IndexFile(prefix(), new NioEngine()).read();
    }

    /** Compares the only dataset of the prefix directory, and the names of its files. */
    private int checkSaved() throws IOException {
        IndexRecord record = index().records().get(0);
        assertThat(index().records()).hasSize(1);
        assertThat(record.isRestartable()).isTrue();
        assertThat(index().current()).contains(record.name());
        DatasetMetadata metadata = DatasetMetadata.of(prefix(), record, new NioEngine());
        metadata.checkContent(metadata.checkFetchable(NODES.size()));
        int step = Integer.parseInt(record.name().substring("ckpt.".length()));
        assertThat(step).isGreaterThanOrEqualTo(3);
        Set<String> names = new TreeSet<>(Set.of("summary.scr", "rank2file", "rank2file.0.0"));
        for (int rank = 0; rank < NODES.size(); rank++) {
            assertThat(CachingProgram.file(prefix().path(), step, rank))
                    .hasBinaryContent(CachingProgram.state(step, rank));
            names.add("filemap_" + rank);
            for (String family : List.of("reddesc", "reddescmap")) {
                // Nobody needs the membership of a lost rank in the prefix directory, so it is not made again.
                if (rank != 1) {
                    names.add(family + ".er." + rank + ".redset");
                }
                names.add(family + ".er." + rank + ".xor.grp_1_of_1.mem_" + (rank + 1) + "_of_4.redset");
            }
        }
        assertThat(names(metadata.directory())).isEqualTo(names);
        assertThat(names(prefix().path().resolve(record.name()))).hasSize(NODES.size());
        return step;
    }

    private static Set<String> names(Path directory) throws IOException {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.map(path -> path.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
