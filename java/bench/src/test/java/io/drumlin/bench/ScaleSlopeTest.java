package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.drumlin.bench.ScaleModel.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a rank does, apart from the first ranks of nodes, does not depend on the number of ranks. */
class ScaleSlopeTest {

    private static final int POSIX = 1;

    private static final int FTI_FF = 3;

    /** Operations of a rank that makes directories, if it looks before another one has made them. A rank of each node is more. */
    private static final Offset<Long> OF_CHANCE = within(30L);

    /** Bytes of the names of nodes and of numbers in trees, which have a digit more in larger jobs. */
    private static Offset<Long> ofDigits(long bytes) {
        return within(16 + bytes / 32);
    }

    /** Operations that even the least of some ranks may have by chance. One for each sector is 12 more, or 60. */
    private static final long OF_LEAST = 4;

    /** Heap of a rank, which depends on what the compilers have done and on the length of numbers. */
    private static final double OF_HEAP = 1.5;

    /** Bytes. */
    private static final long LITTLE_HEAP = 8192;

    @TempDir
    private Path folder;

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(ints = {ScaleJob.FORMATS, POSIX, FTI_FF})
    void anOrdinaryRankDoesTheSameHoweverManyRanksThereAre(int ioMode) throws IOException, InterruptedException {
        requireSame(job(ioMode, 64, true), job(ioMode, 256, true));
    }

    /** At level 4 all ranks share directories. */
    @Tag("exhaustive")
    @Test
    void anOrdinaryRankDoesTheSameAtLevel4() throws IOException, InterruptedException {
        requireSame(job(FTI_FF, 64, false), job(FTI_FF, 1024, false));
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(ints = {ScaleJob.FORMATS, 1, 2, 3, 4, 5})
    void anOrdinaryRankDoesTheSameInLargeJobs(int ioMode) throws IOException, InterruptedException {
        requireSame(job(ioMode, 256, true), job(ioMode, 1024, true));
    }

    private List<Map<String, Work>> job(int ioMode, int ranks, boolean allLevels)
            throws IOException, InterruptedException {
        // Names of one length, because ranks tell each other paths.
        Path own = Files.createDirectory(folder.resolve(String.format(Locale.ROOT, "%04d", ranks)));
        List<Map<String, Work>> job = ScaleJob.run(own, ranks, ioMode, allLevels);
        int phases = ioMode == ScaleJob.FORMATS ? 13 : allLevels ? 21 : 5;
        assertThat(job).hasSize(ranks).allSatisfy(rank -> assertThat(rank).hasSize(phases));
        return job;
    }

    private static void requireSame(List<Map<String, Work>> ofFew, List<Map<String, Work>> ofMany) {
        assertThat(ofMany.get(1)).containsOnlyKeys(ofFew.get(1).keySet());
        ofMany.get(1).keySet().forEach(phase -> requireSame(phase, ofFew, ofMany));
    }

    private static void requireSame(String phase, List<Map<String, Work>> ofFew, List<Map<String, Work>> ofMany) {
        for (int rank = 1; rank < ofMany.size(); rank++) {
            int like = rank < Step.SECTOR ? rank : Step.SECTOR + rank % Step.SECTOR;
            if (isOrdinary(rank)) {
                String what = phase + ", rank " + rank + " of " + ofMany.size();
                requireSame(what, ofMany.get(rank).get(phase), ofFew.get(like).get(phase));
            }
        }
        // One for each rank, node or sector would be many more.
        for (int first = 0; first <= Step.NODE_SIZE; first += Step.NODE_SIZE) {
            String what = phase + ", rank " + first + " of " + ofMany.size();
            requireSameOperations(
                    what, ofMany.get(first).get(phase), ofFew.get(first).get(phase));
        }
        assertThat(medianHeap(ofMany, phase))
                .as("%s, heap of a rank", phase)
                .isLessThan(LITTLE_HEAP + (long) (OF_HEAP * medianHeap(ofFew, phase)));
        IntStream.range(0, Step.SECTOR)
                .filter(ScaleSlopeTest::isOrdinary)
                .forEach(place -> requireNoMore(
                        phase + ", the least of ranks at place " + place,
                        least(ofMany, phase, place),
                        least(ofFew, phase, place)));
    }

    private static boolean isOrdinary(int rank) {
        return rank % Step.NODE_SIZE > 0;
    }

    private static void requireSame(String what, Work work, Work before) {
        assertThat(work.calls()).as("%s, calls", what).isEqualTo(before.calls());
        assertThat(work.schedule()).as("%s, order of calls", what).isEqualTo(before.schedule());
        assertThat(work.bytes()).as("%s, bytes in calls", what).isCloseTo(before.bytes(), ofDigits(before.bytes()));
        assertThat(work.names()).as("%s, names in lists", what).isEqualTo(before.names());
        requireSameOperations(what, work, before);
    }

    private static void requireSameOperations(String what, Work work, Work before) {
        assertThat(work.shared()).as("%s, operations on shared files", what).isCloseTo(before.shared(), OF_CHANCE);
        assertThat(work.onNode())
                .as("%s, operations on files of the node", what)
                .isCloseTo(before.onNode(), OF_CHANCE);
    }

    private static long medianHeap(List<Map<String, Work>> job, String phase) {
        long[] heap = IntStream.range(0, job.size())
                .filter(ScaleSlopeTest::isOrdinary)
                .mapToLong(rank -> job.get(rank).get(phase).heap())
                .sorted()
                .toArray();
        return heap[heap.length / 2];
    }

    /**
     * Sees what grows with the number of sectors, which is less than what chance may add. A directory that others have made before is
     * less work, and more ranks make that more likely.
     */
    private static void requireNoMore(String what, List<Long> operations, List<Long> before) {
        for (int i = 0; i < before.size(); i++) {
            assertThat(operations.get(i))
                    .as("%s, %s and %s", what, operations, before)
                    .isLessThanOrEqualTo(before.get(i) + OF_LEAST);
        }
    }

    /** The least operations of the ranks that have the same place in their sectors. */
    private static List<Long> least(List<Map<String, Work>> job, String phase, int place) {
        List<Work> same = IntStream.range(1, job.size() / Step.SECTOR)
                .mapToObj(sector -> job.get(sector * Step.SECTOR + place).get(phase))
                .toList();
        return List.of(
                same.stream().mapToLong(Work::shared).min().orElseThrow(),
                same.stream().mapToLong(Work::onNode).min().orElseThrow());
    }
}
