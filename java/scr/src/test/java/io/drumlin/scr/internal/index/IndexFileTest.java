package io.drumlin.scr.internal.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import io.drumlin.format.FormatException;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IndexFileTest {

    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 21, 3, 4, 5);

    @TempDir
    Path directory;

    private IndexFile file(Path prefix) {
        return new IndexFile(new ScrPrefix(prefix), new NioEngine());
    }

    @Test
    void aMissingIndexIsToldWhenItIsReadAndMadeWhenItIsChanged() throws IOException {
        IndexFile file = file(directory);
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(file::read);
        file.update(index -> index.complete(ScrIndexTest.checkpoint(1), NOW));
        assertThat(file.read().current()).contains("ckpt.1");
        assertThat(file.path()).isEqualTo(directory.resolve(".scr/index.scr"));
    }

    @Test
    void findsTheIndexOfTheOldestVersions() throws IOException {
        Files.copy(ScrGolden.root().resolve("seed_example/files/index.scr"), directory.resolve("index.scr"));
        IndexFile file = file(directory);
        file.update(index -> index.remove("scr.dataset.18"));
        assertThat(directory.resolve(".scr/index.scr")).doesNotExist();
        assertThat(file.read().current()).contains("scr.dataset.12");
        assertThat(file.read().format()).isEqualTo(IndexFormat.DIR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"old_v118_prefix", "old_v200_prefix"})
    void changesOlderFormsInTheirOwn(String name) throws IOException {
        Path prefix = ScrGolden.copy(name + "/prefix", directory.resolve("p"));
        IndexFile file = file(prefix);
        ScrIndex before = file.read();
        file.update(index -> index.complete(ScrIndexTest.checkpoint(9), NOW));
        ScrIndex after = file.read();
        assertThat(after.format()).isEqualTo(before.format()).isNotEqualTo(IndexFormat.FLAT);
        assertThat(after.records()).hasSize(before.records().size() + 1);
        assertThat(after.tree().value("VERSION")).contains("1");
    }

    @Test
    void aDatasetCanBeAddedBesideOneThatIsDamaged() throws IOException {
        Path prefix = ScrGolden.copy("prefix_several/prefix", directory.resolve("p"));
        IndexOperations operations = new IndexOperations(new ScrPrefix(prefix), new NioEngine());
        Path damaged = prefix.resolve(".scr/scr.dataset.1/summary.scr");
        Files.write(damaged, new byte[10]);
        operations.drop("ckpt.2");
        assertThat(operations.add("ckpt.2").id()).isEqualTo(3);
        assertThatExceptionOfType(NoSuchDatasetException.class)
                .isThrownBy(() -> operations.add("ckpt.1"))
                .withMessageContaining("cannot be read: [" + damaged);
    }

    @Test
    void aRefusedChangeLeavesTheFile() throws IOException {
        IndexFile file = file(directory);
        file.update(index -> index.complete(ScrIndexTest.checkpoint(1), NOW));
        byte[] before = Files.readAllBytes(file.path());
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> new IndexOperations(new ScrPrefix(directory), new NioEngine()).drop("other"));
        assertThat(file.path()).hasBinaryContent(before);
    }

    @Test
    void anUnreadableIndexIsNotOverwritten() throws IOException {
        Files.createDirectories(directory.resolve(".scr"));
        Path path = Files.write(directory.resolve(".scr/index.scr"), new byte[] {1, 2, 3});
        IndexFile file = file(directory);
        assertThatExceptionOfType(FormatException.class)
                .isThrownBy(() -> file.update(ScrIndex::clearCurrent))
                .withMessageContaining(path.toString());
        Files.write(path, new byte[0]);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> file.update(ScrIndex::clearCurrent))
                .withMessageContaining("no VERSION");
        assertThat(path).hasSize(0);
    }

    @Test
    void noChangeOfSeveralThreadsIsLost() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> changes = new ArrayList<>();
        for (int id = 1; id <= 40; id++) {
            int number = id;
            changes.add(threads.submit(() -> {
                file(directory).update(index -> index.complete(ScrIndexTest.checkpoint(number), NOW));
                return null;
            }));
        }
        for (Future<?> change : changes) {
            change.get();
        }
        threads.shutdown();
        assertThat(file(directory).read().records()).hasSize(40);
    }

    @ParameterizedTest
    @EnumSource
    void aCrashLeavesTheOldIndexOrTheNew(Crash crash) throws IOException {
        Path prefix = Files.createDirectories(directory.resolve("prefix"));
        file(prefix).update(index -> index.complete(ScrIndexTest.checkpoint(1), NOW));
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        CrashJournal journal = storage.record(prefix);
        IndexFile file = new IndexFile(new ScrPrefix(prefix), storage);
        for (int id = 2; id <= 4; id++) {
            int number = id;
            file.update(index -> index.complete(ScrIndexTest.checkpoint(number), NOW));
        }
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        for (int end = 0; end <= journal.size(); end++) {
            Path copy = Files.createDirectories(directory.resolve("replay-" + end));
            journal.replay(end, copy, crash, random);
            ScrIndex index = file(copy).read();
            int datasets = index.records().size();
            assertThat(datasets).isBetween(1, 4);
            assertThat(index.current()).contains("ckpt." + datasets);
        }
    }
}
