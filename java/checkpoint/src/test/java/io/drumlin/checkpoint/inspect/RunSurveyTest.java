package io.drumlin.checkpoint.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunReport.State;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterTry;

/** What a survey of a damaged run says is what a restart then does; and the survey changes nothing. */
class RunSurveyTest {

    private static final int RANKS = 4;

    /** By their number in {@code ckpt_io}, those of FTI-FF by the layout; and another layout. */
    private static final List<String> MODES = List.of("POSIX", "MPI-IO", "F", "SIONlib", "A");

    private Path directory = Path.of("");

    @AfterTry
    void deleteFiles() throws IOException {
        DirectoryTree.delete(directory, new NioEngine());
    }

    private RunFixture run(String mode, int groupSize) throws IOException {
        directory = Files.createTempDirectory("drumlin-survey");
        return new RunFixture(
                directory,
                "node_size=1, group_size=" + groupSize + ", ckpt_io="
                        + (mode.equals("A") ? "3" : String.valueOf(MODES.indexOf(mode) + 1)) + ", keep_l4_ckpt="
                        + (groupSize == 2 ? "1" : "0") + ", drumlin.layout=" + (mode.length() == 1 ? mode : "F"));
    }

    private static byte[] content(int rank, int ckptId) {
        byte[] bytes = new byte[3000 + 77 * rank + ckptId];
        new Random(100L * ckptId + rank).nextBytes(bytes);
        return bytes;
    }

