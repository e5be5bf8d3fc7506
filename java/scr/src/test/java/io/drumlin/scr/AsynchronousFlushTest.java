package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Datasets that are copied to the prefix directory while the program goes on. */
@Timeout(60)
class AsynchronousFlushTest extends DatasetJobs {

    /** What no copy passes until it is open. */
    private final CountDownLatch gate = new CountDownLatch(1);

    @BeforeEach
    void copyInTheBackground() {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_FLUSH_ASYNC", "1");
        storage = before("ckpt.1", this::pass);
    }

    /** Copies of a killed job continue once the gate is open. They must not write while the folder is deleted. */
    @AfterEach
    void endCopies() throws InterruptedException {
        gate.countDown();
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().startsWith("drumlin-flush-")) {
                each.join();
            }
        }
    }

    private void pass() throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private boolean isComplete(String name) throws IOException {
        return index().record(name).orElseThrow().isComplete();
    }

    private FlushStates states() throws IOException {
        return new FlushStates(new KvTreeStore(new NioEngine()).read(new ScrPrefix(prefix()).flush()));
    }

    @Test
    void isListedOnlyByACallAfterItsEnd() throws IOException {
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            assertThat(datasets.needCheckpoint()).isFalse();
            assertThat(isComplete("ckpt.1")).isFalse();
            assertThat(index().current()).isEmpty();
            assertThat(states().tree().find("DATASET", "1", "LOCATION").keys()).containsExactly("CACHE", "FLUSHING");
            assertThat(datasets.shouldExit()).as("all have looked").isFalse();
            gate.countDown();
            while (!isComplete("ckpt.1")) {
                assertThat(datasets.needCheckpoint()).isFalse();
                assertThat(datasets.shouldExit()).as("all have looked").isFalse();
            }
            assertThat(states().place(1)).contains("PFS");
            assertThat(states().tree().find("DATASET", "1", "LOCATION").keys()).containsExactly("CACHE", "PFS");
        });
        assertThat(index().current()).contains("ckpt.1");
    }

    @Test
    void theNextFlushWaits() throws IOException {
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            gate.countDown();
            write(datasets, rank, "ckpt.2");
            assertThat(isComplete("ckpt.1")).isTrue();
            datasets.close();
        });
        assertThat(isComplete("ckpt.2")).isTrue();
        assertThat(index().current()).contains("ckpt.2");
    }

    @Test
    void aDatasetLeavesTheCacheOnlyWhenItWasCopied() throws IOException {
        parameters.put("SCR_CACHE_SIZE", "1");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            gate.countDown();
            datasets.startOutput("ckpt.2", true, false);
            assertThat(isComplete("ckpt.1")).isTrue();
        });
    }

    @Test
    void aFailureIsToldByTheNextCallAndTheEndTriesAgain() throws IOException {
        boolean[] broken = {true};
        storage = before("ckpt.1/rank_2", () -> {
            if (broken[0]) {
                throw new IOException("no space on rank 2");
            }
        });
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            assertThatIOException()
                    .isThrownBy(() -> datasets.delete("another"))
                    .withMessageContaining("no space on rank 2");
            assertThat(isComplete("ckpt.1")).isFalse();
            assertThat(states().needsFlush(1)).isTrue();
            assertThat(states().tree().find("DATASET", "1", "LOCATION").keys()).containsExactly("CACHE");
            assertThat(datasets.needCheckpoint()).as("goes on").isFalse();
            broken[0] = false;
            datasets.close();
        });
        assertThat(isComplete("ckpt.1")).isTrue();
    }

    @Test
    void whatAKillInterruptedIsCopiedByTheNextJob() throws IOException {
        job((datasets, rank) -> write(datasets, rank, "ckpt.1"));
        storage = new NioEngine();
        assertThat(isComplete("ckpt.1")).isFalse();
        job((datasets, rank) -> {
            assertThat(isComplete("ckpt.1")).isTrue();
            read(datasets, rank);
        });
        assertThat(Files.exists(prefix().resolve("ckpt.1"))).isTrue();
    }

    /** Nobody lists the dataset any more when the job dies between two calls, and the caches die with it. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false"})
    void aCopyThatEndedIsListedByTheNextJob(boolean checkpoint, boolean flushFileLost) throws Exception {
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.0");
            write(datasets, rank, "ckpt.1", checkpoint);
            datasets.shouldExit();
            gate.countDown();
        });
        endCopies();
        assertThat(isComplete("ckpt.1")).isFalse();
        storage = new NioEngine();
        deleteCaches();
        if (flushFileLost) {
            Files.delete(new ScrPrefix(prefix()).flush());
        }
        List<String> lines = logged(() -> job((datasets, rank) -> {
            String newest = checkpoint ? "ckpt.1" : "ckpt.0";
            assertThat(datasets.haveRestart()).contains(newest);
            read(datasets, rank, newest);
        }));
        assertThat(lines).singleElement().asString().contains("ckpt.1", "listed now");
        DatasetMetadata metadata = DatasetMetadata.of(
                new ScrPrefix(prefix()), index().record("ckpt.1").orElseThrow(), storage);
        metadata.checkContent(metadata.check());
        if (!checkpoint) {
            assertThat(file("ckpt.1", 2, 2)).hasBinaryContent(content("ckpt.1", 2, 2));
        }
    }

    /** Of rank 2 nothing was copied. What a restart does not take is told. */
    @Test
    void aCopyThatLacksARankIsNamedAndPassedBy() throws Exception {
        storage = before("ckpt.1/rank_2", this::pass);
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.0");
            write(datasets, rank, "ckpt.1");
        });
        storage = new NioEngine();
        for (int rank = 0; rank < RANKS; rank++) {
            while (rank != 2
                    && !Files.exists(new ScrPrefix(prefix()).metadata(2).resolve("filemap_" + rank))) {
                Thread.onSpinWait();
            }
        }
        deleteCaches();
        List<String> lines = logged(() -> job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.0");
            read(datasets, rank, "ckpt.0");
        }));
        assertThat(lines).singleElement().asString().contains("ckpt.0", "ckpt.1 (its copy did not end)");
        assertThat(isComplete("ckpt.1")).isFalse();
    }

    /** Somebody who went back in time is not thrown forward. */
    @Test
    void aCopyThatEndedDoesNotChangeACurrentThatSomebodySet() throws Exception {
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.-1");
            write(datasets, rank, "ckpt.0");
            write(datasets, rank, "ckpt.1");
            datasets.shouldExit();
            gate.countDown();
        });
        endCopies();
        storage = new NioEngine();
        deleteCaches();
        new IndexOperations(new ScrPrefix(prefix()), storage).current("ckpt.-1");
        List<String> lines = logged(
                () -> job((datasets, rank) -> assertThat(datasets.haveRestart()).contains("ckpt.-1")));
        assertThat(isComplete("ckpt.1")).isTrue();
        assertThat(lines).hasSize(2).last().asString().contains("ckpt.0", "ckpt.1");
    }

    private void read(ScrDatasets datasets, int rank) throws IOException {
        assertThat(datasets.haveRestart()).contains("ckpt.1");
        read(datasets, rank, "ckpt.1");
    }
}
