package io.drumlin.checkpoint.internal.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one rank tells the others of the directory of a level. */
class NamesOfRanksTest {

    @TempDir
    private Path directory;

    /** Rank 1 of two ranks of one node. */
    private static Topology topology() {
        List<Integer> ranks = List.of(0, 1);
        return new Topology(1, 2, NodeIdentity.named(List.of("node0")).get(0), ranks, ranks, 0, true, true);
    }

    /** The second of four ranks of two nodes. The ranks 2 and 0 are on this node, and rank 2 is its head. */
    private static Topology withHead() {
        List<Integer> ranks = List.of(2, 0);
        return new Topology(1, 4, NodeIdentity.named(List.of("node0")).get(0), ranks, ranks, 1, false, false);
    }

    private Set<String> names() throws IOException {
        return NamesOfRanks.in(directory, topology());
    }

    private Path file(String name) throws IOException {
        return Files.createFile(directory.resolve(name));
    }

    private static FileTime lastUse(Path link) throws IOException {
        return Files.readAttributes(link, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .lastAccessTime();
    }

    @Test
    void theFilesOfAllRanksHaveFewNames() throws IOException {
        for (String name : List.of(
                "Ckpt3-Rank0.fti", "Ckpt3-Rank1.fti", "Ckpt3-Pcof1.fti", "Ckpt4-Rank0.h5", "sector0-group0.fti")) {
            file(name);
        }
        assertThat(names()).containsExactly("Ckpt3-Pcof*.fti", "Ckpt3-Rank*.fti", "Ckpt4-Rank*.h5");
        assertThat(names()).extracting(name -> NamesOfRanks.ofRank(name, 17)).contains("Ckpt3-Rank17.fti");
        assertThat(NamesOfRanks.in(directory.resolve("missing"), topology())).isEmpty();
    }

    /**
     * At level 4 all ranks share the directory: a look at each file would be as many looks as there are ranks. Who looks
     * at a link uses it, and the file system records that, at least once after the link was made.
     */
    @Test
    void nobodyLooksAtTheFiles() throws IOException, InterruptedException {
        Path file = file("file");
        Path link = Files.createSymbolicLink(directory.resolve("Ckpt3-Rank0.fti"), file);
        FileTime made = lastUse(link);
        Thread.sleep(50);
        assertThat(names()).containsExactly("Ckpt3-Rank*.fti");
        assertThat(lastUse(link)).isEqualTo(made);
        assertThat(PathStatus.isRegularFile(link)).isTrue();
        assumeTrue(lastUse(link).compareTo(made) > 0, "this file system does not record the use of links (noatime)");
    }

    @Test
    void whatIsNoFileDoesNotCountAsOneOfMoreRanks() throws IOException {
        Files.createDirectory(directory.resolve("Ckpt3-Rank7.fti"));
        assertThat(names()).containsExactly("Ckpt3-Rank*.fti");
    }

    @Test
    void aFileOfMoreRanksIsRefused() throws IOException {
        file("Ckpt3-Rank7.fti");
        assertThatThrownBy(this::names).hasMessageContaining("this is the file of rank 7 and the run has 2 ranks");
    }

    @Test
    void aDifferentialFileOfMoreRanksIsRefused() throws IOException {
        file("dCPFile-Rank1.fti");
        assertThat(NamesOfRanks.ofDifferentialIn(directory, topology())).containsExactly("dCPFile-Rank*.fti");
        file("dcp-id0-rank2.fti");
        assertThatThrownBy(() -> NamesOfRanks.ofDifferentialIn(directory, topology()))
                .hasMessageContaining("this is the file of rank 2 and the run has 2 ranks");
    }

    /** The rank that reads the directory of all ranks knows the heads of its own node only. */
    @Test
    void eachNodeRefusesTheFilesOfItsHead() throws IOException {
        Set<String> names = Set.of("Ckpt3-Rank*.fti", "Ckpt4-Rank*.fti");
        file("Ckpt4-Rank0.fti");
        NamesOfRanks.requireNoneOfHeads(directory, names, withHead());
        file("Ckpt4-Rank2.fti");
        assertThatThrownBy(() -> NamesOfRanks.requireNoneOfHeads(directory, names, withHead()))
                .hasMessageContaining("this is the file of rank 2, which is a head now");
    }

    @Test
    void filesOfOtherCheckpointsAreDeletedForAllRanks() throws IOException {
        List<String> stay = List.of("Ckpt3-Rank0.fti", "Ckpt3-Rank1.fti", "Ckpt2-RSed1.fti", "file");
        for (String name : stay) {
            file(name);
        }
        for (String name : List.of("Ckpt2-Rank0.fti", "Ckpt3-Rank1.h5", "Ckpt4-Pcof1.fti")) {
            file(name);
        }
        NamesOfRanks.deleteOthers(
                directory, List.of("Ckpt3-Rank1.fti", "Ckpt3-Pcof1.fti"), topology(), new NioEngine());
        assertThat(PathStatus.entries(directory))
                .extracting(path -> path.getFileName().toString())
                .containsExactlyInAnyOrderElementsOf(stay);
    }
}
