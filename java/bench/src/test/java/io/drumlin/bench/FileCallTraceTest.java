package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.drumlin.bench.FileCallTrace.Calls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileCallTraceTest {

    /** Most calls of a rank in a phase. */
    private static final long MOST = 40;

    /** Calls of a rank that makes a directory, if it looks before another one has made it. */
    private static final long OF_CHANCE = 15;

    /** Two threads that delete behind the program and at its end share the work by chance. */
    private static final double OF_TIME = 1.25;

    @TempDir
    private Path folder;

    @Test
    void callsBelongToPhasesAndRanks() throws IOException {
        Path trace = Files.writeString(
                folder.resolve("trace"),
                """
                7  access("/drumlin-rank/0", F_OK) = -1 ENOENT (No such file or directory)
                8  access("/drumlin-rank/1", F_OK <unfinished ...>
                8  <... access resumed>) = -1 ENOENT (No such file or directory)
                9  access("/drumlin-rank/2", F_OK) = -1 ENOENT (No such file or directory)
                8  mkdir("/job/before", 0777) = 0
                7  access("/drumlin-phase/start", F_OK) = -1 ENOENT (No such file or directory)
                7  mkdir("/job/local", 0777) = 0
                7  openat(AT_FDCWD, "/elsewhere", O_RDONLY) = 3
                8  statx(AT_FDCWD, "/job/local", 0, STATX_ALL, {}) = 0
                9  fsync(3</job/local>) = 0
                9  fsync(4</elsewhere>) = 0
                9  newfstatat(3</job/local/a>, "", {st_mode=S_IFREG}, AT_EMPTY_PATH) = 0
                12 unlink("/job/local/old") = 0
                7  access("/drumlin-phase/none", F_OK) = -1 ENOENT (No such file or directory)
                7  mkdir("/job/after", 0777) = 0
                7  access("/drumlin-phase/end", F_OK) = -1 ENOENT (No such file or directory)
                9  rename("/job/a", "/job/b") = 0
                """);
        assertThat(FileCallTrace.read(trace, Path.of("/job"), 3, 2))
                .isEqualTo(Map.of("start", new Calls(4, 1, 1, 1), "end", new Calls(1, 0, 1, 0)));
    }

    /**
     * No rank lists, looks at or syncs what belongs to others: it makes the same calls however many ranks there are. One
     * rank deletes the files of a level, which is a few calls for each rank.
     */
    @Tag("exhaustive")
    @Test
    void aRankMakesTheSameCallsOnFilesHoweverManyRanksThereAre() throws IOException, InterruptedException {
        requireSame(3, 16, 48);
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void aRankMakesTheSameCallsOnFilesInLargeJobs(int ioMode) throws IOException, InterruptedException {
        requireSame(ioMode, 64, 256);
    }

    private void requireSame(int ioMode, int few, int many) throws IOException, InterruptedException {
        assumeThat(FileCallJob.canBeWatched())
                .as("strace may watch processes here")
                .isTrue();
        Map<String, Calls> ofFew = FileCallJob.watch(Files.createDirectory(folder.resolve("some")), few, ioMode);
        Map<String, Calls> ofMany = FileCallJob.watch(Files.createDirectory(folder.resolve("many")), many, ioMode);
        assertThat(ofMany).hasSize(21).containsOnlyKeys(ofFew.keySet());
        ofMany.forEach((phase, calls) -> {
            Calls before = ofFew.get(phase);
            assertThat(calls.ordinary())
                    .as("%s, an ordinary rank", phase)
                    .isBetween(0L, MOST)
                    .isCloseTo(before.ordinary(), within(OF_CHANCE));
            assertThat(calls.firstOfNode())
                    .as("%s, the first rank of a node", phase)
                    .isCloseTo(before.firstOfNode(), within(OF_CHANCE));
            // Which ranks find a directory made is chance. What grows with the number of ranks is many more.
            assertThat(calls.all())
                    .as("%s, calls of all, and %s of %d ranks", phase, before, few)
                    .isLessThanOrEqualTo((long) (OF_TIME * before.all() * many / few) + OF_CHANCE * many);
        });
    }
}
