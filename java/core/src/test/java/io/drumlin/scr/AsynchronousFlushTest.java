package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    private void read(ScrDatasets datasets, int rank) throws IOException {
        assertThat(datasets.haveRestart()).contains("ckpt.1");
        read(datasets, rank, "ckpt.1");
    }
}
