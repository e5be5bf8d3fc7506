package io.drumlin.scr.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.settings.ScrSettings;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaceTest {

    /** The time since {@code begin}, which is taken before a pace is made: its clock starts then. */
    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    @Test
    void ranksShareTheLimit() {
        long begin = System.nanoTime();
        Pace pace = Pace.of(20_000, 4);
        for (int piece = 0; piece < 10; piece++) {
            pace.copied(100);
        }
        assertThat(since(begin)).isGreaterThanOrEqualTo(Duration.ofMillis(190));
    }

    @Test
    @Timeout(60)
    void withoutALimitNothingWaits() {
        Pace.of(0, 4).copied(Long.MAX_VALUE);
        Pace.unlimited().copied(Long.MAX_VALUE);
    }

    @Test
    @Timeout(60)
    void aLiftedLimitEndsTheWaiting() throws InterruptedException {
        Pace pace = Pace.of(1, 1);
        Thread copying = new Thread(() -> pace.copied(1_000_000));
        copying.start();
        pace.lift();
        copying.join();
        pace.copied(1_000_000);
    }

    @ParameterizedTest
    @CsvSource({"'', 0", "0, 0", "17, 17", "1K, 1024", "64kb, 65536", "1.5MB, 1572864", "2G, 2147483648", "10B, 10"})
    void limitsHaveUnits(String text, long bytes) throws IOException {
        assertThat(new ScrSettings(Map.of("LIMIT", text)).bytes("LIMIT")).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "-1", "1 MB", "1X"})
    void otherLimitsAreRefused(String text) {
        assertThatThrownBy(() -> new ScrSettings(Map.of("LIMIT", text)).bytes("LIMIT"))
                .hasMessageContaining("500MB");
    }

    @Test
    void aCopyKeepsThePace(@TempDir Path directory) throws IOException {
        Path from = Files.write(directory.resolve("from"), new byte[10_000]);
        long begin = System.nanoTime();
        FileTransfer transfer = new FileTransfer(new KvTreeStore(StorageEngines.best()), Pace.of(50_000, 1));
        transfer.copy(from, directory.resolve("to"), new KvTree(), OptionalLong.of(10_000), OptionalLong.empty());
        assertThat(since(begin)).isGreaterThanOrEqualTo(Duration.ofMillis(190));
    }
}
