package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.TwoVariables;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.RefusingEngine;
import io.drumlin.storage.RefusingEngine.Trouble;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Partner copies or encoded files are lost, and cannot be made again, because the disks are full or do not let themselves be written:
 * every rank that has its own file, or can get it, goes on.
 */
@Tag("exhaustive")
class LostRedundancyTest {

    private static final int RANKS = 4;
    private static final int INTS = 1000;
    private static final int OLDER = 1;
    private static final int NEWER = 2;

    @TempDir(factory = InMemory.class)
    private Path directory;

    /** Of which rank a file cannot be written. */
    private interface Refused extends BiPredicate<Integer, Path> {}

    private static boolean isOnANode(Path path) {
        return path.toString().contains("/Local/");
    }

    @ParameterizedTest
    @CsvSource({
        "1, L2, ENOSPC",
        "3, L2, ENOSPC",
        "5, L2, ENOSPC",
        "1, L3, ENOSPC",
        "3, L3, ENOSPC",
        "5, L3, ENOSPC",
        "3, L2, EROFS",
        "1, L3, EROFS",
        "1, L2, EIO",
        "3, L3, EIO"
    })
    void aRestartGoesOnWithItsOwnFiles(String ioMode, Level level, Trouble trouble) throws IOException {
        goOnWithOwnFiles(ioMode, level, trouble);
    }

    @ParameterizedTest
    @CsvSource({
        "2, L2, ENOSPC", "4, L2, ENOSPC", "2, L3, ENOSPC", "4, L3, ENOSPC",
        "1, L2, EROFS", "3, L3, EROFS", "5, L2, EROFS", "5, L3, EROFS",
        "3, L2, EIO", "1, L3, EIO", "5, L2, EIO", "5, L3, EIO"
    })
    void aRestartGoesOnWithItsOwnFilesInAllModes(String ioMode, Level level, Trouble trouble) throws IOException {
        goOnWithOwnFiles(ioMode, level, trouble);
    }

