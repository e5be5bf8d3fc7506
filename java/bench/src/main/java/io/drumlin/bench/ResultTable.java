package io.drumlin.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** Writes the rows that have goals into a page, as a table between two marks. What stands around it is written by people. */
public final class ResultTable {

    static final String BEGIN = "<!-- begin: written by scripts/bench --plot -->";
    static final String END = "<!-- end -->";

    static final String HEAD =
            "| row | unit | ours | C original | limit | ratio | goal |\n|---|---|---|---|---|---|---|\n";

    private static final String NONE = "–";

    /** In this unit the limit is what C FTI's cost model needs. */
    private static final String COST = "s/GiB";

    /** The times of C libraries that the benchmark does not run, in the unit of the row. */
    private static final Map<String, Double> C_LIBRARIES = Map.of(ScrBench.LARGE_INDEX, ScrBench.C_SECONDS);

    private ResultTable() {}

    /**
     * Writes the table.
     *
     * @param args the JSON file and the page
     * @throws IOException the rows cannot be read, the page has no place for them or cannot be written
     */
    public static void main(String[] args) throws IOException {
        Path page = Path.of(args[1]);
        Files.writeString(page, into(Files.readString(page), of(MeasuredRow.read(Path.of(args[0])))));
        System.out.println(page);
    }

    /** The page with another table. */
    static String into(String page, String table) throws IOException {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END, begin);
        if (begin < 0 || end < 0) {
            throw new IOException("the page has not the two marks " + BEGIN + " and " + END);
        }
        return page.substring(0, begin + BEGIN.length()) + "\n\n" + table + "\n" + page.substring(end);
    }

    static String of(List<MeasuredRow> rows) {
        StringBuilder table = new StringBuilder(HEAD);
        rows.stream().filter(MeasuredRow::hasGoal).forEach(row -> table.append(line(row)));
        return table.toString();
    }

    private static String line(MeasuredRow row) {
        boolean ofC = row.unit().equals(COST) || row.name().equals(GsdBench.SMALL_BY_CPU);
        Double library = C_LIBRARIES.get(row.name());
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %s | %s |%n",
                row.name(),
                row.unit(),
                number(row.value()),
                ofC ? number(row.limit()) : library == null ? number(row.original()) : number(library),
                ofC ? NONE : number(row.limit()),
                number(row.ratio()),
                number(row.goal()) + (row.meetsGoal() ? "" : " missed"));
    }

    private static String number(OptionalDouble value) {
        return value.isPresent() ? number(value.getAsDouble()) : NONE;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
    }
}
