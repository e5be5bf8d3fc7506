package io.drumlin.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Checkpoints and restarts of Drumlin beside those of a C FTI that somebody has built, in turn in one run. Each turn is a job of
 * its own that takes checkpoints, and then, with files dropped from the page cache and after a rest, one that restarts. The
 * seconds are those of the slowest rank, and what the files took to be durable after the call. The ratio is how many times as
 * much C FTI took.
 */
@Command(name = "peers", mixinStandardHelpOptions = true, description = "Measures beside the C originals.")
public final class PeersBench extends Bench {

    private static final double MIB_PER_GIB = 1024;

    /** Rounds of checkpoints before the one that counts: the compilers of the Java machine are not done after two. */
    private static final int WARM_UP = 4;

    @Option(names = "--fti", required = true, description = "the program of native/bench/fti_peer.c")
    private Path fti = Path.of("fti_peer");

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per rank (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(names = "--only", defaultValue = "", description = "measures the rows that have this in their names")
    private String only = "";

    @Option(
            names = "--rest",
            defaultValue = "10",
            description =
                    "seconds before a restart (default: ${DEFAULT-VALUE}), because the host of a virtual machine may take"
                            + " back memory that a job has freed, and a restart long after that job does not find it")
    private long rest;

    @Parameters(arity = "1..*", description = "mpirun with its options, without a number of ranks")
    private List<String> launcher = List.of();

    PeersBench() {}

    /** The time that a call took. */
    private record Taken(double seconds, double cpuSeconds) {}

    /** Whose program it is. */
    private enum Side {
        OURS,
        THEIRS;

        String key(String call) {
            return call + " of " + this;
        }
    }

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new PeersBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        Map<Integer, Boolean> modes = new HashMap<>();
        for (PeerCase kind : PeerCase.ALL) {
            if (kind.name().contains(only)) {
                if (!modes.containsKey(kind.mode())) {
                    modes.put(kind.mode(), hasMode(kind));
                }
                if (Boolean.TRUE.equals(modes.get(kind.mode()))) {
                    measure(kind);
                }
            }
        }
        return 0;
    }

    /** Returns whether the library writes the files of a mode. One that was built without HDF5 takes another mode. */
    private boolean hasMode(PeerCase kind) throws IOException {
        PeerCase probe = kind.probe();
        RunFolder folder = RunFolder.create(home(), probe.ranks(), probe.mode());
        Optional<Taken> written = job(probe, Side.THEIRS, folder, 1, List.of("write", "4", "1"));
        boolean found = false;
        try (Stream<Path> files = Files.walk(folder.path().resolve("Global"))) {
            found = files.anyMatch(file -> file.toString().endsWith(probe.endOfFiles()));
        }
        folder.delete();
        if (written.isEmpty() || !found) {
            System.out.println("left out: this C FTI writes no files of the mode " + kind.modeName());
            return false;
        }
        return true;
    }

    private void measure(PeerCase kind) throws IOException {
        forgetFigures();
        archiveClasses(kind);
        for (int run = 0; run < runs(); run++) {
            // Who comes first may find another machine.
            List<Side> order = run % 2 == 0 ? List.of(Side.OURS, Side.THEIRS) : List.of(Side.THEIRS, Side.OURS);
            for (Side side : order) {
                turn(kind, side);
            }
        }
        Files.delete(archive());
        report("checkpoint", kind, kind.checkpointGoal());
        if (kind.restarts()) {
            report("restart and recovery", kind, 1);
        }
        if (kind.losesNode()) {
            report("restart after the loss of a node", kind, 1);
        }
    }

    /** Lets a rank archive the classes of a restart, as docs/cluster-guide.md recommends for jobs. */
    private void archiveClasses(PeerCase kind) throws IOException {
        Files.deleteIfExists(archive());
        RunFolder folder = RunFolder.create(home(), kind.ranks(), kind.mode());
        Optional<Taken> written = job(kind, Side.OURS, folder, 1, List.of("write", kind.levels(), "1"));
        List<String> command = new ArrayList<>(launcher);
        List<String> restart = arguments(kind, folder, 1, List.of("restart"));
        command.addAll(List.of("-n", "1"));
        // The JVM would name each class that it cannot archive.
        command.addAll(drumlin(1, "-XX:ArchiveClassesAtExit=" + archive(), "-Xlog:disable"));
        command.addAll(restart);
        command.addAll(List.of(":", "-n", String.valueOf(kind.ranks() - 1)));
        command.addAll(drumlin(1, "-XX:SharedArchiveFile=" + archive()));
        command.addAll(restart);
        Optional<Taken> restarted = run(command);
        folder.delete();
        if (written.isEmpty() || restarted.isEmpty() || !Files.exists(archive())) {
            throw failed(kind, "archive");
        }
    }

