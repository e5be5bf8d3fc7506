package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ResultTableTest {

    private static final Path PAGE = Path.of(System.getProperty("drumlin.root"), "docs/performance.md");

    private static MeasuredRow row(String name, double value, String unit, double limit, double ratio, double goal) {
        return new MeasuredRow(
                name,
                value,
                unit,
                OptionalDouble.of(limit),
                OptionalDouble.empty(),
                OptionalDouble.of(ratio),
                OptionalDouble.of(goal));
    }

    @Test
    void eachRowWithAGoalIsALine() {
        OptionalDouble none = OptionalDouble.empty();
        MeasuredRow noGoal = new MeasuredRow("other", 1, "GB/s", none, none, none, none);
        MeasuredRow besideC = new MeasuredRow(
                "C FTI: L1", 0.5, "s", none, OptionalDouble.of(2), OptionalDouble.of(4), OptionalDouble.of(1));
        String table = ResultTable.of(List.of(
                row("L1", 2.514, "GB/s", 2.731, 0.914, 0.9),
                noGoal,
                besideC,
                row("L1, CPU", 0.321, "s/GiB", 4.09, 12.78, 7),
                row("L2, lost node", 1.16, "GB/s", 2.21, 0.53, 0.6),
                row(ScrBench.LARGE_INDEX, 0.14, "s", 1, 7.23, 1)));
        assertThat(table)
                .isEqualTo(ResultTable.HEAD
                        + "| L1 | GB/s | 2.51 | – | 2.73 | 0.91 | 0.90 |\n"
                        + "| C FTI: L1 | s | 0.50 | 2.00 | – | 4.00 | 1.00 |\n"
                        + "| L1, CPU | s/GiB | 0.32 | 4.09 | – | 12.78 | 7.00 |\n"
                        + "| L2, lost node | GB/s | 1.16 | – | 2.21 | 0.53 | 0.60 missed |\n"
                        + "| SCR, index file of 100,000 datasets, read; limit: 1 s | s | 0.14 | 287 | 1.00 | 7.23 | 1.00"
                        + " |\n");
    }

    @Test
    void thePageHasAPlaceForTheTable() throws IOException {
        String page = Files.readString(PAGE);
        String table = ResultTable.of(List.of());
        String written = ResultTable.into(page, table);
        assertThat(written).contains(table).hasSizeLessThan(page.length());
        assertThat(ResultTable.into(written, table)).isEqualTo(written);
        assertThat(page).contains(ResultTable.HEAD);
        assertThatThrownBy(() -> ResultTable.into("a page", table)).hasMessageContaining("marks");
    }
}
