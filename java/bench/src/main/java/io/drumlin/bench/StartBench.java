package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Measures how long a program takes from the start of its processes to the return of its first checkpoint call, beside the same
 * program without
 * checkpoints: what loading and opening Drumlin costs. The program is the example Heat2D.
 */
@Command(name = "start", mixinStandardHelpOptions = true, description = "Measures the start of a program.")
public final class StartBench extends Bench {

    /** The seconds that the checkpoints may add. */
    private static final double ALLOWANCE = 0.3;

    @Parameters(arity = "1..*", description = "the command that starts Heat2D, without its arguments")
    private List<String> command = List.of();

    private StartBench() {}

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new StartBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        try (Communicator comm = new SingleCommunicator()) {
            for (int run = FIRST_RUN; run < runs(); run++) {
                RunFolder folder = RunFolder.create(comm, home(), 3);
                keep(run, "without", seconds(folder.config(), "Heat2D: iteration 1,", "--no-checkpoints"));
                keep(run, "with", seconds(folder.config(), "Heat2D: checkpoint 1 "));
                folder.delete(comm);
            }
        }
        List<Double> limits =
                figures("without").stream().map(seconds -> seconds + ALLOWANCE).toList();
        report(List.of(Row.cost("Heat2D, start to first checkpoint; limit: without + 0.3 s", "s", figures("with"))
                .limit(limits)
                .goal(1.0)));
        return 0;
    }

    /** Until a line of the output begins so. */
    private double seconds(Path config, String awaited, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(command);
        arguments.addAll(List.of("--config", config.toString(), "--no-progress", "--iterations", "2", "--every", "1"));
        arguments.addAll(List.of("--level", "1"));
        arguments.addAll(List.of(more));
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(arguments)
                .redirectError(Redirect.INHERIT)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        double seconds = -1;
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(awaited)) {
                    seconds = (System.nanoTime() - begin) / 1e9;
                }
            }
            if (process.waitFor() != 0 || seconds < 0) {
                throw new IOException("the program failed or did not say \"" + awaited + "\": " + arguments);
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        return seconds;
    }
}
