package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A collective call of MPI in a checkpoint is reported as failed on one rank, while for the others it went well. The job ends, with words
 * or without having needed that call; a restart finds the checkpoint before or the new one, whole on both ranks.
 */
class FailedCallIT {

    /** Those that libdrumlin_mpi makes. */
    private static final List<String> CALLS = List.of(
            "Ibarrier",
            "Ibcast",
            "Iallreduce",
            "Igather",
            "Iscatter",
            "Iallgather",
            "Comm_dup",
            "Comm_split",
            "Comm_create_group");

    private static final int RANKS = 2;
    private static final int OLD = 1;
    private static final int NEW = 2;

    @TempDir
    Path directory;

    /** Where a call fails: the nth of its kind, from the beginning of the second checkpoint. */
    private record Point(int rank, String call, int nth) {}

    /** What a job has to say of its restart and of its second checkpoint. */
    private record Story(Mpirun.Outcome outcome) {

        List<Integer> recovered() {
            return Pattern.compile("recovered (\\d+)")
                    .matcher(outcome.output())
                    .results()
                    .map(found -> Integer.valueOf(found.group(1)))
                    .toList();
        }
    }

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Tag("exhaustive")
    @Test
    void someCalls() throws IOException, InterruptedException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        String ioMode = random.nextBoolean() ? "1" : "3";
        Level level = Level.of(1 + random.nextInt(4));
        List<Point> points = points(ioMode, level);
        failAt(
                ioMode,
                level,
                random.ints(4, 0, points.size()).mapToObj(points::get).toList());
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "3, 1", "3, 2", "3, 3", "3, 4"})
    void everyCall(String ioMode, int level) throws IOException, InterruptedException {
        failAt(ioMode, Level.of(level), points(ioMode, Level.of(level)));
    }

    /** All calls of the second checkpoint. */
    private List<Point> points(String ioMode, Level level) throws IOException, InterruptedException {
        Path log = directory.resolve("counts");
        RunFixture run = run("counted", ioMode);
        Path now = directory.resolve("now-counted");
        List<String> rules = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            for (String call : CALLS) {
                rules.add(call + " rank=" + rank + " when=" + now);
            }
        }
        Story story = start(
                Mpirun.ranks(RANKS)
                        .environment("DRUMLIN_FAULTS_LOG", log.toString())
                        .mpiFaults(String.join(";", rules)),
                "-",
                run,
                level,
                now,
                -1);
        assertThat(story.outcome().exitStatus()).as(story.outcome().output()).isZero();
        Map<String, Integer> rankOfPid = new HashMap<>();
        for (MatchResult found :
                matches("rank (\\d+) has pid (\\d+)", story.outcome().output())) {
            rankOfPid.put(found.group(2), Integer.valueOf(found.group(1)));
        }
        List<Point> points = new ArrayList<>();
        for (MatchResult found : matches("(\\d+) rule \\d+, (\\w+): (\\d+) matched", Files.readString(log))) {
            Integer rank = rankOfPid.get(found.group(1));
            for (int nth = 1; rank != null && nth <= Integer.parseInt(found.group(3)); nth++) {
                points.add(new Point(rank, found.group(2), nth));
            }
        }
        System.out.println(points.stream()
                .collect(Collectors.groupingBy(point -> point.rank() + " " + point.call(), Collectors.counting())));
        assertThat(points).hasSizeGreaterThan(3 * RANKS);
        return points;
    }

    private static List<MatchResult> matches(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().toList();
    }

    /** Each job recovers what the one before has left, in a run of its own. */
    private void failAt(String ioMode, Level level, List<Point> points) throws IOException, InterruptedException {
        String before = "-";
        String what = "";
        for (int i = 0; i < points.size(); i++) {
            Point point = points.get(i);
            RunFixture run = run("run" + i, ioMode);
            Path now = directory.resolve("now" + i);
            Mpirun job = Mpirun.ranks(RANKS)
                    .mpiFaults(point.call() + " rank=" + point.rank() + " nth=" + point.nth() + " when=" + now
                            + " error=16");
            Story story = start(job, before, run, level, now, point.rank());
            requireOneOfBoth(story, before, what);
            what = point + "\n" + story.outcome().output();
            requireWords(story, what);
            before = run.config().toString();
        }
        requireOneOfBoth(start(Mpirun.ranks(RANKS), before, run("last", ioMode), level, directory, -1), before, what);
    }

    private static void requireOneOfBoth(Story story, String config, String what) {
        if (!config.equals("-")) {
            assertThat(story.recovered())
                    .as(what + "\nand then\n" + story.outcome().output())
                    .hasSize(RANKS)
                    .doesNotContain(0)
                    .containsOnly(story.recovered().get(0));
            if (what.contains("the new one is done on rank")) {
                assertThat(story.recovered()).as(what).containsOnly(NEW);
            }
        }
    }

    /** Either nobody noticed, or a rank said what is the matter. */
    private static void requireWords(Story story, String what) {
        if (story.outcome().exitStatus() != 0) {
            assertThat(story.outcome().output()).as(what).contains("a rank was told:");
        }
        assertThat(story.outcome().output()).as(what).doesNotContain("uncaught");
    }

    private Story start(Mpirun job, String before, RunFixture run, Level level, Path now, int failing)
            throws IOException, InterruptedException {
        return new Story(job.timeout(Duration.ofSeconds(60))
                .run(
                        Program.class,
                        before,
                        run.config().toString(),
                        Integer.toString(level.number()),
                        now.toString(),
                        Integer.toString(failing)));
    }

    private RunFixture run(String name, String ioMode) throws IOException {
        return new RunFixture(
                Files.createDirectory(directory.resolve(name)),
                Map.of("basic.node_size", "1", "basic.group_size", "2", "basic.ckpt_io", ioMode));
    }

    /** Recovers one run; then takes two checkpoints in another one. */
    static final class Program {

        private static final int INTS = 3000;

        private Program() {}

        public static void main(String[] arguments) throws IOException {
            Communicators.run(world -> {
                try {
                    if (!arguments[0].equals("-")) {
                        recover(Path.of(arguments[0]), world);
                    }
                    boolean counts = arguments[4].equals("-1");
                    take(
                            Path.of(arguments[1]),
                            Level.of(Integer.parseInt(arguments[2])),
                            world,
                            Path.of(arguments[3]),
                            counts || world.rank() == Integer.parseInt(arguments[4]));
                } catch (DrumlinException e) {
                    System.out.println("a rank was told: " + e);
                    throw e;
                } catch (Throwable e) {
                    System.out.println("uncaught: " + e);
                    throw e;
                }
            });
        }

        private static void recover(Path config, Communicator world) throws IOException {
            try (Checkpoints checkpoints = Checkpoints.open(config, world)) {
                int[] values = new int[INTS];
                checkpoints.protect(0, values);
                checkpoints.recover();
                int id = values[0] - 10 * world.rank();
                for (int i = 0; i < INTS; i++) {
                    assertThat(values[i]).isEqualTo(values[0] + i);
                }
                System.out.println("recovered " + (id == OLD || id == NEW ? id : 0));
            }
        }

        private static void take(Path config, Level level, Communicator world, Path now, boolean marks)
                throws IOException {
            System.out.println("rank " + world.rank() + " has pid "
                    + ProcessHandle.current().pid());
            try (Checkpoints checkpoints = Checkpoints.open(config, world)) {
                int[] values = new int[INTS];
                checkpoints.protect(0, values);
                for (int id = OLD; id <= NEW; id++) {
                    for (int i = 0; i < INTS; i++) {
                        values[i] = 10 * world.rank() + id + i;
                    }
                    if (id == NEW && marks) {
                        mark(now);
                    }
                    checkpoints.checkpoint(id, level);
                }
                System.out.println("the new one is done on rank " + world.rank());
            }
        }

        /** Counting begins. */
        private static void mark(Path now) throws IOException {
            if (!Files.isDirectory(now)) {
                Files.writeString(now, "");
            }
        }
    }
}
