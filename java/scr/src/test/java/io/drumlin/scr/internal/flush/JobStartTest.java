package io.drumlin.scr.internal.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.drumlin.scr.DatasetJobs;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.store.ScrPrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What parameters let a job do before the program goes on. */
@Tag("exhaustive")
class JobStartTest extends DatasetJobs {

    /** Leaves two checkpoints in the caches. */
    private void twoCheckpoints(String flush) throws IOException {
        parameters.put("SCR_FLUSH", flush);
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
    }

    @Test
    void emptiesTheCaches() throws IOException {
        twoCheckpoints("0");
        parameters.put("SCR_CACHE_PURGE", "1");
        job((datasets, rank) -> assertThat(datasets.haveRestart()).isEmpty());
        for (int node = 0; node < RANKS; node++) {
            assertThat(cache(node).resolve("scr.dataset.1")).doesNotExist();
            assertThat(cache(node).resolve("scr.dataset.2")).doesNotExist();
        }
    }

    @Test
    void emptiesThePrefixDirectoryOfDatasets() throws IOException {
        twoCheckpoints("1");
        deleteCaches();
        Path mine = Files.writeString(prefix().resolve("input"), "stays");
        parameters.put("SCR_PREFIX_PURGE", "1");
        job((datasets, rank) -> assertThat(datasets.haveRestart()).isEmpty());
        assertThat(index().records()).isEmpty();
        assertThat(index().current()).isEmpty();
        assertThat(prefix().resolve("ckpt.1")).doesNotExist();
        assertThat(new ScrPrefix(prefix()).metadata(2)).doesNotExist();
        assertThat(mine).hasContent("stays");
    }

    /** It is in the caches still, and has to be copied again. */
    @Test
    void whatWasDeletedFromThePrefixDirectoryIsNotThoughtToBeThere() throws IOException {
        twoCheckpoints("1");
        parameters.put("SCR_PREFIX_PURGE", "1");
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            datasets.close();
        });
        assertThat(index().record("ckpt.2").orElseThrow().isComplete()).isTrue();
        assertThat(prefix().resolve("ckpt.2")).isDirectory();
    }

    @Test
    void copiesWhatIsOnlyInTheCaches() throws IOException {
        twoCheckpoints("0");
        job((datasets, rank) -> {});
        assertThat(new ScrPrefix(prefix()).index()).as("not asked for").doesNotExist();
        parameters.put("SCR_FLUSH_ON_RESTART", "1");
        job((datasets, rank) -> {});
        assertThat(index().records()).extracting(IndexRecord::name).containsExactly("ckpt.2", "ckpt.1");
        assertThat(index().records()).allMatch(IndexRecord::isComplete);
        assertThat(index().current()).contains("ckpt.2");
    }

    @Test
    void restartsEverythingFromThePrefixDirectory() throws IOException {
        twoCheckpoints("0");
        parameters.put("SCR_GLOBAL_RESTART", "1");
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.2");
            datasets.startRestart();
            Path file = file("ckpt.2", rank, 0);
            assertThat(datasets.routeFile(file)).isEqualTo(file).hasBinaryContent(content("ckpt.2", rank, 0));
            assertThat(cache(rank).resolve("scr.dataset.2")).doesNotExist();
        });
    }

    /** A job whose restart led elsewhere must not be thrown back by the parameter, which is still set. */
    @Test
    void theParameterForCurrentIsObeyedOnce() throws IOException {
        parameters.put("SCR_FLUSH", "1");
        job((datasets, rank) -> {
            for (int i = 1; i <= 3; i++) {
                write(datasets, rank, "ckpt." + i);
            }
        });
        deleteCaches();
        parameters.put("SCR_CURRENT", "ckpt.1");
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.1");
            datasets.startRestart();
            assertThat(datasets.completeRestart(false)).isFalse();
            assertThat(datasets.haveRestart()).contains("ckpt.3");
        });
        for (int node = 0; node < RANKS; node++) {
            delete(cache(node).resolve("scr.dataset.3"));
        }
        job((datasets, rank) -> assertThat(datasets.haveRestart()).contains("ckpt.3"));
    }

    /** A file that is as long as it was, but not what it was, is made again like one that is lost. */
    @Test
    void aDamagedFileOfTheCacheIsMadeAgain() throws IOException {
        parameters.put("SCR_FLUSH", "0");
        job((datasets, rank) -> write(datasets, rank, "ckpt.1"));
        Path damaged;
        try (Stream<Path> files = Files.walk(cache(2).resolve("scr.dataset.1"))) {
            damaged =
                    files.filter(file -> file.endsWith("data0.bin")).findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(damaged);
        bytes[bytes.length / 2] ^= 1;
        Files.write(damaged, bytes);
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.1");
            read(datasets, rank, "ckpt.1");
        });
    }

    /** The program must go back before output that was lost, and writes output again that follows its checkpoint. */
    @Test
    void outputBoundsWhatIsTaken() throws IOException {
        parameters.put("SCR_CACHE_SIZE", "9");
        parameters.put("SCR_FLUSH", "0");
        storage = before("out", () -> {
            throw new IOException("no output today");
        });
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            for (String name : new String[] {"out.2", "ckpt.3", "out.4"}) {
                if (name.startsWith("out")) {
                    assertThatIOException()
                            .isThrownBy(() -> write(datasets, rank, name, false))
                            .withMessageContaining("no output today");
                } else {
                    write(datasets, rank, name);
                }
            }
        });
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.3");
            assertThat(cache(rank).resolve("scr.dataset.2")).isDirectory();
            assertThat(cache(rank).resolve("scr.dataset.4")).doesNotExist();
        });
        delete(cache(1).resolve("scr.dataset.2"));
        delete(cache(2).resolve("scr.dataset.2"));
        job((datasets, rank) -> assertThat(datasets.haveRestart()).contains("ckpt.1"));
    }

    @Test
    void whatTheProgramSetIsThereForScripts() throws IOException {
        job((datasets, rank) -> {});
        assertThat(new ScrPrefix(prefix()).applicationConfig())
                .content()
                .contains("SCR_CACHE_SIZE=2\n")
                .contains("SCR_JOB_ID=112573\n");
    }
}