    private void goOnWithOwnFiles(String ioMode, Level level, Trouble trouble) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        Files.delete(redundant(run, level, 1));
        Files.delete(redundant(run, level, 2));
        List<String> left = run.files();
        List<String> log = EngineLog.messages(() -> assertThat(restart(run, trouble, (rank, path) -> isOnANode(path)))
                .containsOnly(NEWER + " of L1"));
        assertThat(run.files()).isEqualTo(left);
        String name = redundant(run, level, 2).getFileName().toString();
        assertThat(log)
                .anyMatch(told -> told.contains("rank 2") && told.contains(name) && told.contains(trouble.name()));
        // There is room now.
        assertThat(restart(run)).containsOnly(NEWER + " of " + level);
        assertThat(redundant(run, level, 1)).exists();
        run.loseNode(1);
        assertThat(restart(run)).containsOnly(NEWER + " of " + level);
    }

    @ParameterizedTest
    @CsvSource({"1", "3", "5"})
    void swappedCopiesAreNotTakenForTheRightOnes(String ioMode) throws IOException {
        RunFixture run = checkpointed(ioMode, Level.L2);
        swap(redundant(run, Level.L2, 1), redundant(run, Level.L2, 2));
        List<String> left = run.files();
        assertThat(restart(run, Trouble.ENOSPC, (rank, path) -> isOnANode(path)))
                .containsOnly(NEWER + " of L1");
        assertThat(run.files()).isEqualTo(left);
        // Its copy is one of the two.
        run.loseNode(1);
        assertThat(restart(run)).containsOnly(OLDER + " of L4");
    }

    /** The others get back what they have lost. */
    @ParameterizedTest
    @CsvSource({"1, L2", "3, L2", "3, L3", "5, L3"})
    void aFullDiskKeepsNothingFromTheOthers(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        Files.delete(redundant(run, level, 1));
        run.loseNode(3);
        assertThat(restart(run, Trouble.ENOSPC, (rank, path) -> rank == 1 && isOnANode(path)))
                .containsOnly(NEWER + " of L1");
        // Nor has an unfinished file got its name.
        assertThat(redundant(run, level, 1)).doesNotExist();
        assertThat(redundant(run, level, 3)).exists();
        assertThat(run.file(own(run, 3))).exists();
        // The copy of rank 2 is on rank 3.
        run.loseNode(2);
        assertThat(restart(run)).containsOnly(NEWER + " of " + level);
    }

    /** A new node has room for the file of its rank, and not for the copy or the encoded file. */
    @ParameterizedTest
    @CsvSource({"1, L2", "3, L2", "3, L3", "5, L3"})
    void aNewNodeGetsWhatItsRankNeeds(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        String redundant = redundant(run, level, 2).getFileName().toString();
        run.loseNode(2);
        assertThat(restart(run, Trouble.ENOSPC, (rank, path) -> path.toString().endsWith(redundant)))
                .containsOnly(NEWER + " of L1");
        assertThat(run.file(own(run, 2))).exists();
        assertThat(restart(run)).containsOnly(NEWER + " of " + level);
    }

    @ParameterizedTest
    @CsvSource({"3, L2", "1, L3"})
    void aRankThatCannotHaveItsOwnFileIsRefused(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        Files.delete(run.file(own(run, 2)));
        List<String> left = run.files();
        assertThat(restart(run, Trouble.ENOSPC, (rank, path) -> isOnANode(path)))
                .allMatch(outcome -> outcome.contains("ENOSPC") && outcome.contains("mend the cause"));
        assertThat(run.files()).isEqualTo(left);
        assertThat(restart(run)).containsOnly(NEWER + " of " + level);
    }

    /** The digests of encoded files are kept apart in some modes, and another run of the code may give other ones. */
    @ParameterizedTest
    @CsvSource({"1", "5"})
    void metadataThatCannotBeWrittenDoNotStopARestart(String ioMode) throws IOException {
        RunFixture run = checkpointed(ioMode, Level.L3);
        Path metadata =
                run.directory().resolve("Meta/" + run.restartValue("exec_id")).resolve("l3/sector0-group0.fti");
        forgetDigests(metadata);
        Refused refused = (rank, path) -> path.toString().contains("sector0-group0");
        assertThat(EngineLog.messages(
                        () -> assertThat(restart(run, Trouble.ENOSPC, refused)).containsOnly(NEWER + " of L1")))
                .anyMatch(told -> told.contains("sector0-group0") && told.contains("ENOSPC"));
        assertThat(restart(run)).containsOnly(NEWER + " of L3");
        run.loseNode(1);
        run.loseNode(2);
        assertThat(restart(run)).containsOnly(NEWER + " of L3");
    }

    /** Leaves the metadata of encoded files without digests that fit. */
    private static void forgetDigests(Path path) throws IOException {
        GroupMetadata metadata = MetadataFiles.read(path, engine());
        List<FileEntry> files = metadata.files().stream()
                .map(file -> file.withRsedChecksum("0".repeat(32)))
                .toList();
        MetadataFiles.write(path, metadata.withFiles(files), engine());
    }

    /** What a kill in a commit has left may be all that survives the next loss of a node. */
    @Test
    void nothingOlderIsDeletedMeanwhile() throws IOException {
        RunFixture run = checkpointed("3", Level.L2);
        List<Path> aside = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            Path committed = run.file(own(run, rank)).getParent();
            Path replaced = Files.createDirectory(committed.resolveSibling("drumlin-replaced-l2"));
            aside.add(Files.copy(committed.resolve(own(run, rank)), replaced.resolve("Ckpt9-Rank" + rank + ".fti")));
        }
        Path lost = redundant(run, Level.L2, 1);
        Files.delete(lost);
        assertThat(restart(run, Trouble.ENOSPC, (rank, path) -> isOnANode(path)))
                .containsOnly(NEWER + " of L1");
        assertThat(aside).allMatch(Files::exists);
        assertThat(restart(run)).containsOnly(NEWER + " of L2");
        assertThat(aside).noneMatch(Files::exists);
    }

    private RunFixture checkpointed(String ioMode, Level level) throws IOException {
        RunFixture run =
                new RunFixture(directory, "node_size=1, group_size=4, ckpt_io=" + ioMode + ", drumlin.slab_memory=2");
        run.run(RANKS, (builder, rank) -> builder.storage(engine()), (checkpoints, comm) -> {
            int[] values = new int[INTS];
            TwoVariables.protect(checkpoints, values);
            TwoVariables.set(values, OLDER + INTS * comm.rank());
            checkpoints.checkpoint(OLDER, Level.L4);
            TwoVariables.set(values, NEWER + INTS * comm.rank());
            checkpoints.checkpoint(NEWER, level);
        });
        return run;
    }

    /** An engine that takes no time. */
    private static StorageEngine engine() {
        return new FaultyEngine(new NioEngine(), false);
    }

    private static Path redundant(RunFixture run, Level level, int rank) {
        String name = "Ckpt" + NEWER + (level == Level.L2 ? "-Pcof" : "-RSed") + rank;
        return onNode(run, level, rank).resolve(name + extension(run, level, rank));
    }

    private static Path onNode(RunFixture run, Level level, int rank) {
        try {
            return run.directory()
                    .resolve("Local/node" + rank)
                    .resolve(run.restartValue("exec_id"))
                    .resolve("l" + level.number());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String extension(RunFixture run, Level level, int rank) {
        for (int other = 0; other < RANKS; other++) {
            if (Files.exists(onNode(run, level, other).resolve("Ckpt" + NEWER + "-Rank" + other + ".h5"))) {
                return ".h5";
            }
        }
        return ".fti";
    }

    private static String own(RunFixture run, int rank) {
        String extension = Stream.of(Level.L2, Level.L3)
                        .anyMatch(level -> extension(run, level, rank).equals(".h5"))
                ? ".h5"
                : ".fti";
        return "Ckpt" + NEWER + "-Rank" + rank + extension;
    }

    private static void swap(Path one, Path other) throws IOException {
        Path aside = one.resolveSibling("aside");
        Files.move(one, aside);
        Files.move(other, one, StandardCopyOption.REPLACE_EXISTING);
        Files.move(aside, other);
    }

    private static List<String> restart(RunFixture run) {
        return restart(run, Trouble.ENOSPC, (rank, path) -> false);
    }

    /** What each rank gets back, and the level that it is told; or the failure. */
    private static List<String> restart(RunFixture run, Trouble trouble, Refused refused) {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> ThreadCommunicator.run(RANKS, comm -> {
                    int rank = comm.rank();
                    String outcome;
                    try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                            .communicator(comm)
                            .storage(new RefusingEngine(engine(), trouble, path -> refused.test(rank, path)))
                            .open()) {
                        int[] values = new int[INTS];
                        TwoVariables.protect(checkpoints, values);
                        checkpoints.recover();
                        outcome = Integer.parseInt(TwoVariables.step(values)) - INTS * rank + " of "
                                + checkpoints.lastLevel().orElseThrow();
                    } catch (IOException failed) {
                        outcome = failed.toString();
                    }
                    outcomes.set(rank, outcome);
                }));
        return outcomes;
    }
}