    private static void checkpoint(RunFixture run, int first, Level... levels) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            int id = first;
            for (Level level : levels) {
                checkpoints.protect(1, content(comm.rank(), id));
                checkpoints.checkpoint(id, level);
                id++;
            }
        });
    }

    private RunSurvey survey(RunFixture run) throws IOException {
        return RunSurvey.open(run.config(), directory);
    }

    @Tag("exhaustive")
    @Property(tries = 20, shrinking = ShrinkingMode.OFF)
    void aRestartDoesWhatTheSurveySays(@ForAll @IntRange(max = 4) int mode, @ForAll long seed) throws IOException {
        Random random = new Random(seed);
        RunFixture run = run(MODES.get(mode), random.nextBoolean() ? 2 : 4);
        Level[] levels = random.ints(1 + random.nextInt(4), 1, 5)
                .mapToObj(Level::of)
                .sorted(random.nextInt(4) > 0 ? (a, b) -> b.compareTo(a) : (a, b) -> a.compareTo(b))
                .toArray(Level[]::new);
        checkpoint(run, 1, levels);
        for (int i = random.nextInt(4); i > 0; i--) {
            damage(random);
        }
        Map<String, byte[]> before = contents();
        RunSurvey survey = survey(run);
        RunReport report = survey.report(true);
        Path scratch = Files.createTempDirectory("drumlin-scratch");
        try {
            byte[][] files = new byte[RANKS][];
            for (int rank = 0; rank < RANKS; rank++) {
                Path own = Files.createDirectory(scratch.resolve("for" + rank));
                Optional<RunSurvey.RankFile> file = survey.fetch(rank, own);
                assertThat(file.map(RunSurvey.RankFile::ckptId))
                        .isEqualTo(report.restart().map(RunReport.Checkpoint::ckptId));
                if (file.isPresent()) {
                    files[rank] = Files.readAllBytes(file.get().path());
                }
            }
            List<RunSurvey.RankFile> all = survey.fetchAll(Files.createDirectory(scratch.resolve("all")));
            assertThat(all).hasSize(report.restart().isPresent() ? RANKS : 0);
            for (int rank = 0; rank < all.size(); rank++) {
                assertThat(all.get(rank).rank()).isEqualTo(rank);
                assertThat(all.get(rank).path()).hasBinaryContent(files[rank]);
                boolean isFtiFf = MODES.get(mode).length() == 1;
                assertThat(all.get(rank).metadata() == null).isEqualTo(isFtiFf);
                if (!isFtiFf) {
                    assertThat(all.get(rank).metadata()).exists();
                }
            }
            assertThat(contents()).usingRecursiveComparison().isEqualTo(before);
            restart(run, report, files);
        } finally {
            DirectoryTree.delete(scratch, new NioEngine());
        }
    }

    private static void restart(RunFixture run, RunReport report, byte[][] files) throws IOException {
        if (report.restart().isEmpty()) {
            assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {})).hasStackTraceContaining("at no level");
            return;
        }
        RunReport.Checkpoint expected = report.restart().get();
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(expected.level());
            assertThat(checkpoints.lastCheckpoint()).contains(expected.ckptId());
            byte[] values = new byte[Math.toIntExact(checkpoints.storedSize(1))];
            checkpoints.protect(1, values);
            checkpoints.recover();
            assertThat(values).isEqualTo(content(comm.rank(), expected.ckptId()));
            assertThat(text(files[comm.rank()])).contains(text(values));
        });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private void damage(Random random) throws IOException {
        List<Path> paths;
        try (Stream<Path> found = Files.walk(directory)) {
            paths = found.filter(path -> path.getNameCount() > directory.getNameCount() + 1
                            && !path.endsWith("Topology.fti")
                            && !path.startsWith(directory.resolve("Meta")))
                    .sorted()
                    .toList();
        }
        if (paths.isEmpty()) {
            return;
        }
        Path path = paths.get(random.nextInt(paths.size()));
        if (Files.isRegularFile(path)) {
            byte[] bytes = Files.readAllBytes(path);
            switch (random.nextInt(3)) {
                case 0 -> Files.delete(path);
                case 1 -> Files.write(path, Arrays.copyOf(bytes, bytes.length - 1));
                default -> {
                    bytes[random.nextInt(bytes.length)] ^= 4;
                    Files.write(path, bytes);
                }
            }
        } else if (path.getFileName().toString().matches("l[1-4]")) {
            // As a commit leaves it that was interrupted at one of its two renames.
            String name = random.nextBoolean() ? "tmp" : "drumlin-replaced-" + path.getFileName();
            Path target = path.resolveSibling(name);
            DirectoryTree.delete(target, new NioEngine());
            Files.move(path, target);
        } else if (path.startsWith(directory.resolve("Local"))) {
            DirectoryTree.delete(path, new NioEngine());
        }
    }

    private Map<String, byte[]> contents() throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                contents.put(path.toString(), Files.isRegularFile(path) ? Files.readAllBytes(path) : new byte[0]);
            }
        }
        return contents;
    }

    /** Every checkpoint of a run that lost a node, with its files by name. */
    @Example
    void aReportNamesWhatIsLost() throws IOException {
        RunFixture run = run("POSIX", 4);
        checkpoint(run, 5, Level.L4, Level.L3, Level.L2, Level.L1);
        assertThat(survey(run).report(true).isWhole()).isTrue();
        DirectoryTree.delete(directory.resolve("Local/node0"), new NioEngine());
        Path flipped = run.file("Ckpt5-Rank3.fti");
        byte[] bytes = Files.readAllBytes(flipped);
        bytes[7]++;
        Files.write(flipped, bytes);
        RunReport report = survey(run).report(true);
        assertThat(report.isWhole()).isFalse();
        assertThat(report.checkpoints())
                .extracting(RunReport.Checkpoint::ckptId, RunReport.Checkpoint::state)
                .containsExactly(
                        tuple(8, State.LOST),
                        tuple(7, State.RECOVERABLE),
                        tuple(6, State.RECOVERABLE),
                        tuple(5, State.LOST));
        assertThat(report.restart()).contains(report.checkpoints().get(1));
        assertThat(report.checkpoints().get(1).missing())
                .extracting(file -> file.getFileName().toString())
                .containsExactly("Ckpt7-Pcof0.fti", "Ckpt7-Rank0.fti");
        assertThat(report.checkpoints().stream().map(each -> each.sources().get(0)))
                .containsExactly(
                        DataSource.NONE, DataSource.PARTNER_COPY, DataSource.REED_SOLOMON, DataSource.OWN_FILE);
        assertThat(report.checkpoints().get(3).damaged()).containsExactly(flipped);
        assertThat(report.problems()).singleElement().satisfies(problem -> assertThat(problem.reason())
                .contains(flipped.toString(), "MD5"));
    }

    /** The configuration may have been changed for a start on another number of ranks. */
    @Example
    void theConfigurationOfOtherRanksIsKnown() throws IOException {
        directory = Files.createTempDirectory("drumlin-überblick");
        RunFixture run =
                new RunFixture(directory, Map.of("advanced.local_test", "0", "basic.node_size", String.valueOf(RANKS)));
        checkpoint(run, 1, Level.L1);
        assertThat(survey(run).report(true).isWhole()).isTrue();
        String config = Files.readString(run.config());
        String edited = config.replaceFirst("(?m)^(\\s*node_size\\s*=\\s*)4", "$12");
        assertThat(edited).isNotEqualTo(config);
        Files.writeString(run.config(), edited);
        for (boolean recorded : new boolean[] {true, false}) {
            if (!recorded) {
                // Topology.fti tells it alone.
                Files.delete(directory.resolve("Meta/" + run.restartValue("exec_id") + "/drumlin-starts"));
            }
            assertThat(survey(run).ranks()).isEqualTo(4);
            assertThat(survey(run).report(true).isWhole()).isTrue();
            assertThat(survey(run).writtenByOthers().orElseThrow())
                    .contains("written by 4 ranks with node_size = 4", "which are 2 and");
        }
    }

    /** More containers, and larger ones, than are read at a time. */
    @Example
    void filesOfManyPiecesAreWhole() throws IOException {
        RunFixture run = run("F", 2);
        run.run(RANKS, (checkpoints, comm) -> {
            for (int id = 0; id < 40; id++) {
                byte[] values = new byte[id == 7 ? 5_000_000 : 10_000];
                new Random(id).nextBytes(values);
                checkpoints.protect(id, values);
            }
            checkpoints.checkpoint(1, Level.L2);
        });
        assertThat(survey(run).report(true).isWhole()).isTrue();
    }

    /** The rest of a checkpoint of which the first group has nothing, and what is left of one that was being written. */
    @Example
    void remainsAreToldFromLosses() throws IOException {
        RunFixture run = run("F", 2);
        checkpoint(run, 5, Level.L4, Level.L1);
        for (int node = 1; node < RANKS; node++) {
            Path local = Files.list(directory.resolve("Local/node" + node))
                    .findFirst()
                    .orElseThrow();
            Files.createDirectory(local.resolve("tmp"));
            Files.write(local.resolve("tmp/Ckpt7-Rank" + node + ".fti"), new byte[100]);
        }
        RunReport whole = survey(run).report(true);
        assertThat(whole.problems()).hasSize(RANKS - 1).allMatch(RunReport.Problem::isOfRemains);
        assertThat(whole.isWhole()).isTrue();
        DirectoryTree.delete(directory.resolve("Local/node0"), new NioEngine());
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        RunReport report = survey(run).report(true);
        assertThat(report.checkpoints())
                .extracting(RunReport.Checkpoint::level, RunReport.Checkpoint::state)
                .containsExactly(tuple(Level.L1, State.LOST), tuple(Level.L4, State.WHOLE));
        assertThat(report.checkpoints().get(0).sources())
                .containsEntry(0, DataSource.NONE)
                .containsEntry(3, DataSource.OWN_FILE);
    }

    /** Level 4 is replaced twice and kept: the earlier ones are in the archive, where a restart looks last. */
    @Example
    void archivedCheckpointsAreListed() throws IOException {
        for (String mode : MODES) {
            RunFixture run = run(mode, 2);
            checkpoint(run, 5, Level.L4, Level.L4, Level.L4);
            Path file = run.file(
                    switch (mode) {
                        case "MPI-IO" -> "Ckpt6-mpiio.fti";
                        case "SIONlib" -> "Ckpt6-sionlib.fti";
                        default -> "Ckpt6-Rank1.fti";
                    });
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2]++;
            Files.write(file, bytes);
            RunReport report = survey(run).report(true);
            assertThat(report.checkpoints())
                    .as(mode)
                    .extracting(
                            RunReport.Checkpoint::ckptId, RunReport.Checkpoint::archived, RunReport.Checkpoint::state)
                    .containsExactlyInAnyOrder(
                            tuple(7, false, State.WHOLE), tuple(6, true, State.LOST), tuple(5, true, State.WHOLE));
            deleteFiles();
        }
    }
}
