package io.drumlin.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The base of all measurements: their options, the figures of their runs, and the way in which rows are shown. */
abstract class Bench implements Callable<Integer> {

    /** Runs below 0 warm up. */
    static final int FIRST_RUN = -1;

    /** Bytes of a GB, as devices are sold. */
    static final double GB = 1e9;

    @Option(names = "--runs", defaultValue = "5", description = "counted runs (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--dir", defaultValue = ".", description = "an existing directory on the device to measure")
    private Path directory = Path.of(".");

    @Option(names = "--json", description = "adds the rows to the list in this file")
    private @Nullable Path json;

    private final Map<String, List<Double>> figures = Collections.synchronizedMap(new LinkedHashMap<>());

    /** Held, because the level of a logger that nobody holds is forgotten. */
    private static final Logger LOG = Logger.getLogger("io.drumlin");

    /** Runs a measurement and ends the process. */
    static void run(Bench bench, String[] arguments) {
        quiet();
        System.exit(new CommandLine(bench).execute(arguments));
    }

    /** That a run recovers, and from where, is no news here. */
    static void quiet() {
        LOG.setLevel(Level.WARNING);
    }

    /** Counted runs. */
    final int runs() {
        return runs;
    }

    /** The folder for the files of the measurement; who needs it makes it. */
    final Path home() {
        return directory.resolve("drumlin-bench");
    }

    /** Keeps the figure of a run, unless it warms up. */
    final void keep(int run, String name, double value) {
        if (run >= 0) {
            figures.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
        }
    }

    /** The figures of a name, one per counted run. */
    final List<Double> figures(String name) {
        List<Double> found = figures.get(name);
        if (found == null) {
            throw new IllegalArgumentException("nothing was measured under the name " + name);
        }
        return List.copyOf(found);
    }

    final void forgetFigures() {
        figures.clear();
    }

    /** Prints rows, and adds them to the JSON file. */
    final void report(List<Row> rows) throws IOException {
        rows.forEach(row -> System.out.println(row.line()));
        System.out.flush();
        if (json != null) {
            Row.append(json, rows);
        }
    }
}
