package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.cli.NodePool.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Host files. */
class KnownNodesTest {

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
}
