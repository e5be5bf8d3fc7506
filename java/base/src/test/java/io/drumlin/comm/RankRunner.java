package io.drumlin.comm;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The main class of every rank of a test job: runs one test class and reports each test in a file of its own. Started by
 * {@link Mpirun}, which reads the reports.
 *
 * <p>A rank that fails a test ends its process at once, so that mpirun ends the others: they may wait for it, and what
 * communicators are good for after a failure is unknown.
 */
public final class RankRunner {

    /** How a test ended on a rank. */
    enum Status {
        SUCCESSFUL,
        SKIPPED,
        FAILED
    }

    /** A line of a report. */
    record Line(String test, Status status, String details) {

        static Line parse(String line) {
            String[] fields = line.split("\t", -1);
            return new Line(text(fields[0]), Status.valueOf(fields[1]), text(fields[2]));
        }

        String format() {
            return base64(test) + "\t" + status + "\t" + base64(details) + "\n";
        }

        private static String base64(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        }

        private static String text(String base64) {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        }
    }

    private RankRunner() {}

    /**
     * Runs the tests of a class.
     *
     * @param args folder of the reports, name of the class
     * @throws Exception the report cannot be written, or MPI not be ended
     */
    public static void main(String[] args) throws Exception {
        Path report = Path.of(args[0]).resolve(reportName(rank()));
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(Class.forName(args[1])))
                // All ranks must run the tests in the same order.
                .configurationParameter(
                        "junit.jupiter.testmethod.order.default", "org.junit.jupiter.api.MethodOrderer$MethodName")
                .build();
        LauncherFactory.create().execute(request, new Reporter(report));
        Communicators.finish();
    }

    static String reportName(int rank) {
        return "rank-" + rank + ".report";
    }

    private static int rank() {
        return Stream.of("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
                .map(System::getenv)
                .flatMap(value -> Optional.ofNullable(value).stream())
                .findFirst()
                .map(Integer::parseInt)
                .orElseThrow(() -> new IllegalStateException("not started by mpirun"));
    }

    private static final class Reporter implements TestExecutionListener {
        private final Path report;

        Reporter(Path report) {
            this.report = report;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            write(new Line(test.getDisplayName(), Status.SKIPPED, reason));
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            String details = result.getThrowable().map(Reporter::stackTrace).orElse("");
            switch (result.getStatus()) {
                case SUCCESSFUL -> {
                    if (test.isTest()) {
                        write(new Line(test.getDisplayName(), Status.SUCCESSFUL, ""));
                    }
                }
                case ABORTED -> write(new Line(test.getDisplayName(), Status.SKIPPED, details));
                case FAILED -> {
                    write(new Line(test.getDisplayName(), Status.FAILED, details));
                    System.err.println(details);
                    Runtime.getRuntime().halt(1);
                }
            }
        }

        private static String stackTrace(Throwable thrown) {
            StringWriter text = new StringWriter();
            thrown.printStackTrace(new PrintWriter(text));
            return text.toString();
        }

        private void write(Line line) {
            try {
                Files.writeString(report, line.format(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new IllegalStateException("the report cannot be written", e);
            }
        }
    }

    /** What a rank has reported; empty if it came to nothing. */
    static List<Line> read(Path folder, int rank) throws IOException {
        Path report = folder.resolve(reportName(rank));
        if (!Files.exists(report)) {
            return List.of();
        }
        return Files.readAllLines(report).stream().map(Line::parse).toList();
    }
}
