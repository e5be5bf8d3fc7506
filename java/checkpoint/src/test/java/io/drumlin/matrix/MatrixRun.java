package io.drumlin.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A run directory of 16 ranks on 4 simulated nodes in one group, with C FTI's settings for its suites. */
final class MatrixRun {

    private static final int NODES = 4;

    private final Launcher launcher;
    private final RunFixture run;
    private final int mode;
    private final String head;
    private final boolean leavesReplica;
    private int nodeSize = 4;

    /**
     * @param mode value of {@code ckpt_io}
     * @param changes keys with their section, which differ from the settings of the suites
     */
    MatrixRun(Launcher launcher, Path directory, int mode, Map<String, String> changes) throws IOException {
        this.launcher = launcher;
        this.mode = mode;
        Map<String, String> all =
                RunFixture.settings("node_size=4, group_size=4, verbosity=2, ckpt_io=" + ("" + mode), changes);
        head = all.getOrDefault("basic.head", "0");
        leavesReplica = mode == 1 && "0".equals(all.get("basic.inline_l4"));
        run = new RunFixture(directory, all);
    }

    int mode() {
        return mode;
    }

    /** Heads per node. */
    String head() {
        return head;
    }

    /** Ranks that are no heads. */
    int applicationRanks() {
        return NODES * (nodeSize - Integer.parseInt(head));
    }

    /** So that the processes of heads can begin another run. */
    void keepHeadsAlive() throws IOException {
        String text = Files.readString(config());
        Files.writeString(config(), text.replace("[basic]", "[basic]\nkeep_heads_alive = " + head));
    }

    /** Makes the next starts have so many ranks besides the heads on each of the 4 nodes. */
    void setApplicationRanksPerNode(int ranks) throws IOException {
        nodeSize = ranks + Integer.parseInt(head);
        change("node_size", nodeSize);
    }

    /** Other numbers of such ranks; 64 processes would be too many. */
    List<Integer> otherRanksPerNode() {
        return launcher == Launcher.THREADS ? List.of(16, 1) : List.of(1);
    }

    /** Makes the next start a new run that begins with a shared HDF5 file. */
    void restartFromSingleFile() throws IOException {
        change("failure", 3);
    }

    private void change(String key, int value) throws IOException {
        String text = Files.readString(config());
        Files.writeString(config(), text.replaceFirst("(?m)^(" + key + " *= ).*", "$1" + value));
    }

    Path config() {
        return run.config();
    }

    /** The levels at which files lie after one of level 4: in the mode POSIX a head leaves the local ones as level 1. */
    List<Integer> levelsOfL4() {
        return leavesReplica ? List.of(1, 4) : List.of(4);
    }

    /** Runs a program to its end; gives what it printed. */
    String start(String... program) throws Exception {
        return launcher.start(NODES * nodeSize, run.config(), program);
    }

    String failure() throws IOException {
        return run.restartValue("failure");
    }

    String execId() throws IOException {
        return run.restartValue("exec_id");
    }

    /** Files below the run directory, without the configuration; the exec id is {@code X}. */
    List<String> files() throws IOException {
        return run.files();
    }

    /** What happens to files between two starts. */
    enum Damage {
        ERASE,
        CORRUPT
    }

    /** Erases or overwrites the beginning of files. */
    void damage(Damage damage, List<Path> files) throws IOException {
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            if (damage == Damage.ERASE) {
                Files.delete(file);
            } else {
                Files.writeString(file, "this is corrupted!", StandardOpenOption.WRITE);
            }
        }
    }

    /** The files of a kind that the ranks of a node have of a checkpoint, in the order of ranks. */
    List<Path> files(String kind, int node) throws IOException {
        try (Stream<Path> found = Files.walk(run.directory())) {
            return found.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.matches("Ckpt\\d+-" + kind + "\\d+\\.(fti|h5)") && rank(name) / nodeSize == node;
                    })
                    .sorted(Comparator.comparing(file -> rank(file.getFileName().toString())))
                    .toList();
        }
    }

    /** The files of a kind of all ranks. */
    List<Path> files(String kind) throws IOException {
        return Stream.of(files(kind, 0), files(kind, 1), files(kind, 2), files(kind, 3))
                .flatMap(List::stream)
                .toList();
    }

    private static int rank(String name) {
        return Integer.parseInt(name.replaceAll(".*\\D(\\d+)\\.(?:fti|h5)", "$1"));
    }

    /** The one file of a level-4 checkpoint, where the mode has only one; or those of the ranks. */
    List<Path> globalFiles() throws IOException {
        try (Stream<Path> found = Files.walk(run.directory().resolve("Global"))) {
            return found.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Deletes the directory of a level, on a node or, with {@code -1}, on the parallel file system. */
    void deleteLevel(int node, int level) throws IOException {
        Path below = run.directory().resolve(node < 0 ? "Global" : "Local/node" + node);
        Path directory = below.resolve(execId()).resolve("l" + level);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
