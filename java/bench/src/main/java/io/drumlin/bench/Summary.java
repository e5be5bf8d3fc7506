package io.drumlin.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Says which goals the rows of a JSON file meet. */
public final class Summary {

    private Summary() {}

    /**
     * Prints the summary.
     *
     * @param args the JSON file
     * @throws IOException it cannot be read
     */
    public static void main(String[] args) throws IOException {
        List<MeasuredRow> held = MeasuredRow.read(Path.of(args[0])).stream()
                .filter(MeasuredRow::hasGoal)
                .toList();
        List<MeasuredRow> missed = held.stream().filter(row -> !row.meetsGoal()).toList();
        System.out.printf(
                Locale.ROOT,
                "%nGoals: %d, met: %d, missed: %d%n",
                held.size(),
                held.size() - missed.size(),
                missed.size());
        for (MeasuredRow row : missed) {
            System.out.printf(
                    Locale.ROOT,
                    "  missed: %-62s ratio %.2f, goal %.2f%n",
                    row.name(),
                    row.ratio().orElseThrow(),
                    row.goal().orElseThrow());
        }
    }
}