    private static IOException failed(PeerCase kind, String call) {
        return new IOException("the job failed or measured nothing: " + kind.name() + ", " + call);
    }

    private Path archive() {
        return home().resolveSibling("peers-classes.jsa");
    }

    private void turn(PeerCase kind, Side side) throws IOException {
        RunFolder folder = RunFolder.create(home(), kind.ranks(), kind.mode());
        keep(kind, side, "checkpoint", folder, List.of("write", kind.levels(), String.valueOf(WARM_UP + 1)));
        if (kind.restarts()) {
            if (kind.lastLevel() == '4') {
                folder.loseNodes();
            }
            dropAndRest(folder);
            keep(kind, side, "restart and recovery", folder, List.of("restart"));
        }
        if (kind.losesNode()) {
            folder.loseNode();
            dropAndRest(folder);
            keep(kind, side, "restart after the loss of a node", folder, List.of("restart"));
        }
        folder.delete();
    }

    /** Drops the files and waits: the machine is then as a restart finds it that comes later than the job before. */
    private void dropAndRest(RunFolder folder) throws IOException {
        folder.dropFromPageCache();
        try {
            TimeUnit.SECONDS.sleep(rest);
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }

    private void keep(PeerCase kind, Side side, String call, RunFolder folder, List<String> arguments)
            throws IOException {
        int share = kind.share(mib);
        Taken taken = job(kind, side, folder, share, arguments).orElseThrow(() -> failed(kind, call));
        keep(0, side.key(call), taken.seconds());
        keep(0, side.key(call + ", CPU"), taken.cpuSeconds() / (kind.ranks() * share / MIB_PER_GIB));
    }

    private void report(String call, PeerCase kind, double goal) throws IOException {
        String name = String.format(
                Locale.ROOT, "C FTI: %s, %d x %d MiB, %s", kind.name(), kind.ranks(), kind.share(mib), call);
        String cpu = call + ", CPU";
        report(List.of(
                Row.cost(name, "s", figures(Side.OURS.key(call)))
                        .original(figures(Side.THEIRS.key(call)))
                        .goal(goal),
                Row.cost(name + ", CPU", "s/GiB", figures(Side.OURS.key(cpu)))
                        .original(figures(Side.THEIRS.key(cpu)))
                        .goal(1.0)));
    }

    /** Returns what the last call of a job took; empty if it failed. */
    private Optional<Taken> job(PeerCase kind, Side side, RunFolder folder, int share, List<String> what)
            throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of("-n", String.valueOf(kind.ranks())));
        command.addAll(
                side == Side.OURS ? drumlin(share, "-XX:SharedArchiveFile=" + archive()) : List.of(fti.toString()));
        command.addAll(arguments(kind, folder, share, what));
        return run(command);
    }

    private static List<String> arguments(PeerCase kind, RunFolder folder, int share, List<String> what) {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(List.of(folder.config().toString(), String.valueOf(share), String.valueOf(kind.arrays())));
        arguments.addAll(what);
        return arguments;
    }

    private static Optional<Taken> run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(Redirect.INHERIT)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        Optional<Taken> last = Optional.empty();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                String[] words = line.split(" ", -1);
                if (words.length == 5 && words[0].equals("peer")) {
                    double seconds = Double.parseDouble(words[2]) + Double.parseDouble(words[3]);
                    last = Optional.of(new Taken(seconds, Double.parseDouble(words[4])));
                }
            }
            return process.waitFor() == 0 ? last : Optional.empty();
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }

    /**
     * A JVM like this one with room for the arrays. It is started by {@code env}, because mpirun adds its working folder to
     * the class path of a program called java, and the JVM archives no classes then.
     */
    private static List<String> drumlin(int share, String... options) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path")));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-D") || argument.startsWith("--enable-native-access"))
                .forEach(command::add);
        command.addAll(List.of("-Xmx" + (share + 512) + "m", "-Xmn64m", "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.add(PeerRun.class.getName());
        return command;
    }
}
