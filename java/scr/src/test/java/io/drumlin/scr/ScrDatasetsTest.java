package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.OpenCommunicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.internal.halt.HaltFile;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexListing;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Four ranks, each in a node of its own. */
class ScrDatasetsTest extends DatasetJobs {

    @ParameterizedTest
    @CsvSource({"PARTNER, 2", "XOR, 0", "XOR, 3", "RS, 1", "RS, 13", "RS, 02", "SINGLE, ''"})
    void comesBackFromTheCachesAfterLosingNodes(String type, String lost) throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).isEmpty();
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        for (char node : lost.toCharArray()) {
            delete(node(node - '0'));
        }
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            read(datasets, rank, "ckpt.2");
            write(datasets, rank, "ckpt.3");
        });
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.3");
            read(datasets, rank, "ckpt.3");
        });
    }

    /** A switch that is off, and a place that cannot be one for files. */
    @ParameterizedTest
    @CsvSource({"SCR_ENABLE, 0", "SCR_COPY_TYPE, NONE_SUCH", "SCR_CACHE_BASE, /dev/null/cache"})
    void whatCannotBeOpenedLeavesNoCommunicator(String parameter, String value) throws IOException {
        OpenCommunicators communicators = new OpenCommunicators();
        ThreadCommunicator.run(RANKS, real -> {
            Communicator world = communicators.of(real);
            ScrConfig config = config(world).set(parameter, value);
            assertThatThrownBy(() -> ScrDatasets.open(config, world, storage)).isInstanceOf(DrumlinException.class);
        });
        assertThat(communicators.count()).isZero();
    }

    @Test
    void whatCannotBeMadeWholeIsNotOffered() throws IOException {
        parameters.put("SCR_COPY_TYPE", "XOR");
        job((datasets, rank) -> write(datasets, rank, "ckpt.1"));
        delete(node(1));
        delete(node(2));
        job((datasets, rank) -> assertThat(datasets.haveRestart()).isEmpty());
        assertThat(node(0).resolve("user1/scr.112573/scr.dataset.1")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void flushesAndFetches(String bypass) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_CACHE_BYPASS", bypass);
        parameters.put("SCR_FETCH_BYPASS", bypass);
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        assertThat(IndexListing.lines(index()))
                .hasSize(3)
                .element(1)
                .asString()
                .startsWith("   2 YES   ")
                .endsWith(" * ckpt.2");
        for (IndexRecord record : index().records()) {
            DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(prefix()), record, new NioEngine());
            metadata.checkContent(metadata.check());
        }
        deleteCaches();
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            read(datasets, rank, "ckpt.2");
        });
        assertThat(index().record("ckpt.2").orElseThrow().fetched()).hasSize(1);
    }

    /** As another job does that writes in the same prefix directory. */
    private void listByOthers(int rank, String name) throws IOException {
        if (rank == 0) {
            ScrPrefix prefix = new ScrPrefix(prefix());
            int id = 1;
            while (Files.exists(prefix.metadata(id))) {
                id++;
            }
            DatasetDescriptor descriptor = DatasetDescriptor.started(id, name, true, true, 1)
                    .withCheckpoint(id)
                    .completed(0, 0, true);
            DatasetMetadata.of(prefix, id, new NioEngine()).write(descriptor, RankFiles.of(RANKS, new KvTree()));
            new IndexFile(prefix, new NioEngine()).update(index -> index.add(descriptor, true, LocalDateTime.now()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void idsThatOthersHaveTakenAreNotTakenAgain(String bypass) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_CACHE_BYPASS", bypass);
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            listByOthers(rank, "other.1");
            listByOthers(rank, "other.2");
            write(datasets, rank, "ckpt.2");
            listByOthers(rank, "other.3");
        });
        assertThat(index().records())
                .extracting(IndexRecord::name)
                .containsExactly("other.3", "ckpt.2", "other.2", "other.1", "ckpt.1");
        for (IndexRecord record : index().records()) {
            DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(prefix()), record, new NioEngine());
            metadata.check();
            assertThat(metadata.readDescriptor().name()).hasValue(record.name());
        }
    }

    @Test
    void anIdThatOthersTakeMeanwhileIsLeftToThem() throws IOException {
        parameters.put("SCR_FLUSH", "1");
        job((datasets, rank) -> {
            datasets.startOutput("ckpt.1", true, false);
            Files.write(datasets.routeFile(file("ckpt.1", rank, 0)), content("ckpt.1", rank, 0));
            listByOthers(rank, "other.1");
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> datasets.completeOutput(true))
                    .withMessageContaining("its id 1 is that of other.1");
            assertThat(cache(nodeOf[rank]).resolve("scr.dataset.1/data0.bin")).exists();
            write(datasets, rank, "ckpt.2");
        });
        assertThat(index().records()).extracting(IndexRecord::name).contains("ckpt.2", "other.1");
    }

    @Test
    void fetchesWhatScrWrote() throws IOException {
        ScrGolden.copy("prefix_several/prefix", prefix());
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.3");
            assertThat(datasets.startRestart()).isEqualTo("ckpt.3");
            Path name = Path.of("rank_" + rank + ".ckpt");
            assertThat(datasets.routeFile(name))
                    .hasBinaryContent(Files.readAllBytes(ScrGolden.root()
                            .resolve("prefix_several/prefix/ckpt.3")
                            .resolve(name)));
            assertThat(datasets.completeRestart(true)).isTrue();
            write(datasets, rank, "ckpt.4");
            datasets.close();
        });
        assertThat(index().record("ckpt.4").orElseThrow().id()).isEqualTo(5);
        assertThat(index().record("ckpt.4").orElseThrow().descriptor().checkpoint())
                .hasValue(4);
    }

    /** SCR itself takes files that were cut; bytes that changed it does not look at. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void passesByWhatWasDamagedInThePrefix(boolean cut) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        deleteCaches();
        Path victim = file("ckpt.2", 2, 1);
        byte[] bytes = Files.readAllBytes(victim);
        bytes[9]++;
        Files.write(victim, cut ? new byte[7] : bytes);
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.1");
            read(datasets, rank, "ckpt.1");
        });
        assertThat(index().record("ckpt.2").orElseThrow().isFailed()).isTrue();
        assertThat(index().current()).contains("ckpt.1");
    }

    @Test
    void aCheckpointThatAProgramRejectsIsNotOfferedAgain() throws IOException {
        parameters.put("SCR_FLUSH", "1");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            datasets.startRestart();
            assertThat(datasets.completeRestart(rank != 3)).isFalse();
            assertThat(datasets.haveRestart()).contains("ckpt.1");
            read(datasets, rank, "ckpt.1");
        });
        assertThat(index().record("ckpt.2").orElseThrow().isFailed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void outputThatIsInvalidOnOneRankIsGivenUp(String bypass) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_CACHE_BYPASS", bypass);
        job((datasets, rank) -> {
            datasets.startOutput("bad", true, true);
            Files.write(datasets.routeFile(file("bad", rank, 0)), new byte[9]);
            assertThat(datasets.completeOutput(rank != 1)).isFalse();
        });
        boolean indexed = Files.exists(new ScrPrefix(prefix()).index());
        assertThat(indexed).isEqualTo(bypass.equals("1"));
        if (indexed) {
            assertThat(index().record("bad").orElseThrow().isComplete()).isFalse();
        }
    }

    @Test
    void aFileThatWasNotWrittenFailsAllRanks() throws IOException {
        job((datasets, rank) -> {
            datasets.startOutput("bad", true, false);
            Path path = datasets.routeFile(file("bad", rank, 0));
            if (rank != 2) {
                Files.write(path, new byte[9]);
            }
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> datasets.completeOutput(true))
                    .withMessageContaining("rank_2");
            write(datasets, rank, "good");
        });
    }

    /** SCR would delete it, because it is newer than the last checkpoint, of which there is none. */
    @Test
    void outputBeforeTheFirstCheckpointIsNotLost() throws IOException {
        storage = before("out.1", () -> {
            throw new IOException("no space");
        });
        job((datasets, rank) -> {
            datasets.startOutput("out.1", false, true);
            Files.write(datasets.routeFile(file("out.1", rank, 0)), content("out.1", rank, 0));
            assertThatThrownBy(() -> datasets.completeOutput(true)).hasMessageContaining("no space");
        });
        storage = new NioEngine();
        job((datasets, rank) -> assertThat(datasets.haveRestart()).isEmpty());
        assertThat(index().record("out.1").orElseThrow().isComplete()).isTrue();
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(file("out.1", rank, 0)).hasBinaryContent(content("out.1", rank, 0));
        }
    }

    /** Cheap checkpoints, and every second one that survives the loss of a node. */
    @Test
    void cachesEverySoManyCheckpointsOtherwise() throws IOException {
        parameters.put("SCR_COPY_TYPE", "FILE");
        Files.createDirectories(prefix());
        Files.writeString(prefix().resolve(".scrconf"), "CKPT=0 TYPE=SINGLE\nCKPT=1 INTERVAL=2 TYPE=XOR\n");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
            write(datasets, rank, "ckpt.3");
        });
        delete(node(1));
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            read(datasets, rank, "ckpt.2");
        });
    }

    @Test
    void moreFailuresThanNodesCanMakeGoodAreRefusedAtTheStart() {
        parameters.put("SCR_COPY_TYPE", "RS");
        parameters.put("SCR_SET_FAILURES", "4");
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> job((datasets, rank) -> {}))
                .withMessageContaining("4 failures among 4 nodes");
    }

    @Test
    void keepsAWindowInThePrefix() throws IOException {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_PREFIX_SIZE", "2");
        job((datasets, rank) -> {
            for (int i = 1; i <= 4; i++) {
                write(datasets, rank, "ckpt." + i);
            }
            datasets.delete("ckpt.3");
        });
        assertThat(index().records().stream().map(IndexRecord::name)).containsExactly("ckpt.4");
        assertThat(prefix().resolve("ckpt.2")).doesNotExist();
        assertThat(prefix().resolve("ckpt.3")).doesNotExist();
        assertThat(prefix().resolve("ckpt.4")).isDirectory();
        assertThat(new ScrPrefix(prefix()).metadata(3)).doesNotExist();
    }

    @Test
    void theNewestCheckpointIsFlushedAtTheEnd() throws IOException {
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
            datasets.close();
        });
        assertThat(index().records().stream().map(IndexRecord::name)).containsExactly("ckpt.2");
        assertThat(new HaltFile(new ScrPrefix(prefix()), storage).read().exitReason())
                .contains("SCR_FINALIZE_CALLED");
    }

    @Test
    void haltsWhenToldAndCountsCheckpoints() throws IOException {
        new HaltFile(new ScrPrefix(Files.createDirectories(prefix())), storage)
                .update(change -> change.checkpointsLeft(OptionalLong.of(2)));
        job((datasets, rank) -> {
            assertThat(datasets.shouldExit()).isFalse();
            assertThat(datasets.needCheckpoint()).isFalse();
            write(datasets, rank, "ckpt.1");
            assertThat(datasets.shouldExit()).isFalse();
            write(datasets, rank, "ckpt.2");
            assertThat(datasets.shouldExit()).isTrue();
            assertThat(datasets.needCheckpoint()).isTrue();
        });
    }

    @Test
    void callsInAWrongStateAreRefused() throws IOException {
        job((datasets, rank) -> {
            assertThatIllegalStateException().isThrownBy(() -> datasets.completeOutput(true));
            assertThatIllegalStateException().isThrownBy(datasets::startRestart);
            datasets.startOutput("a", true, false);
            assertThatIllegalStateException().isThrownBy(datasets::haveRestart);
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> datasets.routeFile(directory.resolve("outside")))
                    .withMessageContaining("not in the prefix directory");
        });
    }

    /** One storage operation fails on one rank, in turn each: all ranks are told, and what is listed as complete is whole. */
    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource(
            value = FaultyEngine.Operation.class,
            names = {"OPEN", "WRITE", "SYNC", "RENAME", "SYNC_DIRECTORY", "READ"})
    void aFailureWhileFlushingFailsAllRanks(FaultyEngine.Operation operation) throws IOException {
        failWhileFlushing(operation, 16);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(
            value = FaultyEngine.Operation.class,
            names = {"OPEN", "WRITE", "SYNC", "RENAME", "SYNC_DIRECTORY", "READ"})
    void anyFailureWhileFlushingFailsAllRanks(FaultyEngine.Operation operation) throws IOException {
        failWhileFlushing(operation, 1);
    }

    private void failWhileFlushing(FaultyEngine.Operation operation, int longestStep) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int failures = 0;
        for (int nth = 1; nth < 200; nth += 1 + random.nextInt(longestStep)) {
            delete(Files.createDirectories(directory.resolve("prefix")));
            for (int rank = 0; rank < RANKS; rank++) {
                delete(Files.createDirectories(node(rank)));
            }
            FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
            storage = faulty;
            int[] failed = new int[RANKS];
            int place = nth;
            job((datasets, rank) -> {
                write(datasets, rank, "ckpt.1");
                if (rank == 0) {
                    faulty.fail(operation, place, "EIO");
                }
                try {
                    write(datasets, rank, "ckpt.2");
                } catch (IOException e) {
                    failed[rank] = 1;
                }
            });
            assertThat(failed).as("%s number %d", operation, nth).containsOnly(failed[0]);
            assertThat(faulty.openFiles()).as("%s number %d", operation, nth).isEmpty();
            failures += failed[0];
            checkWhole(prefix());
            if (failed[0] == 0) {
                break;
            }
        }
        assertThat(failures).isPositive();
    }

    /** The newest dataset is not noted as failed, and an older one not fetched: when the error has passed, the newest is. */
    @ParameterizedTest
    @EnumSource(
            value = FaultyEngine.Operation.class,
            names = {"OPEN", "READ", "WRITE"})
    void anErrorWhileFetchingLosesNoDataset(FaultyEngine.Operation operation) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        for (int nth = 1 + new Random().nextInt(7); nth < 60; nth += 7) {
            deleteCaches();
            FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
            faulty.fail(operation, nth, "EIO");
            storage = faulty;
            try {
                job((datasets, rank) ->
                        assertThat(datasets.haveRestart().orElse("ckpt.2")).isEqualTo("ckpt.2"));
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("EIO");
            }
            faulty.heal();
            assertThat(faulty.openFiles()).as("%s %d", operation, nth).isEmpty();
            deleteCaches();
            int place = nth;
            job((datasets, rank) -> assertThat(datasets.haveRestart())
                    .as("%s %d", operation, place)
                    .contains("ckpt.2"));
        }
    }

    /** Two ranks on each of two nodes are two sets: what fails in one of them fails on all ranks, and they go on together. */
    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource(
            value = FaultyEngine.Operation.class,
            names = {"OPEN", "WRITE", "SYNC", "RENAME"})
    void aFailureInOneSetIsToldToAll(FaultyEngine.Operation operation) {
        parameters.put("SCR_COPY_TYPE", "XOR");
        place(0, 0, 1, 1);
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int failures = 0;
        for (int nth = 1; nth < 200; nth += 1 + random.nextInt(8)) {
            int place = nth;
            int[] failed = new int[RANKS];
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> {
                        delete(directory.resolve(nodes));
                        delete(prefix());
                        Files.createDirectories(prefix());
                        Files.createDirectories(node(0));
                        Files.createDirectories(node(1));
                        FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
                        storage = faulty;
                        job((datasets, rank) -> {
                            write(datasets, rank, "ckpt.1");
                            if (rank == 0) {
                                faulty.fail(operation, place, "EIO");
                            }
                            datasets.shouldExit();
                            try {
                                write(datasets, rank, "ckpt.2");
                            } catch (IOException e) {
                                failed[rank] = 1;
                            }
                            faulty.heal();
                            datasets.shouldExit();
                            write(datasets, rank, "ckpt.3");
                        });
                        assertThat(faulty.openFiles())
                                .as("%s %d", operation, place)
                                .isEmpty();
                    },
                    () -> "hangs: " + operation + " " + place);
            assertThat(failed).as("%s number %d", operation, nth).containsOnly(failed[0]);
            failures += failed[0];
            if (failed[0] == 0) {
                break;
            }
        }
        assertThat(failures).isPositive();
    }

    private static void checkWhole(Path prefix) throws IOException {
        ScrIndex index = new IndexFile(new ScrPrefix(prefix), new NioEngine()).read();
        for (IndexRecord record : index.records()) {
            if (record.isComplete()) {
                DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(prefix), record, new NioEngine());
                metadata.checkContent(metadata.check());
            }
        }
        Optional<IndexRecord> first = index.record("ckpt.1");
        assertThat(first.orElseThrow().isComplete()).isTrue();
        assertThat(index.current()).isPresent();
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource
    void aCrashWhileFlushingLeavesOnlyWholeDatasetsListedAsComplete(Crash crash) throws IOException {
        crashWhileFlushing(crash, 5);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource
    void anyCrashWhileFlushingLeavesOnlyWholeDatasetsListedAsComplete(Crash crash) throws IOException {
        crashWhileFlushing(crash, 1);
    }

    private void crashWhileFlushing(Crash crash, int stride) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        FaultyEngine faulty = new FaultyEngine(new NioEngine());
        storage = faulty;
        CrashJournal[] journal = new CrashJournal[1];
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            if (rank == 0) {
                journal[0] = faulty.record(prefix());
            }
            assertThat(datasets.shouldExit()).as("meets the others").isFalse();
            write(datasets, rank, "ckpt.2");
            write(datasets, rank, "ckpt.3");
        });
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal[0].size());
        Random random = new Random(seed);
        for (int end = random.nextInt(stride); end <= journal[0].size(); end += stride) {
            Path copy = Files.createDirectories(directory.resolve("replay"));
            journal[0].replay(end, copy, crash, random);
            checkWhole(copy);
            delete(copy);
        }
    }
}
