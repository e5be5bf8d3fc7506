package io.drumlin.checkpoint.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexListing;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints of level 4 as datasets of SCR. */
@Tag("exhaustive")
class ScrIndexEntryTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    private RunFixture run(String... changes) throws IOException {
        Map<String, String> settings = RunFixture.settings(changes);
        settings.putIfAbsent("drumlin.scr_index", directory.toString());
        return new RunFixture(directory, settings);
    }

    private ScrIndex index() throws IOException {
        return new IndexFile(new ScrPrefix(directory), new NioEngine()).read();
    }

    private static void checkpoint(Checkpoints checkpoints, int id, Level level) throws IOException {
        checkpoints.protect(1, new double[1000 + id]);
        checkpoints.checkpoint(id, level);
    }

    /** FTI-FF and POSIX have a file for each rank, MPI-IO has one. */
    @ParameterizedTest
    @CsvSource({"3, 4", "1, 4", "2, 1"})
    void theNewestIsListedAndWhole(String ioMode, int files) throws IOException {
        RunFixture run = run("ckpt_io=" + ioMode);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoint(checkpoints, 1, Level.L4);
            checkpoint(checkpoints, 2, Level.L1);
            checkpoint(checkpoints, 3, Level.L4);
        });
        String name = "Global/" + run.restartValue("exec_id") + "/Ckpt3";
        assertThat(IndexListing.lines(index()))
                .hasSize(2)
                .element(1)
                .asString()
                .matches("   \\d YES   \\S{19}     " + name);
        IndexRecord record = index().record(name).orElseThrow();
        DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(directory), record, new NioEngine());
        RankFiles map = metadata.checkFetchable(RANKS);
        assertThat(map.files()).hasSize(RANKS);
        assertThat(map.files().values().stream().mapToInt(List::size).sum()).isEqualTo(files);
        assertThat(record.descriptor().files()).hasValue(files);
        assertThat(record.descriptor().checkpoint()).isPresent();
        assertThat(metadata.readDescriptor().tree())
                .isEqualTo(record.descriptor().tree());
        assertThat(metadata.readComplete()).isTrue();
        assertThat(index().current()).isEmpty();
        try (Stream<Path> paths = Files.list(directory.resolve(".scr"))) {
            assertThat(paths.filter(path -> path.getFileName().toString().startsWith("scr.dataset.")))
                    .as("metadata of what was replaced")
                    .hasSize(1);
        }
    }

    private List<String> listed(ScrPrefix prefix, int ranks) throws IOException {
        IndexFile index = new IndexFile(prefix, new NioEngine());
        List<String> names = new ArrayList<>();
        for (IndexRecord record : Files.exists(index.path()) ? index.read().records() : List.<IndexRecord>of()) {
            DatasetMetadata.of(prefix, record, new NioEngine()).checkFetchable(ranks);
            names.add(record.name().replaceFirst("^Global/[^/]*/", ""));
        }
        Collections.sort(names);
        return names;
    }

    private List<String> listed() throws IOException {
        return listed(new ScrPrefix(directory), RANKS);
    }

    /** FTI-FF and POSIX have a file for each rank, MPI-IO has one; metadata are apart but in FTI-FF. */
    @ParameterizedTest
    @CsvSource({"3", "1", "2"})
    void keptOnesAreListedToo(String ioMode) throws IOException {
        RunFixture run = run("ckpt_io=" + ioMode + ", drumlin.keep=3");
        run.run(RANKS, (checkpoints, comm) -> {
            for (int id = 1; id <= 5; id++) {
                checkpoint(checkpoints, id, Level.L4);
            }
        });
        assertThat(listed()).containsExactly("Ckpt5", "l4_archive/Ckpt3", "l4_archive/Ckpt4");
        assertThat(PathStatus.entries(directory.resolve(".scr")))
                .filteredOn(path -> path.getFileName().toString().startsWith("scr.dataset."))
                .hasSize(3);
        // An id that is taken again replaces the archived one.
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new double[1005]);
            checkpoints.recover();
            checkpoint(checkpoints, 4, Level.L4);
            checkpoint(checkpoints, 6, Level.L4);
        });
        assertThat(listed()).containsExactly("Ckpt6", "l4_archive/Ckpt4", "l4_archive/Ckpt5");
        String execId = run.restartValue("exec_id");
        RunCatalogue catalogue = RunCatalogue.open(run.config(), directory);
        catalogue.delete(execId, 4, false);
        assertThat(listed()).containsExactly("Ckpt6", "l4_archive/Ckpt5");
        catalogue.prune(List.of(execId), new Rule("1", null, null), false);
        assertThat(listed()).containsExactly("Ckpt6");
        // What a kill has kept from the index is listed with the next checkpoint.
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new double[1006]);
            checkpoints.recover();
            checkpoint(checkpoints, 7, Level.L4);
            if (comm.rank() == 0) {
                new IndexOperations(new ScrPrefix(directory), new NioEngine())
                        .drop("Global/" + execId + "/l4_archive/Ckpt6");
            }
            checkpoint(checkpoints, 8, Level.L4);
        });
        assertThat(listed()).containsExactly("Ckpt8", "l4_archive/Ckpt6", "l4_archive/Ckpt7");
        catalogue.deleteRun(execId, true, false);
        assertThat(listed()).isEmpty();
    }

    /** The archive stays when a run is completed; without keep nothing does. */
    @ParameterizedTest
    @CsvSource({"0, true", "1, true", "0, false"})
    void theArchiveOfACompletedRunIsListedAsLongAsItStays(String keepLast, boolean keeps) throws IOException {
        RunFixture run = run("drumlin.keep=3, keep_last_ckpt=" + keepLast);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoint(checkpoints, 1, Level.L4);
            checkpoint(checkpoints, 2, Level.L4);
            checkpoint(checkpoints, 3, Level.L1);
        });
        if (!keeps) {
            Files.writeString(run.config(), Files.readString(run.config()).replaceAll("(?m)^keep *=.*", ""));
        }
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new double[1003]);
            checkpoints.recover();
            checkpoints.complete();
        });
        List<String> archived = List.of("l4_archive/Ckpt1", "l4_archive/Ckpt2");
        if (!keeps) {
            assertThat(listed()).isEmpty();
        } else if (keepLast.equals("0")) {
            assertThat(listed()).isEqualTo(archived);
        } else {
            assertThat(listed()).first().isEqualTo("Ckpt3");
            assertThat(listed().subList(1, 3)).isEqualTo(archived);
        }
    }

    /** A kill after the files were in their place left no record, and of the metadata all, some or nothing. */
    @ParameterizedTest
    @CsvSource({"3, true", "3, false", "1, true", "2, true"})
    void aRestartListsWhatAKillKeptFromTheIndex(String ioMode, boolean metadata) throws IOException {
        RunFixture run = run("ckpt_io=" + ioMode);
        run.run(RANKS, (checkpoints, comm) -> checkpoint(checkpoints, 1, Level.L4));
        IndexRecord before = index().records().get(0);
        new IndexOperations(new ScrPrefix(directory), new NioEngine()).drop(before.name());
        if (!metadata) {
            DirectoryTree.delete(new ScrPrefix(directory).metadata(before.id()), new NioEngine());
        }
        for (int restart = 0; restart < 2; restart++) {
            run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.isRestart())
                    .isTrue());
            assertThat(index().records()).extracting(IndexRecord::name).containsExactly(before.name());
            DatasetMetadata.of(new ScrPrefix(directory), index().records().get(0), new NioEngine())
                    .checkFetchable(RANKS);
        }
    }

    /** The first rename is that of the index, those that follow are of the commit. */
    @ParameterizedTest
    @CsvSource({"3, 2", "3, 3", "1, 2", "1, 3", "2, 3"})
    void oneThatStaysBecauseTheNextFailsIsListedAgain(String ioMode, int rename) throws IOException {
        RunFixture run = run("ckpt_io=" + ioMode);
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        run.run(RANKS, (builder, rank) -> builder.storage(storage), (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
            if (comm.rank() == 0) {
                storage.fail(Operation.RENAME, rename, "EIO");
            }
            assertThatIOException().isThrownBy(() -> checkpoints.checkpoint(2, Level.L4));
        });
        assertThat(index().records())
                .extracting(IndexRecord::name)
                .containsExactly("Global/" + run.restartValue("exec_id") + "/Ckpt1");
        DatasetMetadata.of(new ScrPrefix(directory), index().records().get(0), new NioEngine())
                .checkFetchable(RANKS);
    }

    /** The last checkpoint becomes one of level 4 at the end of a run. */
    @ParameterizedTest
    @CsvSource({"3, 1", "3, 2", "3, 3", "1, 2", "1, 3"})
    void oneThatStaysBecauseTheLastCannotTakeItsPlaceIsListed(String ioMode, int rename) throws IOException {
        RunFixture run = run("ckpt_io=" + ioMode + ", keep_last_ckpt=1");
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine own = comm.rank() == 0 ? storage : new FaultyEngine(new NioEngine());
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(own)
                    .open()) {
                checkpoint(checkpoints, 1, Level.L4);
                checkpoint(checkpoints, 2, Level.L1);
                if (comm.rank() == 0) {
                    storage.fail(Operation.RENAME, rename, "EIO");
                }
                assertThatIOException().isThrownBy(checkpoints::complete);
            }
        });
        String name = "Global/" + run.restartValue("exec_id") + "/Ckpt1";
        assertThat(index().records()).extracting(IndexRecord::name).containsExactly(name);
        DatasetMetadata.of(new ScrPrefix(directory), index().records().get(0), new NioEngine())
                .checkFetchable(RANKS);
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .hasValue(2));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1"})
    void aRunThatIsDoneIsListedOnlyIfItKeepsItsLast(String keep, int listed) throws IOException {
        RunFixture run = run("keep_last_ckpt=" + keep);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoint(checkpoints, 1, Level.L4);
            checkpoint(checkpoints, 2, Level.L1);
            checkpoints.complete();
        });
        assertThat(index().records()).hasSize(listed);
        if (listed == 1) {
            IndexRecord record = index().records().get(0);
            assertThat(record.name()).endsWith("/Ckpt2");
            DatasetMetadata.of(new ScrPrefix(directory), record, new NioEngine())
                    .checkFetchable(RANKS);
        }
    }

    /** A crash at any moment of taking, replacing and ending: what is listed is whole. */
    @ParameterizedTest
    @EnumSource
    void aCrashLeavesOnlyWholeCheckpointsListed(Crash crash) throws IOException {
        crash(crash, Map.of());
    }

    @ParameterizedTest
    @CsvSource({"KILL, 3", "KILL, 1", "POWER_LOSS, 3", "POWER_LOSS, 1"})
    void aCrashLeavesOnlyWholeKeptCheckpointsListed(Crash crash, String ioMode) throws IOException {
        crash(crash, Map.of("drumlin.keep", "2", "basic.ckpt_io", ioMode));
    }

    private void crash(Crash crash, Map<String, String> settings) throws IOException {
        Path original = Files.createDirectories(directory.resolve("original"));
        Map<String, String> all = new HashMap<>(settings);
        all.put("drumlin.scr_index", original.toString());
        RunFixture run = new RunFixture(original, all);
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        CrashJournal journal = storage.record(original);
        run.run(2, (builder, rank) -> builder.storage(storage), (checkpoints, comm) -> {
            for (int id = 1; id <= (settings.isEmpty() ? 2 : 4); id++) {
                checkpoint(checkpoints, id, Level.L4);
            }
            checkpoints.complete();
        });
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        int listed = 0;
        for (int end = 0; end <= journal.size(); end++) {
            Path copy = Files.createDirectories(directory.resolve("replay" + end));
            journal.replay(end, copy, crash, random);
            listed += listed(new ScrPrefix(copy), 2).size();
            DirectoryTree.delete(copy, new NioEngine());
        }
        assertThat(listed).isPositive();
    }

    @Test
    void filesMustBeBelowThePrefixDirectory() throws IOException {
        RunFixture elsewhere = run("drumlin.scr_index=" + directory.resolve("Meta"));
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> elsewhere.run(1, (checkpoints, comm) -> {}))
                .withMessageContaining("glbl_dir or a directory above it");
    }
}
