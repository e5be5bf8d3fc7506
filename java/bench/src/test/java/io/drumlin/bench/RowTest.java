package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowTest {

    @TempDir
    private Path folder;

    @Test
    void ratiosAreMediansOfPairsOfWhichMoreIsBetter() {
        List<Double> values = List.of(1.0, 2.0, 3.0);
        List<Double> limits = List.of(2.0, 8.0, 4.0);
        assertThat(Row.rate("rate", "GB/s", values).limit(limits).ratio()).isEqualTo(0.5);
        assertThat(Row.cost("cost", "s", values).limit(limits).ratio()).isEqualTo(2.0);
    }

    @Test
    void jsonHasWhatThereIs() {
        Row bare = Row.cost("cost", "s", List.of(1.0, 3.0));
        assertThat(bare.json()).containsOnlyKeys("name", "value", "unit", "min", "max", "runs");
        assertThat(bare.limit(4.0).goal(1.5).json())
                .containsEntry("name", "cost")
                .containsEntry("value", 2.0)
                .containsEntry("unit", "s")
                .containsEntry("limit", 4.0)
                .containsEntry("ratio", (4.0 / 1 + 4.0 / 3) / 2)
                .containsEntry("goal", 1.5)
                .containsEntry("min", 1.0)
                .containsEntry("max", 3.0)
                .containsEntry("runs", 2)
                .hasSize(9);
    }

    @Test
    void whatACOriginalReachedIsNoLimit() {
        Row row = Row.cost("cost", "s", List.of(1.0, 2.0)).original(List.of(3.0, 8.0));
        assertThat(row.json())
                .containsEntry("original", 5.5)
                .containsEntry("ratio", 3.5)
                .doesNotContainKey("limit");
        assertThat(row.goal(3.0).line()).endsWith("C 5.500   ratio 3.50   goal 3.00 met");
    }

    @Test
    void linesSayWhetherGoalsAreMet() {
        Row row = Row.rate("rate", "GB/s", List.of(0.9)).limit(1.0);
        assertThat(row.line()).contains("limit 1.000").doesNotContain("goal");
        assertThat(row.goal(0.9).line()).endsWith("goal 0.90 met");
        assertThat(row.goal(0.91).line()).endsWith("goal 0.91 MISSED");
    }

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        Path file = folder.resolve("rows.json");
        Row.append(file, List.of(Row.rate("first", "GB/s", List.of(1.0))));
        Row.append(
                file, List.of(Row.cost("second", "s", List.of(2.0)).limit(3.0).goal(1.6)));
        List<MeasuredRow> rows = MeasuredRow.read(file);
        assertThat(rows).extracting(MeasuredRow::name).containsExactly("first", "second");
        assertThat(rows.get(0).hasGoal()).isFalse();
        assertThat(rows.get(0).limit()).isEmpty();
        assertThat(rows.get(1).ratio().orElseThrow()).isCloseTo(1.5, within(1e-12));
        assertThat(rows.get(1).meetsGoal()).isFalse();
    }
}
