package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Starts that find what is not theirs, or not what they expect, and do no harm to it. */
class OtherStartsTest extends DatasetJobs {

    private String prefix = "prefix";

    /** Where the prefix directory of the last rank is, as on a node that has something else mounted there. */
    private String prefixOfLast = "";

    @Override
    public Path prefix() {
        return directory.resolve(prefix);
    }

    @Override
    ScrConfig config(Communicator world) {
        ScrConfig config = super.config(world);
        return prefixOfLast.isEmpty() || world.rank() < RANKS - 1
                ? config
                : config.set("SCR_PREFIX", directory.resolve(prefixOfLast).toString());
    }

    private void twoCheckpoints() throws IOException {
        parameters.put("SCR_FLUSH", "1");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
    }

    private Map<Path, Long> datasets() throws IOException {
        Map<Path, Long> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path each : paths.filter(Files::isRegularFile).toList()) {
                if (each.toString().contains("ckpt.") || each.toString().contains("scr.dataset.")) {
                    files.put(each, Files.size(each));
                }
            }
        }
        return files;
    }

    @ParameterizedTest
    @CsvSource({"2, true", "2, false", "5, true", "5, false"})
    void anotherNumberOfRanksIsRefusedAndMarksNothing(int ranks, boolean cached) throws IOException {
        twoCheckpoints();
        if (!cached) {
            deleteCaches();
        }
        Map<Path, Long> before = datasets();
        byte[] index = Files.readAllBytes(new ScrPrefix(prefix()).index());
        assertThatThrownBy(() -> job(ranks, (datasets, rank) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("dataset ckpt.")
                .hasMessageContaining("by 4 ranks, but there are " + ranks)
                .hasMessageContaining(cached ? "SCR_CACHE_PURGE" : "SCR_FETCH=0");
        assertThat(datasets()).isEqualTo(before);
        assertThat(new ScrPrefix(prefix()).index()).hasBinaryContent(index);
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            read(datasets, rank, "ckpt.2");
        });
    }

    /** Somebody has moved files, or they are on their way from tape. */
    @ParameterizedTest
    @CsvSource({"ckpt.2, ckpt.1", "ckpt.2/rank_3, ckpt.1", ".scr/scr.dataset.2, ckpt.1", "'ckpt.1 ckpt.2', ''"})
    void whatIsMissingIsTriedAgainWhenItIsBack(String moved, String instead) throws IOException {
        twoCheckpoints();
        deleteCaches();
        List<String> names = List.of(moved.split(" "));
        for (String name : names) {
            Files.move(prefix().resolve(name), directory.resolve("away-" + names.indexOf(name)));
        }
        List<String> lines = logged(() -> job((datasets, rank) ->
                assertThat(datasets.haveRestart().orElse("")).isEqualTo(instead)));
        assertThat(lines).anyMatch(line -> line.contains("ckpt.2"));
        assertThat(index().records()).noneMatch(IndexRecord::isFailed);
        deleteCaches();
        for (String name : names) {
            Files.move(directory.resolve("away-" + names.indexOf(name)), prefix().resolve(name));
        }
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            read(datasets, rank, "ckpt.2");
        });
    }

    /** A program that looks at no return code must not write over the checkpoints that it could not look for. */
    @Test
    void nothingIsBegunWhileNobodyKnowsWhetherThereIsARestart() throws IOException {
        twoCheckpoints();
        deleteCaches();
        boolean[] broken = {true};
        storage = before("ckpt.2/rank_1", () -> {
            if (broken[0]) {
                throw new IOException("the file server does not answer");
            }
        });
        job((datasets, rank) -> {
            assertThatThrownBy(datasets::haveRestart).hasMessageContaining("does not answer");
            assertThatThrownBy(() -> datasets.startOutput("ckpt.1", true, false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("haveRestart");
            datasets.shouldExit();
            broken[0] = false;
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            read(datasets, rank, "ckpt.2");
            write(datasets, rank, "ckpt.3");
        });
    }

    /** Two programs of an allocation have one job id, and so one cache. The prefix of the second may be below the first. */
    @ParameterizedTest
    @CsvSource({"other, false", "prefix/other, false", "other, true"})
    void datasetsOfAnotherProgramAreLeftToIt(String other, boolean byScr) throws IOException {
        parameters.put("SCR_FLUSH", "0");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        for (int node = 0; byScr && node < RANKS; node++) {
            forgetPrefix(node);
        }
        Path first = prefix();
        prefix = other;
        List<String> lines = logged(() -> job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).isEmpty();
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
            write(datasets, rank, "ckpt.3");
        }));
        assertThat(lines).singleElement().asString().contains("datasets 1, 2 ", first.toString(), "SCR_CACHE_PURGE=1");
        for (String each : List.of("prefix", other)) {
            prefix = each;
            job((datasets, rank) -> {
                String newest = each.equals(other) ? "ckpt.3" : "ckpt.2";
                assertThat(datasets.haveRestart()).contains(newest);
                read(datasets, rank, newest);
            });
        }
        parameters.put("SCR_CACHE_PURGE", "1");
        job((datasets, rank) -> assertThat(datasets.haveRestart()).isEmpty());
        assertThat(Files.exists(cache(0).resolve("scr.dataset.1")))
                .as("purged, too")
                .isFalse();
    }

    /** As SCR leaves the index of the cache. */
    private void forgetPrefix(int node) throws IOException {
        KvTreeStore store = new KvTreeStore(storage);
        Path index = cache(node).resolve("cindex.scrinfo");
        KvTree tree = store.read(index);
        tree.add("DSET").entries().values().forEach(dataset -> dataset.remove("PREFIX"));
        store.replace(index, tree);
    }

    @Test
    void aNodeWithoutThePrefixDirectoryIsFoundAtTheStart() throws IOException {
        prefixOfLast = "notMounted";
        assertThatThrownBy(() -> job((datasets, rank) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("n3")
                .hasMessageContaining("notMounted");
        prefixOfLast = "";
        job((datasets, rank) -> {});
        List<Path> left = new ArrayList<>(PathStatus.entries(new ScrPrefix(prefix()).scr()));
        left.removeIf(each -> List.of("nodes.scr", "app.conf", "flush.scr")
                .contains(each.getFileName().toString()));
        assertThat(left).isEmpty();
    }

    /** The file system goes away while the job runs; the program writes into the directory below. */
    @ParameterizedTest
    @CsvSource({"0", "1"})
    void aFlushThatOneNodeWritesElsewhereIsNotListed(String bypass) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_CACHE_BYPASS", bypass);
        prefixOfLast = "link";
        Files.createDirectories(prefix());
        Path link = Files.createSymbolicLink(directory.resolve("link"), prefix());
        Files.createDirectories(directory.resolve("below"));
        job((datasets, rank) -> {
            Path seen = rank == RANKS - 1 ? link : prefix();
            assertThat(write(datasets, seen.resolve("ckpt.1/rank_" + rank))).isTrue();
            if (rank == RANKS - 1) {
                Files.delete(link);
                Files.createSymbolicLink(link, directory.resolve("below"));
            }
            assertThatThrownBy(() -> write(datasets, seen.resolve("ckpt.2/rank_" + rank)))
                    .hasMessageContaining("ckpt.2/rank_3");
        });
        assertThat(index().record("ckpt.2").orElseThrow().isComplete()).isFalse();
        assertThat(index().current()).contains("ckpt.1");
    }

    /** The caches are in memory, and numbers are never used again, so nothing else would delete the rest. */
    @Test
    void whatAKillLeavesOfADatasetThatWasDeletedIsDeleted() throws IOException {
        parameters.put("SCR_CACHE_SIZE", "1");
        parameters.put("SCR_FLUSH", "0");
        Path data = cache(3).resolve("scr.dataset.1/data0.bin");
        job((datasets, rank) -> write(datasets, rank, "ckpt.1"));
        storage = beforeCall("delete", data, () -> {
            throw new IOException("killed");
        });
        job((datasets, rank) -> assertThatThrownBy(() -> datasets.startOutput("ckpt.2", true, false))
                .hasMessageContaining("killed"));
        assertThat(data).exists();
        storage = new NioEngine();
        job((datasets, rank) -> assertThat(datasets.haveRestart()).isEmpty());
        assertThat(data.getParent()).doesNotExist();
    }

    private static boolean write(ScrDatasets datasets, Path file) throws IOException {
        datasets.startOutput(file.getName(file.getNameCount() - 2).toString(), true, false);
        Path path = datasets.routeFile(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.toString());
        return datasets.completeOutput(true);
    }
}
