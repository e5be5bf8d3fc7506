package io.drumlin.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.launch.NodePool.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Host files, and what Slurm says of the nodes of an allocation. */
class KnownNodesTest {

    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    @TempDir
    private Path folder;

    private List<Node> hostFile(String text) throws IOException {
        return KnownNodes.ofHostFile(Files.writeString(folder.resolve("hosts"), text));
    }

    @Test
    void linesOfOpenMpiAndOfMpichAreRead() throws IOException {
        assertThat(
                        hostFile(
                                "# nodes\n\n  a.b-1  \nb slots=2 # two\nc\tslots = 3  max_slots=4\nd slots=5 max-slots=5\ne:6\n"))
                .containsExactly(
                        new Node("a.b-1", 1), new Node("b", 2), new Node("c", 3), new Node("d", 5), new Node("e", 6));
    }

    @Test
    void linesOfOneNodeAreOneNode() throws IOException {
        assertThat(hostFile("a\nb\na\nb slots=2\n")).containsExactly(new Node("a", 2), new Node("b", 3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "b 2",
                "b,c",
                "b slots=",
                "b slots=0",
                "b slots=two",
                "b slot=2",
                "b max_slots=2",
                "b :2",
                "b:",
                "b:0",
                "b:2 slots=2",
                "slots=2",
                "b slots=2 user=me"
            })
    void otherLinesAreRefused(String line) {
        assertThatThrownBy(() -> hostFile("a\n" + line + "\n"))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("hosts, line 2: \"" + line + "\" must be ");
    }

    @Test
    void aHostFileWithoutANodeIsRefused() {
        assertThatThrownBy(() -> hostFile("# none\n\n"))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("names no node");
    }

    @Test
    void slurmSaysHowManyRanksANodeHas() {
        assertThat(ranks(Map.of("SLURM_TASKS_PER_NODE", "2(x3),1"))).containsExactly(2, 2, 2, 1);
        assertThat(ranks(Map.of("SLURM_TASKS_PER_NODE", "4,2(x2),16"))).containsExactly(4, 2, 2, 16);
        assertThat(ranks(Map.of("SLURM_NTASKS_PER_NODE", "3"))).containsExactly(3, 3, 3, 3);
        assertThat(ranks(Map.of("SLURM_TASKS_PER_NODE", "2(x4)", "SLURM_NTASKS_PER_NODE", "3")))
                .containsExactly(2, 2, 2, 2);
    }

    private static List<Integer> ranks(Map<String, String> environment) {
        List<Node> nodes = KnownNodes.ofSlurm(NAMES, true, environment);
        assertThat(nodes).extracting(Node::name).isEqualTo(NAMES);
        return nodes.stream().map(Node::slots).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "2(x3)", "2(x5)", "2(x3),", "2(3),1", "0(x4)", "2 (x4)", "two(x4)"})
    void whatDoesNotFitTheNodesIsRefused(String tasks) {
        assertThatThrownBy(() -> KnownNodes.ofSlurm(NAMES, true, Map.of("SLURM_TASKS_PER_NODE", tasks)))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("each of the 4 nodes");
    }

    @Test
    void withoutAWordOfSlurmNothingIsAssumed() {
        assertThatThrownBy(() -> KnownNodes.ofSlurm(NAMES, true, Map.of())).hasMessageContaining("--ntasks-per-node");
        // srun needs no word.
        assertThat(KnownNodes.ofSlurm(NAMES, false, Map.of()))
                .extracting(Node::name)
                .isEqualTo(NAMES);
    }
}
