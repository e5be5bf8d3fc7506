package io.drumlin.checkpoint.internal.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a rank sees of the directory of a level. */
class RunDirectoryTest {

    @TempDir
    private Path directory;

    /** Rank 1 of two ranks of one node. */
    private static Topology topology() {
        List<Integer> ranks = List.of(0, 1);
        return new Topology(1, 2, NodeIdentity.named(List.of("node0")).get(0), ranks, ranks, 0, true);
    }

    private List<Path> plainFiles() throws IOException {
        return RunDirectory.rankFiles(directory, FileKind.PLAIN, 1, topology());
    }

    private static FileTime lastUse(Path link) throws IOException {
        return Files.readAttributes(link, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .lastAccessTime();
    }

    /**
     * At level 4 all ranks share the directory: a look at each file would be as many looks as there are ranks, squared.
     * Who looks at a link uses it, and the file system records that, at least once after the link was made.
     */
    @Test
    void aRankLooksAtItsOwnFilesOnly() throws IOException, InterruptedException {
        Path file = Files.createFile(directory.resolve("file"));
        Path own = Files.createSymbolicLink(directory.resolve("Ckpt3-Rank1.fti"), file);
        Path others = Files.createSymbolicLink(directory.resolve("Ckpt3-Rank0.fti"), file);
        FileTime made = lastUse(others);
        Thread.sleep(50);
        assertThat(plainFiles()).containsExactly(own);
        assumeTrue(lastUse(own).compareTo(made) > 0, "this file system does not record the use of links (noatime)");
        assertThat(lastUse(others)).isEqualTo(made);
    }

    @Test
    void whatIsNoFileDoesNotCount() throws IOException {
        Files.createDirectory(directory.resolve("Ckpt3-Rank1.fti"));
        Files.createDirectory(directory.resolve("Ckpt3-Rank7.fti"));
        assertThat(plainFiles()).isEmpty();
    }

    @Test
    void aFileOfMoreRanksIsRefused() throws IOException {
        Files.createFile(directory.resolve("Ckpt3-Rank7.fti"));
        assertThatThrownBy(this::plainFiles).hasMessageContaining("this is the file of rank 7 and the run has 2 ranks");
    }
}
