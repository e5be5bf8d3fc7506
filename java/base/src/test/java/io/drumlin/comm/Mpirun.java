package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.drumlin.comm.RankRunner.Line;
import io.drumlin.comm.RankRunner.Status;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Starts Java programs and test classes as jobs of several ranks, with the JVM, the options and the class path of the
 * tests that run now. For integration tests:
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicTest> onFourRanks() throws Exception {
 *     return Mpirun.ranks(4).tests(MyChecks.class); // not *Test or *IT, which Maven would run itself
 * }
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class Mpirun {

    /** As Debian and Ubuntu call it beside Open MPI's. */
    private static final String MPICH = "mpiexec.mpich";

    private final int ranks;
    private final boolean mpich;
    private final List<String> mpirunOptions = new ArrayList<>();
    private final List<String> starter = new ArrayList<>();
    private final List<String> jvmOptions = new ArrayList<>();
    private final List<Path> classPath = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private Duration timeout = Duration.ofMinutes(6);

    /**
     * How a job ended.
     *
     * @param exitStatus of mpirun
     * @param output standard output and error of all ranks and of mpirun
     */
    public record Outcome(int exitStatus, String output) {}

    /** What makes a start cheap, for JVMs that end after a second. */
    private static final List<String> SHORT_LIVED = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private Mpirun(int ranks, boolean mpich) {
        this.ranks = ranks;
        this.mpich = mpich;
    }

    /**
     * A job to be described and started.
     *
     * @param ranks number of processes
     * @return the job
     */
    public static Mpirun ranks(int ranks) {
        return new Mpirun(ranks, false);
    }

    /**
     * A job that the launcher of MPICH starts; skips the test where there is none, or no library for MPICH was built.
     *
     * @param ranks number of processes
     * @return the job
     */
    public static Mpirun mpich(int ranks) {
        Path library = Path.of(System.getProperty("drumlin.root"), "build", "native", "lib", "libdrumlin_mpi-mpich.so");
        if (onPath(MPICH).isEmpty() || Files.notExists(library)) {
            skip("there is no " + MPICH + " in PATH or no " + library
                    + "; install mpich and libmpich-dev, scripts/build");
        }
        return new Mpirun(ranks, true);
    }

    /**
     * A program to be started without mpirun, as a process of its own.
     *
     * @return the job
     */
    public static Mpirun withoutLauncher() {
        return new Mpirun(0, false);
    }

    /**
     * Adds options of mpirun.
     *
     * @param options for example {@code "--mca", "pml", "ucx"}
     * @return this
     */
    public Mpirun options(String... options) {
        mpirunOptions.addAll(List.of(options));
        return this;
    }

    /**
     * Adds options of the JVMs.
     *
     * @param options for example {@code "-Xmx64m"}
     * @return this
     */
    public Mpirun jvmOptions(String... options) {
        jvmOptions.addAll(List.of(options));
        return this;
    }

    /**
     * Adds a jar to the class path.
     *
     * @param jar a jar or a folder of classes
     * @return this
     */
    public Mpirun classPath(Path jar) {
        classPath.add(jar);
        return this;
    }

    /**
     * Sets an environment variable of the ranks on this machine.
     *
     * @param name of the variable
     * @param value its value
     * @return this
     */
    public Mpirun environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /**
     * How long the job may take; then it is ended and the test fails.
     *
     * @param limit wall clock time
     * @return this
     */
    public Mpirun timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    /**
     * Names a program that starts each rank's JVM.
     *
     * @param command a program and its arguments, to which the command line of the JVM is added
     * @return this
     */
    public Mpirun startedBy(String... command) {
        starter.addAll(List.of(command));
        return this;
    }

    /**
     * Lets calls of the system fail in the ranks; skips the test where the libraries for it were not built.
     *
     * @param rules as {@code native/test/faults.c} says
     * @return this
     */
    public Mpirun faults(String rules) {
        return preload("faults.so", "DRUMLIN_FAULTS=" + rules);
    }

    /**
     * Lets collective calls of MPI fail; skips the test where the libraries for it were not built.
     *
     * @param rules as {@code native/test/mpifaults.c} says
     * @return this
     */
    public Mpirun mpiFaults(String rules) {
        return preload("mpifaults.so", "DRUMLIN_MPI_FAULTS=" + rules);
    }

    private Mpirun preload(String library, String variable) {
        // A path in LD_PRELOAD would end at a blank.
        String folders = Stream.of(testLibrary(library).getParent().toString(), System.getenv("LD_LIBRARY_PATH"))
                .filter(each -> each != null && !each.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
        return startedBy("env", "LD_LIBRARY_PATH=" + folders, "LD_PRELOAD=" + library, variable);
    }

    /**
     * What the C build makes for tests; skips the test where that was not built.
     *
     * @param name of the file or the folder, as in {@code native/test/CMakeLists.txt}
     * @return its path
     */
    public static Path testLibrary(String name) {
        Path path = Path.of(System.getProperty("drumlin.root"), "build", "cmake", "native", "test", name);
        if (Files.notExists(path)) {
            skip(path + " is not there: scripts/build makes it where cmocka is installed");
        }
        return path;
    }

    /** Whether mpirun starts the ranks. */
    public boolean hasLauncher() {
        return ranks > 0;
    }

    /** Skips the test where there is no mpirun; fails it where CI should have one. */
    public static void assumeInstalled() {
        if (onPath("mpirun").isEmpty()) {
            skip("there is no mpirun in PATH; install openmpi-bin and libopenmpi-dev");
        }
    }

    /**
     * Skips the test; fails it where the environment says {@code CI=true}, because there everything must be tested.
     *
     * @param reason why the test cannot run here
     */
    public static void skip(String reason) {
        if ("true".equals(System.getenv("CI"))) {
            fail("CI=true, but " + reason);
        }
        abort(reason);
    }

    private static Optional<Path> onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * The command line of a job, for tests that start and kill it themselves.
     *
     * @param mainClass what every rank runs
     * @param args its arguments
     * @return a process that has not been started
     */
    public ProcessBuilder command(Class<?> mainClass, String... args) {
        List<String> command = ranks == 0 ? new ArrayList<>() : mpirun();
        command.addAll(starter);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // First of all options: mpirun looks for the letters "cp" in them to find the class path.
        command.add("-cp");
        command.add(jobClassPath());
        command.addAll(SHORT_LIVED);
        command.addAll(inheritedJvmOptions());
        command.addAll(jvmOptions);
        command.add(mainClass.getName());
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder;
    }

    /**
     * The command line of a program in one JVM of its own, without mpirun.
     *
     * @param mainClass what it runs
     * @param args its arguments
     * @return a process that has not been started
     */
    public static ProcessBuilder oneJvm(Class<?> mainClass, String... args) {
        return withoutLauncher().command(mainClass, args);
    }

    private List<String> mpirun() {
        if (mpich) {
            return new ArrayList<>(List.of(MPICH, "-n", Integer.toString(ranks)));
        }
        List<String> command = new ArrayList<>(List.of("mpirun", "-n", Integer.toString(ranks), "--oversubscribe"));
        if (System.getProperty("user.name").equals("root")) {
            command.add("--allow-run-as-root");
        }
        command.addAll(mpirunOptions);
        return command;
    }

    private String jobClassPath() {
        StringBuilder joined = new StringBuilder(System.getProperty("java.class.path"));
        classPath.forEach(jar -> joined.append(File.pathSeparator).append(jar));
        return joined.toString();
    }

    /** What the build gives to its test JVMs: options, and our properties, which Surefire passes in another way. */
    private static List<String> inheritedJvmOptions() {
        List<String> options = new ArrayList<>();
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!option.startsWith("-D")) {
                options.add(option);
            }
        }
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("drumlin.")) {
                options.add("-D" + name + "=" + System.getProperty(name));
            }
        }
        return options;
    }

    /**
     * Runs a program to its end.
     *
     * @param mainClass what every rank runs
     * @param args its arguments
     * @return exit status and output
     * @throws IOException mpirun cannot be started
     * @throws InterruptedException this thread was interrupted
     */
    public Outcome run(Class<?> mainClass, String... args) throws IOException, InterruptedException {
        if (ranks > 0) {
            assumeInstalled();
        }
        Path output = Files.createTempFile("drumlin-mpirun", ".log");
        try {
            Process process = command(mainClass, args)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended;
            try {
                ended = process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS);
            } finally {
                end(process);
            }
            String text = Files.readString(output);
            assertThat(ended)
                    .as("the job ended within %s; its output:%n%s", timeout, text)
                    .isTrue();
            return new Outcome(process.exitValue(), text);
        } finally {
            Files.delete(output);
        }
    }

    /** mpirun ends its ranks when it is asked to end; killed at once it would leave them behind. */
    private static void end(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    /**
     * Runs a test class on all ranks, in one job.
     *
     * @param checks a JUnit class, whose name Maven must not take for a test of its own
     * @return for each test one that passes if it passed on all ranks, and one for the exit status of the job
     * @throws IOException mpirun cannot be started
     * @throws InterruptedException this thread was interrupted
     */
    public Stream<DynamicTest> tests(Class<?> checks) throws IOException, InterruptedException {
        assumeInstalled();
        Path reports = Files.createTempDirectory("drumlin-reports");
        Outcome outcome = run(RankRunner.class, reports.toString(), checks.getName());
        List<List<Line>> lines = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (int rank = 0; rank < ranks; rank++) {
            lines.add(RankRunner.read(reports, rank));
            lines.get(rank).forEach(line -> names.add(line.test()));
            Files.deleteIfExists(reports.resolve(RankRunner.reportName(rank)));
        }
        Files.delete(reports);
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : names) {
            tests.add(DynamicTest.dynamicTest(name, () -> join(name, lines, outcome)));
        }
        tests.add(DynamicTest.dynamicTest("mpirun ends well", () -> {
            assertThat(outcome.exitStatus())
                    .as("exit status; output:%n%s", outcome.output())
                    .isZero();
            assertThat(names)
                    .as("tests that ran; output:%n%s", outcome.output())
                    .isNotEmpty();
        }));
        return tests.stream();
    }

    private static void join(String name, List<List<Line>> lines, Outcome outcome) {
        List<String> failures = new ArrayList<>();
        Set<String> skips = new LinkedHashSet<>();
        for (int rank = 0; rank < lines.size(); rank++) {
            Optional<Line> line =
                    lines.get(rank).stream().filter(l -> l.test().equals(name)).findFirst();
            if (line.isEmpty()) {
                failures.add("rank " + rank + " did not come to the end of it");
            } else if (line.get().status() == Status.FAILED) {
                failures.add("rank " + rank + ": " + line.get().details());
            } else if (line.get().status() == Status.SKIPPED) {
                skips.add(line.get().details());
            }
        }
        if (!failures.isEmpty()) {
            fail(String.join("\n", failures) + "\noutput of the job:\n" + outcome.output());
        }
        if (!skips.isEmpty()) {
            abort(String.join("\n", skips));
        }
    }
}
