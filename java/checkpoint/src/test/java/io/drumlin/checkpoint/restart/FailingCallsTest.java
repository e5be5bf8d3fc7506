package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.fixture.TwoVariables;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Calls of the system fail while a run is restarted, or takes a checkpoint, below whatever makes them: also the looks of the
 * JDK at files and directories, which no engine makes. Nothing that could not be seen is taken for missing, and when the
 * error has passed a restart finds the newest checkpoint.
 */
class FailingCallsTest {

    private static final int RANKS = 2;
    private static final int INTS = 20_000;
    private static final int OLDER = 1;
    private static final int NEWER = 2;
    private static final int NEXT = 3;

    @TempDir(factory = InMemory.class)
    Path directory;

    private final Random random = new Random();
    private final long seed = random.nextLong();

    FailingCallsTest() {
        random.setSeed(seed);
        System.out.println("FailingCallsTest: seed " + seed);
    }

    /** What fails. */
    private enum Call {
        STAT("EIO", "EACCES", "ENOMEM", "ESTALE"),
        LIST("EIO", "EACCES", "ENOMEM", "ESTALE"),
        OPEN("EIO", "EACCES", "EMFILE", "ENFILE"),
        READ("EIO"),
        WRITE("EIO", "ENOSPC"),
        SYNC("EIO"),
        RENAME("EIO", "ENOSPC");

        private final List<String> errors;

        Call(String... errors) {
            this.errors = List.of(errors);
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** When it fails. */
    private enum Moment {
        RESTART,
        CHECKPOINT
    }

    /** The n-th of the calls of a moment; or also all after it. */
    private record Fault(Moment moment, Call call, int nth, boolean stays, String error) {

        /** Of a case in a folder; without a number it only counts. */
        String rule(Path folder, int number) {
            String calls = call.word() + " path=" + folder.resolve("c" + number) + "/ when=" + now(folder, number);
            return nth == 0 ? calls : calls + (stays ? " from=" : " nth=") + nth + " error=" + error;
        }

        @Override
        public String toString() {
            return moment + " " + call + " " + nth + (stays ? " and all after it " : " ") + error;
        }
    }

    /** A file that is there while calls of a case fail. */
    private static Path now(Path folder, int number) {
        return folder.resolve("now" + number);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, L3", "3, L2", "4, L1"})
    void someCalls(String ioMode, Level level) throws IOException, InterruptedException {
        tryFaults(ioMode, level, 4, Call.STAT, Call.LIST);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, L1", "1, L2", "1, L3", "2, L1", "2, L2", "2, L3", "3, L1", "3, L2", "3, L3", "4, L1", "4, L2", "4, L3",
        "5, L1", "5, L2", "5, L3"
    })
    void manyCalls(String ioMode, Level level) throws IOException, InterruptedException {
        tryFaults(ioMode, level, 12, Call.values());
    }

    /** @param most faults of each call at each moment */
    private void tryFaults(String ioMode, Level level, int most, Call... calls)
            throws IOException, InterruptedException {
        List<Fault> faults = new ArrayList<>();
        for (Map.Entry<Fault, Integer> each : count(ioMode, level, calls).entrySet()) {
            Fault counted = each.getKey();
            List<Integer> points = new ArrayList<>();
            for (int nth = 1; nth <= each.getValue(); nth++) {
                points.add(nth);
            }
            Collections.shuffle(points, random);
            for (int nth : points.subList(0, Math.min(most, points.size()))) {
                List<String> errors = counted.call.errors;
                String error = errors.get(random.nextInt(errors.size()));
                faults.add(new Fault(counted.moment, counted.call, nth, random.nextBoolean(), error));
            }
        }
        String output = run("faults", ioMode, level, faults).output();
        for (int i = 0; i < faults.size(); i++) {
            String what = "seed " + seed + ": case " + i + ", " + faults.get(i) + "\n";
            requireNothingLost(outcome(output, "first", i), outcome(output, "then", i), what, output);
        }
    }

    private static void requireNothingLost(String first, String then, String what, String output) {
        String all = what + first + "\n" + then;
        String told = Stream.of(output.split("\n", -1))
                .filter(line -> line.contains("uncaught"))
                .findFirst()
                .orElse("");
        assertThat(told).as(all).isEmpty();
        if (first.contains("failed: ")) {
            assertThat(first).as(all).containsPattern("\\bE[A-Z]{2,}\\b");
            assertThat(then).as(all).matches("recovered [" + NEWER + (first.contains("taking") ? NEXT : "") + "]");
        } else if (first.startsWith("took")) {
            assertThat(then).as(all).isEqualTo("recovered " + NEXT);
        } else {
            assertThat(first).as(all).isEqualTo("recovered " + NEWER);
            assertThat(then).as(all).isEqualTo("recovered " + NEWER);
        }
    }

    /** The line of a case; all ranks say the same, or it is told here. */
    private static String outcome(String output, String when, int number) {
        List<String> lines = Pattern.compile("^case " + number + " " + when + ": (.*)$", Pattern.MULTILINE)
                .matcher(output)
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(lines).as("case %d %s of%n%s", number, when, output).hasSize(1);
        return lines.get(0);
    }

    /** How many calls there are of each kind, at each moment. */
    private Map<Fault, Integer> count(String ioMode, Level level, Call... calls)
            throws IOException, InterruptedException {
        List<Fault> kinds = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            for (Call call : calls) {
                kinds.add(new Fault(moment, call, 0, false, ""));
            }
        }
        Mpirun.Outcome counted = run("counts", ioMode, level, kinds);
        Map<Fault, Integer> counts = new LinkedHashMap<>();
        for (MatchResult found : Pattern.compile("rule (\\d+), \\w+: (\\d+) matched")
                .matcher(Files.readString(log()))
                .results()
                .toList()) {
            counts.merge(
                    kinds.get(Integer.parseInt(found.group(1)) - 1), Integer.parseInt(found.group(2)), Integer::sum);
        }
        Files.delete(log());
        assertThat(counts).as(counted.output()).hasSize(kinds.size());
        System.out.println(counts);
        return counts;
    }

