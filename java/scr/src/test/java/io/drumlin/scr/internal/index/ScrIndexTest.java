package io.drumlin.scr.internal.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules of docs/formats/scr.md that no golden case shows; the others are in the golden cases. */
public class ScrIndexTest {

    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 21, 3, 4, 5);

    public static DatasetDescriptor checkpoint(int id) {
        return DatasetDescriptor.started(id, "ckpt." + id, true, false, 1)
                .withCheckpoint(id)
                .completed(1, 10, true);
    }

    private static DatasetDescriptor output(int id) {
        return DatasetDescriptor.started(id, "out." + id, false, true, 1).completed(1, 10, true);
    }

    private static ScrIndex with(IndexFormat format, DatasetDescriptor... datasets) throws DrumlinException {
        ScrIndex index = ScrIndex.empty(format);
        for (DatasetDescriptor dataset : datasets) {
            index.complete(dataset, NOW);
        }
        return index;
    }

    private static List<String> names(ScrIndex index) {
        return index.records().stream().map(IndexRecord::name).toList();
    }

    private static List<String> triedIfEachFails(ScrIndex index) {
        List<String> tried = new ArrayList<>();
        RestartSearch search = new RestartSearch(index);
        for (Optional<String> next = search.next(); next.isPresent(); next = search.next()) {
            tried.add(next.get());
            index.fetching(next.get(), NOW);
            index.failed(next.get(), NOW);
        }
        return tried;
    }

    @ParameterizedTest
    @EnumSource
    void keepsItsForm(IndexFormat format) throws DrumlinException {
        ScrIndex index = with(format, checkpoint(1), checkpoint(2));
        ScrIndex again = ScrIndex.of(index.tree().copy());
        assertThat(again.format()).isEqualTo(format);
        assertThat(names(again)).containsExactly("ckpt.2", "ckpt.1");
        assertThat(again.record("ckpt.2").orElseThrow().flushed()).contains("2026-11-21T03:04:05");
        assertThat(again.current()).contains("ckpt.2");
    }

    @ParameterizedTest
    @EnumSource
    void newestFirstAfterCurrent(IndexFormat format) throws DrumlinException {
        ScrIndex index = with(format, checkpoint(1), checkpoint(2), checkpoint(10));
        assertThat(triedIfEachFails(index)).containsExactly("ckpt.10", "ckpt.2", "ckpt.1");
        assertThat(index.current()).isEmpty();
        assertThat(triedIfEachFails(index)).as("all failed").isEmpty();
    }

    @Test
    void currentIsTriedWhateverItsState() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1), checkpoint(2), checkpoint(3));
        index.failed("ckpt.2", NOW);
        assertThat(index.setCurrent("ckpt.2")).isTrue();
        assertThat(triedIfEachFails(index)).as("newer ones are passed by").containsExactly("ckpt.2", "ckpt.1");
    }

    @Test
    void currentThatIsNotInTheIndexLeavesARecord() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1));
        index.tree().set("CURRENT", "lost");
        assertThat(triedIfEachFails(index)).containsExactly("lost", "ckpt.1");
        assertThat(index.tree().find("DSET", "-1", "FAILED")).isNotNull();
        assertThat(index.tree().find("DSET", "-1", "FETCHED")).isNull();
        assertThat(index.id("lost")).hasValue(-1);
    }

    @Test
    void outputIsNeitherListedNorTried() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1), output(2));
        assertThat(index.current()).contains("ckpt.1");
        assertThat(index.setCurrent("out.2")).isFalse();
        assertThat(IndexListing.lines(index)).hasSize(2);
        assertThat(triedIfEachFails(index)).containsExactly("ckpt.1");
    }

    @ParameterizedTest
    @EnumSource
    void removingCurrentGoesBackToTheNewestBefore(IndexFormat format) throws DrumlinException {
        ScrIndex index = with(format, checkpoint(1), checkpoint(2), checkpoint(3), checkpoint(4));
        index.failed("ckpt.2", NOW);
        index.setCurrent("ckpt.3");
        assertThat(index.remove("ckpt.3")).isTrue();
        assertThat(index.current()).as("4 is newer, 2 failed").contains("ckpt.1");
        assertThat(index.remove("ckpt.3")).isFalse();
        assertThat(names(index)).containsExactly("ckpt.4", "ckpt.2", "ckpt.1");
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLeftOfTheLastDataset(IndexFormat format) throws DrumlinException {
        ScrIndex index = with(format, checkpoint(1));
        index.remove("ckpt.1");
        assertThat(index.tree()).isEqualTo(ScrIndex.empty(format).tree());
    }

    @Test
    void writingUnderTheNameOfCurrentMovesItBackUntilItIsComplete() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1), checkpoint(2));
        DatasetDescriptor again = checkpoint(3);
        again.tree().set("NAME", "ckpt.2");
        index.begin(again);
        assertThat(index.current()).contains("ckpt.1");
        assertThat(index.record("ckpt.2").orElseThrow().isComplete()).isFalse();
        index.complete(again, NOW);
        assertThat(index.current()).contains("ckpt.2");
        assertThat(index.id("ckpt.2")).hasValue(3);
        assertThat(names(index)).containsExactly("ckpt.2", "ckpt.1");
    }

    @Test
    void anIdUsedAgainLeavesTheOldNamePointingAtIt() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1), checkpoint(2));
        DatasetDescriptor other = checkpoint(2);
        other.tree().set("NAME", "other");
        index.complete(other, NOW);
        assertThat(index.id("ckpt.2")).hasValue(2);
        assertThat(index.id("other")).hasValue(2);
        assertThat(names(index)).containsExactly("other", "ckpt.1");
        assertThat(index.removeAfter("ckpt.1")).isTrue();
        assertThat(names(index)).containsExactly("ckpt.1");
    }

    @Test
    void severalNamesOfOneIdInTheOlderForm() throws DrumlinException {
        ScrIndex index = with(IndexFormat.NAME, checkpoint(1));
        DatasetDescriptor copy = checkpoint(1);
        copy.tree().set("NAME", "copy");
        index.complete(copy, NOW);
        assertThat(names(index)).containsExactly("ckpt.1", "copy");
        index.clearCurrent();
        assertThat(triedIfEachFails(index)).containsExactly("ckpt.1", "copy");
        index.remove("ckpt.1");
        assertThat(names(index)).containsExactly("copy");
    }

    @Test
    void severalFailuresAreListedAsValidButNotTried() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1));
        index.failed("ckpt.1", NOW);
        index.tree().addPath("DSET", "1", "FAILED", "2020-01-01T00:00:00");
        assertThat(IndexListing.lines(index).get(1)).contains("YES");
        assertThat(new RestartSearch(index).next()).isEmpty();
    }

    @Test
    void keepsWhatItDoesNotKnow() throws DrumlinException {
        ScrIndex index = with(IndexFormat.FLAT, checkpoint(1), checkpoint(2));
        index.tree().set("OURS", "x");
        index.tree().addPath("DSET", "1", "CHECKSUM", "0x1");
        index.remove("ckpt.2");
        assertThat(index.tree().value("OURS")).contains("x");
        assertThat(index.tree().find("DSET", "1", "CHECKSUM", "0x1")).isNotNull();
    }

    @Test
    void refusesFormsThatItDoesNotKnow() {
        KvTree tree = new KvTree();
        tree.set("VERSION", 3);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> ScrIndex.of(tree))
                .withMessageContaining("VERSION 3")
                .withMessageContaining("left as it is");
    }

    /** The limit of the test run is the only clock: what C does with lists would take hours. */
    @Test
    void aHundredThousandDatasets() throws DrumlinException {
        ScrIndex index = ScrIndex.empty(IndexFormat.FLAT);
        for (int id = 1; id <= 100_000; id++) {
            index.complete(checkpoint(id), NOW);
        }
        assertThat(index.removeAfter("ckpt.10")).isTrue();
        assertThat(names(index)).hasSize(10);
        assertThat(index.current()).contains("ckpt.10");
    }
}
