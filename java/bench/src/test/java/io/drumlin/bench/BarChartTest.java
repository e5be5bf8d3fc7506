package io.drumlin.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BarChartTest {

    private static final String NAME =
            "L2, lost node, protected first; limit: its reads and writes alone, with 2 ranks of 1 GiB";

    /** Pixels of a letter of Helvetica at 12 pixels, on average over English text. */
    private static final int LETTER = 6;

    /** Text that ends at x must be shorter than x. */
    @Test
    void aLongNameIsNotCutOff() {
        BarChart.Bar bar = new BarChart.Bar(NAME, 1, OptionalDouble.empty(), OptionalDouble.empty(), false, "1.0");
        String svg = new BarChart("Title", "subtitle", "", 2, List.of(bar)).svg();
        Matcher label =
                Pattern.compile("<text x=\"(\\d+)\"[^>]*text-anchor=\"end\">").matcher(svg);
        assertThat(label.find()).isTrue();
        assertThat(Integer.parseInt(label.group(1))).isGreaterThan(NAME.length() * LETTER);
    }
}