    private Path log() {
        return directory.resolve("log");
    }

    private Mpirun.Outcome run(String name, String ioMode, Level level, List<Fault> faults)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectory(directory.resolve(name));
        List<String> rules = new ArrayList<>();
        for (int i = 0; i < faults.size(); i++) {
            rules.add(faults.get(i).rule(folder, i));
        }
        List<String> arguments = new ArrayList<>(List.of(folder.toString(), ioMode, level.toString()));
        faults.forEach(fault -> arguments.add(fault.moment.name()));
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .environment("DRUMLIN_FAULTS_LOG", log().toString())
                .jvmOptions("-Ddrumlin.storage=nio")
                .timeout(Duration.ofMinutes(10))
                .faults(String.join(";", rules))
                .run(Program.class, arguments.toArray(String[]::new));
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        return outcome;
    }

    /** What the other JVM runs: for each case a restart, with a checkpoint or without, while calls fail, and another one. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws IOException {
            Path folder = Path.of(args[0]);
            RunFixture origin = new RunFixture(
                    Files.createDirectory(folder.resolve("origin")),
                    Map.of("basic.node_size", "1", "basic.group_size", "2", "basic.ckpt_io", args[1]));
            Level level = Level.valueOf(args[2]);
            origin.run(RANKS, (checkpoints, comm) -> {
                int[] values = new int[INTS];
                TwoVariables.protect(checkpoints, values);
                fill(values, OLDER, comm.rank());
                checkpoints.checkpoint(OLDER, Level.L4);
                fill(values, NEWER, comm.rank());
                checkpoints.checkpoint(NEWER, level);
            });
            for (int i = 0; i < args.length - 3; i++) {
                Path copy = folder.resolve("c" + i);
                copy(origin.directory(), copy);
                boolean takes = Moment.valueOf(args[3 + i]) == Moment.CHECKPOINT;
                Path now = now(folder, i);
                if (!takes) {
                    Files.createFile(now);
                }
                say(i, "first", takes ? take(copy, level, now) : restart(copy));
                Files.deleteIfExists(now);
                say(i, "then", restart(copy));
            }
        }

        private static void say(int number, String when, List<String> outcomes) {
            List<String> different = outcomes.stream().distinct().toList();
            String all = different.size() == 1 ? different.get(0) : "different: " + different;
            System.out.println("case " + number + " " + when + ": " + all.replace('\n', ' '));
        }

        /** What a rank does. */
        private interface Body {
            String run(Checkpoints checkpoints, int rank) throws IOException;
        }

        private static List<String> restart(Path copy) throws IOException {
            return onRanks(copy, "restarting", (checkpoints, rank) -> {
                int[] values = new int[INTS];
                TwoVariables.protect(checkpoints, values);
                checkpoints.recover();
                int id = (values[0] - rank) / 1_000_000;
                int[] expected = new int[INTS];
                fill(expected, id, rank);
                return Arrays.equals(values, expected) ? "recovered " + id : "wrong data";
            });
        }

        private static List<String> take(Path copy, Level level, Path now) throws IOException {
            return onRanks(copy, "taking", (checkpoints, rank) -> {
                int[] values = new int[INTS];
                TwoVariables.protect(checkpoints, values);
                checkpoints.recover();
                fill(values, NEXT, rank);
                checkpoints.communicator().barrier();
                if (rank == 0) {
                    Files.createFile(now);
                }
                checkpoints.communicator().barrier();
                checkpoints.checkpoint(NEXT, level);
                return "took " + NEXT;
            });
        }

        /** Failures of all ranks are one: what differs is which rank says it first. */
        private static List<String> onRanks(Path copy, String doing, Body body) throws IOException {
            List<String> outcomes = new ArrayList<>();
            RunFixture run = RunFixture.at(copy);
            ThreadCommunicator.run(RANKS, comm -> {
                String outcome;
                try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                    outcome = body.run(checkpoints, comm.rank());
                } catch (IOException e) {
                    outcome = doing + " failed: " + e.getMessage();
                } catch (RuntimeException | Error e) {
                    outcome = "uncaught " + e;
                }
                synchronized (outcomes) {
                    outcomes.add(outcome);
                }
            });
            boolean allFailed = outcomes.stream().allMatch(each -> each.contains("failed: "));
            return allFailed ? List.of(String.join(" | ", outcomes)) : outcomes;
        }

        private static void fill(int[] values, int ckptId, int rank) {
            Arrays.setAll(values, i -> 1_000_000 * ckptId + rank + i);
        }

        private static void copy(Path from, Path to) throws IOException {
            Tamper.copy(from, to);
            Path config = to.resolve("config.fti");
            Files.writeString(config, Files.readString(config).replace(from.toString(), to.toString()));
        }
    }
}
